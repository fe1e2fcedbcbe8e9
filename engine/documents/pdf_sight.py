"""What is known of a PDF file while its pages are read: layers, fonts and forms, and what a page has shown so far."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from pypdf import PdfReader
from pypdf.generic import ContentStream, DictionaryObject, StreamObject

from engine.documents.pdf_covers import Covers, PlacesOfWords
from engine.documents.pdf_doubles import DrawnGlyphs
from engine.documents.pdf_fonts import FontStrings, resolved_entry, strings_of
from engine.documents.pdf_graphics import Box, PaintedAreas
from engine.documents.pdf_layers import Layers
from engine.documents.pdf_rules import PageRules
from engine.documents.pdf_strikes import Strikes, ThinLines
from engine.documents.pdf_widths import GlyphWidths, widths_of

# Operands and their operator.
PdfOperation = tuple[Any, bytes]
# The kinds of content that the text of a page leaves out.
HIDDEN = "hidden-text"
UNREADABLE = "unreadable-text"
DAMAGED = "damaged-part"
# What adds text to a page.
_SHOWING = (b"Tj", b"TJ", b"Do", b"'", b'"')
# From which share of a page pictures are taken for a scan, whose text is laid over them.
_SCANNED = 0.5
# Text of less points cannot be read, on a page that is at least as high; on smaller ones, less of a page.
_LEAST_SIZE = 2.0
_LEAST_HEIGHT = 400.0


class _KnownFont(NamedTuple):
    """A font, and how its strings are rewritten; None if they are not."""

    font: DictionaryObject
    strings: FontStrings | None


class _KnownForm(NamedTuple):
    """A form, and its operations; None if it has neither text nor other forms."""

    form: StreamObject
    operations: list[PdfOperation] | None


class _KnownWidths(NamedTuple):
    """A font, and the widths of its glyphs; None if they are not known."""

    font: DictionaryObject
    widths: GlyphWidths | None


class PdfObjects:
    """Objects that the pages of a file share. Each is read once, and known by its place in memory, so it is kept."""

    def __init__(self, reader: PdfReader) -> None:
        self._reader = reader
        catalog = resolved_entry(reader.trailer, "/Root")
        self.layers = Layers(catalog if isinstance(catalog, DictionaryObject) else DictionaryObject())
        # By the identity of the object, with the object itself: another one could get the place of one that is gone.
        self._fonts: dict[int, _KnownFont] = {}
        self._forms: dict[int, _KnownForm] = {}
        self._widths: dict[int, _KnownWidths] = {}

    def strings_of(self, font: DictionaryObject) -> FontStrings | None:
        """Return how the strings of a font are rewritten; None if pypdf reads them as they are."""
        if id(font) not in self._fonts:
            self._fonts[id(font)] = _KnownFont(font, strings_of(font))
        return self._fonts[id(font)].strings

    def widths_of(self, font: DictionaryObject) -> GlyphWidths | None:
        """Return the widths of a font's glyphs; None if they are not known."""
        if id(font) not in self._widths:
            try:
                widths = widths_of(font)
            except MemoryError:
                raise
            # Fonts may be damaged in any way.
            except Exception:
                widths = None
            self._widths[id(font)] = _KnownWidths(font, widths)
        return self._widths[id(font)].widths

    def operations_of(self, form: StreamObject) -> list[PdfOperation] | None:
        """Return the operations of a form; None if it has neither text nor other forms."""
        if id(form) not in self._forms:
            content = ContentStream(form, self._reader, "bytes")
            operations = content.operations if has_text(content) else None
            self._forms[id(form)] = _KnownForm(form, operations)
        return self._forms[id(form)].operations


class ShownPage:
    """What was seen on a page so far.

    With `reads_unseen`, text is kept that has no ink, size or contrast; with `reads_clips`, text that only says where
    is painted. With `strikes`, words are marked that these lines strike; with `covers`, words are left out that these
    areas cover; with `draws_once`, glyphs are left out that were drawn before at nearly the same place.
    """

    def __init__(
        self,
        objects: PdfObjects,
        box: Box,
        unit: float,
        *,
        reads_unseen: bool = False,
        reads_clips: bool = False,
        strikes: Strikes | None = None,
        covers: Covers | None = None,
        draws_once: bool = False,
    ) -> None:
        self.objects = objects
        # What is shown of the page, in units of `unit` points.
        self.box = box
        self.unit = unit
        self.reads_unseen = reads_unseen
        self.reads_clips = reads_clips
        self.strikes = strikes
        self.covers = covers
        self.draws_once = draws_once
        self.areas = PaintedAreas()
        self.thin_lines = ThinLines()
        self.words = PlacesOfWords()
        # What was drawn: glyphs with `draws_once`, else the beginnings of strings.
        self.drawn = DrawnGlyphs()
        # Whether strings may be drawn several times.
        self.has_copies = False
        # The lines that may be around the cells of tables.
        self.rules = PageRules()
        # The least size of text that can be seen, in units of the page.
        height = max(box.top - box.bottom, box.right - box.left)
        self.least_size = _LEAST_SIZE * min(1 / unit, height / _LEAST_HEIGHT)
        # How many passages are left out, by kind.
        self.left_out = Counter[str]()
        # How many forms were drawn.
        self.forms = 0
        # Bytes of strings that were seen, and of such that were not for want of ink, size or contrast.
        self.seen = 0
        self.unseen = 0
        # Whether anything was painted where text says.
        self.paints_text = False
        # The rewritten strings of all fonts of the page.
        self.strings: set[FontStrings] = set()
        # The pictures that are seen and objects of the file, and the area that all take.
        self.pictures: list[StreamObject] = []
        self._pictures_area = 0.0
        # What the latest string was: passages are counted, not strings.
        self._latest = ""

    @property
    def is_scan(self) -> bool:
        """Whether text that is not seen was recognised in a picture of the page, or in what is drawn on it."""
        is_picture = self._pictures_area >= _SCANNED * self.box.area > 0
        if is_picture:
            return self.unseen >= self.seen
        return not self.seen and bool(self.areas.areas)

    def add_picture(self, box: Box, picture: StreamObject | None) -> None:
        """Paint a picture; None for one that is no object of the file. One beside the page is not seen."""
        self.areas.add(box, None)
        seen = box.within(self.box).area
        self._pictures_area += seen
        if seen > 0 and picture is not None:
            self.pictures.append(picture)

    def count(self, kind: str) -> None:
        """Note what a string is: a kind of text that is left out, or "" if it is shown."""
        if kind and kind != self._latest:
            self.left_out[kind] += 1
        self._latest = kind


def has_text(content: ContentStream) -> bool:
    """Return whether a content may have text or draw forms."""
    data = content.get_data()
    return any(operator in data for operator in _SHOWING)
