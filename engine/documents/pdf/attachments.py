"""The files that are attached to a PDF file and its pages, and what was filled in where Adobe's programs alone draw."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from ctypes import c_ulong, create_string_buffer
from functools import partial
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from engine.documents.archives.attached_files import MOST_BYTES, AttachedFiles, ReadInner
from engine.documents.pdf.annotations import is_filled_in
from engine.documents.text.damaged_parts import skipping_damage
from engine.documents.text.marked_text import MarkedText
from engine.files.safe_xml import safe_xml

if TYPE_CHECKING:
    from pypdfium2 import PdfAttachment, PdfDocument

# The name of the part of a form that has what was filled in, and of its element.
_FILLED_IN = "datasets"
# The byte order mark of a name that PDFium takes for one in an encoding of systems, with a byte for each letter.
_UTF_16 = "\xfe\xff"


def add_attached(
    document: PdfDocument, of_pages: Iterable[PdfAttachment], text: MarkedText, read_inner: ReadInner
) -> None:
    """Add the files that are attached to the whole document, and those `of_pages`, for which these show signs."""
    attached = AttachedFiles(text, read_inner)
    for index in range(document.count_attachments()):
        with skipping_damage(text):
            _add(document.get_attachment(index), attached)
    for file in of_pages:
        with skipping_damage(text):
            _add(file, attached)


def add_form_data(document: PdfDocument, text: MarkedText) -> None:
    """Add what was filled in in a form that Adobe's programs alone draw (XFA).

    In other programs, its pages may show the same fields: then these have the values.
    """
    from pypdfium2.raw import FORMTYPE_XFA_FOREGROUND, FORMTYPE_XFA_FULL

    if document.get_formtype() not in (FORMTYPE_XFA_FULL, FORMTYPE_XFA_FOREGROUND) or _has_values(document):
        return
    with skipping_damage(text):
        for filled_in in _filled_in(document):
            for element in filled_in.iter():
                if element.text and element.text.strip() and not len(element):
                    text.add_blocks(f"{element.tag}: {element.text.strip()}")


def _add(file: PdfAttachment, attached: AttachedFiles) -> None:
    """Add a file. Raises `PdfiumError` for one without a name."""
    name = file.get_name()
    if name.startswith(_UTF_16):
        name = name.encode("latin-1", "replace").decode("utf-16", "replace")
    attached.add(name, partial(_content, file))


def _content(file: PdfAttachment) -> bytes:
    """Return the content of a file. Raises `PdfiumError` if it is damaged or empty, and `ValueError` if it is long."""
    from pypdfium2.raw import FPDFAttachment_GetFile

    size = c_ulong()
    FPDFAttachment_GetFile(file, None, 0, size)
    if size.value > MOST_BYTES:
        raise ValueError(size.value)
    return bytes(file.get_data())


def _has_values(document: PdfDocument) -> bool:
    """Return whether any page shows a field that is filled in. Pages that are damaged show none."""
    from pypdfium2 import PdfiumError

    for index in range(len(document)):
        try:
            page = document[index]
        except PdfiumError:
            continue
        with closing(page):
            if is_filled_in(page):
                return True
    return False


def _filled_in(document: PdfDocument) -> list[Element]:
    """Return the parts of a form that have what was filled in. Raises `ParseError` and `ValueError` for damage."""
    from pypdfium2.raw import FPDF_GetXFAPacketContent, FPDF_GetXFAPacketCount, FPDF_GetXFAPacketName

    roots = list[Element]()
    for index in range(FPDF_GetXFAPacketCount(document)):
        name = create_string_buffer(FPDF_GetXFAPacketName(document, index, None, 0))
        FPDF_GetXFAPacketName(document, index, name, len(name))
        # A form that is not divided is one packet without a name.
        if name.value not in (b"", _FILLED_IN.encode()):
            continue
        size = c_ulong()
        FPDF_GetXFAPacketContent(document, index, None, 0, size)
        content = create_string_buffer(size.value)
        FPDF_GetXFAPacketContent(document, index, content, size.value, size)
        roots += safe_xml(content.raw).iter(_FILLED_IN)
    return roots
