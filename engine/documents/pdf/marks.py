"""What a PDF page says of parts of its contents: the text that glyphs stand for, and whether they have a layer."""

from __future__ import annotations

from codecs import BOM_UTF8, BOM_UTF16_BE
from collections import defaultdict
from collections.abc import Callable, Sequence
from ctypes import byref, c_ubyte, c_ulong, c_ushort, sizeof
from functools import partial
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from engine.documents.pdf.objects import PageObjects, TextObject, address_of
from engine.documents.pdf.words import PageWord

# The name of what marks layers, and no other part.
_LAYER = "OC\0".encode("utf-16-le")
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
    """Reads the marks of text objects, each once."""

    def __init__(self) -> None:
        self._marks: dict[int, ContentMark] = {}

    def has_layer(self, text: TextObject) -> bool:
        """Return whether a text is in a layer, which may be off."""
        return any(mark.has_layer for mark in self._of(text))

    def named(self, text: TextObject) -> ContentMark | None:
        """Return the mark that names the text of glyphs; None if they say it themselves."""
        return next((mark for mark in self._of(text) if mark.text is not None), None)

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
    by_mark: defaultdict[int, list[PageWord]] = defaultdict(list)
    for word in words:
        if word.look.owner in named:
            by_mark[named[word.look.owner].address].append(word)
    replaced: list[PageWord] = []
    done: set[int] = set()
    for word in words:
        mark = named.get(word.look.owner)
        if mark is None or mark.text == _joined(by_mark[mark.address]) or not (mark.text or "").strip("\u00ad"):
            replaced.append(word)
        elif mark.address not in done:
            done.add(mark.address)
            replaced.append(_replaced(mark.text or "", by_mark[mark.address]))
    lost = {mark.address: address for address, mark in reversed(named.items()) if mark.address not in by_mark}
    for address in lost.values():
        _insert(replaced, objects, address, named[address].text or "")
    return replaced


def _joined(words: Sequence[PageWord]) -> str:
    """Return the text of words that follow each other."""
    return "".join(word.before + word.text for word in words).strip()


def _replaced(text: str, words: Sequence[PageWord]) -> PageWord:
    """Return the word in place of words."""
    box = words[0].box
    for word in words[1:]:
        box = box.around(word.box)
    return words[0]._replace(letters=(text,), box=box)


def _insert(words: list[PageWord], objects: PageObjects, address: int, text: str) -> None:
    """Put the text of an object of which PDFium has no letters after what is drawn before it."""
    lost = objects.texts[address]
    orders = [objects.texts[word.look.owner].order if word.look.owner in objects.texts else 0 for word in words]
    place = max((index + 1 for index, order in enumerate(orders) if order < lost.order), default=0)
    if not words or not text.strip():
        return
    beside = words[max(0, place - 1)]
    word = beside._replace(
        letters=(text,), box=lost.box, look=beside.look._replace(owner=address), first=-lost.order, before=" "
    )
    near = _GAP * beside.look.size
    if place and lost.box.left - beside.box.right <= near:
        word = word._replace(before="")
    if place < len(words) and 0 <= words[place].box.left - lost.box.right + near <= 2 * near:
        words[place] = words[place]._replace(before="")
    words.insert(place, word)
