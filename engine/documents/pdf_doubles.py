"""Glyphs that a PDF page draws several times at nearly the same place, for bold letters or for a shadow behind them."""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby
from math import floor, isfinite
from typing import Any, NamedTuple

from pypdf.generic import ByteStringObject, FloatObject

# How far from a glyph its copies are at most, in sizes of its font; narrower glyphs may follow each other so closely.
NEAR = 0.1


class DrawnGlyph(NamedTuple):
    """A glyph by the identity of its font and its code, the size of the font, and where it is on the page."""

    font: int
    code: bytes
    size: float
    left: float
    height: float


class DrawnGlyphs:
    """The glyphs that a page has drawn and that are seen."""

    def __init__(self) -> None:
        # Glyphs by what they share with their copies, and by the squares of the page that they are in.
        self._drawn: defaultdict[tuple[object, ...], list[DrawnGlyph]] = defaultdict(list)
        # The lists that got the glyphs of the latest strings, as their last ones.
        self._latest: list[list[DrawnGlyph]] = []

    def is_double(self, glyph: DrawnGlyph) -> bool:
        """Return whether a glyph was drawn before; if not, it now is."""
        near = NEAR * glyph.size
        square = 2 * near
        # The numbers of a file may be too large for its page.
        if square <= 0 or not isfinite(glyph.left / square + glyph.height / square):
            return False
        alike = (glyph.font, glyph.code, round(glyph.size, 1))
        for column in {floor((glyph.left - near) / square), floor((glyph.left + near) / square)}:
            for row in {floor((glyph.height - near) / square), floor((glyph.height + near) / square)}:
                for drawn in self._drawn.get((*alike, column, row), ()):
                    if abs(drawn.left - glyph.left) <= near and abs(drawn.height - glyph.height) <= near:
                        return True
        glyphs = self._drawn[(*alike, floor(glyph.left / square), floor(glyph.height / square))]
        glyphs.append(glyph)
        self._latest.append(glyphs)
        return False

    def end_strings(self, *, are_seen: bool) -> None:
        """Forget the glyphs since this was called last, if they are not seen."""
        if not are_seen:
            for glyphs in self._latest:
                glyphs.pop()
        self._latest.clear()


def joined_parts(parts: list[Any]) -> list[Any]:
    """Return strings and numbers in which those that follow each other are one."""
    joined: list[Any] = []
    for is_string, group in groupby(parts, lambda part: isinstance(part, bytes)):
        same = list(group)
        joined.append(ByteStringObject(b"".join(same)) if is_string else FloatObject(sum(same)))
    return joined
