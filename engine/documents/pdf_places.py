"""Where the glyphs of PDF strings are on the page, and which of them lines strike."""

from __future__ import annotations

from itertools import groupby
from typing import Any, NamedTuple

from pypdf.generic import ByteStringObject

from engine.documents.pdf_graphics import GraphicsState, Matrix, mapped
from engine.documents.pdf_strikes import Baseline, PlacedGlyph, Strikes


class StruckParts(NamedTuple):
    """Strings and the gaps between them, and the number of the line that strikes them; None for none."""

    line: int | None
    parts: list[Any]


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

    def start_line(self) -> None:
        self._across = 0.0

    def struck_parts(
        self, parts: list[Any], line_to_page: Matrix, graphics: GraphicsState, strikes: Strikes
    ) -> list[StruckParts]:
        """Go on by strings and the gaps between them; return them by the lines that strike them."""
        if graphics.widths is None or self._across is None:
            self._across = None
            return [StruckParts(None, parts)]
        baseline = baseline_at(line_to_page, 0, graphics)
        if baseline is not None and not strikes.may_strike(baseline):
            baseline = None
        numbered: list[StruckParts] = []
        number: int | None = None
        for part in parts:
            if isinstance(part, int | float):
                self._across -= part / 1000 * graphics.size * graphics.stretch
                numbered.append(StruckParts(number, [part]))
            elif isinstance(part, bytes):
                glyphs = graphics.widths.glyphs(part)
                places = [self._placed(glyph.width, glyph.code == b" ", line_to_page, graphics) for glyph in glyphs]
                lines = [None] * len(glyphs) if baseline is None else strikes.struck_by(baseline, places)
                codes = zip(lines, (glyph.code for glyph in glyphs), strict=True)
                for number, same in groupby(codes, lambda pair: pair[0]):
                    numbered.append(StruckParts(number, [ByteStringObject(b"".join(code for _, code in same))]))
        return [
            StruckParts(line, [part for pieces in same for part in pieces.parts])
            for line, same in groupby(numbered, lambda pieces: pieces.line)
        ]

    def _placed(self, width: float, is_space: bool, line_to_page: Matrix, graphics: GraphicsState) -> PlacedGlyph:
        """Return where the next glyph is, and go on to its end."""
        begin = self._across or 0.0
        end = begin + width / 1000 * graphics.size * graphics.stretch
        after = graphics.spacing + (graphics.word_spacing if is_space else 0.0)
        self._across = end + after * graphics.stretch
        return PlacedGlyph(mapped(line_to_page, begin, 0)[0], mapped(line_to_page, end, 0)[0])
