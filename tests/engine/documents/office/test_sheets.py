"""Sheets have what their cells show: values by their formats, formulas without a value, notes and addresses."""

from __future__ import annotations

import re

import pytest

from engine.documents.document import document_text
from tests.engine.documents.office_files import office_file, relations

STYLES = """<styleSheet><numFmts><numFmt numFmtId="164" formatCode="0.00 &quot;€&quot;"/></numFmts>
<cellXfs><xf/><xf numFmtId="164"/><xf numFmtId="14"/><xf numFmtId="10"/></cellXfs></styleSheet>"""
# A style of cells for each font, then one for numbers that are hidden, and one for white letters on a fill.
LETTERS = """<styleSheet><numFmts><numFmt numFmtId="170" formatCode=";;;"/></numFmts>
<fonts><font/><font><strike/></font><font><vertAlign val="superscript"/></font><font><color rgb="FFFFFFFF"/></font>
<font><color theme="0"/></font><font><sz val="1"/></font><font><strike val="0"/><color theme="0" tint="x"/></font>
</fonts><fills><fill><patternFill patternType="none"/></fill>
<fill><patternFill patternType="solid"><fgColor rgb="FF1F3864"/></patternFill></fill></fills>
<cellXfs><xf/><xf fontId="1"/><xf fontId="2"/><xf fontId="3"/><xf fontId="4"/><xf fontId="5"/><xf fontId="6"/>
<xf numFmtId="170"/><xf fontId="3" fillId="1"/><xf xfId="1"/></cellXfs>
<cellStyleXfs><xf/><xf fontId="1"/></cellStyleXfs></styleSheet>"""
BOOK = '<workbook>{}<sheets><sheet name="S" id="rId1"/></sheets></workbook>'
NOTES = "<comments><comment ref='A1'><text><r><t>Ask Kim</t></r></text></comment></comments>"
DRAWING = "<wsDr><sp><txBody><p><r><t>In a box</t></r></p></txBody></sp></wsDr>"
THREAD = NOTES.replace("Ask Kim", "[Threaded comment]\n\nFor old versions.\n\nComment:\n    Why?")


def text_of(sheet: str, book: str = BOOK.format(""), styles: str = STYLES, **parts: str) -> str:
    """Return the text of a workbook with a sheet that has this XML, and other parts of the sheet by their kinds."""
    kinds = {f"{kind}_{kind}": f"{kind}.xml" for kind in parts}
    content = {
        "xl/workbook.xml": book,
        "xl/_rels/workbook.xml.rels": relations(rId1_worksheet="worksheets/s.xml", rId2_styles="styles.xml"),
        "xl/styles.xml": styles,
        "xl/worksheets/s.xml": f"<worksheet>{sheet}</worksheet>",
        "xl/worksheets/_rels/drawing.xml.rels": relations(c_chart="chart.xml"),
        "xl/worksheets/_rels/s.xml.rels": relations(link_hyperlink="https://example.org/x", **kinds),
    }
    content |= {f"xl/worksheets/{kind}.xml": part for kind, part in parts.items()}
    return document_text("a.xlsx", office_file("xl/workbook.xml", content), 2**20).text.removeprefix("## S\n\n")


def rows(*texts: str) -> str:
    return "".join(f"<row>{one}</row>" for one in texts)


def table(*cells: str) -> str:
    """Return a table with one row."""
    return f"| {' | '.join(cells)} |\n|{' --- |' * len(cells)}"


@pytest.mark.parametrize(
    ("cells", "shown"),
    [
        (
            '<c s="1"><v>12.5</v></c><c s="2"><v>46082</v></c><c s="3"><v>0.25</v></c>',
            ("12.50 €", "2026-03-01", "25.00%"),
        ),
        ("<c><f>SUM(B2:B3)</f><v></v></c><c><f>XOR(A1)</f></c>", ("=SUM(B2:B3)", "=XOR(A1)")),
        (
            '<c t="str"><f>B1&amp;"x"</f></c><c t="array"><f t="array" ref="B1:B2">C1:C2*2</f></c>',
            ('=B1&"x"', "=C1:C2*2"),
        ),
        (
            '<c><f>1/0</f></c><c t="str"><f>A1</f><v></v></c><c t="e"><f>1/0</f><v>#DIV/0!</v></c>',
            ("=1/0", "", "#DIV/0!"),
        ),
        ('<c t="str"><f>HYPERLINK("https://a.example/b","b")</f><v>b</v></c>', ("[b](https://a.example/b)",)),
        ('<c t="b"><f>TRUE()</f><v>1</v></c><c><f>0+0</f><v>0</v></c>', ("TRUE", "0")),
        ('<c t="b"/><c t="b"><v>true</v></c><c t="b"><v>0</v></c>', ("", "TRUE", "FALSE")),
    ],
    ids=["formats", "formulas", "text and array", "empty and error", "link", "values", "truth values"],
)
def test_a_cell_has_its_value_or_else_its_formula(cells: str, shown: tuple[str, ...]) -> None:
    assert text_of(rows(cells)) == table(*shown)


def test_a_formula_that_cells_share_is_moved_to_each_of_them() -> None:
    cells = '<c r="B2"><f t="shared" si="0">A2*$A$1</f></c><c r="C2"><f t="shared" si="0"/></c><c><f/></c>'
    assert text_of(rows(cells)) == table("", "=A2*$A$1", "=B2*$A$1")


def test_cells_that_do_not_say_their_places_share_nothing() -> None:
    cells = "<c><f>B1</f></c><c><f/></c><c><v>3</v></c>", '<c><f t="shared" si="1">A1</f></c><c><f si="1"/></c>'
    links = '<hyperlinks><hyperlink ref="C1" id="link"/></hyperlinks>'
    found = text_of(rows(*cells) + links, comments=NOTES)
    assert found.splitlines()[0] == "| =B1 [Note: Ask Kim] |  | [3](https://example.org/x) |"
    assert found.splitlines()[2] == "| =A1 | =B1 |  |"


def test_a_zero_that_no_program_computed_is_no_value() -> None:
    book = BOOK.format('<calcPr fullCalcOnLoad="1"/>')
    assert text_of(rows("<c><f>SUM(B2:B3)</f><v>0</v></c><c><v>0</v></c>"), book) == table("=SUM(B2:B3)", "0")


def test_notes_addresses_and_boxes_are_beside_their_cells() -> None:
    cells = '<c r="A1"><v>1</v></c><c r="B1"><v>2</v></c>'
    links = '<hyperlinks><hyperlink ref="B1:C1" id="link"/></hyperlinks>'
    found = text_of(rows(cells) + links, comments=NOTES, drawing=DRAWING)
    assert found == table("1 [Note: Ask Kim]", "[2](https://example.org/x)") + "\n\nIn a box"
    assert text_of(rows(cells), comments=THREAD) == table("1 [Note: Why?]", "2")


def test_rows_and_sheets_that_are_hidden_are_left_out_and_counted() -> None:
    sheet = (
        rows("<c><v>1</v></c>")
        + '<row hidden="1"><c><v>2</v></c></row><row hidden="1"><c/></row><row ht="0"><c><v>3</v></c></row>'
    )
    book = BOOK.format("").replace("</sheets>", '<sheet name="T" state="veryHidden" id="rId1"/></sheets>')
    assert text_of(sheet, book) == "| 1 |\n| --- |\n\n[Left out: 1 hidden sheet, 2 hidden rows]"


def placed(*cells: str) -> str:
    return rows("".join(f'<c r="{cell[0]}1" t="str"><v>{cell[1:]}</v></c>' for cell in cells))


@pytest.mark.parametrize(
    ("columns", "shown", "count"),
    [
        ('<col min="2" max="2" hidden="1"/>', "ac", 1),
        ('<col min="2" max="16384" hidden="true"/>', "a", 2),
        ('<col min="1" max="1" width="0" customWidth="1"/>', "bc", 1),
        ('<col min="1" max="2" width="0.5"/><col min="4" max="9" hidden="1"/>', "abc", 0),
        ('<col min="2" max="2" hidden="0" collapsed="1"/>', "abc", 0),
    ],
    ids=["one", "to the end", "no width", "nothing in them", "shown"],
)
def test_hidden_columns_are_left_out_and_counted(columns: str, shown: str, count: int) -> None:
    found = text_of(f"<cols>{columns}</cols>" + placed("Aa", "Bb", "Cc"))
    said = f"\n\n[Left out: {count} hidden column{'s' * (count > 1)}]" if count else ""
    assert found == table(*shown) + said


def test_what_a_merged_cell_shows_beside_a_hidden_column_is_read() -> None:
    columns, merged = (
        '<cols><col min="1" max="1" hidden="1"/></cols>',
        '<mergeCells><mergeCell ref="A1:C1"/></mergeCells>',
    )
    assert text_of(columns + placed("Awide", "Dd") + merged) == table("wide", "", "d")


def test_a_cell_over_several_rows_has_its_text_in_each() -> None:
    cells = ["A1North", "B1Oslo"], ["B2Bergen"], ["A3South", "B3Rome"]
    xml = ("".join(f'<c r="{cell[:2]}" t="str"><v>{cell[2:]}</v></c>' for cell in of_row) for of_row in cells)
    body = rows(*xml)
    found = text_of(f'{body}<mergeCells><mergeCell ref="A1:A2"/></mergeCells>')
    assert found == "| North | Oslo |\n| --- | --- |\n| North | Bergen |\n| South | Rome |"


def test_a_formula_that_is_shared_with_a_hidden_column_is_known() -> None:
    cells = '<c r="A1"><f t="shared" si="0">D1*2</f></c><c r="B1"><f t="shared" si="0"/></c>'
    hidden = '<cols><col min="1" max="1" hidden="1"/></cols>'
    assert text_of(hidden + rows(cells)) == table("=E1*2") + "\n\n[Left out: 1 hidden column]"


def of_style(style: int, text: str, kind: str = "str") -> str:
    return f'<c s="{style}" t="{kind}"><v>{text}</v></c>'


def rich(*runs: str, style: int = 0) -> str:
    return f'<c s="{style}" t="inlineStr"><is>{"".join(runs)}<rPh><t>no</t></rPh></is></c>'


def part(text: str, properties: str = "") -> str:
    return f"<r>{f'<rPr>{properties}</rPr>' if properties else ''}<t>{text}</t></r>"


RAISED = '<vertAlign val="superscript"/>'


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        (rich(part("10"), part("6", RAISED), part(" cells")), "10^6 cells"),
        (rich(part("H"), part("2", '<vertAlign val="subscript"/>'), part("O")), "H2O"),
        (rich(part("100", "<strike/>"), part(" 80", '<strike val="0"/>')), "~~100~~ 80"),
        (rich(part("100"), part(" 80", "<sz val='11'/>"), style=1), "~~100~~ 80"),
        (of_style(1, "100", "n"), "~~100~~"),
        (of_style(1, "old price"), "~~old price~~"),
        (of_style(9, "old price"), "~~old price~~"),
        (of_style(2, "6", "n"), "^6"),
        ("<c s='1'><f>A1*2</f></c>", "~~=A1*2~~"),
    ],
    ids=["raised", "lowered", "struck", "by the cell", "number", "text", "named style", "raised number", "formula"],
)
def test_raised_and_struck_letters_of_cells_are_marked(cell: str, shown: str) -> None:
    assert text_of(rows(cell), styles=LETTERS) == table(shown)


@pytest.mark.parametrize(
    "cell",
    [
        of_style(3, "x"),
        of_style(4, "x"),
        of_style(5, "x"),
        of_style(7, "310", "n"),
        of_style(7, "x"),
        of_style(7, "1", "b"),
        '<c s="7"><f>A1*2</f></c>',
        rich(part("x", '<color rgb="FFFFFFFF"/>')),
        rich(part("x", '<sz val="1"/>')),
    ],
    ids=["white", "theme", "tiny", "number format", "format of texts", "truth", "formula", "white run", "tiny run"],
)
def test_what_nobody_sees_of_cells_is_left_out_and_counted(cell: str) -> None:
    seen = of_style(0, "Seen")
    assert text_of(rows(seen + cell), styles=LETTERS) == f"{table('Seen')}\n\n[Left out: 1 hidden passage]"
    # What is hidden anyway is not counted twice.
    hidden = f'<row hidden="1">{cell}</row>'
    assert text_of(rows(seen) + hidden, styles=LETTERS) == f"{table('Seen')}\n\n[Left out: 1 hidden row]"


@pytest.mark.parametrize(
    ("cell", "more"),
    [
        (of_style(8, "x"), ""),
        (of_style(6, "x"), ""),
        (of_style(3, "x"), "<conditionalFormatting/>"),
        (of_style(3, "x"), '<tableParts><tablePart id="table"/></tableParts>'),
        (of_style(7, "0", "n") + of_style(0, "x"), ""),
    ],
    ids=["fill", "grey", "colours by values", "table", "hidden zero"],
)
def test_letters_of_cells_on_what_may_have_a_colour_are_read(cell: str, more: str) -> None:
    found = text_of(f"<sheetData>{rows(cell)}</sheetData>{more}", styles=LETTERS, table='<table ref="A1:B2"/>')
    assert found.splitlines()[0].endswith("| x |")
    assert "Left out" not in found


@pytest.mark.parametrize(
    ("form", "font", "shown"),
    [
        ("[White]0", "", ""),
        ("[color 2]0", "", ""),
        ("0;[White]-0", "", ""),
        ("0;[White]-0", '<color rgb="FFFFFFFF"/>', ""),
        ("[White]0;0", "", "5"),
        ("[Red]0", '<color rgb="FFFFFFFF"/>', "-5"),
        ("[Black]0", '<color rgb="FFFFFFFF"/>', "-5"),
        ("[<0][White]0;0", "", ""),
    ],
)
def test_the_colour_of_a_format_is_that_of_its_numbers(form: str, font: str, shown: str) -> None:
    styles = (
        f'<styleSheet><numFmts><numFmt numFmtId="200" formatCode="{form.replace("<", "&lt;")}"/></numFmts>'
        f'<fonts><font/><font>{font}</font></fonts><cellXfs><xf/><xf fontId="1" numFmtId="200"/></cellXfs></styleSheet>'
    )
    cells = of_style(0, "Seen") + of_style(1, "-5", "n")
    left_out = "" if shown else "\n\n[Left out: 1 hidden passage]"
    assert text_of(rows(cells), styles=styles) == f"{table('Seen', *[shown] * bool(shown))}{left_out}"


def test_white_letters_below_a_table_are_left_out() -> None:
    cells = [f'<c r="A{number}" s="3" t="str"><v>{text}</v></c>' for number, text in ((1, "head"), (2, "a"), (4, "no"))]
    found = text_of(
        f'<sheetData>{rows(*cells)}</sheetData><tableParts><tablePart id="table"/></tableParts>',
        styles=LETTERS,
        table='<table ref="A1:B2"/>',
    )
    assert found == "| head |\n| --- |\n| a |\n\n[Left out: 1 hidden passage]"


@pytest.mark.parametrize(("relation", "part"), [("rIdBad", "<worksheet>"), ("rIdNone", "")])
def test_a_sheet_that_is_damaged_or_missing_is_counted(relation: str, part: str) -> None:
    book = BOOK.format("").replace("</sheets>", f'<sheet name="Bad" id="{relation}"/></sheets>')
    content = {
        "xl/workbook.xml": book,
        "xl/_rels/workbook.xml.rels": relations(rId1_worksheet="worksheets/s.xml", rIdBad_worksheet="worksheets/b.xml"),
        "xl/worksheets/s.xml": f"<worksheet>{rows('<c><v>1</v></c>')}</worksheet>",
        "xl/worksheets/b.xml": part,
    }
    text = document_text("a.xlsx", office_file("xl/workbook.xml", content), 2**20).text
    assert text == "## S\n\n| 1 |\n| --- |\n\n## Bad\n\n[Left out: 1 damaged part]"


def test_a_damaged_part_costs_that_part() -> None:
    book = BOOK.format("").replace("</sheets>", '<sheet name="Bad" id="rId2"/></sheets>')
    assert (
        text_of(rows("<c><v>1</v></c>"), book, comments="<comments>")
        == "| 1 |\n| --- |\n\n## Bad\n\n[Left out: 1 damaged part]"
    )


@pytest.mark.parametrize(
    ("titles", "words"),
    [
        ("{Sales}<valAx>{EUR}</valAx>", "[Chart: Sales; axis: EUR]"),
        ("{Sales}<catAx>{Month}</catAx><valAx>{EUR}</valAx>", "[Chart: Sales; axes: Month, EUR]"),
        ("<chart>{Sales}<plotArea><axis>{EUR}</axis></plotArea></chart>", "[Chart: Sales; axis: EUR]"),
        ("<dateAx>{Day}</dateAx><valAx/>", "[Chart: axis: Day]"),
        ("{Sales}", "[Chart: Sales]"),
    ],
    ids=["an axis", "axes", "of Office 2016", "without a title", "without axes"],
)
def test_a_chart_is_one_with_its_titles_and_not_the_numbers_of_the_cells(titles: str, words: str) -> None:
    drawing = '<wsDr><graphicFrame><chart id="c"/></graphicFrame></wsDr>'
    title = r"<title><tx><rich><p><r><t>\1</t></r></p></rich></tx></title>"
    series = "<ser><val><numCache><pt idx='0'><v>7</v></pt></numCache></val></ser>"
    chart = f"<chartSpace>{re.sub('{(.*?)}', title, titles)}{series}</chartSpace>"
    found = text_of(rows("<c><v>7</v></c>"), drawing=drawing, chart=chart)
    assert found == f"{table('7')}\n\n{words}"
    assert text_of(rows("<c><v>7</v></c>"), drawing=drawing) == f"{table('7')}"


def test_the_description_of_a_picture_follows_the_table() -> None:
    pictures = "".join(
        f"<pic><nvPicPr><cNvPr {one}/></nvPicPr></pic>" for one in ('descr="A pump"', 'name="Picture 2"')
    )
    found = text_of(rows("<c><v>7</v></c>"), drawing=f"<wsDr>{pictures}</wsDr>")
    assert found == f"{table('7')}\n\n[A pump]"
