"""Workbooks in the XML of Excel 2003: how letters are set changes figures, and what nobody sees is left out."""

from __future__ import annotations

import pytest

from engine.documents.document import document_text

STYLES = """<Style ss:ID="Default"><Font ss:Size="11"/></Style>
<Style ss:ID="struck"><Font ss:StrikeThrough="1"/></Style>
<Style ss:ID="raised"><Font ss:VerticalAlign="Superscript"/></Style>
<Style ss:ID="white"><Font ss:Color="#FFFFFF"/></Style>
<Style ss:ID="marked" ss:Parent="white"><Interior ss:Color="#000000" ss:Pattern="Solid"/></Style>
<Style ss:ID="percent"><NumberFormat ss:Format="0%"/></Style>
<Style ss:ID="secret"><NumberFormat ss:Format=";;;"/></Style>"""


def sheet_text(*rows: str, more: str = "") -> str:
    """Return the text of a sheet that has these rows, and `more` beside its table."""
    name = "urn:schemas-microsoft-com:office:spreadsheet"
    book = f'<Workbook xmlns="{name}" xmlns:ss="{name}"><Styles>{STYLES}</Styles><Worksheet ss:Name="S">'
    book += f"<Table>{''.join(rows)}</Table>{more}</Worksheet></Workbook>"
    text = document_text("s.xml", book.encode(), 2**20).text
    return text.removeprefix("## S").strip()


def row(*cells: str, attributes: str = "") -> str:
    return f"<Row {attributes}>{''.join(cells)}</Row>"


def cell(words: str, style: str = "", kind: str = "String", attributes: str = "") -> str:
    styled = f'ss:StyleID="{style}"' if style else ""
    return f'<Cell {styled} {attributes}><Data ss:Type="{kind}">{words}</Data></Cell>'


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (cell("10<Sup>6</Sup> <S>old</S> H<Sub>2</Sub>O"), "10^6 ~~old~~ H2O"),
        (cell("100", "struck", "Number"), "~~100~~"),
        (cell("x<Font>2</Font>"), "x2"),
        (cell("5", "raised"), "^5"),
        (cell("seen", "marked"), "seen"),
    ],
    ids=["elements", "struck by a style", "a font without a height", "raised by a style", "white on black"],
)
def test_letters_are_read_as_they_are_set(content: str, text: str) -> None:
    assert sheet_text(row(content)) == f"| {text} |\n| --- |"


@pytest.mark.parametrize("hidden", [cell("UNSEEN", "white"), cell("UNSEEN", "secret"), cell("7", "secret", "Number")])
def test_what_a_style_hides_is_left_out_and_counted(hidden: str) -> None:
    assert sheet_text(row(hidden, cell("a"))) == "|  | a |\n| --- | --- |\n\n[Left out: 1 hidden passage]"


def test_white_words_are_read_where_a_condition_may_colour_them() -> None:
    assert "maybe" in sheet_text(row(cell("maybe", "white")), more="<ConditionalFormatting/>")


def test_a_row_without_height_is_hidden() -> None:
    rows = row(cell("flat"), attributes='ss:Height="0"') + row(cell("a"))
    assert sheet_text(rows) == "| a |\n| --- |\n\n[Left out: 1 hidden row]"


def test_a_cell_without_a_style_has_that_of_its_row() -> None:
    assert sheet_text(row(cell("0.25", kind="Number"), attributes='ss:StyleID="percent"')) == "| 25% |\n| --- |"


def test_a_formula_stands_for_a_value_that_is_missing() -> None:
    assert sheet_text(row('<Cell ss:Formula="=A2*2"/>')) == "| =A2*2 |\n| --- |"
