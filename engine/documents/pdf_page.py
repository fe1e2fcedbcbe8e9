"""Gives the pages of a PDF file contents that only show what can be seen.

pypdf reads all text of a content, wherever and however it is drawn. So a page is given a content of its own before.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from pypdf import PageObject, PdfReader
from pypdf.generic import ContentStream, DictionaryObject, NameObject, StreamObject

from engine.documents.pdf_content import PageContent
from engine.documents.pdf_fonts import resolved_entry
from engine.documents.pdf_graphics import Box, GraphicsState
from engine.documents.pdf_rules import PageRules
from engine.documents.pdf_sight import PdfObjects, PdfOperation, ShownPage, has_text


class PreparedPage(NamedTuple):
    """How many passages are not in the text of a page, by kind, the pictures on it that are seen, and its lines."""

    left_out: Mapping[str, int] = MappingProxyType({})
    pictures: tuple[StreamObject, ...] = ()
    rules: PageRules | None = None


class ShownPages:
    """Replaces the contents of a file's pages by what they show."""

    def __init__(self, reader: PdfReader) -> None:
        self._reader = reader
        self._objects = PdfObjects(reader)

    def is_hidden(self, note: DictionaryObject) -> bool:
        """Return whether a note belongs to a layer that is off."""
        return self._objects.layers.hide(note.get("/OC"))

    def prepare(self, page: PageObject) -> PreparedPage:
        """Replace a page's content; return what is not in it."""
        if "/Contents" not in page:
            return PreparedPage()
        content = ContentStream(page["/Contents"], self._reader, "bytes")
        if not has_text(content):
            return PreparedPage()
        operations = content.operations
        resources = page.get_inherited("/Resources")
        if not isinstance(resources, DictionaryObject):
            return PreparedPage()
        shown = ShownPage(self._objects, _box_of(page), _unit_of(page))
        drawn = _drawn(shown, operations, resources)
        if shown.unseen and (shown.is_scan or shown.paints_text):
            # What lies over or under the picture of a page is what was recognised in it.
            shown = ShownPage(
                self._objects, shown.box, shown.unit, reads_unseen=shown.is_scan, reads_clips=shown.paints_text
            )
            drawn = _drawn(shown, operations, resources)
        strikes = shown.thin_lines.strikes()
        covers = shown.words.covers(shown.areas.areas)
        if strikes is not None or covers is not None or shown.has_copies:
            shown = ShownPage(
                self._objects,
                shown.box,
                shown.unit,
                reads_unseen=shown.reads_unseen,
                reads_clips=shown.reads_clips,
                strikes=strikes,
                covers=covers,
                draws_once=shown.has_copies,
            )
            drawn = _drawn(shown, operations, resources)
        if strikes is not None:
            strikes.finish()
        for strings in shown.strings:
            strings.finish()
        content.operations = drawn.operations
        page[NameObject("/Contents")] = content
        page[NameObject("/Resources")] = drawn.resources
        return PreparedPage(shown.left_out, tuple(shown.pictures), shown.rules)


def _drawn(page: ShownPage, operations: list[PdfOperation], resources: DictionaryObject) -> PageContent:
    """Return what operations show on a page."""
    content = PageContent(page, resources, GraphicsState(page.box), frozenset())
    content.read(operations)
    return content


def _unit_of(page: PageObject) -> float:
    """Return how many points a unit of a page is."""
    unit = resolved_entry(page, "/UserUnit")
    return float(unit) if isinstance(unit, int | float) and unit > 0 else 1.0


def _box_of(page: PageObject) -> Box:
    """Return the part of a page that is shown; all of it if that is nothing."""
    media = _sorted_box(*map(float, page.mediabox))
    shown = _sorted_box(*map(float, page.cropbox)).within(media)
    return shown if shown.area > 0 else media


def _sorted_box(left: float, bottom: float, right: float, top: float) -> Box:
    return Box(min(left, right), min(bottom, top), max(left, right), max(bottom, top))
