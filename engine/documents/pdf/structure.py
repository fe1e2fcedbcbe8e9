"""What the structure of a tagged PDF page says of its contents: which are headings, and the text that stands for some.

Word, LibreOffice and most programs of publishers tag what they save (ISO 32000-2, 14.7 and 14.8).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import pypdfium2.raw as pdfium

from engine.documents.pdf.file import text_from
from engine.documents.pdf.objects import PageObjects, address_of

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

# Pages with more elements are taken for such without a structure.
_MOST_ELEMENTS = 50_000
_LEVELS = {"Title": 1} | {f"H{level}": level for level in range(1, 7)}
# A heading without a level is one of the sections around it.
_HEADING = "H"
_SECTION = "Sect"
_LOWEST_LEVEL = 6


class PageHeading(NamedTuple):
    """A heading: the address of its element, and its level from 1."""

    element: int
    level: int


class NamedText(NamedTuple):
    """A text that stands for contents, and the address of its element."""

    element: int
    text: str


class PageStructure(NamedTuple):
    """The headings, and the texts that stand for glyphs, by the addresses of the text objects that they are of."""

    headings: Mapping[int, PageHeading] = MappingProxyType({})
    texts: Mapping[int, NamedText] = MappingProxyType({})


class _Around(NamedTuple):
    """What an element is in: how many sections, the heading, and the text that stands for all of it."""

    sections: int = 0
    heading: PageHeading | None = None
    text: NamedText | None = None


def structure_of(page: PdfPage, objects: PageObjects) -> PageStructure:
    """Return what the structure of a page says of its text objects; nothing for a page without one."""
    tree = pdfium.FPDF_StructTree_GetForPage(page.raw)
    if not tree:
        return PageStructure()
    try:
        contents = _contents_of(tree)
    finally:
        pdfium.FPDF_StructTree_Close(tree)
    headings: dict[int, PageHeading] = {}
    texts: dict[int, NamedText] = {}
    for address, text in objects.texts.items() if contents else ():
        # The contents of forms have numbers of their own.
        around = None if text.is_in_form else contents.get(pdfium.FPDFPageObj_GetMarkedContentID(text.handle))
        if around is not None and around.heading is not None:
            headings[address] = around.heading
        if around is not None and around.text is not None:
            texts[address] = around.text
    return PageStructure(headings, texts)


def _contents_of(tree: Any) -> dict[int, _Around]:
    """Return what the numbers of marked contents are in, for those in a heading or with a text."""
    contents: dict[int, _Around] = {}
    count = max(0, pdfium.FPDF_StructTree_CountChildren(tree))
    stack = [(pdfium.FPDF_StructTree_GetChildAtIndex(tree, index), _Around()) for index in range(count)]
    elements = 0
    while stack and elements < _MOST_ELEMENTS:
        element, outer = stack.pop()
        if not element:
            # It is a number of contents, or on another page.
            continue
        elements += 1
        around = _around_contents_of(element, outer)
        for index in range(max(0, pdfium.FPDF_StructElement_CountChildren(element))):
            number = pdfium.FPDF_StructElement_GetChildMarkedContentID(element, index)
            if number >= 0 and (around.heading or around.text):
                contents[number] = around
            stack.append((pdfium.FPDF_StructElement_GetChildAtIndex(element, index), around))
    return contents if elements < _MOST_ELEMENTS else {}


def _around_contents_of(element: Any, outer: _Around) -> _Around:
    """Return what the contents of an element are in."""
    kind = text_from(pdfium.FPDF_StructElement_GetType, element)
    sections = outer.sections
    if kind == _SECTION:
        sections += 1
    level = min(max(1, sections), _LOWEST_LEVEL) if kind == _HEADING else _LEVELS.get(kind, 0)
    heading = PageHeading(address_of(element), level) if level else outer.heading
    text = text_from(pdfium.FPDF_StructElement_GetActualText, element)
    return _Around(sections, heading, NamedText(address_of(element), text) if text.strip() else outer.text)
