"""Struck words on PDF pages: a thin line lies over the middle of their glyphs, and over nothing else.

Only what is sure is taken for struck: a line that begins with one glyph and ends with another, at a height that lines
below words and between rows of tables do not have. Where the widths of glyphs are not known, no words are.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Any, NamedTuple

from pypdf.generic import (
    ArrayObject,
    ByteStringObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    NumberObject,
    StreamObject,
)

from engine.documents.pdf_graphics import Box
from engine.documents.pdf_struck_words import STRUCK

STRUCK_FONT = "/TandemStruck"
# How far above the line of text a line lies that strikes it, in sizes of the font.
_LOWEST = 0.15
_HIGHEST = 0.48
# How thick such a line is at most, in points; thicker ones lie behind words.
_THICKEST = 2.5
# How far the ends of a line may be from those of the glyphs, in sizes of the font: spaces may be struck, too.
_NEAR = 0.35
# Pages with more lines are drawings.
_MOST_LINES = 2000
_CODE = b"~"


class Baseline(NamedTuple):
    """Where a string is shown on the page: the height of its line, its left end, and the size of its font."""

    height: float
    left: float
    size: float


class PlacedGlyph(NamedTuple):
    """A glyph between two places on its line."""

    left: float
    right: float


class StrikeMark(NamedTuple):
    """A sign of pypdf's text that belongs to a line: `shown` is the operand that shows it."""

    line: int
    shown: ArrayObject


class ThinLines:
    """The lines of a page that may strike words, and where its words are: only few pages have both."""

    def __init__(self) -> None:
        self._lines: list[Box] = []
        self._baselines: list[Baseline] = []

    def add_line(self, box: Box) -> None:
        """Add what is painted, if it is thin and lies level."""
        height = box.top - box.bottom
        if height <= _THICKEST and box.right - box.left > 2 * height:
            self._lines.append(box)

    def add_words(self, baseline: Baseline) -> None:
        self._baselines.append(baseline)

    def strikes(self) -> Strikes | None:
        """Return the lines that lie on words, as far as it can be told without the widths of these; None without."""
        if not self._lines or not self._baselines or len(self._lines) > _MOST_LINES:
            return None
        baselines = sorted(self._baselines)
        heights = [baseline.height for baseline in baselines]
        largest = max(baseline.size for baseline in baselines)
        lines: list[Box] = []
        for line in sorted({*self._lines}, key=_middle):
            near = slice(bisect_left(heights, _middle(line) - largest), bisect_right(heights, _middle(line)))
            if any(_is_at(line, baseline) and baseline.left < line.right for baseline in baselines[near]):
                lines.append(line)
        return Strikes(lines) if lines else None


class Strikes:
    """Finds which glyphs of a page are struck by lines, and takes back the marks of lines that strike other things."""

    def __init__(self, lines: list[Box]) -> None:
        self._lines = lines
        self._middles = [_middle(line) for line in lines]
        # The glyphs that each line lies on.
        self._glyphs: list[list[PlacedGlyph]] = [[] for _ in lines]
        self._sizes = [0.0] * len(lines)
        self._marks: list[StrikeMark] = []

    def may_strike(self, baseline: Baseline) -> bool:
        """Return whether a line lies at the height of words."""
        return bool(self._at(baseline))

    def struck_by(self, baseline: Baseline, glyphs: Iterable[PlacedGlyph]) -> list[int | None]:
        """Return for each glyph of a string the number of the line whose middle lies on it; None for none."""
        lines = [(number, self._lines[number]) for number in self._at(baseline)]
        struck: list[int | None] = []
        for glyph in glyphs:
            middle = (glyph.left + glyph.right) / 2
            number = next((number for number, line in lines if line.left <= middle <= line.right), None)
            struck.append(number)
            if number is not None:
                self._glyphs[number].append(glyph)
                self._sizes[number] = max(self._sizes[number], baseline.size)
        return struck

    def add_mark(self, line: int) -> ArrayObject:
        """Return the operand that shows the sign before or after words struck by a line."""
        shown = ArrayObject([ByteStringObject(_CODE)])
        self._marks.append(StrikeMark(line, shown))
        return shown

    def finish(self) -> bool:
        """Take back the marks of lines that do not begin and end with glyphs. Returns whether any are left."""
        is_strike = [
            bool(glyphs)
            and abs(min(glyph.left for glyph in glyphs) - line.left) <= _NEAR * size
            and abs(max(glyph.right for glyph in glyphs) - line.right) <= _NEAR * size
            for line, glyphs, size in zip(self._lines, self._glyphs, self._sizes, strict=True)
        ]
        for mark in self._marks:
            if not is_strike[mark.line]:
                mark.shown.clear()
        return any(is_strike)

    def _at(self, baseline: Baseline) -> range:
        """Return the numbers of the lines at the height of words."""
        lowest = baseline.height + _LOWEST * baseline.size
        highest = baseline.height + _HIGHEST * baseline.size
        return range(bisect_left(self._middles, lowest), bisect_right(self._middles, highest))


def struck_font() -> DictionaryObject:
    """Return the font in which the sign is shown: without a width, and with a space as wide as most have."""
    to_unicode = StreamObject()
    to_unicode.set_data(f"1 beginbfchar\n<{_CODE.hex()}> <{ord(STRUCK):04x}>\nendbfchar".encode())
    widths = [250.0] + [0.0] * (_CODE[0] - ord(" "))
    entries: dict[str, Any] = {
        "/Type": NameObject("/Font"),
        "/Subtype": NameObject("/Type1"),
        "/BaseFont": NameObject(STRUCK_FONT),
        "/FirstChar": NumberObject(ord(" ")),
        "/LastChar": NumberObject(_CODE[0]),
        "/Widths": ArrayObject(map(FloatObject, widths)),
        "/ToUnicode": to_unicode,
    }
    return DictionaryObject({NameObject(name): entry for name, entry in entries.items()})


def _middle(line: Box) -> float:
    return (line.bottom + line.top) / 2


def _is_at(line: Box, baseline: Baseline) -> bool:
    """Return whether a line lies at the height of words."""
    return _LOWEST * baseline.size <= _middle(line) - baseline.height <= _HIGHEST * baseline.size
