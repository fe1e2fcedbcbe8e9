"""What the fields, notes and links of a PDF file's pages say, by PDFium.

PDFium does not say whether an annotation belongs to a layer that is off, and loses letters of names in UTF-8, which
boxes have as options. pypdf opens a file that has any of these as well.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ctypes import create_string_buffer
from functools import cached_property
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from selectolax.lexbor import LexborHTMLParser

from engine.documents.pdf.file import text_from
from engine.documents.text.damaged_parts import skipping_damage
from engine.documents.text.marked_text import MarkedText

if TYPE_CHECKING:
    from pypdf import PdfReader
    from pypdfium2 import PdfAttachment, PdfDocument, PdfFormEnv, PdfPage

    from engine.documents.pdf.layers import Layers

# What boxes stand for that have no option of their own.
_PLAIN_OPTIONS = ("Yes", "On", "Off", "1")


class _Annotation(NamedTuple):
    """An annotation that is open in PDFium, the number of its page, from 1, and its position there."""

    handle: Any
    page: int
    position: int


class Annotations:
    """Adds what the annotations of a file's pages say to their text."""

    def __init__(self, document: PdfDocument, data: bytes) -> None:
        """Read the annotations of the `document` whose file is `data`."""
        self._document = document
        self._data = data
        # The files for which the pages so far show a sign each.
        self.attached: list[PdfAttachment] = []

    def add_of(self, page: PdfPage, number: int, content: str, text: MarkedText) -> None:
        """Add to `text` what the annotations of a page say that its own text, `content`, does not.

        `number` is the page's number, from 1. An annotation that is damaged is counted and skipped; `TextTooLong` goes
        on to the caller.
        """
        from pypdfium2 import PdfAttachment
        from pypdfium2.raw import (
            FPDF_ANNOT_FILEATTACHMENT,
            FPDFAnnot_GetFileAttachment,
            FPDFAnnot_GetSubtype,
            FPDFPage_GetAnnotCount,
        )

        for index in range(FPDFPage_GetAnnotCount(page)):
            with skipping_damage(text), opened_annotation(page, index) as handle:
                if FPDFAnnot_GetSubtype(handle) == FPDF_ANNOT_FILEATTACHMENT:
                    self.attached.append(PdfAttachment(FPDFAnnot_GetFileAttachment(handle), self._document))
                annotation = _Annotation(handle, number, index)
                words = self._words(annotation, content, text)
                if words and self._is_layer_off(annotation):
                    text.left_out["hidden-text"] += 1
                elif words:
                    text.add_blocks(words)
                    # A link over several lines is several annotations.
                    content = f"{content}\n{words}"

    def _words(self, annotation: _Annotation, content: str, text: MarkedText) -> str:
        """Return what an annotation says that its page, whose text is `content`, does not; "" if nothing."""
        from pypdfium2 import raw

        handle = annotation.handle
        if raw.FPDFAnnot_GetFlags(handle) & (raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW):
            return ""
        kind = raw.FPDFAnnot_GetSubtype(handle)
        if kind == raw.FPDF_ANNOT_WIDGET:
            return self._field_words(annotation, text)
        if kind == raw.FPDF_ANNOT_LINK:
            address = self._address(handle)
            # A link within the file has no address, and "" is in any text. An address alone would make a scanned page
            # count as one with text.
            is_in_text = address.removeprefix("mailto:") in content
            return "" if is_in_text or not content.strip() else f"[Link: {address}]"
        words = _string(handle, "Contents") or _rich_words(handle, "RC")
        return f"[Note: {words.strip()}]" if words.strip() and kind != raw.FPDF_ANNOT_POPUP else ""

    def _address(self, link: Any) -> str:
        """Return the address in the web of a link; "" for one within the file, or to another one."""
        from pypdfium2.raw import FPDFAction_GetURIPath, FPDFAnnot_GetLink, FPDFLink_GetAction

        action = FPDFLink_GetAction(FPDFAnnot_GetLink(link))
        if not action:
            return ""
        size = FPDFAction_GetURIPath(self._document, action, None, 0)
        buffer = create_string_buffer(size)
        FPDFAction_GetURIPath(self._document, action, buffer, size)
        return buffer.value.decode("utf-8", "replace")

    def _field_words(self, annotation: _Annotation, text: MarkedText) -> str:
        """Return the name and the value of a field that is filled in, or of a box; count a password."""
        from pypdfium2 import raw

        widget = annotation.handle
        form = self._document.formenv
        kind = raw.FPDFAnnot_GetFormFieldType(form, widget)
        name = text_from(raw.FPDFAnnot_GetFormFieldAlternateName, form, widget)
        # PDFium takes what has no name, or is of no kind, for no field.
        name = name or text_from(raw.FPDFAnnot_GetFormFieldName, form, widget) or _string(widget, "T")
        match kind:
            case raw.FPDF_FORMFIELD_PUSHBUTTON:
                return ""
            case raw.FPDF_FORMFIELD_CHECKBOX | raw.FPDF_FORMFIELD_RADIOBUTTON:
                option = self._option(annotation)
                shown_option = "" if option in _PLAIN_OPTIONS else f": {option}"
                sign = "☒" if raw.FPDFAnnot_IsChecked(form, widget) else "☐"
                return f"{sign} {name}{shown_option}"
            case raw.FPDF_FORMFIELD_SIGNATURE:
                # Nothing here checks whether the signature is valid.
                return f"{name}: signed, not verified" if raw.FPDFAnnot_HasKey(widget, b"V") else ""
        value = _value(form, widget)
        if not value.strip():
            return ""
        if raw.FPDFAnnot_GetFormFieldFlags(form, widget) & raw.FPDF_FORMFLAG_TEXT_PASSWORD:
            text.left_out["hidden-text"] += 1
            return ""
        return f"{name}: {value}" if name else value

    def _option(self, annotation: _Annotation) -> str:
        """Return what a box stands for."""
        from pypdfium2 import raw

        form = self._document.formenv
        option = text_from(raw.FPDFAnnot_GetFormFieldExportValue, form, annotation.handle)
        if option.isascii() or raw.FPDFAnnot_GetOptionCount(form, annotation.handle) > 0:
            return option
        looks = self._by_pypdf(annotation)["/AP"]["/N"]
        return next((look[1:] for look in looks if look != "/Off"), option)

    def _is_layer_off(self, annotation: _Annotation) -> bool:
        """Return whether an annotation belongs to a layer that is off."""
        from pypdfium2.raw import FPDFAnnot_HasKey

        has_layer = FPDFAnnot_HasKey(annotation.handle, b"OC")
        return bool(has_layer) and self._layers.hide(self._by_pypdf(annotation).get("/OC"))

    def _by_pypdf(self, annotation: _Annotation) -> Any:
        """Return the entries of an annotation."""
        annotations: Any = self._reader.pages[annotation.page - 1]["/Annots"]
        return annotations[annotation.position].get_object()

    @cached_property
    def _reader(self) -> PdfReader:
        from pypdf import PdfReader

        # pypdf's warnings are noise here.
        logging.getLogger("pypdf").setLevel(logging.CRITICAL)
        reader = PdfReader(BytesIO(self._data))
        if reader.is_encrypted:
            reader.decrypt("")
        return reader

    @cached_property
    def _layers(self) -> Layers:
        from engine.documents.pdf.layers import Layers

        return Layers(self._reader.root_object)


def is_filled_in(page: PdfPage) -> bool:
    """Return whether a page has a field with a value, or a box that is ticked."""
    from pypdfium2 import raw

    for index in range(raw.FPDFPage_GetAnnotCount(page)):
        with suppress(ValueError), opened_annotation(page, index) as handle:
            if raw.FPDFAnnot_IsChecked(page.formenv, handle):
                return True
            is_text = raw.FPDFAnnot_GetFormFieldType(page.formenv, handle) in (
                raw.FPDF_FORMFIELD_TEXTFIELD,
                raw.FPDF_FORMFIELD_COMBOBOX,
                raw.FPDF_FORMFIELD_LISTBOX,
            )
            if is_text and _value(page.formenv, handle).strip():
                return True
    return False


def _value(form: PdfFormEnv, widget: Any) -> str:
    """Return what a field is filled in with as it is shown: of a choice the words, not what they stand for."""
    from pypdfium2 import raw

    # PDFium has the value of the first for all fields of one name; merged files have several such fields.
    value_of_widget = _string(widget, "V")
    value_of_field = _with_plain_ends(text_from(raw.FPDFAnnot_GetFormFieldValue, form, widget))
    value = value_of_field or _rich_words(widget, "RV")
    if value_of_widget and value_of_widget != value:
        return value_of_widget
    options = raw.FPDFAnnot_GetOptionCount(form, widget)
    chosen = [index for index in range(options) if raw.FPDFAnnot_IsOptionSelected(form, widget, index)]
    return ", ".join(text_from(raw.FPDFAnnot_GetOptionLabel, form, widget, index) for index in chosen) or value


@contextmanager
def opened_annotation(page: PdfPage, index: int) -> Iterator[Any]:
    """Open the annotation of a page with an index. Raises `ValueError` for what is none."""
    from pypdfium2.raw import FPDFPage_CloseAnnot, FPDFPage_GetAnnot

    annotation = FPDFPage_GetAnnot(page, index)
    if not annotation:
        raise ValueError(index)
    try:
        yield annotation
    finally:
        FPDFPage_CloseAnnot(annotation)


def _string(annotation: Any, key: str) -> str:
    """Return a text of an annotation; "" for another value, or for none."""
    from pypdfium2.raw import FPDFAnnot_GetStringValue

    return _with_plain_ends(text_from(FPDFAnnot_GetStringValue, annotation, key.encode()))


def _with_plain_ends(words: str) -> str:
    """Return a text whose lines end with a line feed: lines in PDF end with a carriage return."""
    return words.replace("\r\n", "\n").replace("\r", "\n")


def _rich_words(annotation: Any, key: str) -> str:
    """Return the words of a text of an annotation that is written as a page."""
    return LexborHTMLParser(_string(annotation, key)).text().strip()
