"""The order in which the lines of a picture are read, by where they are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import NamedTuple


class PlacedLine(NamedTuple):
    """Words beside each other, with the recognizer's confidence up to 100, and where they are.

    `left`, `top`, `width` and `height` are in one unit, from the picture's left upper corner.
    """

    words: str
    confidence: float
    left: float
    top: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        """How far down the line's middle is."""
        return self.top + self.height / 2

    @property
    def right(self) -> float:
        """Where the line ends."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """How far down the line ends."""
        return self.top + self.height


# A row is the lines whose middles are beside each other, from left to right; paragraphs are rows.
RowOfLines = list[PlacedLine]

# Columns of text have so many lines at least, which are on average so many times as wide as high, and fill so much of
# their column's width. Cells of tables and forms are shorter, and are read row by row.
_LEAST_LINES = 4
_LEAST_PROPORTION = 10
_LEAST_FILLED = 0.6
# Lines with a larger share of the text's width go across the columns, as titles do.
_ACROSS = 0.55
# A paragraph ends where the gap to the next row has more than this share of a line's height.
_GAP = 0.9


def paragraphs_of(lines: Sequence[PlacedLine]) -> list[list[RowOfLines]]:
    """Return the paragraphs of a picture, in the order of reading: columns of text one after another, tables by rows.

    For example, a title over two columns of text is a paragraph, which the paragraphs of the left column follow.
    """
    if not lines:
        return []
    width = max(line.right for line in lines) - min(line.left for line in lines)
    ordered = sorted(lines, key=lambda line: line.middle)
    paragraphs: list[list[RowOfLines]] = []
    for _, region in groupby(ordered, lambda line: line.width > _ACROSS * width):
        for column in _columns_of(list(region)):
            paragraphs += _split_at_gaps(_rows_of(column))
    return paragraphs


def _columns_of(lines: list[PlacedLine]) -> list[list[PlacedLine]]:
    """Return the lines of each column of text, or all lines as one if there are no columns."""
    columns: list[list[PlacedLine]] = []
    right = 0.0
    for line in sorted(lines, key=lambda line: line.left):
        if not columns or line.left > right:
            columns.append([])
        columns[-1].append(line)
        right = max(right, line.right)
    return columns if all(map(_is_text, columns)) else [lines]


def _is_text(column: Sequence[PlacedLine]) -> bool:
    """Whether the lines of a column are long, and are enough."""
    width = max(line.right for line in column) - min(line.left for line in column)
    total = sum(line.width for line in column)
    is_filled = total >= _LEAST_FILLED * width * len(column)
    is_long = total >= _LEAST_PROPORTION * sum(line.height for line in column)
    return len(column) >= _LEAST_LINES and is_filled and is_long


def _rows_of(lines: Sequence[PlacedLine]) -> list[RowOfLines]:
    """Return the rows from the top. A line belongs to a row if its middle is within the height of the row's first."""
    rows: list[RowOfLines] = []
    for line in sorted(lines, key=lambda line: line.middle):
        if not rows or not rows[-1][0].top <= line.middle <= rows[-1][0].bottom:
            rows.append([])
        rows[-1].append(line)
    return [sorted(row, key=lambda line: line.left) for row in rows]


def _split_at_gaps(rows: list[RowOfLines]) -> list[list[RowOfLines]]:
    """Return the paragraphs that rows make."""
    paragraphs = [rows[:1]]
    for above, below in pairwise(rows):
        gap = min(line.top for line in below) - max(line.bottom for line in above)
        if gap > _GAP * min(line.height for line in above):
            paragraphs.append([])
        paragraphs[-1].append(below)
    return paragraphs
