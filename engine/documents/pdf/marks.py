"""What a PDF page says of parts of its contents: the text that glyphs stand for, and whether they have a layer."""

from __future__ import annotations

from codecs import BOM_UTF8, BOM_UTF16_BE
from collections import defaultdict
from collections.abc import Callable, Sequence
from ctypes import byref, c_ubyte, c_ulong, c_ushort, sizeof
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from engine.documents.pdf.objects import Box, PageObjects, TextObject, address_of
from engine.documents.pdf.structure import PageStructure
from engine.documents.pdf.words import GAP, PageWord

# The name of what marks layers, and no other part.
_LAYER = "OC\0".encode("utf-16-le")
# How wide a glyph of which PDFium knows nothing may be, in sizes of its font.
_WIDEST_GLYPH = 0.6
# A gap between words beside each other, in sizes of their font.
_GAP = 0.15
# The longest text that may stand for glyphs, in bytes.
_MOST_BYTES = 20_000


class ContentMark(NamedTuple):
    """What marks a part of the contents: its address, whether it is in a layer, and the text that it stands for.

    The text is None where its glyphs say it themselves.
    """

    address: int
    has_layer: bool
    text: str | None


class MarkedContents:
    """Reads the marks of text objects, each once. The `structure` of a page may name the text of some, too."""

    def __init__(self, structure: PageStructure) -> None:
        self._structure = structure
        self._marks: dict[int, ContentMark] = {}

    def has_layer(self, text: TextObject) -> bool:
        """Return whether a text is in a layer, which may be off."""
        return any(mark.has_layer for mark in self._of(text))

    def named(self, text: TextObject) -> ContentMark | None:
        """Return the mark that names the text of glyphs; None if they say it themselves."""
        marked = next((mark for mark in self._of(text) if mark.text is not None), None)
        named = self._structure.texts.get(address_of(text.handle))
        if marked is None and named is not None:
            return ContentMark(named.element, has_layer=False, text=named.text)
        return marked

    def _of(self, text: TextObject) -> list[ContentMark]:
        """Return the marks of a text, the outermost first."""
        handle = text.handle
        count = max(0, pdfium.FPDFPageObj_CountMarks(handle))
        return [self._mark(pdfium.FPDFPageObj_GetMark(handle, index)) for index in range(count)]

    def _mark(self, handle: Any) -> ContentMark:
        address = address_of(handle)
        if address not in self._marks:
            named = _bytes(partial(pdfium.FPDFPageObjMark_GetParamBlobValue, handle, b"ActualText"), c_ubyte)
            text = None if named is None else _decoded(named)
            self._marks[address] = ContentMark(address, _name(handle) == _LAYER, text)
        return self._marks[address]


def _name(mark: Any) -> bytes:
    """Return the name of a mark in UTF-16."""
    return _bytes(partial(pdfium.FPDFPageObjMark_GetName, mark), pdfium.FPDF_WCHAR) or b""


def _bytes(read: Callable[..., int], unit: type[c_ubyte] | type[c_ushort]) -> bytes | None:
    """Return what one of PDFium's functions writes in such units; None if there is nothing, or too much."""
    size = c_ulong()
    if not read(None, 0, byref(size)) or size.value > _MOST_BYTES:
        return None
    buffer = (unit * (size.value // sizeof(unit) + 1))()
    read(buffer, size, byref(size))
    return bytes(buffer)[: size.value]


def _decoded(text: bytes) -> str:
    """Return a text string (ISO 32000-2, 7.9.2.2); what is in no Unicode is in PDFDocEncoding, for letters Latin-1."""
    if text.startswith(BOM_UTF16_BE):
        return text[2:].decode("utf-16-be", "replace")
    if text.startswith(BOM_UTF8):
        return text[3:].decode("utf-8", "replace")
    return text.decode("latin-1")


def with_named_text(words: Sequence[PageWord], objects: PageObjects, marks: MarkedContents) -> list[PageWord]:
    """Return the words of a page in which the text that the file names stands for its glyphs (ISO 32000-2, 14.9.4).

    PDFium has it as letters only where the font has a glyph for one of these, and has nothing in some other places.
    """
    named = {address: mark for address, text in objects.texts.items() if (mark := marks.named(text))}
    if not named:
        return list(words)
    texts = _NamedTexts(objects, named, words)
    return texts.without_gaps(texts.with_lost(texts.replaced(words)))


class _NamedTexts:
    """The texts that marks name, by the addresses of the text objects that have these."""

    def __init__(self, objects: PageObjects, named: dict[int, ContentMark], words: Sequence[PageWord]) -> None:
        self._objects = objects
        self._named = named
        # The boxes around the glyphs of each mark, and PDFium's words of it.
        self._boxes: dict[int, Box] = {}
        self._words: defaultdict[int, list[PageWord]] = defaultdict(list)
        for address, mark in named.items():
            box = objects.texts[address].box
            self._boxes[mark.address] = self._boxes.get(mark.address, box).around(box)
        for word in words:
            if word.look.owner in named:
                self._words[named[word.look.owner].address].append(word)
        # The marks with glyphs of which PDFium has no letters.
        owners = {word.look.owner for word in words}
        self._incomplete = {mark.address for address, mark in named.items() if address not in owners}

    def replaced(self, words: Sequence[PageWord]) -> list[PageWord]:
        """Return words with the named text in place of what its glyphs say; a hyphen stays one."""
        replaced: list[PageWord] = []
        done: set[int] = set()
        for word in words:
            mark = self._named.get(word.look.owner)
            if mark is None:
                replaced.append(word)
            elif mark.text == _joined(self._words[mark.address]) or not (mark.text or "").strip("\u00ad"):
                replaced.append(self._as_wide(word, mark))
            elif mark.address not in done:
                done.add(mark.address)
                replaced.append(word._replace(letters=(mark.text or "",), box=self._boxes[mark.address]))
        return replaced

    def with_lost(self, words: list[PageWord]) -> list[PageWord]:
        """Return words with the named texts of which PDFium has no letters, after what is drawn before them."""
        lost = {
            mark.address: address
            for address, mark in reversed(self._named.items())
            if mark.address not in self._words and (mark.text or "").strip()
        }
        complete = [*words]
        for address in lost.values():
            if complete:
                self._insert(complete, address)
        return complete

    def without_gaps(self, words: Sequence[PageWord]) -> list[PageWord]:
        """Return words without the gaps that PDFium has after a named text where it has no letters of its glyphs."""
        parted = [*words[:1]]
        for before, word in pairwise(words):
            mark = self._named.get(before.look.owner)
            if mark is not None and mark.address in self._incomplete and word.before == GAP:
                gap = word.box.left - self._boxes[mark.address].right
                word = word._replace(before=GAP if gap > _WIDEST_GLYPH * word.look.size else "")
            parted.append(word)
        return parted

    def _as_wide(self, word: PageWord, mark: ContentMark) -> PageWord:
        """Return a word of a mark; PDFium has one alone at the place of the first glyphs."""
        return word if len(self._words[mark.address]) > 1 else word._replace(box=self._boxes[mark.address])

    def _insert(self, words: list[PageWord], address: int) -> None:
        texts = self._objects.texts
        lost = texts[address]
        orders = [texts[word.look.owner].order if word.look.owner in texts else 0 for word in words]
        place = max((index + 1 for index, order in enumerate(orders) if order < lost.order), default=0)
        beside = words[max(0, place - 1)]
        look = beside.look._replace(owner=address)
        is_beside = place > 0 and lost.box.left - beside.box.right <= _GAP * look.size
        text = self._named[address].text or ""
        words.insert(place, PageWord((text,), lost.box, look, "" if is_beside else " ", -lost.order))


def _joined(words: Sequence[PageWord]) -> str:
    """Return the text of words that follow each other."""
    return "".join(word.before + word.text for word in words).strip()
