"""What is known of a PDF file while its pages are read: layers, fonts and forms, and what a page has shown so far."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pypdf import PdfReader
from pypdf.generic import ContentStream, DictionaryObject, StreamObject

from engine.documents.pdf_fonts import FontStrings, resolved_entry, strings_of
from engine.documents.pdf_graphics import Box, PaintedAreas
from engine.documents.pdf_layers import Layers

# Operands and their operator.
PdfOperation = tuple[Any, bytes]
# What adds text to a page.
_SHOWING = (b"Tj", b"TJ", b"Do", b"'", b'"')
# From which share of a page pictures are taken for a scan, whose text is laid over them.
_SCANNED = 0.5
# Text of less points cannot be read, on a page that is at least as high; on smaller ones, less of a page.
_LEAST_SIZE, _LEAST_HEIGHT = 2.0, 400.0


class PdfObjects:
    """Objects that the pages of a file share. Each is read once, and known by its place in memory, so it is kept."""

    def __init__(self, reader: PdfReader) -> None:
        self._reader = reader
        catalog = resolved_entry(reader.trailer, "/Root")
        self.layers = Layers(catalog if isinstance(catalog, DictionaryObject) else DictionaryObject())
        self._fonts: dict[int, tuple[DictionaryObject, FontStrings | None]] = {}
        self._forms: dict[int, tuple[StreamObject, list[PdfOperation] | None]] = {}

    def strings_of(self, font: DictionaryObject) -> FontStrings | None:
        if id(font) not in self._fonts:
            self._fonts[id(font)] = font, strings_of(font)
        return self._fonts[id(font)][1]

    def operations_of(self, form: StreamObject) -> list[PdfOperation] | None:
        """Return the operations of a form; None if it has neither text nor other forms."""
        if id(form) not in self._forms:
            content = ContentStream(form, self._reader, "bytes")
            self._forms[id(form)] = form, content.operations if has_text(content) else None
        return self._forms[id(form)][1]


class ShownPage:
    """What was seen on a page so far.

    With `reads_unseen`, text is kept that has no ink, size or contrast; with `reads_clips`, text that only says where
    is painted.
    """

    def __init__(
        self, objects: PdfObjects, box: Box, unit: float, *, reads_unseen: bool = False, reads_clips: bool = False
    ) -> None:
        self.objects, self.box, self.unit = objects, box, unit
        self.reads_unseen, self.reads_clips = reads_unseen, reads_clips
        self.areas = PaintedAreas()
        # The least size of text that can be seen, in units of the page.
        height = max(box.top - box.bottom, box.right - box.left)
        self.least_size = _LEAST_SIZE * min(1 / unit, height / _LEAST_HEIGHT)
        self.left_out = Counter[str]()
        self.forms = 0
        # Bytes of strings that were seen, and of such that were not for want of ink, size or contrast.
        self.seen = self.unseen = 0
        # Whether anything was painted where text says.
        self.paints_text = False
        self.strings: set[FontStrings] = set()
        self._pictures = 0.0
        # What the latest string was: passages are counted, not strings.
        self._latest = ""

    @property
    def is_scan(self) -> bool:
        """Whether text that is not seen was recognised in a picture of the page, or in what is drawn on it."""
        is_picture = self._pictures >= _SCANNED * self.box.area > 0
        return self.unseen >= self.seen if is_picture else not self.seen and bool(self.areas.areas)

    def add_picture(self, box: Box) -> None:
        self.areas.add(box, None)
        self._pictures += box.within(self.box).area

    def count(self, kind: str) -> None:
        """Note what a string is: a kind of text that is left out, or "" if it is shown."""
        if kind and kind != self._latest:
            self.left_out[kind] += 1
        self._latest = kind


def has_text(content: ContentStream) -> bool:
    data = content.get_data()
    return any(operator in data for operator in _SHOWING)
