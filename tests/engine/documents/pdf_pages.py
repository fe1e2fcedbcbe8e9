"""Makes PDF files of one page by hand, for tests: what a content shows depends on how it is written."""

from __future__ import annotations

import io

from pypdf import PdfWriter
from pypdf.generic import (
    ArrayObject,
    BooleanObject,
    ByteStringObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    NumberObject,
    PdfObject,
    StreamObject,
    TextStringObject,
)

from engine.documents.document import DocumentText, document_text

HELVETICA = {"Type": "/Font", "Subtype": "/Type1", "BaseFont": "/Helvetica", "Encoding": "/WinAnsiEncoding"}


class PageFile:
    """A PDF file with one page of 600 by 800 points."""

    def __init__(self) -> None:
        self.writer = PdfWriter()
        self.page = self.writer.add_blank_page(600, 800)
        self.resources = made({"Font": {"F1": HELVETICA}, "XObject": {}})
        self.page[NameObject("/Resources")] = self.resources

    def refer(self, value: object) -> PdfObject:
        """Return a reference to an object of its own in the file."""
        return self.writer._add_object(made(value))

    def add(self, kind: str, name: str, value: object) -> None:
        """Add a resource."""
        within = self.resources.setdefault(NameObject(f"/{kind}"), DictionaryObject())
        within[NameObject(f"/{name}")] = made(value)

    def annotate(self, notes: list[dict[str, object]]) -> None:
        self.page[NameObject("/Annots")] = made(notes)

    def catalog(self, name: str, value: object) -> None:
        """Add an entry of the file's catalog."""
        self.writer.root_object[NameObject(f"/{name}")] = made(value)

    def read(self, content: bytes) -> DocumentText:
        """Return what is read from the file with a content of the page."""
        self.page[NameObject("/Contents")] = self.refer(stream(content))
        self.writer.write(file := io.BytesIO())
        return document_text("a.pdf", file.getvalue(), 100_000)


def made(value: object) -> PdfObject:
    """Return an object of a PDF file, where texts are names."""
    if isinstance(value, PdfObject):
        return value
    if isinstance(value, dict):
        return DictionaryObject({NameObject(f"/{key}"): made(entry) for key, entry in value.items()})
    if isinstance(value, list):
        return ArrayObject(map(made, value))
    if isinstance(value, bool):
        return BooleanObject(value)
    if isinstance(value, str):
        return NameObject(value)
    if isinstance(value, bytes):
        return ByteStringObject(value)
    return FloatObject(value) if isinstance(value, float) else NumberObject(value)


def stream(data: bytes, **entries: object) -> StreamObject:
    """Return a stream with entries of its dictionary."""
    made_stream = StreamObject()
    made_stream.set_data(data)
    made_stream.update(made(entries))
    return made_stream


def objects(**entries: object) -> DictionaryObject:
    """Return a dictionary of a PDF file, where texts that begin with "/" are names."""
    return DictionaryObject({NameObject(f"/{key}"): pdf_object(value) for key, value in entries.items()})


def pdf_object(value: object) -> PdfObject:
    if isinstance(value, dict):
        return objects(**value)
    if isinstance(value, list):
        return ArrayObject(map(pdf_object, value))
    if isinstance(value, str):
        return NameObject(value) if value.startswith("/") else TextStringObject(value)
    return NumberObject(value) if isinstance(value, int) else value
