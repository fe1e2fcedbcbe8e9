"""Numbers that a document gives, such as how often a cell is repeated, cost no more than what is shown of it.

Each document is small, and stands for gigabytes if its numbers were believed. What follows is read.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import NamedTuple

import pytest

from engine.documents.document import DocumentText, document_text
from tests.engine.documents.office_files import office_file, open_document, relations, zipped

# The largest number that is believed to be one, a larger one, and one that counts nothing.
NUMBERS = ("999999999", "99999999999999999999", "-999999999")
# A row of a thousand cells has 13,000 characters.
MOST = 20_000
# Less than what `MANY` stand for.
FEW = 2_000
# The bytes that a reader may take at once for one of these documents.
MOST_BYTES = 2 * 2**20


LONG_ADDRESS = f"https://example.org/{'a' * 20_000}"


def read(name: str, data: bytes, most: int) -> DocumentText:
    """Return what a document says. Fails if it takes more than MOST_BYTES of memory."""
    tracemalloc.start()
    try:
        result = document_text(name, data, most)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < MOST_BYTES
    return result


def letter(body: str, numbering: str = "", styles: str = "") -> bytes:
    parts = {
        "word/document.xml": f"<document><body>{body}</body></document>",
        "word/_rels/document.xml.rels": relations(
            r1_numbering="numbering.xml", r2_styles="styles.xml", r3_link=LONG_ADDRESS
        ),
        "word/numbering.xml": f"<numbering>{numbering}</numbering>",
        "word/styles.xml": f"<styles>{styles}</styles>",
    }
    return office_file("word/document.xml", parts)


def sheet(content: str, shared: str = "") -> bytes:
    parts = {
        "xl/workbook.xml": '<workbook><sheets><sheet name="S" id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(r1_worksheet="s.xml", r2_sharedStrings="t.xml"),
        "xl/s.xml": f"<worksheet>{content}</worksheet>",
        "xl/t.xml": f"<sst>{shared}</sst>",
    }
    return office_file("xl/workbook.xml", parts)


def slide(content: str, chart: str = "") -> bytes:
    parts = {
        "ppt/presentation.xml": '<presentation><sldId id="r1"/></presentation>',
        "ppt/_rels/presentation.xml.rels": relations(r1_slide="s.xml"),
        "ppt/s.xml": f"<sld><spTree>{content}</spTree></sld>",
        "ppt/_rels/s.xml.rels": relations(c1_chart="chart.xml"),
        "ppt/chart.xml": f"<chart>{chart}</chart>",
    }
    return office_file("ppt/presentation.xml", parts)


def open_text(body: str, styles: str = "") -> bytes:
    return open_document("text", body + "<text:p>The end</text:p>", styles)


def open_sheet(rows: str) -> bytes:
    last = "<table:table-row><table:table-cell><text:p>The end</text:p></table:table-cell></table:table-row>"
    return open_document("spreadsheet", f'<table:table table:name="S">{rows}{last}</table:table>')


def xml_sheet(rows: str) -> bytes:
    last = '<Row Index="3"><Cell><Data Type="String">The end</Data></Cell></Row>'
    names = "urn:schemas-microsoft-com:office:spreadsheet"
    return f'<Workbook xmlns="{names}"><Worksheet Name="S"><Table>{rows}{last}</Table></Worksheet></Workbook>'.encode()


def rich(content: str) -> bytes:
    return rb"{\rtf1 " + content.encode("ascii", "ignore") + rb"\pard\plain\par The end}"


def page(content: str) -> bytes:
    return f"{content}<p>The end".encode()


def notebook(cells: str) -> bytes:
    return f'{{"cells": [{cells}, {{"cell_type": "markdown", "source": "The end"}}]}}'.encode()


class Counted(NamedTuple):
    """A document with places for a number, which are "#" in what it is made of."""

    name: str
    written: Callable[..., bytes]
    templates: tuple[str, ...]

    def with_number(self, number: str) -> bytes:
        return self.written(*(template.replace("#", number) for template in self.templates))


P = "<p><r><t>a</t></r></p>"
END = "<p><r><t>The end</t></r></p>"
OPEN_CELL = "<table:table-cell><text:p>a</text:p></table:table-cell>"
OPEN_CELLS = "<table:table-cell table:number-columns-repeated='#'><text:p>a</text:p></table:table-cell>"
NO_CELLS = "<table:table-cell table:number-columns-repeated='#'/>"
COVERED = "<table:covered-table-cell table:number-columns-repeated='#'/>"
TALL = "<table:table-cell table:number-rows-spanned='#'><text:p>a</text:p></table:table-cell>"
HIDDEN = (
    "<table:table-column/><table:table-column table:number-columns-repeated='#' table:visibility='collapse' "
    "table:default-cell-style-name='x'/>"
)
ITEM = (
    "<text:list text:style-name='L'><text:list-item text:start-value='#'><text:p>a</text:p></text:list-item>"
    "</text:list>"
)
OPEN_LEVELS = (
    "<text:list-style style:name='L'><text:level text:level='#' style:num-format='1' text:display-levels='#'/>"
    "<text:level text:level='1' style:num-format='a' text:display-levels='#' text:start-value='#'/></text:list-style>"
)
LEVELS = (
    "<abstractNum abstractNumId='0'><lvl ilvl='#'><start val='#'/></lvl><lvl ilvl='0'><start val='#'/>"
    "<numFmt val='lowerLetter'/><lvlText val='%1.'/><lvlRestart val='#'/></lvl></abstractNum><num numId='1'>"
    "<abstractNumId val='0'/><lvlOverride ilvl='#'><startOverride val='#'/></lvlOverride></num>"
)
ITEMS = (
    "<p><pPr><numPr><ilvl val='#'/><numId val='1'/></numPr></pPr><r><t>a</t></r></p>"
    "<p><pPr><numPr><ilvl val='0'/><numId val='1'/></numPr></pPr><r><t>b</t></r></p>"
)
CHOICE = (
    "<p><r><fldChar fldCharType='begin'><ffData><ddList><result val='#'/><listEntry val='a'/></ddList></ffData>"
    "</fldChar></r></p>"
)
FAR = "\U0010ffff\U0010ffff\U0010ffff"
LAST_ROW = "<row r='2'><c r='A2' t='str'><v>The end</v></c></row>"
TABLE_OF_SLIDE = (
    "<graphicFrame><tbl><tr><tc gridSpan='#' rowSpan='#'><txBody><p><r><t>a</t></r></p></txBody></tc><tc><txBody>"
    f"{P}</txBody></tc></tr><tr><tc><txBody>{P}</txBody></tc><tc><txBody>{END}</txBody></tc></tr></tbl></graphicFrame>"
)
CHART = f"<graphicFrame><chart id='c1'/></graphicFrame><sp><txBody>{END}</txBody></sp>"
SERIES = "".join(f"<ser><val><pt idx='#{place}'><v>1</v></pt></val></ser>" for place in range(20))
COUNTED = {
    # OpenDocument.
    "odt spaces": Counted("a.odt", open_text, ("<text:p>a<text:s text:c='#'/>b</text:p>",)),
    "odt heading": Counted("a.odt", open_text, ("<text:h text:outline-level='#'>a</text:h>",)),
    "odt list": Counted("a.odt", open_text, (ITEM, OPEN_LEVELS)),
    "odt table": Counted(
        "a.odt",
        open_text,
        (
            "<table:table><table:table-column table:number-columns-repeated='#'/><table:table-row><table:table-cell "
            "table:number-columns-spanned='#' table:number-rows-spanned='#'><text:p>a</text:p></table:table-cell>"
            f"</table:table-row><table:table-row>{OPEN_CELL * 2}</table:table-row></table:table>",
        ),
    ),
    "ods cells": Counted("a.ods", open_sheet, (f"<table:table-row>{OPEN_CELLS * 2}</table:table-row>",)),
    "ods empty cells": Counted(
        "a.ods", open_sheet, (f"<table:table-row>{OPEN_CELL}{NO_CELLS * 9}{OPEN_CELL}</table:table-row>",)
    ),
    "ods covered cells": Counted(
        "a.ods",
        open_sheet,
        (
            f"<table:table-row>{TALL}{OPEN_CELL}</table:table-row><table:table-row>{COVERED}{OPEN_CELL}"
            "</table:table-row>",
        ),
    ),
    "ods rows": Counted(
        "a.ods", open_sheet, (f"<table:table-row table:number-rows-repeated='#'>{OPEN_CELL * 2}</table:table-row>",)
    ),
    "ods hidden columns": Counted(
        "a.ods", open_sheet, (f"{HIDDEN}<table:table-row>{OPEN_CELL}{OPEN_CELLS}</table:table-row>",)
    ),
    "ods styles": Counted(
        "a.ods",
        open_sheet,
        ("<table:table-column table:number-columns-repeated='#' table:default-cell-style-name='x'/>" * 300,),
    ),
    # Word.
    "docx grid": Counted(
        "a.docx",
        letter,
        (
            "<tbl><tr><trPr><gridBefore val='#'/><gridAfter val='#'/></trPr>"
            + f"<tc><tcPr><gridSpan val='#'/></tcPr>{P}</tc>" * 9
            + f"</tr><tr><tc>{P}</tc><tc>{P}</tc></tr></tbl>{END}",
        ),
    ),
    "docx list": Counted("a.docx", letter, (ITEMS + END, LEVELS)),
    "docx heading": Counted(
        "a.docx",
        letter,
        (
            f"<p><pPr><pStyle val='H'/></pPr><r><t>a</t></r></p><p><pPr><outlineLvl val='#'/></pPr></p>{END}",
            "",
            "<style styleId='H'><name val='heading #'/></style>",
        ),
    ),
    "docx sizes": Counted(
        "a.docx",
        letter,
        (
            "<p><r><rPr><sz val='#'/><position val='#'/></rPr><t>a</t></r><r><sym font='Symbol' char='#'/></r></p>"
            + END,
        ),
    ),
    "docx choice": Counted("a.docx", letter, (CHOICE + END,)),
    # Excel.
    "xlsx places": Counted(
        "a.xlsx",
        sheet,
        ("<row r='#'><c r='ALL#'><v>1</v></c><c r='XFD#'><v>1</v></c><c r='ZZZ#'><v>2</v></c></row>" * 2 + LAST_ROW,),
    ),
    "xlsx places beyond letters": Counted(
        "a.xlsx", sheet, (f"<row><c r='{FAR}#'><v>1</v></c><c r='zzz1'><v>2</v></c></row>{LAST_ROW}",)
    ),
    "xlsx merged cells": Counted(
        "a.xlsx",
        sheet,
        (
            f"<row r='1'><c r='A1'><v>1</v></c></row>{LAST_ROW}<mergeCells><mergeCell ref='B1:ALK#'/>"
            f"<mergeCell ref='C1:{FAR}#'/><mergeCell ref='D1:#'/></mergeCells>",
        ),
    ),
    "xlsx hidden columns": Counted(
        "a.xlsx",
        sheet,
        (
            "<cols><col min='2' max='#' hidden='1'/></cols><row><c r='A1' t='str'>"
            "<v>The end</v></c><c r='B1'><v>2</v></c></row><mergeCells><mergeCell ref='B1:XFD1'/></mergeCells>",
        ),
    ),
    "xlsx numbers": Counted("a.xlsx", sheet, (f"<row><c s='#' t='s'><v>#</v></c></row>{LAST_ROW}",)),
    "xml sheet": Counted(
        "a.xls",
        xml_sheet,
        (
            "<Column Index='2' Span='#' Hidden='1'/><Row Index='#' Span='#'><Cell Index='#' MergeAcross='#' "
            "MergeDown='#'><Data Type='Number'>1</Data></Cell></Row>",
        ),
    ),
    # PowerPoint.
    "pptx list": Counted(
        "a.pptx",
        slide,
        (f"<sp><txBody><p><pPr lvl='#'><buAutoNum type='alphaLcPeriod' startAt='#'/></pPr></p>{END}</txBody></sp>",),
    ),
    "pptx table": Counted("a.pptx", slide, (TABLE_OF_SLIDE,)),
    "pptx chart": Counted("a.pptx", slide, (CHART, "<ser/>" * 100 + SERIES)),
    # RTF.
    "rtf columns": Counted("a.rtf", rich, (r"\trowd\trleft#\cellx#\cellx2000\pard\intbl a\cell b\cell\row",)),
    "rtf levels": Counted(
        "a.rtf",
        rich,
        (
            r"{\stylesheet{\s#\sbasedon# heading #;}}{\listtext 1.}\ilvl# a\par\pard\outlinelevel# b\par"
            r"\fs#\up#\li#\cf#\cs#\f# c",
        ),
    ),
    "rtf characters": Counted("a.rtf", rich, (r"{\uc#\u# x\bin# a}",)),
    "rtf form": Counted("a.rtf", rich, (r"{\field{\*\fldinst{\*\formfield{\fftype2\ffres#\ffdefres#{\*\ffl a}}}}}",)),
    # Pages.
    "html cells": Counted(
        "a.html",
        page,
        ("<table><colgroup span=#><tr>" + "<td colspan=# rowspan=#>a" * 9 + "<tr><td>b<td>c" * 9 + "</table>",),
    ),
    "html lists": Counted(
        "a.html", page, ("<ol start=# type=a><li>a<li value=#>b</ol><ol reversed start=#><li>c</ol>",)
    ),
    "html fields": Counted(
        "a.html",
        page,
        (
            "<select size=#><option>a</select><progress value=# max=#></progress><meter value=#></meter>"
            "<textarea rows=# cols=#>b</textarea><p style='font-size:#px;margin-left:#px'>c",
        ),
    ),
    # Notebooks.
    "notebook": Counted(
        "a.ipynb",
        notebook,
        ('{"cell_type": "heading", "level": #, "source": "a"}, {"cell_type": "code", "source": "b"}',),
    ),
}


@pytest.mark.parametrize("kind", COUNTED)
def test_a_number_that_a_document_gives_is_limited(kind: str) -> None:
    case = COUNTED[kind]
    for number in NUMBERS:
        result = read(case.name, case.with_number(number), MOST)
        assert (number, result.problem, len(result.text) < MOST) == (number, "", True)
        assert "The end" in result.text


LONG = "a" * 10_000
SPACES = "<text:s text:c='999999'/>"
FULL_CELL = f"<table:table-cell><text:p>{SPACES}a</text:p></table:table-cell>"
LONG_CELL = f"<table:table-cell table:number-columns-repeated='25'><text:p>{'a' * 4000}</text:p></table:table-cell>"
POINT = "<pt idx='{}'><v>1</v></pt>"
# What many elements stand for or refer to, each in a few bytes.
MANY = {
    "ods cells of rows": (
        "a.ods",
        open_sheet(f"<table:table-row table:number-rows-repeated='15'>{LONG_CELL * 2}</table:table-row>"),
    ),
    "odt spaces": ("a.odt", open_text(f"<text:p>{SPACES * 50}</text:p>")),
    "odt spaces in cells": (
        "a.odt",
        open_text("<table:table>" + f"<table:table-row>{FULL_CELL * 10}</table:table-row>" * 10 + "</table:table>"),
    ),
    "docx cells": (
        "a.docx",
        letter("<tbl><tr>" + f"<tc><tcPr><gridSpan val='999'/></tcPr>{P}</tc>" * 400 + "</tr></tbl>"),
    ),
    "docx mark of a list": (
        "a.docx",
        letter(
            f"<p><pPr><numPr><ilvl val='0'/><numId val='1'/></numPr></pPr><r><t>a</t>{'<br/>' * 500}<t>a</t></r></p>",
            f"<abstractNum abstractNumId='0'><lvl ilvl='0'><lvlText val='{LONG}'/></lvl></abstractNum><num numId='1'>"
            "<abstractNumId val='0'/></num>",
        ),
    ),
    "docx address of links": (
        "a.docx",
        letter("<p>" + "<hyperlink id='r3'><r><t>a</t></r></hyperlink>" * 500 + "</p>"),
    ),
    "xlsx shared string": (
        "a.xlsx",
        sheet(
            ("<row>" + "<c t='s'><v>0</v></c>" * 20 + "</row>") * 20, f"<si><r><t>{LONG}</t></r><r><t>b</t></r></si>"
        ),
    ),
    "xlsx far cells": ("a.xlsx", sheet("<row><c r='ALK1'><v>1</v></c></row>" * 300)),
    "xml sheet far cells": (
        "a.xls",
        xml_sheet("<Row><Cell Index='990'><Data Type='Number'>1</Data></Cell></Row>" * 300),
    ),
    "html wide cells": ("a.html", page("<table><tr>" + "<td colspan=1000>a" * 400 + "</table>")),
    "html tall cells": (
        "a.html",
        page("<table><tr><td colspan=1000 rowspan=65534>a<td>b" + "<tr>" * 300 + "<tr><td>a" * 50 + "</table>"),
    ),
    "html deep lists": ("a.html", page("<ul><li>" * 200 + "a<br>" * 300)),
    "pptx points": (
        "a.pptx",
        slide(CHART, "<ser/>" * 900 + "<ser><val>" + "".join(map(POINT.format, range(400))) + "</val></ser>"),
    ),
    "epub pages": (
        "a.epub",
        zipped(
            **{
                "META-INF/container.xml": b"<container><rootfile full-path='b.opf'/></container>",
                "b.opf": b"<package><item id='p' href='p.html'/>" + b"<itemref idref='p'/>" * 100 + b"</package>",
                "p.html": f"<p>{LONG}".encode(),
            }
        ),
    ),
}


@pytest.mark.parametrize("kind", MANY)
def test_what_many_elements_stand_for_is_limited(kind: str) -> None:
    name, data = MANY[kind]
    assert len(read(name, data, FEW).text) <= FEW
