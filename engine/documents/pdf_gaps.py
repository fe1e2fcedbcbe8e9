"""Gaps that a PDF content writes as spacing between the glyphs of its strings.

macOS writes the gap between the cells of a row as the spacing of the string that begins there, and takes it back by
numbers after all glyphs but the first: `4.11 Tc [(06) 4125 (,) 4125 (8)] TJ` is "0", a gap, and "6,8". pypdf looks for
gaps in numbers only, and takes spacing for a part of the glyphs. So such spacing is written as numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from statistics import median_low
from typing import Any, NamedTuple

from pypdf.generic import ByteStringObject, FloatObject

# Spacing that is wider than the usual distance of the string's glyphs by less than so much is no gap, in thousandths of
# the size of the font.
_LEAST_GAP = 150.0
# Spacing that is as wide or wider is a gap, also where all glyphs have it; letters of titles are not spaced so far.
_LEAST_CELL_GAP = 600.0


class _SpacedGlyph(NamedTuple):
    """A glyph by its code, and the distance from its end to the next one, in thousandths of the size of its font."""

    code: bytes
    distance: float


class SpacedParts(NamedTuple):
    """Strings and the numbers between them, and the spacing after each glyph, in thousandths of the size of the font.

    After the last glyph is a gap beside.
    """

    parts: list[Any]
    spacing: float
    gap_after: float


def after_gap(gap: float, parts: list[Any]) -> list[Any]:
    """Return strings and numbers after a gap, in thousandths of the size of the font: one number, and the strings."""
    numbers = list(takewhile(_is_number, parts))
    return [FloatObject(sum(numbers) - gap), *parts[len(numbers) :]]


def with_gaps_as_numbers(
    parts: list[Any], spacing: float, codes_of: Callable[[bytes], list[bytes]]
) -> SpacedParts | None:
    """Return what shows strings at the same places, though only their usual distance is spacing; None if that is so.

    `spacing` is in thousandths of the size of the font, and `codes_of` divides a string into the codes of glyphs.
    """
    if spacing < _LEAST_GAP:
        return None
    begin: list[Any] = []
    glyphs: list[_SpacedGlyph] = []
    for part in parts:
        if isinstance(part, bytes):
            glyphs += [_SpacedGlyph(code, spacing) for code in codes_of(part)]
        elif not _is_number(part):
            return None
        elif glyphs:
            glyphs[-1] = glyphs[-1]._replace(distance=glyphs[-1].distance - part)
        else:
            begin.append(part)
    if not glyphs:
        return None
    # The last glyph is followed by nothing yet.
    usual = median_low([glyph.distance for glyph in glyphs[:-1] or glyphs])
    if usual >= _LEAST_CELL_GAP:
        usual = 0.0
    if spacing - usual < _LEAST_GAP:
        return None
    usual = max(usual, 0.0)
    written: list[Any] = []
    for code, distance in glyphs:
        written += [ByteStringObject(code), FloatObject(usual - distance)]
    return SpacedParts([*begin, *written[:-1]], usual, glyphs[-1].distance - usual)


def _is_number(part: Any) -> bool:
    return isinstance(part, int | float)
