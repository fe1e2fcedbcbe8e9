"""The rows of a table whose cells become open and close one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.documents.text.fitting_rows import MOST_COLUMNS, FittingRows
from engine.documents.text.letters import Run
from engine.documents.text.looks import Look
from engine.documents.text.roles import Footnote, Link, MergedDown, Role, TableCell

# The cells of a row that are looked at; sheets have no more.
_MOST_CELLS = 16_384
# Longer texts of merged cells are only in the first row that these take.
LONGEST_REPEATED = 200


@dataclass(slots=True)
class OpenFrame:
    """A cell, a note or a link that is open. It gathers its own words; blocks in it are only lines of these words."""

    role: TableCell | Footnote | Link
    # How words around it look, put back when a note ends; and the block that goes on after a note or a link.
    look_around: Look
    block_around: Role
    words: list[Run] = field(default_factory=list)


@dataclass(slots=True)
class _RowTexts:
    """A row of a table: the texts in its columns, and whether a cell of its own has one."""

    cells: list[str] = field(default_factory=list)
    has_own_text: bool = False


class _TextBelow(NamedTuple):
    """What a cell leaves in a column for the rows below it, up to the last one that it takes, counted from 1."""

    last_row: int
    text: str


class TableRows:
    """The rows of the outermost table that is open. Tables in its cells become words of these cells.

    A cell that takes several rows has its text in each of them, in its first column. Those beyond MOST_COLUMNS have it
    in their first row only.
    """

    def __init__(self, most: int) -> None:
        """Keep rows as far as they may fit in `most` characters."""
        # The rows that say something themselves.
        self.rows = FittingRows(most)
        # The row that is open, and how many have begun.
        self._row = _RowTexts()
        self._begun = 0
        # The cell that is open.
        self.cell: OpenFrame | None = None
        # How many tables are open in this one.
        self.inner_tables = 0
        # For each column, what the latest cell that takes several rows of it leaves there.
        self._coverings: dict[int, _TextBelow] = {}
        # The texts of the cells that are merged with those below them, by their columns.
        self._merged_down: dict[int, str] = {}

    def start_row(self) -> None:
        self.end_row()
        self._begun += 1

    def end_row(self) -> None:
        """Give the columns after the cells of the latest row the texts of cells that take it, too."""
        row = self._row
        if row.has_own_text:
            last_column = max(self._coverings, default=-1)
            while len(row.cells) <= last_column:
                row.cells.append(self._text_from_above())
            self.rows.add(row.cells)
        self._row = _RowTexts()

    def start_cell(self, frame: OpenFrame) -> None:
        """Open a cell after the others of its row, and after the columns that cells of earlier rows take."""
        if not self._begun:
            self.start_row()
        while self._is_taken():
            self._row.cells.append(self._text_from_above())
        self.cell = frame

    def end_cell(self, cell: TableCell, text: str) -> bool:
        """Close the cell that is open. Returns whether `text` is shown, which it is not within merged cells."""
        row = self._row
        first = len(row.cells)
        # Beyond those that are shown, each cell takes one.
        columns = max(1, min(cell.columns, MOST_COLUMNS - first))
        self.cell = None
        if first >= _MOST_CELLS:
            return not text
        if cell.merged is MergedDown.GOES_ON and first in self._merged_down:
            row.cells.append(self._merged_down[first])
            row.cells.extend([""] * (columns - 1))
            return not text
        repeated = text if len(text) <= LONGEST_REPEATED else ""
        for column in range(first, first + columns):
            self._merged_down.pop(column, None)
            if cell.rows > 1 and column < MOST_COLUMNS:
                last_row = self._begun + cell.rows - 1
                self._coverings[column] = _TextBelow(last_row, repeated if column == first else "")
        if cell.merged is not MergedDown.NO:
            self._merged_down[first] = repeated
        row.cells.append(text)
        row.cells.extend([""] * (columns - 1))
        row.has_own_text = row.has_own_text or bool(text)
        return True

    def _is_taken(self) -> bool:
        """Return whether a cell of an earlier row takes the next column of the latest row."""
        covering = self._coverings.get(len(self._row.cells))
        return covering is not None and covering.last_row >= self._begun

    def _text_from_above(self) -> str:
        """Return the text that the next column of the latest row has from an earlier row; "" if it has none."""
        return self._coverings[len(self._row.cells)].text if self._is_taken() else ""


def only_places(rows: Iterable[Sequence[bool]], *, has_tables: bool) -> bool:
    """Return whether this is a layout table, whose cells are read as if there were no table.

    `rows` says for each cell of each row whether it is filled; `has_tables`, whether there are tables in cells. A
    layout table has never two filled cells in a row, or it has one row that sets tables side by side.
    """
    seen = [cells for cells in rows if any(cells)]
    return all(sum(cells) == 1 for cells in seen) or (has_tables and len(seen) == 1)
