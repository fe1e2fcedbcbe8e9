"""The text of a document as Markdown: headings, paragraphs, lists, tables and notes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from engine.documents.letters import PLAIN, Letters, Run, marked

# So that one cell far to the right makes no row of thousands, and an item no line of spaces.
_MOST_COLUMNS, _DEEPEST = 1000, 20

# What a document has and its text has not, such as "hidden-sheet". AttachmentRow words each.
LeftOut = str


class TextTooLong(Exception):
    """The text is longer than allowed, or a part of the file is."""


class Role(NamedTuple):
    """What an element of a document is.

    `level` is that of a heading or of a numbered paragraph, whose `mark` is "3." or "-"; the columns of a cell, which
    may also take some `rows`; the number before the first of a list (-1: without numbers). Items of a list that was
    started need neither. The `mark` of a link is its address.
    """

    name: str
    level: int = 0
    mark: str = ""
    rows: int = 1


THROUGH = Role("through")
PARAGRAPH = Role("paragraph")
CODE = Role("code")
LIST_ITEM = Role("list item")
TABLE = Role("table")
ROW = Role("row")
CELL = Role("cell", 1)
NOTE = Role("note")


class _Around(NamedTuple):
    """What is set aside while a cell, a note or a link is open."""

    words: list[Run]
    letters: Letters


class MarkedText:
    """The blocks of a document so far, from its elements in order. Raises `TextTooLong` beyond `most` characters."""

    def __init__(self, most: int) -> None:
        self._left = most
        # How often something was left out, for a line at the end.
        self.left_out = Counter[LeftOut]()
        # Why the latest part cannot be read.
        self.damage: Exception | None = None
        self._blocks: list[str] = []
        self._last_in_list = False
        self.block = PARAGRAPH
        self._words = list[Run]()
        # How the letters of words that are added are set.
        self.letters = PLAIN
        # The words around each cell and note that is open: these are no blocks.
        self._around: list[_Around] = []
        # The number of the latest item of each list around, and whether an item has begun and says nothing so far.
        self._lists = list[int]()
        self._begun = False
        # How many tables are around; only the outermost keeps its rows.
        self._tables = 0
        self._rows = list[list[str]]()
        # The cell of it that is open, and the last row that each column is taken in by a cell of an earlier one.
        self._cell = THROUGH
        self._taken = dict[int, int]()
        self._notes: list[str] = []

    def __str__(self) -> str:
        text = "".join(self._blocks).strip("\n")
        if self.damage is not None and not text:
            raise self.damage
        counts = [(kind.replace("text", "passage").replace("-", " "), count) for kind, count in self.left_out.items()]
        words = ", ".join(f"{count} {kind}" if count == 1 else f"{count} {kind}s" for kind, count in counts if count)
        return f"{text}\n\n[Left out: {words}]".lstrip("\n") if words else text

    def start(self, role: Role) -> None:
        match role.name:
            case "row" | "cell" if self._tables == 1:
                self._end_cell()
                if role is ROW or not self._rows:
                    self._rows.append([])
                if role is not ROW:
                    row = self._rows[-1]
                    while self._taken.get(len(row), 0) >= len(self._rows):
                        row.append("")
                    self._cell = role
                    self._enter()
            case "note":
                self._enter()
                self.letters = PLAIN
            case "link":
                self._enter()
            case "list" | "table" | "list item":
                self.end_block()
                if role.name == "list":
                    self._lists.append(role.level)
                if role is TABLE:
                    self._tables += 1
                self._begun = role is LIST_ITEM
            case name if name != "through":
                self.end_block()
                self.block = role
                if self._around and role.mark not in ("", "-"):
                    self._words.append(Run(f"{role.mark} "))

    def end(self, role: Role) -> None:
        match role.name:
            case "row" | "cell" if self._tables == 1:
                self._end_cell()
            case "note":
                self._notes.append(marked(self._words).strip())
                around = self._around.pop()
                self._words = [*around.words, Run(f"[^{len(self._notes)}]")]
                self.letters = around.letters
            case "link":
                words = marked(self._words)
                inner = words.strip() or words
                self._words = [*self._around.pop().words, Run(words.replace(inner, linked(inner, role.mark), 1))]
            case "table" if self._tables == 1:
                self._end_table()
            case name if name != "through":
                self.end_block()
                self.block = PARAGRAPH
                if name in ("list", "list item"):
                    self._begun = False
                # A page may end what it did not begin.
                if name == "list" and self._lists:
                    self._lists.pop()
                if role is TABLE and self._tables:
                    self._tables -= 1

    def add(self, words: str) -> None:
        """Add words to the block that is open."""
        self._words.append(Run(words, self.letters))

    @contextmanager
    def lettered(self, letters: Letters) -> Iterator[None]:
        """Set the letters of words that are added meanwhile."""
        around, self.letters = self.letters, letters
        try:
            yield
        finally:
            self.letters = around

    def add_of_page(self, words: str) -> None:
        """Add text with runs of white space collapsed to one space."""
        words = re.sub(r"\s+", " ", words)
        if not self._words or self._words[-1].words.endswith((" ", "\n")):
            words = words.lstrip()
        if words:
            self.add(words)

    def end_block(self) -> None:
        if self._around:
            self._words.append(Run("\n"))
            return
        role = self.block
        text = marked(self._words)
        self._words = []
        if not text.strip():
            return
        if role.name == "heading":
            self._add(f"{'#' * max(1, min(role.level, 6))} {_one_line(f'{role.mark} {text}')}")
        elif role is CODE:
            self._add(f"```\n{text.rstrip().strip(chr(10))}\n```")
        elif role.name == "numbered paragraph":
            self._add_item(role.level, role.mark, text.strip())
        elif self._begun and self._lists:
            mark = "-"
            if self._lists[-1] >= 0:
                self._lists[-1] += 1
                mark = f"{self._lists[-1]}."
            self._add_item(len(self._lists) - 1, mark, text.strip())
        else:
            self._add(text.strip())
        self._begun = False

    def finish(self) -> None:
        """End what is open, and add the notes."""
        self._tables = min(self._tables, 1)
        self.end(TABLE)
        self._lists.clear()
        for number, note in enumerate(self._notes, 1):
            self._add_item(0, f"[^{number}]:", note)

    def add_blocks(self, *blocks: str) -> None:
        """Add paragraphs of their own."""
        for words in ("", *blocks):
            self.end_block()
            self.add(words)
        self.end_block()

    def add_heading(self, level: int, words: str) -> None:
        self.start(heading := Role("heading", level))
        self.add(words)
        self.end(heading)

    def add_table(self, rows: Iterable[Sequence[str]]) -> None:
        """Add a table, whose first row is its head; empty rows and empty columns at its end are left out."""
        cells = [[_one_line(cell).replace("|", r"\|") for cell in row[:_MOST_COLUMNS]] for row in rows]
        cells = [row for row in cells if any(row)]
        width = max((index + 1 for row in cells for index, cell in enumerate(row) if cell), default=0)
        lines = [f"| {' | '.join((row + [''] * width)[:width])} |" for row in cells]
        if lines:
            self._add("\n".join([lines[0], "|" + " --- |" * width, *lines[1:]]))

    def _enter(self) -> None:
        self._around.append(_Around(self._words, self.letters))
        self._words = []

    def _end_cell(self) -> None:
        if self._cell is not THROUGH:
            row = self._rows[-1]
            columns = min(self._cell.level, _MOST_COLUMNS)
            last = len(self._rows) + self._cell.rows - 1
            self._taken |= dict.fromkeys(range(len(row), len(row) + columns), last)
            row += [marked(self._words).strip(), *[""] * (columns - 1)]
            self._words = self._around.pop().words
            self._cell = THROUGH

    def _end_table(self) -> None:
        self._end_cell()
        self.end_block()
        rows = self._rows
        self._rows = []
        self._tables = 0
        self._taken = {}
        if any(sum(map(bool, row)) > 1 for row in rows):
            self.add_table(rows)
        else:
            # It only places things on the page.
            self.add_blocks(*map("".join, rows))

    def _add_item(self, depth: int, mark: str, text: str) -> None:
        indent = "   " * min(depth, _DEEPEST)
        self._add(f"{indent}{mark} {text}".replace("\n", f"\n{indent}{' ' * (len(mark) + 1)}"), in_list=True)

    def _add(self, block: str, *, in_list: bool = False) -> None:
        self._left -= len(block)
        if self._left < 0:
            raise TextTooLong
        self._blocks += ["\n" if in_list and self._last_in_list else "\n\n", block]
        self._last_in_list = in_list


def linked(words: str, address: str) -> str:
    """Return a link whose words are not its address; words without a link if it has none."""
    plain = address.removeprefix("mailto:").removeprefix("tel:")
    return words if not words.strip() or words in (plain, plain.rstrip("/")) else f"[{_one_line(words)}]({address})"


def _one_line(text: str) -> str:
    return " ".join(text.split())
