"""Sheets have what their cells show: values by their formats, formulas without a value, notes and addresses."""

from __future__ import annotations

import pytest

from engine.documents.document import document_text
from tests.engine.documents.office_files import office_file, relations

STYLES = """<styleSheet><numFmts><numFmt numFmtId="164" formatCode="0.00 &quot;€&quot;"/></numFmts>
<cellXfs><xf/><xf numFmtId="164"/><xf numFmtId="14"/><xf numFmtId="10"/></cellXfs></styleSheet>"""
BOOK = '<workbook>{}<sheets><sheet name="S" id="rId1"/></sheets></workbook>'
NOTES = "<comments><comment ref='A1'><text><r><t>Ask Kim</t></r></text></comment></comments>"
DRAWING = "<wsDr><sp><txBody><p><r><t>In a box</t></r></p></txBody></sp></wsDr>"
THREAD = NOTES.replace("Ask Kim", "[Threaded comment]\n\nFor old versions.\n\nComment:\n    Why?")


def text_of(sheet: str, book: str = BOOK.format(""), **parts: str) -> str:
    """Return the text of a workbook with a sheet that has this XML, and other parts of the sheet by their kinds."""
    kinds = {f"{kind}_{kind}": f"{kind}.xml" for kind in parts}
    content = {
        "xl/workbook.xml": book,
        "xl/_rels/workbook.xml.rels": relations(rId1_worksheet="worksheets/s.xml", rId2_styles="styles.xml"),
        "xl/styles.xml": STYLES,
        "xl/worksheets/s.xml": f"<worksheet>{sheet}</worksheet>",
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
    ],
    ids=["formats", "formulas", "text and array", "empty and error", "link", "values"],
)
def test_a_cell_has_its_value_or_else_its_formula(cells: str, shown: tuple[str, ...]) -> None:
    assert text_of(rows(cells)) == table(*shown)


def test_a_formula_that_cells_share_is_said_with_the_first_of_them() -> None:
    cells = '<c r="B2"><f t="shared" si="0">A2*$A$1</f></c><c r="C2"><f t="shared" si="0"/></c><c><f/></c>'
    assert text_of(rows(cells)) == table("", "=A2*$A$1", "=A2*$A$1 (as in B2, moved)")


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
    sheet = rows("<c><v>1</v></c>") + '<row hidden="1"><c><v>2</v></c></row><row hidden="1"><c/></row>'
    book = BOOK.format("").replace("</sheets>", '<sheet name="T" state="veryHidden" id="rId1"/></sheets>')
    assert text_of(sheet, book) == "| 1 |\n| --- |\n\n[Left out: 1 hidden row, 1 hidden sheet]"


def test_a_damaged_part_costs_that_part() -> None:
    book = BOOK.format("").replace("</sheets>", '<sheet name="Bad" id="rId2"/></sheets>')
    assert (
        text_of(rows("<c><v>1</v></c>"), book, comments="<comments>")
        == "| 1 |\n| --- |\n\n## Bad\n\n[Left out: 1 damaged part]"
    )
