"""Covered words on PDF pages: a rectangle that hides all that lies behind it is painted over their glyphs later.

Only what is sure is taken for covered: where anything else is painted on the rectangle, such as a picture of a scan or
letters that are drawn as shapes, the words behind may be those that it shows. Where the widths of glyphs are not known,
no words are covered.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from engine.documents.pdf_graphics import Box, PaintedArea, box_of
from engine.documents.pdf_strikes import Baseline

# What of a glyph has to be covered: from this far below its line to this far above, in sizes of its font, and all of
# its width but for these shares at its ends.
LOWEST = -0.1
HIGHEST = 0.65
_SIDES = 0.1
# Where words lie in any case, above their line.
_MIDDLE = 0.3
# Pages with more areas are drawings.
_MOST_AREAS = 2000


class _BegunWords(NamedTuple):
    """Words by the height of their middle, their left end, and how many areas were painted before them."""

    height: float
    left: float
    painted: int


class PlacesOfWords:
    """Where the words of a page begin: on most pages nothing is painted over them."""

    def __init__(self) -> None:
        self._words: list[_BegunWords] = []
        # How many areas were painted before the first words that are not level.
        self._painted_before_slanted: int | None = None

    def add(self, baseline: Baseline | None, painted: int) -> None:
        """Add words that are shown when so many areas are painted; `baseline` is None if they are not level."""
        if baseline is not None:
            self._words.append(_BegunWords(baseline.height + _MIDDLE * baseline.size, baseline.left, painted))
        elif self._painted_before_slanted is None:
            self._painted_before_slanted = painted

    def covers(self, areas: Sequence[PaintedArea]) -> Covers | None:
        """Return what may cover words of the page, on which all these areas are painted; None if nothing does."""
        if len(areas) > _MOST_AREAS:
            return None
        slanted = self._painted_before_slanted
        words = sorted(self._words)
        heights = [word.height for word in words]
        for number, area in enumerate(areas):
            if not area.is_opaque:
                continue
            near = slice(bisect_left(heights, area.box.bottom), bisect_right(heights, area.box.top))
            is_over_words = any(word.painted <= number and word.left < area.box.right for word in words[near])
            if is_over_words or (slanted is not None and slanted <= number):
                return Covers(areas)
        return None


class Covers:
    """All areas that are painted on a page, in their order."""

    def __init__(self, areas: Sequence[PaintedArea]) -> None:
        self._areas = areas

    def over(self, boxes: Sequence[Box], painted: int) -> list[bool]:
        """Return which glyphs of a string are covered, by their boxes; so many areas are painted before it."""
        if not boxes:
            return []
        around = box_of(corner for box in boxes for corner in (box[:2], box[2:]))
        # The opaque ones on which nothing else is painted.
        covers: list[Box] = []
        for area in reversed(self._areas[painted:]):
            if area.box.meets(around):
                if not area.is_opaque:
                    break
                covers.append(area.box)
        return [any(_holds_core(cover, box) for cover in covers) for box in boxes]


def _holds_core(cover: Box, glyph: Box) -> bool:
    """Return whether an area covers all that has to be covered of a glyph."""
    side = _SIDES * (glyph.right - glyph.left)
    core = Box(glyph.left + side, glyph.bottom, glyph.right - side, glyph.top)
    return core == core.within(cover)
