"""Workbooks that openpyxl and XlsxWriter write. Each function returns what its document says."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import date, datetime, time, timedelta

from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.styles import Font
from xlsxwriter import Workbook as FastWorkbook

from tests.tools.documents.facts import Facts

# Numbers with their formats, and what a person sees.
_NUMBERS: tuple[tuple[object, str, tuple[str, ...]], ...] = (
    (0.075, "0.0%", ("7.5%",)),
    (1234567.891, "#,##0.00", ("1,234,567.89",)),
    (-1234.5, "#,##0.00;(#,##0.00)", ("(1,234.50)",)),
    (99.9, '"$"#,##0.00', ("$99.90",)),
    (48000, '#,##0" 원"', ("48,000 원",)),
    (1021234567, "000-0000-0000", ("010-2123-4567", "0102-123-4567")),
    (12500, '[>=1000]0.0,"k";0', ("12.5k",)),
    (date(2026, 5, 4), "yyyy-mm-dd", ("2026-05-04",)),
    (datetime(2026, 12, 31, 23, 45), "d mmm yyyy h:mm AM/PM", ("31 Dec 2026 11:45 PM", "2026-12-31 23:45")),
    (time(7, 5), "hh:mm", ("07:05",)),
    (timedelta(hours=30, minutes=15), "[h]:mm", ("30:15",)),
    (0.000012, "0.0E+00", ("1.2E-05",)),
    (3.75, "# ?/?", ("3 3/4", "3.75")),
    (42, '0" pieces"', ("42 pieces",)),
    (True, "General", ("TRUE", "True")),
    (0.1 + 0.2, "General", ("0.3",)),
    (7, "00000", ("00007",)),
)


def numbers(book: Workbook) -> Facts:
    sheet = book.active
    sheet.append(["Kind", "Shown"])
    for row, (value, code, _) in enumerate(_NUMBERS, 2):
        sheet.cell(row, 1, f"Format {row}")
        cell = sheet.cell(row, 2, value)
        cell.number_format = code
    wrong = (r"\b1021234567\b", r"\b0\.075\b", r"0\.30000000000000004")
    return Facts(said=tuple(ways for _, _, ways in _NUMBERS), wrong=wrong)


def merged(book: Workbook) -> Facts:
    sheet = book.active
    for texts in (
        ["Region", "City", "First", "Second"],
        ["North", "Bergen", 11, 12],
        [None, "Oslo", None, 22],
        ["All", None, 42, 34],
    ):
        sheet.append(texts)
    sheet.merge_cells("A2:A3")
    sheet.merge_cells("A4:B4")
    return Facts(
        rows=(
            ("Region", "City", "First", "Second"),
            ("North", "Bergen", "11", "12"),
            ("North", "Oslo", "", "22"),
            ("All", "*", "42", "34"),
        )
    )


def hidden(book: Workbook) -> Facts:
    sheet = book.active
    sheet.title = "Prices"
    for texts in (["Item", "UNSEENA", "Price"], ["Pump", 777001, 120], ["UNSEENB", 777002, 130], ["Valve", 777003, 15]):
        sheet.append(texts)
    sheet.column_dimensions["B"].hidden = True
    sheet.row_dimensions[3].hidden = True
    sheet["E2"] = 888123
    sheet["E2"].number_format = ";;;"
    sheet["F2"] = "UNSEENC"
    sheet["F2"].font = Font(color="FFFFFFFF")
    book.create_sheet("Secret")["A1"] = "UNSEEND"
    book["Secret"].sheet_state = "hidden"
    book.create_sheet("Deep")["A1"] = "UNSEENE"
    book["Deep"].sheet_state = "veryHidden"
    unseen = ("UNSEENA", "UNSEENB", "UNSEENC", "UNSEEND", "UNSEENE", "777001", "777003", "888123")
    return Facts(rows=(("Item", "Price"), ("Pump", "120"), ("Valve", "15")), hidden=unseen)


def letters(book: Workbook) -> Facts:
    sheet = book.active
    raised = InlineFont(vertAlign="superscript")
    gone = InlineFont(strike=True)
    sheet["A1"] = CellRichText("Count 10", TextBlock(raised, "6"), " cells")
    sheet["A2"] = CellRichText("Price ", TextBlock(gone, "100 EUR"), " 80 EUR")
    sheet["A3"] = "old 55 EUR"
    sheet["A3"].font = Font(strike=True)
    sheet["B3"] = "new 45 EUR"
    return Facts(
        said=(("Count 10^6 cells",), ("~~100 EUR~~ 80 EUR",), ("~~old 55 EUR~~",), ("new 45 EUR",)),
        wrong=(r"\b106 cells", r"(?<!~)100 EUR(?!~)", r"(?<!~)old 55 EUR(?!~)"),
    )


def formulas(book: Workbook) -> Facts:
    """Write formulas, for which openpyxl stores no values."""
    sheet = book.active
    for texts in (
        ["Item", "Net", "Gross"],
        ["Pump", 100, "=B2*1.19"],
        ["Valve", 15, "=B3*1.19"],
        ["Sum", "=SUM(B2:B3)"],
    ):
        sheet.append(texts)
    sheet["A6"] = '=HYPERLINK("https://example.org/list","The list")'
    return Facts(
        # LibreOffice computes the values.
        said=(
            ("B2*1.19", "| 119 |"),
            ("B3*1.19", "| 17.85 |"),
            ("SUM(B2:B3)", "| 115 |"),
            ("(https://example.org/list)", '"https://example.org/list"'),
        ),
        rows=(("Pump", "100", "*"),),
        wrong=(r"\| Sum \| 0 ", "(?i)nan"),
    )


def noted(book: Workbook) -> Facts:
    sheet = book.active
    sheet.append(["Pump", 120])
    sheet["B1"].comment = Comment("Without the hose.", "Kim")
    sheet["A2"] = "Site"
    sheet["B2"] = "Manual"
    sheet["B2"].hyperlink = "https://example.org/manual"
    return Facts(said=(("Pump",), ("120",), ("Without the hose.",), ("https://example.org/manual",)))


def charts(book: Workbook) -> Facts:
    sheet = book.active
    for texts in (["Month", "Sales"], ["January", 31], ["February", 28]):
        sheet.append(texts)
    chart = BarChart()
    chart.title = "Sales of the winter"
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    sheet.add_chart(chart, "E2")
    other = book.create_sheet("지점")
    other["A1"] = "부산 지점"
    other["B1"] = "納品書"
    other["C1"] = "发票号码"
    other["A3"] = "المجموع"
    return Facts(
        said=(("부산 지점",), ("納品書",), ("发票号码",), ("المجموع",), ("Sales of the winter",)),
        rows=(("January", "31"), ("February", "28")),
    )


def gaps(book: Workbook) -> Facts:
    """Write cells far from each other, an error, a text of digits, and signs of Markdown."""
    sheet = book.active
    sheet["B2"] = "Part"
    sheet["D2"] = "Number"
    sheet["B3"] = "Hinge"
    sheet["D3"] = "00451"
    sheet["B4"] = "Bolt | nut"
    sheet["D4"] = "=1/0"
    sheet["B40"] = "Far below"
    sheet["B5"] = "Two\nlines"
    return Facts(
        said=(("Far below",), ("Two lines",)),
        rows=(("Part", "", "Number"), ("Hinge", "", "00451")),
        wrong=(r"Hinge \| 451\b",),
    )


BOOKS: dict[str, Callable[[Workbook], Facts]] = {
    "numbers": numbers,
    "merged": merged,
    "hidden": hidden,
    "letters": letters,
    "formulas": formulas,
    "noted": noted,
    "charts": charts,
    "gaps": gaps,
}


def write_book(name: str) -> tuple[bytes, Facts]:
    """Return a workbook that openpyxl writes by its name, and what it says."""
    book = Workbook()
    facts = BOOKS[name](book)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue(), facts


def fast_numbers(book: FastWorkbook) -> Facts:
    sheet = book.add_worksheet("Numbers")
    for row, (value, code, _) in enumerate(_NUMBERS):
        cell_format = book.add_format({"num_format": code})
        sheet.write(row, 0, f"Format {row}")
        if isinstance(value, bool):
            sheet.write_boolean(row, 1, value)
        elif isinstance(value, int | float):
            sheet.write_number(row, 1, value, cell_format)
        else:
            sheet.write_datetime(row, 1, value, cell_format)
    wrong = (r"\b1021234567\b", r"\b0\.075\b", r"0\.30000000000000004")
    return Facts(said=tuple(ways for _, _, ways in _NUMBERS), wrong=wrong)


def fast_values(book: FastWorkbook) -> Facts:
    """Write formulas with their values, among them one that is a text."""
    sheet = book.add_worksheet("Values")
    money = book.add_format({"num_format": "#,##0.00 [$€-407]"})
    sheet.write_row(0, 0, ["Item", "Net", "Gross"])
    sheet.write_row(1, 0, ["Pump", 100])
    sheet.write_formula(1, 2, "=B2*1.19", money, 119)
    sheet.write_formula(2, 0, '="Va"&"lve"', None, "Valve")
    sheet.write_formula(2, 2, "=B3/0", None, "#DIV/0!")
    return Facts(said=(("119.00 €",), ("Valve",), ("#DIV/0!",)), rows=(("Pump", "100", "119.00 €"),))


def fast_hidden(book: FastWorkbook) -> Facts:
    sheet = book.add_worksheet("Shown")
    sheet.write_row(0, 0, ["Item", "UNSEENA", "Price"])
    sheet.write_row(1, 0, ["Pump", "UNSEENB", 120])
    sheet.write_row(2, 0, ["UNSEENC", "x", 130])
    sheet.set_column(1, 1, None, None, {"hidden": True})
    sheet.set_row(2, None, None, {"hidden": True})
    other = book.add_worksheet("Other")
    other.write(0, 0, "UNSEEND")
    other.hide()
    deep = book.add_worksheet("Filtered")
    deep.write_column(0, 0, ["Team", "red", "blue"])
    deep.write_column(0, 1, ["Points", 71, 52963])
    deep.autofilter(0, 0, 2, 1)
    deep.filter_column(0, "x == red")
    deep.set_row(2, None, None, {"hidden": True})
    unseen = ("UNSEENA", "UNSEENB", "UNSEENC", "UNSEEND", "52963")
    return Facts(rows=(("Item", "Price"), ("Pump", "120"), ("red", "71")), hidden=unseen)


def fast_letters(book: FastWorkbook) -> Facts:
    sheet = book.add_worksheet("Letters")
    raised = book.add_format({"font_script": 1})
    gone = book.add_format({"font_strikeout": True})
    sheet.write_rich_string(0, 0, "Count 10", raised, "6", " cells")
    sheet.write_rich_string(1, 0, "Price ", gone, "100 EUR", " 80 EUR")
    sheet.write(2, 0, "old 55 EUR", gone)
    sheet.write(2, 1, 45, gone)
    return Facts(
        said=(("Count 10^6 cells",), ("~~100 EUR~~ 80 EUR",), ("~~old 55 EUR~~",), ("~~45~~",)),
        wrong=(r"\b106 cells", r"(?<!~)100 EUR(?!~)", r"(?<!~)old 55 EUR(?!~)"),
    )


def fast_merged(book: FastWorkbook) -> Facts:
    sheet = book.add_worksheet("Plan")
    sheet.merge_range("A1:B1", "Branch", book.add_format())
    sheet.write("C1", "Sum")
    sheet.merge_range("A2:A4", "South", book.add_format())
    sheet.write_column("B2", ["Rome", "Bari", "Lecce"])
    sheet.write("C2", 71)
    sheet.write("C4", 73)
    return Facts(
        rows=(("Branch", "*", "Sum"), ("South", "Rome", "71"), ("South", "Bari", ""), ("South", "Lecce", "73"))
    )


def fast_drawn(book: FastWorkbook) -> Facts:
    sheet = book.add_worksheet("Drawn")
    sheet.write_row(0, 0, ["Month", "Sales"])
    sheet.write_row(1, 0, ["January", 31])
    sheet.insert_textbox(4, 3, "Words in the box")
    sheet.write_comment("A2", "Without holidays")
    chart = book.add_chart({"type": "column"})
    chart.add_series({"values": "=Drawn!$B$2:$B$2", "categories": "=Drawn!$A$2:$A$2"})
    chart.set_title({"name": "Winter sales"})
    sheet.insert_chart("F2", chart)
    return Facts(
        said=(("Words in the box",), ("Without holidays",), ("Winter sales",), ("Month",)),
    )


def fast_conditional(book: FastWorkbook) -> Facts:
    """Write cells that a condition turns into other colours, and a table with a style."""
    sheet = book.add_worksheet("Colours")
    sheet.write_column("A1", ["Score", 12, 99])
    sheet.conditional_format(
        "A2:A3", {"type": "cell", "criteria": ">", "value": 50, "format": book.add_format({"bg_color": "#C00000"})}
    )
    data = [["Ann", 5], ["Ben", 8]]
    sheet.add_table("C1:D3", {"data": data, "columns": [{"header": "Name"}, {"header": "Marks"}]})
    return Facts(said=(("Score",),), rows=(("99", "", "Ben", "8"), ("12", "", "Ann", "5")))


FAST_BOOKS: dict[str, Callable[[FastWorkbook], Facts]] = {
    "fast-numbers": fast_numbers,
    "fast-values": fast_values,
    "fast-hidden": fast_hidden,
    "fast-letters": fast_letters,
    "fast-merged": fast_merged,
    "fast-drawn": fast_drawn,
    "fast-conditional": fast_conditional,
}


def write_fast_book(name: str) -> tuple[bytes, Facts]:
    """Return a workbook that XlsxWriter writes by its name, and what it says."""
    file = io.BytesIO()
    book = FastWorkbook(file, {"in_memory": True})
    facts = FAST_BOOKS[name](book)
    book.close()
    return file.getvalue(), facts
