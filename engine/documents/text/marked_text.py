"""The text of a document as Markdown: headings, paragraphs, lists, tables and notes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import accumulate
from typing import NamedTuple, TypeGuard

from engine.documents.text.code_blocks import fenced
from engine.documents.text.fitting_rows import FittingRows
from engine.documents.text.inner_pictures import InnerPictures
from engine.documents.text.invisible_characters import INVISIBLE, without_invisible
from engine.documents.text.letters import Run, marked
from engine.documents.text.links import linked
from engine.documents.text.looks import PLAIN_LOOK, Look, LookedRun
from engine.documents.text.number_forms import written
from engine.documents.text.parts import CHAPTER, ROW, Cut, Extent, PartsRead, counted_words, left_out_line
from engine.documents.text.roles import (
    FencedCode,
    Footnote,
    HeadingBlock,
    ItemList,
    Link,
    ListItem,
    NumberedParagraph,
    ParagraphBlock,
    Role,
    Table,
    TableCell,
    TableRow,
    Through,
)
from engine.documents.text.soft_hyphens import without_soft_hyphens
from engine.documents.text.table_rows import OpenFrame, TableRows

# What is between blocks, if these are no items.
_BETWEEN = "\n\n"
# The head of a table, and the line under it.
_HEAD_LINES = 2
# Items deeper than this are indented as much as those at this depth.
_DEEPEST = 20
# Lines of items are not indented by more characters than this for what is before the first one, such as "3.".
_WIDEST_MARK = 100
# A block of code goes on in another one after so many characters, so that a text that is too long can end in between.
_LONGEST_CODE = 20_000
# What is open may have so many times the characters that the text may have: white space at its ends is left out.
_OPEN_FACTOR = 2

# Content that the text leaves out, by kind, such as "hidden-sheet". `app.wording` has words for each kind.
LeftOut = str


class TextTooLong(Exception):
    """The text is longer than allowed, or a part of the file is."""


class _PartEnd(NamedTuple):
    """What a text had at the end of a part: pieces of blocks, what was left out, and pages by their kinds."""

    blocks: int
    left_out: Counter[LeftOut]
    recognized_pages: int
    uncertain_pages: int


class MarkedText:
    """The blocks of a document so far, from its elements in the order of the file.

    `start(HeadingBlock(2))`, `add("Price")`, `end(HeadingBlock(2))`, `add("10 EUR")` and `finish()` make
    "## Price\\n\\n10 EUR". Words without a start are in a paragraph.

    Methods that add something raise `TextTooLong` when the text has more than `most` characters. After that,
    `end_early` ends it where it has fitted.
    """

    def __init__(
        self, most: int, depth: int = 0, parts: PartsRead | None = None, pictures: InnerPictures | None = None
    ) -> None:
        # How many files around it this file is in.
        self.depth = depth
        # Seconds of the clock that programs took to convert files that are within this one.
        self.converting_s = 0.0
        # How many characters may still be added.
        self._left_characters = most
        # How many the block or the cell that is open may have, and has.
        self._most_open = _OPEN_FACTOR * most
        self._open_length = 0
        # The pages, slides, sheets or chapters of the document.
        self.parts = parts or PartsRead()
        # The pictures that are seen in it, and in the files within it.
        self.pictures = pictures or InnerPictures()
        # What there was at the end of each of them.
        self._ends: list[_PartEnd] = []
        # Where the text ends, if that is before the end of the document.
        self._cut: Cut | None = None
        # How many pieces of content of each kind were left out, for a line at the end of the text.
        self.left_out = Counter[LeftOut]()
        # How many pages are pictures whose text was recognized.
        self.recognized_pages = 0
        # How many of them may be wrong in part.
        self.uncertain_pages = 0
        # Why the latest part that is damaged could not be read. Raised if the document has no other text.
        self.damage: Exception | None = None
        # Finished blocks of Markdown, with the line ends between them.
        self._blocks: list[str] = []
        self._last_is_item = False
        # The role of the block that is open, and its words so far.
        self.block: Role = ParagraphBlock()
        self._block_words = list[Run]()
        # How words that are added look.
        self._look = PLAIN_LOOK
        # As what the latest words were left out; "" if they were not.
        self._omission: LeftOut = ""
        # The cells, notes and links that are open, the innermost last.
        self._frames: list[OpenFrame] = []
        # The lists that are open, each with the number of its next item first; the innermost last.
        self._lists: list[ItemList] = []
        # Whether a list item has begun and has no words so far.
        self._item_begun = False
        # The outermost table that is open; None outside of tables.
        self._table: TableRows | None = None
        # The words of the notes so far.
        self._notes: list[str] = []
        # How many of them were added.
        self._notes_added = 0

    def __str__(self) -> str:
        """Return the text, with a line about what is left out. Raises `damage` if nothing could be read."""
        text = "".join(self._blocks).strip("\n")
        if self.damage is not None and not text:
            raise self.damage
        words = [counted_words(kind, count) for kind, count in self.left_out.items() if count]
        missing = self.extent.missing_words()
        return f"{text}\n\n{left_out_line([*words, missing] if missing else words)}".strip("\n")

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to say of the parts that are read, nor of what is left out of them."""
        return not "".join(self._blocks).strip() and not +self.left_out

    @property
    def extent(self) -> Extent:
        """How much of the document the text has. Only for a text that is ended."""
        parts = self.parts
        # The text does not begin with what is between blocks.
        lengths = list(accumulate(map(len, self._blocks), initial=-len(_BETWEEN)))
        ends = tuple(max(0, lengths[end.blocks]) for end in self._ends)
        return Extent(parts.kind, parts.count, tuple(parts.numbers), ends, parts.names, self._cut)

    def wanted_parts(self, kind: str, names: Sequence[str]) -> Iterator[int]:
        """Yield the numbers of the parts that are to be read; each is over when the next is asked for.

        `names` are the names of all parts: "" for each page or slide.
        """
        for number in self.parts.wanted(kind, names):
            yield number
            self._end_part()

    def _end_part(self) -> None:
        self._ends.append(
            _PartEnd(len(self._blocks), self.left_out.copy(), self.recognized_pages, self.uncertain_pages)
        )

    def end_early(self) -> bool:
        """End a text for which `TextTooLong` was raised after the last part, or else the last block, that fitted.

        A chapter may be most of a document, and ends after a block. Returns whether there is any text.
        """
        self._frames.clear()
        self._table = None
        self._block_words = []
        is_begun = len(self.parts.numbers) > len(self._ends)
        ends_within = self.parts.kind == CHAPTER or (self._cut is not None and self._cut.kind != "")
        if is_begun and self._ends and not ends_within:
            # What there is of the part that did not fit.
            self.parts.numbers.pop()
            end = self._ends[-1]
            del self._blocks[end.blocks :]
            self.left_out = end.left_out
            self.recognized_pages = end.recognized_pages
            self.uncertain_pages = end.uncertain_pages
        else:
            self._cut = self._cut or Cut()
            if is_begun:
                self._end_part()
        return bool("".join(self._blocks).strip())

    @property
    def _words(self) -> list[Run]:
        """The words of the innermost frame; of the block if no frame is open."""
        return self._frames[-1].words if self._frames else self._block_words

    @property
    def is_in_frame(self) -> bool:
        """Whether a cell, a note or a link is open, in which blocks are only lines."""
        return bool(self._frames)

    @property
    def is_in_code(self) -> bool:
        """Whether a block of code is open to which the next words belong."""
        return isinstance(self.block, FencedCode) and bool(self._block_words) and not self._frames

    @property
    def is_in_table(self) -> bool:
        """Whether a table is open. A table that begins in it becomes words of its cells."""
        return self._table is not None

    def start(self, role: Role) -> None:
        """Begin an element with a role. A block ends the one that is open."""
        match role:
            case Through():
                pass
            case TableRow() if _takes_cells(self._table):
                self._end_cell()
                self._table.start_row()
            case TableCell() if _takes_cells(self._table):
                self._end_cell()
                self._table.start_cell(self._open(role))
            case Footnote():
                self._open(role)
                self._look = PLAIN_LOOK
            case Link():
                self._open(role)
            case ItemList():
                self.end_block()
                self._lists.append(role)
                self._item_begun = False
            case Table():
                self.end_block()
                self._start_table()
                self._item_begun = False
            case ListItem(number=number):
                self.end_block()
                self._item_begun = True
                if self._lists and self._lists[-1].first is not None and number is not None:
                    self._lists[-1] = replace(self._lists[-1], first=number)
            case _:
                self._start_block(role)

    def end(self, role: Role) -> None:
        """End an element with a role.

        The end of a note or a link also ends all frames that are open in it, and the end of a cell all that is open in
        the cell. The end of a note or a link that was not begun does nothing. The end of any other role, and of a row,
        a cell or a table inside a cell of another table, ends the open block, even if that has another role.
        """
        match role:
            case Through():
                pass
            case TableRow() | TableCell() if _takes_cells(self._table):
                self._end_cell()
            case Footnote() | Link():
                self._end_frame(role)
            case Table() if _takes_cells(self._table):
                self._end_table()
            # Also the parts of inner tables, which are only lines.
            case _:
                self._end_block_of(role)

    def add(self, words: str) -> None:
        """Add words to the block or the frame that is open, without soft hyphens unless they are code.

        Words whose look nobody sees are left out.
        """
        if not self._look.is_seen:
            self.leave_out("hidden-text", words)
            return
        if words.strip():
            self._omission = ""
        is_code = isinstance(self.block, FencedCode)
        self._add_run(Run(words if is_code else without_soft_hyphens(words), self._look.letters))

    def leave_out(self, kind: LeftOut, words: str) -> None:
        """Count words that are left out as content of a kind.

        They are one passage with the words of the same kind before them, if no block began and only white space was
        added in between.
        """
        if words.strip() and self._omission != kind:
            self.left_out[kind] += 1
            self._omission = kind

    def _add_run(self, run: Run) -> None:
        """Add words to the innermost frame or, without one, to the block.

        Raises `TextTooLong`: a few bytes of a file may stand for many words, so the open words are limited.
        """
        self._open_length += len(run.words)
        if self._open_length > self._most_open:
            raise TextTooLong
        self._words.append(run)

    @contextmanager
    def shown_as(self, look: Look) -> Iterator[None]:
        """Give a look to the words that are added in the context. The words of notes have a look of their own."""
        around = self._look
        self._look = look
        try:
            yield
        finally:
            self._look = around

    def seen_words(self, runs: Iterable[LookedRun]) -> str:
        """Return the seen runs of a cell in Markdown. All runs that are not seen are counted as one passage."""
        seen: list[Run] = []
        unseen = ""
        for words, look in runs:
            if look.is_seen:
                seen.append(Run(words, look.letters))
            else:
                unseen += words
        self._omission = ""
        self.leave_out("hidden-text", unseen)
        return marked(seen)

    def add_of_page(self, words: str) -> None:
        """Add text with runs of white space collapsed to one space, as browsers show it."""
        words = re.sub(r"\s+", " ", words)
        if not self._words or self._words[-1].words.endswith((" ", "\n")):
            words = words.lstrip()
        if words:
            self.add(words)

    def start_line_of_code(self) -> None:
        """Begin a line of the block of code that is open, or of a new one. Only `end_code` or another block ends it."""
        if self.is_in_code and self._open_length < _LONGEST_CODE:
            self.add("\n")
        else:
            self.start(FencedCode())

    def end_code(self) -> None:
        """End the block that is open, if it is code."""
        if self.is_in_code:
            self.end(FencedCode())

    def end_block(self) -> None:
        """Finish the block that is open, unless it has no words. In a frame, only begin a new line.

        Words that are added next begin another block of the same role.
        """
        if self._frames:
            self._add_run(Run("\n"))
            return
        text = marked(self._block_words)
        self._block_words = []
        self._open_length = 0
        if text.strip():
            self._add_block_with(text)
            self._item_begun = False

    def finish(self) -> None:
        """End all that is open, and add the notes that were not added so far."""
        while self._frames:
            self._end_innermost()
        if self._table is not None:
            self._end_table()
        self.end_block()
        self.block = ParagraphBlock()
        self._lists.clear()
        for number, note in enumerate(self._notes[self._notes_added :], self._notes_added + 1):
            self._add_item(0, f"[^{number}]:", note)
        self._notes_added = len(self._notes)

    def add_blocks(self, *blocks: str, as_is: bool = False) -> None:
        """End the block that is open, and add each text as a block of its own: `as_is` if it may be source code."""
        self.end_block()
        if self._frames:
            # One line end is no new paragraph in Markdown.
            self.end_block()
        for words in blocks:
            if as_is:
                self._add_run(Run(words, self._look.letters))
            else:
                self.add(words)
            self.end_block()

    def inner(self) -> MarkedText:
        """Return an empty text for a file within this one, which may have as many characters as are left."""
        return MarkedText(self._left_characters, self.depth + 1, pictures=self.pictures)

    def add_inner(self, inner: MarkedText) -> bool:
        """Add the blocks of a file within this one, and what was left out of it. Returns whether there are any."""
        blocks = "".join(inner._blocks).strip("\n")
        self.add_blocks(blocks, as_is=True)
        self.left_out += inner.left_out
        self.recognized_pages += inner.recognized_pages
        self.uncertain_pages += inner.uncertain_pages
        return bool(blocks)

    def add_heading(self, level: int, words: str) -> None:
        """Add a heading with a level from 1."""
        heading = HeadingBlock(level)
        self.start(heading)
        self.add(words)
        self.end(heading)

    def add_table(self, rows: Iterable[Sequence[str]]) -> None:
        """Add a table, whose first row is its head; empty rows and empty columns at its end are left out."""
        fitting = FittingRows(self._left_characters)
        for row in rows:
            fitting.add(row)
        self._add_rows(fitting)

    def _add_rows(self, rows: FittingRows) -> None:
        """Add a table; of one that is too long, the rows that fit. Raises `TextTooLong` then, too."""
        if rows.columns_beyond:
            self.left_out["hidden-column"] += rows.columns_beyond
        if not rows.count:
            return
        lines = rows.lines(self._left_characters)
        # The line under the head is no row.
        fitting = len(lines) - 1
        if fitting < rows.count and len(lines) <= _HEAD_LINES:
            raise TextTooLong
        self._add("\n".join(lines))
        if fitting < rows.count:
            self._cut = Cut(ROW, fitting, rows.count)
            raise TextTooLong

    # Blocks.

    def _start_block(self, role: Role) -> None:
        self.end_block()
        self._omission = ""
        self.block = role
        # In a cell or a note there are no lists and headings: numbers are only words there.
        if self._frames and isinstance(role, HeadingBlock | NumberedParagraph) and role.mark not in ("", "-"):
            self._add_run(Run(f"{role.mark} "))

    def _end_block_of(self, role: Role) -> None:
        """End the block that is open and, by its role, the innermost list, or a table in a cell."""
        self.end_block()
        self.block = ParagraphBlock()
        if isinstance(role, ItemList | ListItem):
            self._item_begun = False
        if isinstance(role, ItemList) and self._lists:
            self._lists.pop()
        # `end` sends only tables in cells here while a table is open.
        if isinstance(role, Table) and self._table is not None:
            self._table.inner_tables -= 1

    def _add_block_with(self, text: str) -> None:
        """Add the open block, whose words are `text`, in the form that its role has in Markdown."""
        match self.block:
            case HeadingBlock(level, mark):
                self._add(f"{'#' * max(1, min(level, 6))} {_one_line(f'{mark} {text}')}")
            case FencedCode():
                code = text.rstrip().strip("\n")
                self._add(fenced(code))
            case NumberedParagraph(level, mark):
                self._add_item(level, mark, text.strip())
            case _ if self._item_begun and self._lists:
                self._add_item(len(self._lists) - 1, self._count_item(), text.strip())
            case _:
                self._add(text.strip())

    def _count_item(self) -> str:
        """Count an item of the innermost list, and return its mark."""
        items = self._lists[-1]
        if items.first is None:
            return "-"
        self._lists[-1] = replace(items, first=items.first + items.step)
        return f"{written(items.first, items.form)}."

    def _add_item(self, depth: int, mark: str, text: str) -> None:
        indent = "   " * min(depth, _DEEPEST)
        of_next_lines = f"\n{indent}{' ' * (min(len(mark), _WIDEST_MARK) + 1)}"
        self._add(f"{indent}{mark} {text}".replace("\n", of_next_lines), is_item=True)

    def _add(self, block: str, *, is_item: bool = False) -> None:
        """Add a block of Markdown. Items have no empty line between them."""
        block, invisible = without_invisible(block)
        self.left_out[INVISIBLE] += invisible
        if not block:
            return
        self._left_characters -= len(block)
        if self._left_characters < 0:
            raise TextTooLong
        self._blocks += ["\n" if is_item and self._last_is_item else _BETWEEN, block]
        self._last_is_item = is_item

    # Frames.

    def _open(self, role: TableCell | Footnote | Link) -> OpenFrame:
        frame = OpenFrame(role, self._look, self.block)
        self._frames.append(frame)
        return frame

    def _end_frame(self, role: Footnote | Link) -> None:
        """End the innermost frame with a role, and all that are open in it. Does nothing if there is none."""
        if any(frame.role == role for frame in self._frames):
            while self._end_innermost() != role:
                pass

    def _end_innermost(self) -> Role:
        """End the innermost frame: its words go to the frame or the block around it. Returns its role."""
        frame = self._frames.pop()
        text = marked(frame.words)
        match frame.role:
            case TableCell():
                # Cells are open only in a table.
                if self._table is not None and not self._table.end_cell(frame.role, text.strip()):
                    self.left_out["hidden-text"] += 1
                self._open_length = 0
            case Footnote():
                self._notes.append(text.strip())
                self._words.append(Run(f"[^{len(self._notes)}]"))
                self._look = frame.look_around
                self.block = frame.block_around
            case Link(address):
                # The spaces around the words are not part of the link. A link of spaces alone stays as it is.
                inner = text.strip() or text
                self._add_run(Run(text.replace(inner, linked(inner, address), 1)))
                self.block = frame.block_around
        return frame.role

    # Tables.

    def _start_table(self) -> None:
        """Begin a table. A table in a cell of the open one is only counted."""
        if self._table is None:
            self._table = TableRows(self._left_characters)
        else:
            self._table.inner_tables += 1

    def _end_cell(self) -> None:
        """End the open cell with all frames in it. Does nothing if no cell is open."""
        while self._table is not None and self._table.cell is not None:
            self._end_innermost()

    def _end_table(self) -> None:
        """End the open table, if there is one, and add it.

        A layout table (never two filled cells in a row) becomes one block per row.
        """
        self._end_cell()
        self.end_block()
        table = self._table
        self._table = None
        if table is None:
            return
        table.end_row()
        if table.rows.is_table:
            self._add_rows(table.rows)
        else:
            self.add_blocks(*table.rows.blocks)


def _takes_cells(table: TableRows | None) -> TypeGuard[TableRows]:
    """Return whether a table is open, and no table in its cells: the rows and cells that come next belong to it."""
    return table is not None and table.inner_tables == 0


def _one_line(text: str) -> str:
    return " ".join(text.split())
