"""Files that are attached to documents are read after their names, or counted."""

from __future__ import annotations

import io
from email.message import EmailMessage

import pytest
from pypdf import PdfWriter
from pypdf.generic import ArrayObject, NameObject, StreamObject

from engine.documents.archives import attached_files
from engine.documents.archives.ole_packages import COMPOUND_FILE
from engine.documents.document import document_text
from tests.engine.documents.office_files import letter_with, office_file, relations
from tests.engine.documents.ole_objects import compound, native
from tests.engine.documents.pdf_pages import objects

MOST = 2**16
TABLE = "| a | b |\n| --- | --- |\n| c | d |"
PAGE = b"<table><tr><td>a<td>b<tr><td>c<td>d</table>"
SHEET = "<worksheet><sheetData><row><c><v>{}</v></c></row></sheetData>{}</worksheet>"


def mail(*files: tuple[str, bytes]) -> bytes:
    message = EmailMessage()
    message["Subject"] = "Offer"
    message.set_content("See below.")
    for name, content in files:
        message.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return bytes(message)


def text_of(name: str, data: bytes) -> str:
    return document_text(name, data, MOST).text


def of_file(name: str, text: str) -> str:
    return f"[Attachment: {name}]\n\n{text}\n\n[End of attachment: {name}]"


def workbook(number: int, more: str = "", **parts: bytes) -> bytes:
    names = {f"r{name.partition('.')[0]}_oleObject": f"../embeddings/{name}" for name in parts}
    content = {
        "xl/workbook.xml": '<workbook><sheets><sheet name="S" id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(rId1_worksheet="worksheets/s.xml"),
        "xl/worksheets/s.xml": SHEET.format(number, more),
        "xl/worksheets/_rels/s.xml.rels": relations(**names),
        **{f"xl/embeddings/{name}": part.decode("latin-1") for name, part in parts.items()},
    }
    return office_file("xl/workbook.xml", content)


def test_files_of_a_mail_are_read_or_counted() -> None:
    files = (("a.html", PAGE), ("한.csv", b"1;2"), ("a.bin", b"\0\1\2\0\xff"), ("b.pdf", b"%PDF-damaged"))
    assert text_of("a.eml", mail(*files)) == "\n\n".join(
        (
            "Subject: Offer",
            "See below.",
            of_file("a.html", TABLE),
            of_file("한.csv", "1;2"),
            "[Attachment: a.bin]",
            "[Attachment: b.pdf]",
            "[Left out: 2 attached files]",
        )
    )


def test_files_within_files_are_read_up_to_a_depth() -> None:
    inner = ("a.txt", b"deep")
    for depth in range(4):
        inner = (f"{depth}.eml", mail(inner))
    text = text_of("a.eml", inner[1])
    assert text.count("See below.") == 4
    assert "deep" not in text
    assert text.endswith("[Left out: 1 attached file]")


def test_a_file_that_is_too_long_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attached_files, "MOST_BYTES", 100)
    found = text_of("a.eml", mail(("a.txt", b"x" * 99), ("b.txt", b"yy"), ("c.txt", b"z")))
    assert "x" * 99 in found
    assert "yy" not in found
    assert found.endswith(f"{of_file('c.txt', 'z')}\n\n[Left out: 1 attached file]")
    monkeypatch.undo()
    longest = text_of("a.eml", mail(("a.txt", b"x" * MOST)))
    assert longest.endswith("[Attachment: a.txt]\n\n[Left out: 1 attached file]")


def test_files_of_a_pdf_and_of_its_pages_are_read() -> None:
    writer = PdfWriter()
    page = writer.add_blank_page(100, 100)
    writer.add_attachment("a.html", PAGE)
    (stream := StreamObject()).set_data(b"noted")
    spec = objects(Type="/Filespec", F="n.txt", EF={"F": writer._add_object(stream)})
    page[NameObject("/Annots")] = ArrayObject([objects(Subtype="/FileAttachment", FS=writer._add_object(spec))])
    writer.write(file := io.BytesIO())
    assert text_of("a.pdf", file.getvalue()) == f"{of_file('a.html', TABLE)}\n\n{of_file('n.txt', 'noted')}"


def test_sheets_in_letters_are_read() -> None:
    objects_of_body = '<OLEObject ProgID="Excel.Sheet.12" id="rId1"/>', '<OLEObject Type="Link" id="rId2"/>'
    runs = "".join(f"<r><object>{embedded}</object></r>" for embedded in objects_of_body)
    parts = {
        "word/document.xml": f"<document><body><p><r><t>Before</t></r>{runs}</p></body></document>",
        "word/_rels/document.xml.rels": relations(rId1_package="embeddings/a.html", rId2_oleObject="file:///b.xlsx"),
        "word/embeddings/a.html": PAGE.decode(),
    }
    assert text_of("a.docx", office_file("word/document.xml", parts)) == f"Before\n\n{of_file('a.html', TABLE)}"


def test_sheets_on_slides_are_read() -> None:
    frame = (
        '<graphicFrame><graphic><graphicData><oleObj id="rId1"><embed/></oleObj></graphicData></graphic></graphicFrame>'
    )
    parts = {
        "ppt/presentation.xml": '<presentation><sldId id="s"/></presentation>',
        "ppt/_rels/presentation.xml.rels": relations(s_slide="s.xml"),
        "ppt/s.xml": f"<sld><spTree>{frame}</spTree></sld>",
        "ppt/_rels/s.xml.rels": relations(rId1_package="embeddings/a.html"),
        "ppt/embeddings/a.html": PAGE.decode(),
    }
    assert text_of("a.pptx", office_file("ppt/presentation.xml", parts)) == f"## 1.\n\n{of_file('a.html', TABLE)}"


def test_objects_on_sheets_are_read_once_or_counted() -> None:
    objects_of_sheet = '<oleObject id="ra"/><Fallback><oleObject id="ra"/></Fallback><oleObject id="rb"/>'
    book = workbook(5, objects_of_sheet, **{"a.html": PAGE, "b.bin": b"\0\1\2"})
    found = text_of("a.xlsx", book).removeprefix("## S\n\n| 5 |\n| --- |\n\n")
    assert found == f"{of_file('a.html', TABLE)}\n\n[Attachment: b.bin]\n\n[Left out: 1 attached file]"


def test_a_file_in_an_object_is_read_under_its_own_name() -> None:
    packaged = letter_with("oleObject1.bin", compound("\1Ole10Native", native(b"a.html", PAGE)))
    assert text_of("a.docx", packaged) == f"Before\n\n{of_file('a.html', TABLE)}"
    book = letter_with("oleObject1.bin", compound("Package", workbook(7)))
    assert text_of("a.docx", book) == "Before\n\n" + of_file("oleObject1.bin", "## S\n\n| 7 |\n| --- |")


@pytest.mark.parametrize(
    "embedded",
    [
        compound("\1Ole10Native", native(b"a.exe", b"MZ\0\0\1")),
        compound("Equation Native", b"x"),
        compound("Package", b"PK\3\4"),
        COMPOUND_FILE,
    ],
    ids=["program", "equation", "damaged book", "damaged object"],
)
def test_objects_without_a_file_that_is_read_are_counted(embedded: bytes) -> None:
    text = text_of("a.docx", letter_with("oleObject1.bin", embedded))
    assert text.startswith("Before\n\n[Attachment: ")
    assert text.endswith("]\n\n[Left out: 1 attached file]")
