"""Cells of sheets that take several rows: their text is in each of them."""

from __future__ import annotations

from typing import NamedTuple

from engine.documents.text.table_rows import LONGEST_REPEATED


class _FromAbove(NamedTuple):
    """The text of a cell that takes several rows, and the number of the last of them."""

    text: str
    last_row: int


class MergedCells:
    """What cells of earlier rows leave in the rows that follow, by their columns, which count from 1."""

    def __init__(self) -> None:
        self._from_above = dict[int, _FromAbove]()

    def keep(self, column: int, text: str, last_row: int) -> None:
        """Keep a text for a column of all rows up to the last; a long text is only in the first row."""
        self._from_above[column] = _FromAbove(text if len(text) <= LONGEST_REPEATED else "", last_row)

    def takes(self, column: int, row: int) -> bool:
        """Return whether an earlier cell takes a column in a row."""
        above = self._from_above.get(column)
        return above is not None and row <= above.last_row

    def fill(self, row: int, texts: list[str]) -> int:
        """Put the texts of earlier cells that reach into a row among its texts. Returns how many texts they cover."""
        covered = 0
        for column, above in list(self._from_above.items()):
            if row > above.last_row:
                del self._from_above[column]
            elif above.text:
                texts += [""] * (column - len(texts))
                if texts[column - 1]:
                    covered += 1
                texts[column - 1] = above.text
        return covered
