"""Soft hyphens say where a word may be divided, and are no letters of it; source code and plain text keep theirs."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from engine.documents.document import document_text
from tests.engine.documents.office_files import office_file, open_document, relations, zipped

SOFT = "\u00ad"
DIVIDED = f"Politik{SOFT}wissen{SOFT}schaft"
JOINED = "Politikwissenschaft"
RUN = f"<p><r><t>{DIVIDED}</t></r></p>"


def letter(body: str, notes: str = "") -> bytes:
    parts = {
        "word/document.xml": f"<document><body>{body}</body></document>",
        "word/_rels/document.xml.rels": relations(r1_footnotes="footnotes.xml"),
        "word/footnotes.xml": f"<footnotes>{notes}</footnotes>",
    }
    return office_file("word/document.xml", parts)


def sheet(row: str) -> bytes:
    strings = f"<si><t>{DIVIDED}</t></si><si><r><t>Politik{SOFT}</t></r><r><t>wissenschaft</t></r></si>"
    parts = {
        "xl/workbook.xml": '<workbook><sheets><sheet name="S" id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(r1_worksheet="s.xml", r2_sharedStrings="t.xml"),
        "xl/s.xml": f"<worksheet>{row}</worksheet>",
        "xl/t.xml": f"<sst>{strings}</sst>",
    }
    return office_file("xl/workbook.xml", parts)


def slide() -> bytes:
    title = f'<sp><nvSpPr><nvPr><ph type="title"/></nvPr></nvSpPr><txBody>{RUN}</txBody></sp>'
    parts = {
        "ppt/presentation.xml": '<presentation><sldId id="r1"/></presentation>',
        "ppt/_rels/presentation.xml.rels": relations(r1_slide="s.xml"),
        "ppt/s.xml": f"<sld><spTree>{title}<sp><txBody>{RUN}{RUN}</txBody></sp></spTree></sld>",
        "ppt/_rels/s.xml.rels": relations(r1_notesSlide="n.xml"),
        "ppt/n.xml": f'<notes><sp><nvSpPr><nvPr><ph type="body"/></nvPr></nvSpPr><txBody>{RUN}</txBody></sp></notes>',
    }
    return office_file("ppt/presentation.xml", parts)


def book() -> bytes:
    parts = {
        "META-INF/container.xml": '<container><rootfile full-path="b.opf"/></container>',
        "b.opf": '<package><item id="a" href="a.html"/><item id="b" href="b.html"/><itemref idref="a"/>'
        '<itemref idref="b"/></package>',
        "a.html": f"<h1>{DIVIDED}</h1><p>{DIVIDED}",
        "b.html": "<h1>Two</h1>",
    }
    return zipped(**{name: part.encode() for name, part in parts.items()})


def mail(plain: str, page: str = "", **files: str) -> bytes:
    message = EmailMessage()
    message["Subject"] = DIVIDED
    message.set_content(plain)
    if page:
        message.set_content(page, subtype="html")
    for name, content in files.items():
        message.add_attachment(content.encode(), maintype="application", subtype="octet-stream", filename=name)
    return message.as_bytes()


XML_SHEET = (
    '<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet Name="S"><Table><Row><Cell>'
    f'<Data Type="String">{DIVIDED}</Data></Cell></Row></Table></Worksheet></Workbook>'
)
OPEN = f"<text:p>{DIVIDED}</text:p>"
CELL = f"<table:table-cell>{OPEN}</table:table-cell>"
TABLE = f"<table:table><table:table-row>{CELL}{CELL}</table:table-row></table:table>"
FRAME = f"<draw:page><draw:frame><draw:text-box>{OPEN}</draw:text-box></draw:frame></draw:page>"
# Documents, and how often the word is in their texts.
DOCUMENTS = {
    "html": ("a.html", f"<p>{DIVIDED}<h1>Politik&shy;wissen&#173;schaft</h1>".encode(), 2),
    "html table": ("a.html", f"<table><tr><td>{DIVIDED}<td>Politik&shy;wissenschaft</table>".encode(), 2),
    "html list and link": ("a.html", f"<ul><li>{DIVIDED}<li><a href='http://a.b'>{DIVIDED}</a></ul>".encode(), 2),
    "html in parts": ("a.html", f"<p>Politik{SOFT}<b>{SOFT}wissen</b>{SOFT}schaft".encode(), 1),
    "html in the source over a line": ("a.html", b"<p>Politik&shy;wissen&shy;schaft<br>b", 1),
    "epub": ("a.epub", book(), 2),
    "docx": ("a.docx", letter(RUN + "<p><r><t>Politik</t><softHyphen/><t>wissenschaft</t></r></p>"), 2),
    "docx table": ("a.docx", letter(f"<tbl><tr><tc>{RUN}</tc><tc>{RUN}</tc></tr></tbl>"), 2),
    "docx note": (
        "a.docx",
        letter('<p><r><t>a</t><footnoteReference id="2"/></r></p>', f'<footnote id="2">{RUN}</footnote>'),
        1,
    ),
    "odt": ("a.odt", open_document("text", OPEN + f"<text:h>{DIVIDED}</text:h>{TABLE}"), 4),
    "ods": ("a.ods", open_document("spreadsheet", TABLE), 2),
    "odp": ("a.odp", open_document("presentation", FRAME), 1),
    "pptx": ("a.pptx", slide(), 4),
    "xlsx": (
        "a.xlsx",
        sheet(
            '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c>'
            f'<c t="inlineStr"><is><t>{DIVIDED}</t></is></c><c t="str"><v>{DIVIDED}</v></c></row>'
        ),
        4,
    ),
    "xml sheet": ("a.xls", XML_SHEET.encode(), 1),
    "rtf": (
        "a.rtf",
        rb"{\rtf1\ansi Politik\-wissenschaft\par Politik\'adwissenschaft\par{\uc1 Politik\u173?wissenschaft}}",
        3,
    ),
    "rtf table": ("a.rtf", rb"{\rtf1\ansi\trowd\cellx1\cellx9\intbl Politik\-wissenschaft\cell b\cell\row}", 1),
    "mail": ("a.eml", mail(DIVIDED), 2),
    "mail over a line": ("a.eml", mail(f"Politik{SOFT}\nwissenschaft"), 2),
    "mail with a page": ("a.eml", mail("", f"<p>{DIVIDED}"), 2),
    "page in a mail": ("a.eml", mail("a", **{"b.html": f"<p>{DIVIDED}"}), 2),
}


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_words_of_documents_have_no_soft_hyphens(kind: str) -> None:
    name, data, count = DOCUMENTS[kind]
    text = document_text(name, data, 10_000).text
    assert (text.count(JOINED), SOFT in text) == (count, False)


def test_chapters_are_named_without_soft_hyphens() -> None:
    assert document_text("a.epub", book(), 1000).extent.names == (JOINED, "Two")


def test_a_line_after_a_soft_hyphen_stays_one_where_no_word_goes_on() -> None:
    text = document_text("a.eml", mail(f"a{SOFT}\n\nb{SOFT}\n- c"), 1000).text
    assert text.endswith("\n\na\n\nb\n- c")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.txt", DIVIDED.encode()),
        ("a.py", f"x = '{DIVIDED}'".encode()),
        ("a.html", f"<pre>{DIVIDED}</pre>".encode()),
        ("a.eml", mail("a", **{"b.py": f"x = '{DIVIDED}'"})),
        ("a.ipynb", f'{{"cells": [{{"cell_type": "code", "source": "{DIVIDED}"}}]}}'.encode()),
        ("a.ipynb", f'{{"cells": [{{"cell_type": "markdown", "source": "{DIVIDED}"}}]}}'.encode()),
    ],
    ids=["text", "code", "code in a page", "code in a mail", "code in a notebook", "Markdown"],
)
def test_source_code_and_plain_text_keep_theirs(name: str, data: bytes) -> None:
    assert DIVIDED in document_text(name, data, 1000).text
