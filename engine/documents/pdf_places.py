"""Where the glyphs of PDF strings are on the page, which of them lines strike, and which are covered."""

from __future__ import annotations

from itertools import groupby
from typing import Any, NamedTuple

from pypdf.generic import ByteStringObject

from engine.documents.pdf_covers import HIGHEST, LOWEST, Covers
from engine.documents.pdf_graphics import Box, GraphicsState, Matrix, mapped, mapped_box
from engine.documents.pdf_strikes import Baseline, PlacedGlyph, Strikes


class Sight(NamedTuple):
    """How glyphs are seen: the number of the line that strikes them, None for none, and whether they are covered."""

    line: int | None = None
    is_covered: bool = False


class CodeAtPlace(NamedTuple):
    """A glyph of a string, by its code, on its line, and where the next one begins."""

    code: bytes
    place: PlacedGlyph
    next_left: float


class PartsInSight(NamedTuple):
    """Strings and the gaps between them that are seen alike."""

    sight: Sight
    parts: list[Any]


class OverWords(NamedTuple):
    """What may lie over words of a page; None for nothing of a kind. `painted` areas were painted before the words."""

    strikes: Strikes | None
    covers: Covers | None
    painted: int


def baseline_at(line_to_page: Matrix, across: float, graphics: GraphicsState) -> Baseline | None:
    """Return where a string is shown that begins at a place of its line; None if it is not level.

    `across` is the place before it is stretched.
    """
    a, b, c, d, _, _ = line_to_page
    if b or c or a <= 0 or d <= 0:
        return None
    left, height = mapped(line_to_page, across * graphics.stretch, graphics.rise)
    return Baseline(height, left, abs(graphics.size) * d)


class GlyphPlaces:
    """Follows the glyphs of a line of text, as far as the widths of all its fonts are known."""

    def __init__(self) -> None:
        # Where the next glyph begins, stretched; None if that is not known.
        self._across: float | None = 0.0

    @property
    def across(self) -> float | None:
        """Where the next glyph begins on its line, stretched; None if that is not known."""
        return self._across

    def start_line(self) -> None:
        self._across = 0.0

    def move(self, number: float, graphics: GraphicsState) -> None:
        """Go on by a number between strings."""
        if self._across is not None:
            self._across -= number / 1000 * graphics.size * graphics.stretch

    def glyphs(self, string: bytes, graphics: GraphicsState) -> list[CodeAtPlace]:
        """Go on by a string; return where its glyphs are.

        All are as one if their widths are not known; there are none if no place is.
        """
        placed: list[CodeAtPlace] = []
        if self._across is None:
            return placed
        if graphics.widths is None:
            placed.append(CodeAtPlace(string, PlacedGlyph(self._across, self._across), self._across))
            self._across = None
            return placed
        for glyph in graphics.widths.glyphs(string):
            place = self._passed(glyph.width, glyph.code == b" ", graphics)
            placed.append(CodeAtPlace(glyph.code, place, self._across))
        return placed

    def parts_in_sight(
        self, parts: list[Any], line_to_page: Matrix, graphics: GraphicsState, over: OverWords
    ) -> list[PartsInSight]:
        """Go on by strings and the gaps between them; return them by how they are seen."""
        if graphics.widths is None or self._across is None:
            self._across = None
            return [PartsInSight(Sight(), parts)]
        pieces: list[PartsInSight] = []
        sight = Sight()
        for part in parts:
            if isinstance(part, int | float):
                self.move(part, graphics)
                pieces.append(PartsInSight(sight, [part]))
            elif isinstance(part, bytes):
                glyphs = self.glyphs(part, graphics)
                sights = _sights([glyph.place for glyph in glyphs], line_to_page, graphics, over)
                codes = zip(sights, (glyph.code for glyph in glyphs), strict=True)
                for sight, same in groupby(codes, lambda pair: pair[0]):
                    pieces.append(PartsInSight(sight, [ByteStringObject(b"".join(code for _, code in same))]))
        return [
            PartsInSight(sight, [part for piece in same for part in piece.parts])
            for sight, same in groupby(pieces, lambda piece: piece.sight)
        ]

    def _passed(self, width: float, is_space: bool, graphics: GraphicsState) -> PlacedGlyph:
        """Return where the next glyph is on its line, and go on to its end."""
        begin = self._across or 0.0
        end = begin + width / 1000 * graphics.size * graphics.stretch
        after = graphics.spacing + (graphics.word_spacing if is_space else 0.0)
        self._across = end + after * graphics.stretch
        return PlacedGlyph(begin, end)


def _sights(places: list[PlacedGlyph], line_to_page: Matrix, graphics: GraphicsState, over: OverWords) -> list[Sight]:
    """Return how the glyphs at places of a line are seen."""
    lines: list[int | None] = [None] * len(places)
    baseline = baseline_at(line_to_page, 0, graphics)
    if over.strikes is not None and baseline is not None and over.strikes.may_strike(baseline):
        ends = [[mapped(line_to_page, across, 0)[0] for across in place] for place in places]
        lines = over.strikes.struck_by(baseline, [PlacedGlyph(left, right) for left, right in ends])
    covered = [False] * len(places)
    if over.covers is not None:
        boxes = [_box_of_glyph(place, line_to_page, graphics) for place in places]
        covered = over.covers.over(boxes, over.painted)
    return [Sight(line, is_covered) for line, is_covered in zip(lines, covered, strict=True)]


def _box_of_glyph(place: PlacedGlyph, line_to_page: Matrix, graphics: GraphicsState) -> Box:
    """Return the box on the page around a glyph, without what few letters have below and above others."""
    bottom = graphics.rise + LOWEST * graphics.size
    top = graphics.rise + HIGHEST * graphics.size
    return mapped_box(line_to_page, place.left, bottom, place.right, top)
