"""Files that are attached to a PDF file are read, and so is what was filled in where its pages do not show it."""

from __future__ import annotations

import io

import pytest
from pypdf import PdfWriter
from pypdf.generic import ArrayObject, NameObject, PdfObject, TextStringObject

from engine.documents.pdf import attachments as pdf_attachments
from engine.documents.pdf.annotations import Annotations
from engine.documents.pdf.attachments import add_attached, add_form_data
from engine.documents.pdf.file import open_pdf
from engine.documents.text.marked_text import MarkedText
from tests.app.pdf_files import pdf
from tests.engine.documents.pdf_pages import objects, stream

FIELDS = "<Name>Hana</Name><Empty> </Empty><Town>서울</Town>"
DATA = f"<x:datasets xmlns:x='x'><x:data>{FIELDS}</x:data></x:datasets>".encode()
WHOLE = b"<xdp:xdp xmlns:xdp='y'><template><text>A label</text></template>" + DATA + b"</xdp:xdp>"
FILLED_IN = "Name: Hana\n\nTown: 서울"


def read_plain(_name: str, content: bytes, text: MarkedText) -> bool:
    text.add_blocks(content.decode())
    return bool(content)


def data_of(writer: PdfWriter) -> bytes:
    writer.write(file := io.BytesIO())
    return file.getvalue()


def attached(data: bytes) -> str:
    """Return the files of a document and its pages as they are read."""
    text = MarkedText(10_000)
    with open_pdf(data) as document:
        annotations = Annotations(document, data)
        for number, page in enumerate(document, 1):
            annotations.add_of(page, number, "", text)
            page.close()
        add_attached(document, annotations.attached, text, read_plain)
    return str(text)


def form_data(data: bytes) -> str:
    """Return what is read of a form beside its pages."""
    text = MarkedText(10_000)
    with open_pdf(data) as document:
        add_form_data(document, text)
    return str(text)


def noted(writer: PdfWriter, **spec: object) -> dict[str, object]:
    """Return a sign for a file on a page, whose dictionary has more entries than its content."""
    return {"Subtype": "/FileAttachment", "FS": writer._add_object(objects(Type="/Filespec", **spec))}


def annotate(writer: PdfWriter, page: int, *annotations: dict[str, object]) -> None:
    notes = ArrayObject(objects(Rect=[0, 0, 9, 9], **entries) for entries in annotations)
    writer.pages[page][NameObject("/Annots")] = notes


def test_files_of_the_document_and_of_its_pages_are_read() -> None:
    writer = pdf("one", "two")
    writer.add_attachment("견적.txt", b"whole")
    content = writer._add_object(stream(b"noted"))
    annotate(writer, 1, {**noted(writer, UF="n.txt", F="x", EF={"F": content}), "Contents": "see file"})
    assert attached(data_of(writer)) == (
        "[Note: see file]\n\n[Attachment: 견적.txt]\n\nwhole\n\n[End of attachment: 견적.txt]\n\n"
        "[Attachment: n.txt]\n\nnoted\n\n[End of attachment: n.txt]"
    )


@pytest.mark.parametrize("keys", [("F", "F"), ("UF", "UF")])
def test_names_and_contents_may_be_under_either_key(keys: tuple[str, str]) -> None:
    writer = pdf("one")
    name, content = keys
    annotate(writer, 0, noted(writer, **{name: "n.txt"}, EF={content: writer._add_object(stream(b"noted"))}))
    assert attached(data_of(writer)) == "[Attachment: n.txt]\n\nnoted\n\n[End of attachment: n.txt]"


def test_files_without_a_content_are_counted() -> None:
    writer = pdf("one")
    empty = writer._add_object(stream(b""))
    annotate(writer, 0, noted(writer, UF="a.txt"), noted(writer, UF="b.txt", EF={"F": empty}))
    assert attached(data_of(writer)) == "[Attachment: a.txt]\n\n[Attachment: b.txt]\n\n[Left out: 2 attached files]"


def test_a_sign_without_a_file_is_counted() -> None:
    writer = pdf("one")
    annotate(writer, 0, {"Subtype": "/FileAttachment", "Contents": "see file"})
    assert attached(data_of(writer)) == "[Note: see file]\n\n[Left out: 1 damaged part]"


def test_a_file_that_is_too_long_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_attachments, "MOST_BYTES", 4)
    writer = pdf("one")
    writer.add_attachment("a.txt", b"12345")
    writer.add_attachment("b.txt", b"1234")
    short = "[Attachment: b.txt]\n\n1234\n\n[End of attachment: b.txt]"
    assert attached(data_of(writer)) == f"[Attachment: a.txt]\n\n{short}\n\n[Left out: 1 attached file]"


def with_form(packets: list[tuple[str, bytes]], *fields: dict[str, object], **catalog: object) -> bytes:
    """Return a form with the packets of XFA, of which one without a name is the whole, and fields on its page."""
    writer = pdf("Please wait...")
    form: PdfObject = ArrayObject()
    for name, content in packets:
        form += [TextStringObject(name), writer._add_object(stream(content))]
    if packets[0][0] == "":
        form = writer._add_object(stream(packets[0][1]))
    annotate(writer, 0, *({"Subtype": "/Widget", **field} for field in fields))
    widgets = writer.pages[0]["/Annots"]
    writer.root_object[NameObject("/AcroForm")] = objects(XFA=form, Fields=widgets)
    writer.root_object.update(objects(**catalog))
    return data_of(writer)


BOX = {"FT": "/Btn", "AP": {"N": {"Off": {}, "Yes": {}}}}


@pytest.mark.parametrize(
    ("packets", "words"),
    [
        ([("datasets", DATA)], FILLED_IN),
        ([("template", b"<template><text>A label</text></template>"), ("datasets", DATA)], FILLED_IN),
        ([("", WHOLE)], FILLED_IN),
        ([("template", b"<template><text>A label</text></template>")], ""),
    ],
)
def test_what_was_filled_in_where_only_adobe_draws_the_form_is_read(
    packets: list[tuple[str, bytes]], words: str
) -> None:
    assert form_data(with_form(packets)) == words
    assert form_data(with_form(packets, NeedsRendering=True)) == words


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ({"FT": "/Tx", "T": "Name", "V": "Hana"}, ""),
        ({"FT": "/Ch", "T": "Name", "Opt": ["Hana"], "I": [0]}, ""),
        ({**BOX, "T": "agree", "AS": "/Yes"}, ""),
        ({"FT": "/Tx", "T": "Name"}, FILLED_IN),
        ({**BOX, "T": "agree", "AS": "/Off"}, FILLED_IN),
    ],
)
def test_a_form_whose_fields_are_filled_in_on_its_pages_is_not_read_again(field: dict[str, object], words: str) -> None:
    assert form_data(with_form([("datasets", DATA)], field)) == words


def test_a_form_whose_data_are_damaged_says_so() -> None:
    data = with_form([("datasets", b"<datasets><a>b</a>")])
    text = MarkedText(1000)
    with open_pdf(data) as document:
        add_form_data(document, text)
    assert text.left_out["damaged-part"] == 1
