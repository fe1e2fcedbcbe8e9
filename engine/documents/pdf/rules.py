"""The lines that PDF pages draw around the cells of tables: a cell within them may take several rows or columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from engine.documents.pdf.objects import Box
from engine.documents.text.table_rows import LONGEST_REPEATED

# How thick such a line is at most, in points, and how far from each other the ends of two may be that meet.
_THICKEST = 2.5
_NEAR = 1.5
# Pages with more lines are drawings.
_MOST_RULES = 4000


class _DrawnLine(NamedTuple):
    """A line at a height from one place to another, or at a place from one height to another."""

    at: float
    begin: float
    end: float

    def covers(self, place: float) -> bool:
        """Return whether a place lies along the line."""
        return self.begin - _NEAR <= place <= self.end + _NEAR


class _Cell(NamedTuple):
    """What lines close, by its sides."""

    left: float
    bottom: float
    right: float
    top: float


class PageRules:
    """The level and the upright lines of a page, in points."""

    def __init__(self) -> None:
        self._level: list[_DrawnLine] = []
        self._upright: list[_DrawnLine] = []

    def add_line(self, box: Box) -> None:
        """Add what is painted, if it is a thin line."""
        width = box.right - box.left
        height = box.top - box.bottom
        if height <= _THICKEST and width > 2 * height:
            self._level.append(_DrawnLine((box.bottom + box.top) / 2, box.left, box.right))
        elif width <= _THICKEST and height > 2 * width:
            self._upright.append(_DrawnLine((box.left + box.right) / 2, box.bottom, box.top))

    def cell_around(self, left: float, height: float) -> _Cell | None:
        """Return the cell around a place; None if lines do not close it, or if one is in it."""
        if len(self._level) + len(self._upright) > _MOST_RULES:
            return None
        sides = [rule.at for rule in self._upright if rule.covers(height)]
        ends = [rule.at for rule in self._level if rule.covers(left)]
        cell = _Cell(
            max((side for side in sides if side <= left), default=left),
            max((end for end in ends if end <= height), default=height),
            min((side for side in sides if side > left), default=left),
            min((end for end in ends if end > height), default=height),
        )
        across = (cell.left, cell.right)
        up = (cell.bottom, cell.top)
        if cell.left >= cell.right or cell.bottom >= cell.top:
            return None
        if _crosses(self._level, up, across) or _crosses(self._upright, across, up):
            return None
        is_closed = all(_is_drawn(self._level, at, across) for at in up) and all(
            _is_drawn(self._upright, at, up) for at in across
        )
        return cell if is_closed else None

    def part_rows(self, below: float, above: float, lefts: Iterable[float]) -> bool:
        """Return whether a line between two heights parts what is at one of these places."""
        rules = [rule for rule in self._level if below < rule.at < above]
        return any(rule.covers(left) for left in lefts for rule in rules)

    def part_columns(self, left: float, right: float, heights: Iterable[float]) -> bool:
        """Return whether a line between two places parts what is at one of these heights."""
        rules = [rule for rule in self._upright if left < rule.at < right]
        return any(rule.covers(height) for height in heights for rule in rules)


class RuledTable(NamedTuple):
    """Where the rows and the texts of a table are on a page, in points.

    `heights` has one for each row, and `lefts` the place where the text of each cell begins that has one, by its
    column.
    """

    heights: Sequence[float]
    lefts: Sequence[Mapping[int, float]]
    rules: PageRules

    def fill(self, texts: list[list[str]]) -> None:
        """Put the text of each cell that takes several rows or columns into all of them.

        A text stays alone where lines do not say for sure what its cell takes: each two rows or columns that it joins
        have to be parted by a line beside it, for the lines of one text are no rows.
        """
        if any(below >= above for above, below in pairwise(self.heights)):
            return
        for row, places in enumerate(self.lefts):
            for column, left in places.items():
                text = texts[row][column]
                cell = self.rules.cell_around(left, self.heights[row])
                if cell is None or len(text) > LONGEST_REPEATED:
                    continue
                rows = [index for index, height in enumerate(self.heights) if cell.bottom < height < cell.top]
                columns = self._columns_in(cell, len(texts[row]))
                taken = {(line, place) for line in rows for place in columns} | {(row, column)}
                texts_in_cell = sum(place in self.lefts[line] for line, place in taken)
                if texts_in_cell == 1 and self._parts_rows(rows, cell) and self._parts_columns(columns, rows):
                    for line, place in taken:
                        texts[line][place] = text

    def _columns_in(self, cell: _Cell, count: int) -> list[int]:
        """Return the columns, of so many, whose texts all begin between the sides of a cell."""
        places = [self._lefts_of(column) for column in range(count)]
        return [
            column for column, lefts in enumerate(places) if lefts and cell.left < min(lefts) <= max(lefts) < cell.right
        ]

    def _lefts_of(self, column: int) -> list[float]:
        return [places[column] for places in self.lefts if column in places]

    def _parts_rows(self, rows: Sequence[int], cell: _Cell) -> bool:
        """Return whether lines part each two of these rows beside a cell."""
        lefts = chain.from_iterable(places.values() for places in self.lefts)
        beside = [left for left in lefts if not cell.left < left < cell.right]
        return all(
            self.rules.part_rows(self.heights[below], self.heights[above], beside) for above, below in pairwise(rows)
        )

    def _parts_columns(self, columns: Sequence[int], rows: Sequence[int]) -> bool:
        """Return whether lines part each two of these columns in other rows."""
        others = [row for row in range(len(self.heights)) if row not in rows]
        return all(
            any(
                self.rules.part_columns(self.lefts[row][left], self.lefts[row][right], [self.heights[row]])
                for row in others
                if left in self.lefts[row] and right in self.lefts[row]
            )
            for left, right in pairwise(columns)
        )


def _crosses(rules: Iterable[_DrawnLine], between: tuple[float, float], along: tuple[float, float]) -> bool:
    """Return whether a line lies `between` two sides of a cell, and `along` these for more than a rounding."""
    return any(
        between[0] + _NEAR < rule.at < between[1] - _NEAR
        and min(rule.end, along[1]) - max(rule.begin, along[0]) > _NEAR
        for rule in rules
    )


def _is_drawn(rules: Iterable[_DrawnLine], at: float, along: tuple[float, float]) -> bool:
    """Return whether lines at a place or a height, one after another, are drawn along the side of a cell."""
    begin, end = along
    for rule in sorted((rule for rule in rules if abs(rule.at - at) <= _NEAR), key=lambda rule: rule.begin):
        if rule.begin <= begin + _NEAR:
            begin = max(begin, rule.end)
    return begin >= end - _NEAR
