"""The rows of a table whose cells become open and close one after the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from engine.documents.letters import Letters, Run
from engine.documents.roles import Footnote, Link, MergedDown, Role, TableCell

# So that one cell far to the right does not make a row of thousands of cells, nor do cells that take all later rows.
MOST_COLUMNS = 1000
# Longer texts of merged cells are only in the first row that these take.
LONGEST_REPEATED = 200


@dataclass(slots=True)
class OpenFrame:
    """A cell, a note or a link that is open. It gathers its own words; blocks in it are only lines of these words."""

    role: TableCell | Footnote | Link
    # How words around it are set, put back when a note ends; and the block that goes on after a note or a link.
    letters_around: Letters
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

    def __init__(self) -> None:
        self._rows: list[_RowTexts] = []
        # The cell that is open.
        self.cell: OpenFrame | None = None
        # How many tables are open in this one.
        self.inner_tables = 0
        # For each column, what the latest cell that takes several rows of it leaves there.
        self._coverings: dict[int, _TextBelow] = {}
        # The texts of the cells that are merged with those below them, by their columns.
        self._merged_down: dict[int, str] = {}

    @property
    def texts(self) -> list[list[str]]:
        """The texts of the rows that say something themselves."""
        return [row.cells for row in self._rows if row.has_own_text]

    def start_row(self) -> None:
        self.end_row()
        self._rows.append(_RowTexts())

    def end_row(self) -> None:
        """Give the columns after the cells of the latest row the texts of cells that take it, too."""
        last_column = max(self._coverings, default=-1)
        while self._rows and len(self._rows[-1].cells) <= last_column:
            self._rows[-1].cells.append(self._text_from_above())

    def start_cell(self, frame: OpenFrame) -> None:
        """Open a cell after the others of its row, and after the columns that cells of earlier rows take."""
        if not self._rows:
            self.start_row()
        while self._is_taken():
            self._rows[-1].cells.append(self._text_from_above())
        self.cell = frame

    def end_cell(self, cell: TableCell, text: str) -> bool:
        """Close the cell that is open. Returns whether `text` is shown, which it is not within merged cells."""
        row = self._rows[-1]
        first = len(row.cells)
        columns = min(cell.columns, MOST_COLUMNS)
        self.cell = None
        if cell.merged is MergedDown.GOES_ON and first in self._merged_down:
            row.cells.append(self._merged_down[first])
            row.cells.extend([""] * (columns - 1))
            return not text
        repeated = text if len(text) <= LONGEST_REPEATED else ""
        for column in range(first, first + columns):
            self._merged_down.pop(column, None)
            if cell.rows > 1 and column < MOST_COLUMNS:
                self._coverings[column] = _TextBelow(
                    len(self._rows) + cell.rows - 1, repeated if column == first else ""
                )
        if cell.merged is not MergedDown.NO:
            self._merged_down[first] = repeated
        row.cells.append(text)
        row.cells.extend([""] * (columns - 1))
        row.has_own_text = row.has_own_text or bool(text)
        return True

    def is_table(self) -> bool:
        """Return whether a row has several cells with text: other tables only place things on a page."""
        return any(sum(map(bool, row)) > 1 for row in self.texts)

    def _is_taken(self) -> bool:
        """Return whether a cell of an earlier row takes the next column of the latest row."""
        covering = self._coverings.get(len(self._rows[-1].cells))
        return covering is not None and covering.last_row >= len(self._rows)

    def _text_from_above(self) -> str:
        """Return the text that the next column of the latest row has from an earlier row; "" if it has none."""
        return self._coverings[len(self._rows[-1].cells)].text if self._is_taken() else ""
