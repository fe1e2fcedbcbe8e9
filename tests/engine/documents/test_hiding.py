"""What nobody sees is left out and counted in every format: one table of formats and ways to hide something in them.

Each file says "Seen", and hides "UNSEEN" in the way. `None` stands where a format has no such way.
"""

from __future__ import annotations

import io

import pytest
from pypdf import PdfWriter
from pypdf.generic import NameObject

from engine.documents.document import document_text
from tests.engine.documents.office_files import office_file, open_document, relations
from tests.engine.documents.pdf_pages import HELVETICA, made, stream

WAYS = ("by a property", "by a style", "in white", "tiny", "beside the page", "a row", "a column", "a sheet or slide")


def word(body: str, styles: str = "") -> bytes:
    parts = {
        "word/document.xml": f"<document><body>{body}<p><r><t>Seen</t></r></p></body></document>",
        "word/_rels/document.xml.rels": relations(rId1_styles="styles.xml"),
        "word/styles.xml": f"<styles>{styles}</styles>",
    }
    return office_file("word/document.xml", parts)


def word_run(properties: str) -> bytes:
    style = '<style type="character" styleId="H"><rPr><vanish/></rPr></style>'
    return word(f"<p><r><rPr>{properties}</rPr><t>UNSEEN</t></r></p>", style)


def workbook(sheet: str, styles: str = "", state: str = "") -> bytes:
    names = '<sheet name="A" id="rId1"/>'
    if state:
        names += f'<sheet name="B" id="rId2" state="{state}"/>'
    seen = '<worksheet><sheetData><row r="9"><c r="C9" t="str"><v>Seen</v></c></row></sheetData></worksheet>'
    parts = {
        "xl/workbook.xml": f"<workbook><sheets>{names}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": relations(rId1_worksheet="s.xml", rId2_worksheet="t.xml", rId3_styles="y.xml"),
        "xl/y.xml": f"<styleSheet>{styles}</styleSheet>",
        "xl/s.xml": seen if state else f"<worksheet>{sheet}</worksheet>",
        "xl/t.xml": f"<worksheet>{sheet}</worksheet>",
    }
    return office_file("xl/workbook.xml", parts)


def cells(row: str = "", cell: str = "") -> str:
    first = f'<row r="1" {row}><c r="A1" t="str" {cell}><v>UNSEEN</v></c></row>'
    return f'<sheetData>{first}<row r="2"><c r="B2" t="str"><v>Seen</v></c></row></sheetData>'


def cell_style(font: str = "<font/>", code: str = "General") -> str:
    formats = f'<numFmts><numFmt numFmtId="170" formatCode="{code}"/></numFmts>'
    return f'{formats}<fonts><font/>{font}</fonts><cellXfs><xf/><xf fontId="1" numFmtId="170"/></cellXfs>'


def slides(shape: str, show: str = "1") -> bytes:
    white = '<bg><solidFill><srgbClr val="FFFFFF"/></solidFill></bg>'
    seen = "<sp><spPr/><txBody><p><r><t>Seen</t></r></p></txBody></sp>"
    parts = {
        "ppt/presentation.xml": '<presentation><sldSz cx="900" cy="900"/><sldId id="a"/><sldId id="b"/></presentation>',
        "ppt/_rels/presentation.xml.rels": relations(a_slide="a.xml", b_slide="b.xml"),
        "ppt/a.xml": f'<sld show="{show}">{white}<spTree>{shape}</spTree></sld>',
        "ppt/b.xml": f"<sld><spTree>{seen}</spTree></sld>",
    }
    return office_file("ppt/presentation.xml", parts)


def shape(run: str = "", fill: str = "", place: str = "", about: str = "") -> str:
    text = f"<txBody><p><r><rPr {run}>{fill}</rPr><t>UNSEEN</t></r></p></txBody>"
    return f"<sp><nvSpPr><cNvPr {about}/></nvSpPr><spPr>{place}</spPr>{text}</sp>"


def open_text(style: str, family: str = "text") -> bytes:
    styles = f'<style:style style:family="{family}" style:name="H"><style:text-properties {style}/></style:style>'
    body = '<text:p><text:span text:style-name="H">UNSEEN</text:span></text:p><text:p>Seen</text:p>'
    return open_document("text", body, styles)


def open_sheet(column: str = "", row: str = "", table: str = "", letters: str = "") -> bytes:
    hidden = f'<style:style style:family="table-cell" style:name="L"><style:text-properties {letters}/></style:style>'
    hidden += (
        '<style:style style:family="table" style:name="H"><style:table-properties table:display="false"/></style:style>'
    )
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    empty = "<table:table-cell/>"
    columns = f"<table:table-column {column}/><table:table-column/>"
    unseen = cell.format("UNSEEN").replace("cell>", 'cell table:style-name="L">', 1)
    rows = f"<table:table-row {row}>{unseen}{empty}</table:table-row>"
    seen = f"<table:table-row>{empty}{cell.format('Seen')}</table:table-row>"
    if table:
        sheets = f"<table:table {table}>{rows}</table:table><table:table>{seen}</table:table>"
    else:
        sheets = f"<table:table>{columns}{rows}{seen}</table:table>"
    return open_document("spreadsheet", sheets, hidden)


def rich(words: str) -> bytes:
    styles = r"{\stylesheet{\*\cs5\v Hidden;}}"
    return rf"{{\rtf1{{\colortbl;\red255\green255\blue255;}}{styles}{{{words} UNSEEN}}\par Seen}}".encode()


def page(attributes: str, sheet: str = "") -> bytes:
    return f"<html><style>{sheet}</style><p {attributes}>UNSEEN</p><p>Seen</p></html>".encode()


def pdf(content: bytes, layers_off: bool = False) -> bytes:
    writer = PdfWriter()
    sheet = writer.add_blank_page(600, 800)
    layer = writer._add_object(made({"Type": "/OCG"}))
    sheet[NameObject("/Resources")] = made({"Font": {"F1": HELVETICA}, "Properties": {"L": layer}})
    sheet[NameObject("/Contents")] = writer._add_object(stream(b"BT /F1 12 Tf 72 700 Td (Seen) Tj ET " + content))
    if layers_off:
        layers = {"OCGs": [layer], "D": {"OFF": [layer]}}
        writer.root_object[NameObject("/OCProperties")] = made(layers)
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


def words_of_pdf(state: bytes, place: bytes = b"72 600") -> bytes:
    return pdf(b"BT /F1 12 Tf " + state + b" " + place + b" Td (UNSEEN) Tj ET")


HIDDEN: dict[str, tuple[bytes | None, ...]] = {
    "a.docx": (
        word_run("<vanish/>"),
        word_run('<rStyle val="H"/>'),
        word_run('<color val="FFFFFF"/>'),
        word_run('<sz val="2"/>'),
        None,
        word("<tbl><tr><trPr><hidden/></trPr><tc><p><r><t>UNSEEN</t></r></p></tc></tr></tbl>"),
        None,
        None,
    ),
    "a.xlsx": (
        None,
        workbook(cells(cell='s="1"'), cell_style(code=";;;")),
        workbook(cells(cell='s="1"'), cell_style('<font><color rgb="FFFFFFFF"/></font>')),
        workbook(cells(cell='s="1"'), cell_style('<font><sz val="1"/></font>')),
        None,
        workbook(cells(row='hidden="1"')),
        workbook('<cols><col min="1" max="1" hidden="1"/></cols>' + cells()),
        workbook(cells(), state="hidden"),
    ),
    "a.pptx": (
        slides(shape(about='hidden="1"')),
        None,
        slides(shape(fill='<solidFill><srgbClr val="FFFFFF"/></solidFill>')),
        slides(shape('sz="100"')),
        slides(shape(place='<xfrm><off x="2000" y="0"/><ext cx="100" cy="100"/></xfrm>')),
        None,
        None,
        slides(shape(), show="0"),
    ),
    "a.odt": (
        None,
        open_text('text:display="none"'),
        open_text('fo:color="#ffffff"'),
        open_text('fo:font-size="1pt"'),
        None,
        None,
        None,
        None,
    ),
    "a.ods": (
        None,
        None,
        open_sheet(letters='fo:color="#ffffff"'),
        open_sheet(letters='fo:font-size="1pt"'),
        None,
        open_sheet(row='table:visibility="collapse"'),
        open_sheet(column='table:visibility="collapse"'),
        open_sheet(table='table:style-name="H"'),
    ),
    "a.rtf": (rich(r"\v"), rich(r"\cs5"), rich(r"\cf1"), rich(r"\fs2"), None, None, None, None),
    "a.html": (
        page("hidden"),
        page("class=h", ".h { display: none }"),
        page("style='color: white'"),
        page("style='font-size: 1px'"),
        page("style='position: absolute; left: -9999px'"),
        None,
        None,
        None,
    ),
    "a.pdf": (
        words_of_pdf(b"3 Tr"),
        pdf(b"/OC /L BDC BT /F1 12 Tf 72 600 Td (UNSEEN) Tj ET EMC", layers_off=True),
        words_of_pdf(b"1 g"),
        pdf(b"BT /F1 1 Tf 72 600 Td (UNSEEN) Tj ET"),
        words_of_pdf(b"", b"5000 600"),
        None,
        None,
        None,
    ),
}
CASES = [
    pytest.param(name, content, id=f"{name} {way}")
    for name, contents in HIDDEN.items()
    for way, content in zip(WAYS, contents, strict=True)
    if content is not None
]


@pytest.mark.parametrize(("name", "content"), CASES)
def test_what_nobody_sees_is_left_out_and_counted(name: str, content: bytes) -> None:
    found = document_text(name, content, 2**20)
    assert "Seen" in found.text
    assert "UNSEEN" not in found.text
    assert sum(count for kind, count in found.left_out if kind.startswith("hidden-")) == 1
