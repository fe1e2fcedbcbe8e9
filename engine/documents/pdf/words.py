"""The words of a page of a PDF file, in the order of PDFium's text, each with its place and its look.

PDFium is asked as little as possible, since a call takes about a microsecond: for the code of each letter, and for the
places of those at the ends of words.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from ctypes import byref, c_double, c_size_t, c_ushort, sizeof
from itertools import pairwise
from math import hypot
from typing import TYPE_CHECKING, NamedTuple

import pypdfium2.raw as pdfium

from engine.documents.pdf.objects import Box, address_of, to_shown

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

# What stands for a letter that only its font knows.
UNREADABLE = "\ufffd"
SOFT_HYPHEN = "\u00ad"
# A gap between two text objects in which the file has no space.
GAP = "\t"
# PDFium's code for a hyphen at the end of a line after which a word goes on. It has no line break there.
_WORD_GOES_ON = 0x02
_LAST_CODE = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)
# What is between blanks. Some fonts have spaces at the codes of controls.
_WORD = re.compile("[^\x00-\x01\x03-\x20\x7f\u0085\u00a0\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
# How wide letters without a place are taken for, in sizes of their font.
_LEAST_WIDTH = 0.25
# How much lines may go up or down for each point to the right.
_LEVEL = 0.05
# The blocks of signs that are set in a special form in vertical lines.
_VERTICAL = (range(0xFE10, 0xFE1A), range(0xFE30, 0xFE50))


class TextLook(NamedTuple):
    """How the letters of one text object are set.

    `size` is in points, and `baseline` how far the line on which they stand is above the lower end of the page. Letters
    that do not follow to the right or to the left are not level. Those that are written downwards by PDFium's page,
    which is not turned, have the lines after theirs to the left, but not in PDFium's text.
    """

    # The addresses of the object and of its font, and letters of that which stand for themselves.
    owner: int
    font: int
    known: set[str]
    size: float
    baseline: float
    is_level: bool
    goes_down: bool


class PageWord(NamedTuple):
    """Letters of one text object without a space between, and the box around them and the space of each.

    `before` is what parts them from the word before: "", a space, a `GAP`, or a line break. `letters` are what each
    letter of PDFium's text stands for, from the one with the number `first`.
    """

    letters: tuple[str, ...]
    box: Box
    look: TextLook
    before: str
    first: int
    is_struck: bool = False

    @property
    def text(self) -> str:
        """Return its letters."""
        return "".join(self.letters)

    @property
    def end(self) -> int:
        """Return the number of the letter after its last one."""
        return self.first + len(self.letters)

    def part(self, numbers: range, page_text: PageText) -> PageWord:
        """Return the part of a word whose letters have these numbers in `page_text`; there is at least one."""
        if len(numbers) == len(self.letters):
            return self
        first = numbers.start - self.first
        return self._replace(
            letters=self.letters[first : first + len(numbers)],
            box=page_text.box(numbers.start).around(page_text.box(numbers.stop - 1)),
            before="" if first else self.before,
            first=numbers.start,
        )


_FROM_THE_RIGHT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


def is_from_the_right(text: str) -> bool:
    """Return whether some of a text is written from the right."""
    return _FROM_THE_RIGHT.search(text) is not None


class _ObjectLetters(NamedTuple):
    """Letters of one text object: the number of the first one, and the number after the last one's."""

    first: int
    end: int
    look: TextLook


# What parts words, the weaker before the stronger.
_PARTING = ("", " ", GAP, "\n")


def only(words: Sequence[PageWord], are_kept: Sequence[bool]) -> list[PageWord]:
    """Return the words that are kept, parted as they were with the others between them."""
    parted: list[PageWord] = []
    before = ""
    for word, is_kept in zip(words, are_kept, strict=True):
        before = max(before, word.before, key=_PARTING.index)
        if is_kept:
            parted.append(word if word.before == before else word._replace(before=before))
            before = ""
    return parted


class PageText:
    """PDFium's text of a page, until it is closed."""

    def __init__(self, page: PdfPage) -> None:
        self._page = page.get_textpage()
        self._text = self._page.raw
        self._to_shown = to_shown(page)
        self._looks: dict[int, TextLook] = {}
        # By the addresses of fonts.
        self._known: defaultdict[int, set[str]] = defaultdict(set)
        self._rect = pdfium.FS_RECTF()

    def close(self) -> None:
        """Free what PDFium has of it."""
        self._page.close()

    def words(self) -> list[PageWord]:
        """Return the words of the page."""
        text = self._letters()
        words: list[PageWord] = []
        latest: TextLook | None = None
        end = 0
        for match in _WORD.finditer(text):
            first, stop = match.span()
            blanks = text[end:first]
            before = "\n" if "\n" in blanks else blanks and " "
            look = self._look(stop - 1)
            # The letters of an object follow each other, so most words are of one.
            parts = (_ObjectLetters(first, stop, look),) if look is latest else self._parts(first, stop)
            for part in parts:
                if before == " " and part.look is not latest and words and self._are_added(end, part.first):
                    before = GAP
                words += self._words(text, part, before)
                before = ""
            latest = look
            end = stop
        return words

    def box(self, index: int) -> Box:
        """Return the box around a letter of PDFium's text and its space."""
        rect = self._rect
        if not pdfium.FPDFText_GetLooseCharBox(self._text, index, byref(rect)):
            return Box(0, 0, 0, 0)
        box = self._to_shown.box(rect.left, rect.bottom, rect.right, rect.top)
        if box.top > box.bottom:
            return box
        # Some fonts do not say how high their letters are.
        size = self._look(index).size
        return box._replace(right=max(box.right, box.left + _LEAST_WIDTH * size), top=box.bottom + size)

    def _letters(self) -> str:
        """Return PDFium's text, with one character for each of its letters."""
        count = pdfium.FPDFText_CountChars(self._text)
        units = (c_ushort * (count + 1))()
        if pdfium.FPDFText_GetText(self._text, 0, count, units) == count + 1:
            text = bytes(units)[: count * sizeof(c_ushort)].decode("utf-16-le", "surrogatepass")
            if len(text) == count:
                return text.replace("\ufffe", chr(_WORD_GOES_ON))
        # A text with letters of two units, or without a code for some, is read letter by letter.
        codes = [pdfium.FPDFText_GetUnicode(self._text, index) for index in range(count)]
        return "".join([chr(code) if code <= _LAST_CODE else UNREADABLE for code in codes])

    def _are_added(self, first: int, end: int) -> bool:
        """Return whether PDFium has added all letters between two, which the file does not have."""
        return all(pdfium.FPDFText_IsGenerated(self._text, index) == 1 for index in range(first, end))

    def _parts(self, first: int, end: int) -> Iterator[_ObjectLetters]:
        """Yield the parts of letters without a blank that are of one text object each."""
        look = self._look(first)
        if end - first == 1 or self._look(end - 1) is look:
            yield _ObjectLetters(first, end, look)
            return
        begin = first
        for index in range(first + 1, end):
            following = self._look(index)
            if following is not look:
                yield _ObjectLetters(begin, index, look)
                begin = index
                look = following
        yield _ObjectLetters(begin, end, look)

    def _words(self, text: str, part: _ObjectLetters, before: str) -> list[PageWord]:
        """Return the words that letters of one object are: several if they go back to where others of them are."""
        first, end, look = part
        letters = tuple(text[first:end])
        if not look.known.issuperset(letters):
            letters = tuple([self._letter(text[index], index, look) for index in range(first, end)])
        box = self.box(first)
        if end - first == 1:
            return [PageWord(letters, box, look, before, first)]
        last = self.box(end - 1)
        word = PageWord(letters, box.around(last), look, before, first)
        if last.left >= box.left or not look.is_level or is_from_the_right(word.text):
            return [word]
        boxes = [self.box(index) for index in range(first, end)]
        begins = [
            first + index
            for index, (other, after) in enumerate(pairwise(boxes), 1)
            if after.left < other.left - look.size
        ]
        return [word.part(range(begin, stop), self) for begin, stop in pairwise([first, *begins, end])]

    def _letter(self, letter: str, index: int, look: TextLook) -> str:
        """Return what a letter stands for, and note it if that is itself."""
        code = ord(letter)
        if code == _WORD_GOES_ON:
            return f"{SOFT_HYPHEN}\n"
        is_known = pdfium.FPDFText_HasUnicodeMapError(self._text, index) != 1
        if code in _SURROGATES or not (is_known or (letter.isascii() and self._is_drawn(index))):
            return UNREADABLE
        if any(code in block for block in _VERTICAL):
            return unicodedata.normalize("NFKC", letter)
        look.known.add(letter)
        return letter

    def _is_drawn(self, index: int) -> bool:
        """Return whether the font of a letter has drawings in place of a file (Type 3; ISO 32000-2, 9.6.4).

        PDFium does not read the names of these. Programs that draw charts give them the codes of ASCII.
        """
        font = pdfium.FPDFTextObj_GetFont(pdfium.FPDFText_GetTextObject(self._text, index))
        size = c_size_t(1)
        return bool(pdfium.FPDFFont_GetFontData(font, None, 0, byref(size))) and not size.value

    def _look(self, index: int) -> TextLook:
        """Return how a letter is set."""
        text = self._text
        handle = pdfium.FPDFText_GetTextObject(text, index)
        owner = address_of(handle)
        look = self._looks.get(owner)
        if look is not None:
            return look
        matrix = pdfium.FS_MATRIX()
        pdfium.FPDFText_GetMatrix(text, index, byref(matrix))
        x = c_double()
        y = c_double()
        pdfium.FPDFText_GetCharOrigin(text, index, byref(x), byref(y))
        shown = self._to_shown
        points = pdfium.FPDFText_GetFontSize(text, index)
        # Where the letters follow, and where up is.
        along = shown.b * matrix.a + shown.d * matrix.b, shown.a * matrix.a + shown.c * matrix.b
        size = points * hypot(matrix.c, matrix.d)
        font = address_of(pdfium.FPDFTextObj_GetFont(handle)) if owner else 0
        look = TextLook(
            owner,
            font,
            self._known[font],
            size,
            shown.point(x.value, y.value)[1],
            abs(along[0]) <= abs(along[1]) * _LEVEL,
            matrix.b < 0 and abs(matrix.a) <= -matrix.b * _LEVEL,
        )
        self._looks[owner] = look
        return look
