"""Which words of a PDF page are seen: those whose place looks otherwise when the page is drawn without them.

A page is drawn only if something on it may hide words, which the looks and the order of its objects say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import groupby
from math import floor, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import pypdfium2.raw as pdfium
from PIL import Image, ImageChops

from engine.documents.pdf.marks import MarkedContents
from engine.documents.pdf.objects import (
    PAPER,
    Box,
    PageObjects,
    TextObject,
    fill_colour_of,
    shown_box,
)
from engine.documents.pdf.words import PageWord, only

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

# Letters with fewer points are specks of dust on a page, at least on one that is so many points long.
_LEAST_SIZE = 2.0
_LEAST_LENGTH = 400.0
# Dots for each point of a page, and the most dots of a picture of it. In 55 files of 8 programs, the same words were
# seen with 0.75 to 3 dots.
_SCALE = 1.0
_MOST_DOTS = 6_000_000
# How much a share of red, green or blue has to differ for a dot to look otherwise.
_LEAST_DIFFERENCE = 8
# How much of a word's box its small letters surely do not reach, above and below; neighbours may reach into it.
_MARGIN = 0.25
# How far around a word something of what it was recognised in is seen, in sizes of its font.
_REACH = 0.25
# A page whose pictures take such a share of it may be a scan.
_SCANNED = 0.5
# Words over each other are drawn one after the other, in so many pictures at most.
_MOST_LAYERS = 6
# Words over each other are found by squares of the page: so many in a row at most, with at least such sides in points.
_MOST_SQUARES = 100
_LEAST_SQUARE = 24.0
# With more pairs of texts and areas, it is not looked for which of them meet.
_MOST_PAIRS = 200_000
# How text is painted (ISO 32000-2, table 104): filled, or filled and stroked; and from here on, it says where other
# things are painted.
_FILLED = 0
_FILLED_AND_STROKED = 2
_CLIPS = 4
_OPAQUE = 255
# The letters that each of PDFium's own fonts has end here.
_LAST_LATIN = 0x24F


class SeenWords(NamedTuple):
    """The words of a page that are seen, and how many passages of others there are between them."""

    words: list[PageWord]
    hidden: int


def seen_words(page: PdfPage, objects: PageObjects, words: Sequence[PageWord], marks: MarkedContents) -> SeenWords:
    """Return which words of a page are seen. What was recognised in a scan counts as seen where that is."""
    shown = shown_box(page)
    least = _LEAST_SIZE * min(1.0, max(shown.width, shown.height) / _LEAST_LENGTH)
    on_page = [word for word in words if word.box.meets(shown) and word.look.size >= least]
    seen = {word.first for word in on_page}
    if objects.is_whole and any(_may_be_hidden(objects, text, marks) for text in _texts_of(objects, on_page)):
        with _DrawnPage(page, objects) as drawn:
            seen = drawn.seen(on_page)
    is_seen = [word.first in seen for word in words]
    passages = sum(not group_is_seen for group_is_seen, _ in groupby(is_seen))
    return SeenWords(only(words, is_seen), passages)


def _texts_of(objects: PageObjects, words: Iterable[PageWord]) -> list[TextObject]:
    """Return the text objects of words."""
    owners = dict.fromkeys(word.look.owner for word in words)
    return [objects.texts[owner] for owner in owners if owner in objects.texts]


def _may_be_hidden(objects: PageObjects, text: TextObject, marks: MarkedContents) -> bool:
    """Return whether a text may not be seen, by its look and by what is drawn around it."""
    handle = text.handle
    mode = pdfium.FPDFTextObj_GetTextRenderMode(handle)
    colour = fill_colour_of(handle)
    if mode not in (_FILLED, _FILLED_AND_STROKED) or colour is None or colour.opacity < _OPAQUE:
        return True
    if colour.looks_like(PAPER) or text.may_be_off or pdfium.FPDFPageObj_HasTransparency(handle):
        return True
    if text.clip is not None and not text.clip.contains(_inner(text.box)):
        return True
    if len(objects.areas) * len(objects.texts) > _MOST_PAIRS or marks.has_layer(text):
        return True
    return any(
        area.order > text.order or area.colour is None or area.colour.looks_like(colour)
        for area in objects.areas
        if area.box.meets(text.box)
    )


def _inner(box: Box) -> Box:
    """Return a box without its edges, which the letters in it do not fill."""
    edge = _MARGIN * min(box.width, box.height)
    return Box(box.left + edge, box.bottom + edge, box.right - edge, box.top - edge)


class _Dots(NamedTuple):
    """A rectangle in a picture, in dots from its upper left corner."""

    left: int
    upper: int
    right: int
    lower: int


class _DrawnPage:
    """Draws a page with some of its objects. All are drawn again when it is left."""

    def __init__(self, page: PdfPage, objects: PageObjects) -> None:
        self._page = page
        self._objects = objects
        self._shown = shown_box(page)
        self._scale = min(_SCALE, sqrt(_MOST_DOTS / (self._shown.width * self._shown.height)))
        # PDFium takes no letters of a text that is drawn again at the same place. By its middle.
        self._without_letters: defaultdict[tuple[int, int], list[TextObject]] = defaultdict(list)

    def __enter__(self) -> _DrawnPage:
        _set_drawn((text.handle for text in self._objects.texts.values()), is_drawn=False)
        return self

    def __exit__(self, *_: object) -> None:
        _set_drawn((text.handle for text in self._objects.texts.values()), is_drawn=True)

    def seen(self, words: Sequence[PageWord]) -> set[int]:
        """Return the words that are seen, by the numbers of their first letters."""
        owners = {word.look.owner for word in words}
        for address, text in self._objects.texts.items():
            if address not in owners:
                self._without_letters[_centre(text.box)].append(text)
        without_text = self._picture()
        seen: set[int] = set()
        for layer in _layers(words, self._shown):
            handles = self._handles_of(layer)
            with _drawn(handles, is_drawn=True):
                changed = self._changed(without_text)
            seen |= {word.first for word in layer if self._is_any(changed, _small_letters(word))}
        unseen = [word for word in words if word.first not in seen]
        seen |= {word.first for word in unseen if self._is_without_glyphs(word, without_text)}
        unseen = [word for word in unseen if word.first not in seen]
        ground = self._ground(words, unseen)
        if ground is not None:
            with _drawn(ground.handles, is_drawn=False):
                changed = self._changed(without_text)
            seen |= {word.first for word in ground.words if self._is_any(changed, _around(word))}
        return seen

    def _handles_of(self, words: Sequence[PageWord]) -> list[Any]:
        """Return the text objects of words, and the others at the same places, of which PDFium has no letters."""
        texts = _texts_of(self._objects, words)
        others = [
            other
            for x, y in {_centre(text.box) for text in texts}
            for column in (x - 1, x, x + 1)
            for row in (y - 1, y, y + 1)
            for other in self._without_letters.get((column, row), ())
        ]
        return [text.handle for text in (*texts, *others)]

    def _ground(self, words: Sequence[PageWord], unseen: Sequence[PageWord]) -> _Ground | None:
        """Return what unseen words say, if they are seen where that is: a scan, or what is painted through letters."""
        unseen_letters = sum(len(word.letters) for word in unseen)
        seen_letters = sum(len(word.letters) for word in words) - unseen_letters
        objects = self._objects
        has_pictures = objects.pictures_area >= _SCANNED * self._shown.width * self._shown.height
        if not unseen:
            return None
        if has_pictures and unseen_letters >= seen_letters:
            return _Ground(objects.pictures, unseen)
        if not has_pictures and not seen_letters:
            return _Ground(objects.drawings, unseen)
        clips = [word for word in unseen if _paints_through(objects.texts.get(word.look.owner))]
        return _Ground(objects.drawings, clips) if clips else None

    def _is_without_glyphs(self, word: PageWord, without_text: Image.Image) -> bool:
        """Return whether a word may be seen that is not drawn only because there are no glyphs of its font here."""
        text = self._objects.texts.get(word.look.owner)
        if text is None or max(map(ord, word.text), default=0) <= _LAST_LATIN:
            return False
        if pdfium.FPDFFont_GetIsEmbedded(pdfium.FPDFTextObj_GetFont(text.handle)) != 0:
            return False
        colour = fill_colour_of(text.handle)
        is_filled = pdfium.FPDFTextObj_GetTextRenderMode(text.handle) == _FILLED
        if colour is None or not is_filled or not colour.opacity:
            return False
        behind = without_text.crop(self._dots(_small_letters(word)))
        return _unlike(Image.new("RGB", behind.size, colour[:3]), behind).getbbox() is not None

    def _picture(self) -> Image.Image:
        """Return the page with the objects that are drawn."""
        bitmap = self._page.render(scale=self._scale, may_draw_forms=False, draw_annots=False, rev_byteorder=True)
        with closing(bitmap):
            # A copy of its dots, since Pillow has no rows of so many bytes.
            picture: Image.Image = bitmap.to_pil()
            return picture

    def _changed(self, before: Image.Image) -> Image.Image:
        """Return the dots of the page that look otherwise than before, as those that are not black."""
        return _unlike(before, self._picture())

    def _is_any(self, changed: Image.Image, box: Box) -> bool:
        """Return whether a dot in a box is not black."""
        return changed.crop(self._dots(box)).getbbox() is not None

    def _dots(self, box: Box) -> _Dots:
        """Return where a box is in a picture of the page: at least one dot, within the picture."""
        within = box.within(self._shown)
        left = round(within.left * self._scale)
        upper = round((self._shown.top - within.top) * self._scale)
        right = round(within.right * self._scale)
        lower = round((self._shown.top - within.bottom) * self._scale)
        return _Dots(left, upper, max(left + 1, right), max(upper + 1, lower))


def _unlike(first: Image.Image, second: Image.Image) -> Image.Image:
    """Return two pictures of one size, in which dots are black that look the same in both."""
    difference = ImageChops.difference(first, second)
    return difference.point(lambda share: share if share > _LEAST_DIFFERENCE else 0)


class _Ground(NamedTuple):
    """Objects that show what words say that are not drawn themselves, and these words."""

    handles: Sequence[Any]
    words: Sequence[PageWord]


@contextmanager
def _drawn(handles: Sequence[Any], *, is_drawn: bool) -> Iterator[None]:
    """Draw objects or draw them not, and the other way round after that."""
    _set_drawn(handles, is_drawn=is_drawn)
    try:
        yield
    finally:
        _set_drawn(handles, is_drawn=not is_drawn)


def _set_drawn(handles: Iterable[Any], *, is_drawn: bool) -> None:
    for handle in handles:
        pdfium.FPDFPageObj_SetIsActive(handle, is_drawn)


def _layers(words: Sequence[PageWord], page: Box) -> list[list[PageWord]]:
    """Return the words of a page in groups, so that words of two objects in one group do not lie over each other."""
    square = max(_LEAST_SQUARE, page.width / _MOST_SQUARES, page.height / _MOST_SQUARES)
    by_owner: defaultdict[int, list[PageWord]] = defaultdict(list)
    for word in words:
        by_owner[word.look.owner].append(word)
    layers: list[_Layer] = []
    for group in by_owner.values():
        boxes = [_small_letters(word).within(page) for word in group]
        layer = next((layer for layer in layers if not any(map(layer.has, boxes))), None)
        if layer is None:
            layer = _Layer(square) if len(layers) < _MOST_LAYERS else layers[-1]
        if layer not in layers:
            layers.append(layer)
        layer.add(group, boxes)
    return [layer.words for layer in layers]


class _Layer:
    """Words that do not lie over each other."""

    def __init__(self, square: float) -> None:
        """Find words by squares of the page that have such sides."""
        self.words: list[PageWord] = []
        self._square = square
        self._boxes: defaultdict[tuple[int, int], list[Box]] = defaultdict(list)

    def add(self, words: Sequence[PageWord], boxes: Sequence[Box]) -> None:
        """Add the words of an object, with their boxes."""
        self.words += words
        for box in boxes:
            for square in _squares(box, self._square):
                self._boxes[square].append(box)

    def has(self, box: Box) -> bool:
        """Return whether a word lies where a box is."""
        return any(other.meets(box) for square in _squares(box, self._square) for other in self._boxes.get(square, ()))


def _squares(box: Box, side: float) -> Iterator[tuple[int, int]]:
    """Yield the numbers of the squares of the page with such sides in which a box is."""
    for column in range(floor(box.left / side), floor(box.right / side) + 1):
        for row in range(floor(box.bottom / side), floor(box.top / side) + 1):
            yield column, row


def _centre(box: Box) -> tuple[int, int]:
    """Return the middle of a box in points."""
    return round((box.left + box.right) / 2), round((box.bottom + box.top) / 2)


def _paints_through(text: TextObject | None) -> bool:
    """Return whether a text says where other things are painted."""
    return text is not None and pdfium.FPDFTextObj_GetTextRenderMode(text.handle) >= _CLIPS


def _small_letters(word: PageWord) -> Box:
    """Return the part of a word's box in which its small letters are, and none of its neighbours."""
    left, bottom, right, top = word.box
    across = _MARGIN * min(word.box.width, word.box.height)
    along = across / 2 if word.look.is_level else across
    up = across if word.look.is_level else across / 2
    return Box(left + along, bottom + up, right - along, top - up)


def _around(word: PageWord) -> Box:
    """Return the part of a word's box in which its small letters are, and what may be a little beside it."""
    left, bottom, right, top = _small_letters(word)
    reach = _REACH * word.look.size
    return Box(left - reach, bottom - reach, right + reach, top + reach)
