"""The text of a document as Markdown: headings, paragraphs, lists and tables."""

from __future__ import annotations

from collections.abc import Sequence

# The most columns of a table, so that one cell far to the right makes no row of thousands.
_MOST_COLUMNS = 1000


class TooLong(Exception):
    """The text is longer than allowed, or a part of the file is."""


class MarkedText:
    """The blocks of a document so far. Raises `TooLong` beyond `most` characters."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._blocks: list[str] = []
        self._in_list = False

    def __str__(self) -> str:
        return "".join(self._blocks).strip("\n")

    def heading(self, level: int, text: str) -> None:
        if text := _one_line(text):
            self._add(f"{'#' * max(1, min(level, 6))} {text}")

    def paragraph(self, text: str) -> None:
        if text := text.strip():
            self._add(text)

    def item(self, depth: int, mark: str, text: str) -> None:
        """Add an item of a list; `mark` is "-" or such as "3."."""
        if text := text.strip():
            indent = "   " * depth
            lines = f"{indent}{mark} {text}".replace("\n", f"\n{indent}{' ' * (len(mark) + 1)}")
            self._add(lines, in_list=True)

    def table(self, rows: Sequence[Sequence[str]]) -> None:
        """Add a table, whose first row is its head; empty rows and empty columns at its end are left out."""
        cells = [[_one_line(cell).replace("|", r"\|") for cell in row[:_MOST_COLUMNS]] for row in rows]
        cells = [row for row in cells if any(row)]
        width = max((index + 1 for row in cells for index, cell in enumerate(row) if cell), default=0)
        lines = [f"| {' | '.join((row + [''] * width)[:width])} |" for row in cells]
        if lines:
            self._add("\n".join([lines[0], "|" + " --- |" * width, *lines[1:]]))

    def _add(self, block: str, *, in_list: bool = False) -> None:
        self._left -= len(block)
        if self._left < 0:
            raise TooLong
        self._blocks += ["\n" if in_list and self._in_list else "\n\n", block]
        self._in_list = in_list


def _one_line(text: str) -> str:
    return " ".join(text.split())
