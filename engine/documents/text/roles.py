"""What the elements of a document are: the roles that readers give them while they walk through a file.

A reader calls `MarkedText.start` and `MarkedText.end` with the role of an element, and adds its words in between.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


@dataclass(frozen=True, slots=True)
class Through:
    """Nothing by itself: what is in the element belongs to what is around it."""


@dataclass(frozen=True, slots=True)
class ParagraphBlock:
    """A paragraph, or another block that is shown as one."""


@dataclass(frozen=True, slots=True)
class FencedCode:
    """A block whose spaces and line ends stay as they are."""


@dataclass(frozen=True, slots=True)
class HeadingBlock:
    """A heading. `level` counts from 1; `mark` is its number as it is shown, such as "3.", or ""."""

    level: int
    mark: str = ""


@dataclass(frozen=True, slots=True)
class NumberedParagraph:
    """A paragraph that is an item of a list by itself, as in Office.

    `level` is 0 in the outermost list. `mark` is the number as it is shown, such as "3." or "b)", or "-".
    """

    level: int
    mark: str


@dataclass(frozen=True, slots=True)
class ItemList:
    """A list around its items, as in HTML. `first` is the number of its first item; None for a list with bullets.

    `form` is that of its numbers, by Office's name (see `number_forms.written`); `step` is -1 where it counts down.
    """

    first: int | None = None
    form: str = "decimal"
    step: int = 1


@dataclass(frozen=True, slots=True)
class ListItem:
    """An item of an `ItemList`, which counts it from `number` on if it has one; its first block gets the mark."""

    number: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table around its rows."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table, around its cells."""


class MergedDown(Enum):
    """Whether a cell is merged with others of its column, in files that have an element for each of them."""

    NO = auto()
    # It is the first of the merged cells, whose words all of them show.
    BEGINS = auto()
    # It shows the words of the cell above it. If that is not merged, it shows its own, and is the first.
    GOES_ON = auto()


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell, which takes this many columns and rows of its table.

    `rows` is for files without elements for the cells that it covers in later rows; for others, `merged` tells.
    """

    columns: int = 1
    rows: int = 1
    merged: MergedDown = MergedDown.NO


@dataclass(frozen=True, slots=True)
class Footnote:
    """A footnote, an endnote or a comment. Its place gets a mark such as "[^1]"; its words come after the text."""


@dataclass(frozen=True, slots=True)
class Link:
    """Words that lead to an address."""

    address: str


Role = (
    Through
    | ParagraphBlock
    | FencedCode
    | HeadingBlock
    | NumberedParagraph
    | ItemList
    | ListItem
    | Table
    | TableRow
    | TableCell
    | Footnote
    | Link
)
