"""Where words stand on a PDF page: its layout is only worth reading where they are beside each other, as in a table."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

# Texts whose heights differ by less than so many points are in one line; lines of readable text are farther apart.
_SAME_LINE = 4.0
# The cells of a row are at the same height but for roundings.
_SAME_HEIGHT = 0.1
# Layouts have several spaces where a string is moved on by this share of its size, in thousandths; a space is wider.
_WIDE_MOVE = -400
# The least lines of a table.
_LEAST_ROWS = 2


class _TextPlace(NamedTuple):
    """Where a text begins on a page, in points."""

    height: float
    left: float


class LinesOfPage:
    """Notes where the texts of a page are shown, as pypdf reads its operations, by `visit`."""

    def __init__(self) -> None:
        # The heights at which texts are shown, in points; one of several with wide spaces between them is there twice.
        self._heights: list[float] = []
        # How high and how far from the left each text is shown.
        self._places: list[_TextPlace] = []
        self._has_turned_text = False

    def visit(self, operator: bytes, operands: Any, page: Any, line: Any) -> None:
        """Note an operation before it is done. `page` and `line` are the matrices that place what it shows."""
        if operator not in (b"Tj", b"TJ", b"'", b'"'):
            return
        if any((page[1], page[2], line[1], line[2])):
            self._has_turned_text = True
            return
        height = float(line[5] * page[3] + page[5])
        self._heights.append(height)
        self._places.append(_TextPlace(height, float(line[4] * page[0] + page[4])))
        if operator == b"TJ" and any(isinstance(part, int | float) and part < _WIDE_MOVE for part in operands[0]):
            self._heights.append(height)

    def lefts_at(self, height: float) -> list[float]:
        """Return how far from the left texts begin that are shown at a height, from left to right, each place once."""
        return sorted({place.left for place in self._places if abs(place.height - height) < _SAME_HEIGHT})

    def may_have_table(self, content: str) -> bool:
        """Return whether the page, whose text is `content`, has lines in which words may be far from each other."""
        if self._has_turned_text or "  " in content:
            return True
        heights = sorted(self._heights)
        beside = sum(second - first < _SAME_LINE for first, second in pairwise(heights))
        return beside >= _LEAST_ROWS
