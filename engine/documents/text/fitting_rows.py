"""The rows of a table as Markdown, no more of them than a text may have."""

from __future__ import annotations

from collections.abc import Sequence

from engine.documents.text.soft_hyphens import without_soft_hyphens

# So that one cell far to the right does not make a row of thousands of cells, nor do cells that take all later rows.
MOST_COLUMNS = 1000


class FittingRows:
    """The rows of a table that may fit in `most` characters of Markdown; others are only counted.

    A few bytes of a file may stand for a cell far to the right, or for a text of many cells. So no more is kept than
    can be shown. Rows without text are no rows, and columns beyond MOST_COLUMNS are only counted.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        # The texts of the rows that may fit, up to the last one that is not empty.
        self._rows: list[list[str]] = []
        # How many characters they have at least, with the rows that did not fit.
        self._least = 0
        # How many rows and columns there are.
        self.count = 0
        self.width = 0
        # How many columns there are beyond MOST_COLUMNS.
        self.columns_beyond = 0
        # Whether a row has several cells with text: other tables only place things on a page.
        self.is_table = False
        # The texts of the rows of such a table, as many as are too long together.
        self.blocks: list[str] = []
        self._blocks_length = 0

    def add(self, cells: Sequence[str]) -> None:
        """Add a row with the texts of its cells."""
        columns = [column for column, cell in enumerate(cells, 1) if cell and not cell.isspace()]
        self.is_table = self.is_table or len(columns) > 1
        if columns and columns[-1] > MOST_COLUMNS:
            self.columns_beyond = max(self.columns_beyond, columns[-1] - MOST_COLUMNS)
            columns = [column for column in columns if column <= MOST_COLUMNS]
        if not columns:
            return
        texts = [cell and _in_line(cell) for cell in cells[: columns[-1]]]
        self.count += 1
        self.width = max(self.width, len(texts))
        # With "| " before each, " |" and the end of the line. Other rows may only make this one longer.
        self._least += sum(map(len, texts)) + 3 * len(texts) + 2
        if self._least <= self._most + 1:
            self._rows.append(texts)
        if self.is_table:
            self.blocks.clear()
        elif self._blocks_length <= self._most:
            self.blocks.append("".join(cells))
            self._blocks_length += len(self.blocks[-1])

    def lines(self, most: int) -> list[str]:
        """Return the lines of the table that fit in `most` characters: its head, the line under it, and other rows."""
        lines: list[str] = []
        left = most + 1
        for row in self._rows:
            texts = row + [""] * (self.width - len(row))
            new = [f"| {' | '.join(texts)} |"]
            if not lines:
                new.append("|" + " --- |" * self.width)
            left -= sum(len(line) + 1 for line in new)
            if left < 0:
                break
            lines += new
        return lines


def _in_line(cell: str) -> str:
    """Return the text of a cell in one line, with marks that do not end it."""
    return " ".join(without_soft_hyphens(cell).split()).replace("|", r"\|")
