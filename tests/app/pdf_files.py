"""Makes PDF files for tests."""

from __future__ import annotations

from pypdf import PdfWriter
from pypdf.generic import DictionaryObject, NameObject, StreamObject


def pdf(*pages: str) -> PdfWriter:
    """Return a PDF file with a line of text on each page."""
    writer = PdfWriter()
    font = DictionaryObject()
    for name, value in (("/Type", "/Font"), ("/Subtype", "/Type1"), ("/BaseFont", "/Helvetica")):
        font[NameObject(name)] = NameObject(value)
    for words in pages:
        page = writer.add_blank_page(200, 200)
        stream = StreamObject()
        stream.set_data(f"BT /F1 12 Tf 10 100 Td ({words}) Tj ET".encode() if words else b"")
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        page[NameObject("/Contents")] = writer._add_object(stream)
    return writer
