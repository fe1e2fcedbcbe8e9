"""Where the cells of RTF tables are: each row says where its cells end, and how they are merged."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from engine.documents.text.fitting_rows import MOST_COLUMNS
from engine.documents.text.roles import MergedDown, TableCell

# What a row says of the cell that the next "cellx" ends.
_MERGES = {"clvmgf": MergedDown.BEGINS, "clvmrg": MergedDown.GOES_ON}
CELL_WORDS = ("trowd", "trleft", "cellx", *_MERGES)
# What tells which rows are of one table: paragraphs that are in none stand between tables. The rows of tables in cells
# are apart.
_OUTLINE = re.compile(rb"\\(?:(trowd|row|pard|intbl|par|sect|page|nesttableprops|nestrow)(?![a-z])|cellx(-?\d{1,9}))")
# Ends of cells that are nearer than this are of one column: half a millimetre, in twentieths of a point.
_NEAR = 28


@dataclass(slots=True)
class _RichRow:
    """What a row says of its cells, in the order of the file."""

    # Where it begins, and where each cell ends.
    left: int = 0
    ends: list[int] = field(default_factory=list)
    merges: list[MergedDown] = field(default_factory=list)
    # Of the cell that is described now.
    merge: MergedDown = MergedDown.NO


class RichTables:
    """Tells for each cell how many columns it takes. A column ends wherever a cell of some row of the table ends."""

    def __init__(self, data: bytes) -> None:
        # The ends of columns of each table, by the places in the file where descriptions of its rows begin.
        self._columns = _columns_of_tables(data)
        self._ends: list[int] = []
        self._shape = _RichRow()
        # How many cells of the row have begun.
        self._cells = 0

    def describe(self, word: str, number: int, place: int) -> None:
        """Apply one of `CELL_WORDS`, which is at a place in the file."""
        shape = self._shape
        match word:
            case "trowd":
                self._shape = _RichRow()
                self._ends = self._columns.get(place, [])
            case "trleft":
                shape.left = number
            case "cellx":
                shape.ends.append(number)
                shape.merges.append(shape.merge)
                shape.merge = MergedDown.NO
            case _:
                shape.merge = _MERGES[word]

    def next_cells(self) -> list[TableCell]:
        """Return the cell that begins now, after an empty one if its row begins farther to the right than others."""
        index = self._cells
        self._cells += 1
        shape = self._shape
        if index >= len(shape.ends):
            return [TableCell()]
        if index > 0:
            left = shape.ends[index - 1]
            return [TableCell(self._columns_between(left, shape.ends[index]), merged=shape.merges[index])]
        first = TableCell(self._columns_between(shape.left, shape.ends[0]), merged=shape.merges[0])
        columns_before = sum(end <= shape.left + _NEAR for end in self._ends)
        return [TableCell(columns_before), first] if columns_before else [first]

    def end_row(self) -> None:
        """Begin a row: the next cell is its first one. The description of the row before may hold for it, too."""
        self._cells = 0

    def _columns_between(self, left: int, right: int) -> int:
        return max(1, sum(left + _NEAR < end <= right + _NEAR for end in self._ends))


def _columns_of_tables(data: bytes) -> dict[int, list[int]]:
    """Return where the columns of tables end, by the places of the control words that begin their rows."""
    # The ends of cells of each table, and the number of its table for each row.
    tables: list[set[int]] = [set()]
    table_by_row: dict[int, int] = {}
    in_table = False
    in_cell_table = False
    for match in _OUTLINE.finditer(data):
        word = (match[1] or b"").decode()
        if word in ("nesttableprops", "nestrow"):
            in_cell_table = word == "nesttableprops"
        elif in_cell_table:
            continue
        elif word == "trowd":
            in_table = True
            table_by_row[match.start()] = len(tables) - 1
        elif word in ("pard", "intbl"):
            in_table = word == "intbl"
        elif not word:
            tables[-1].add(int(match[2]))
        elif word != "row" and not in_table and tables[-1]:
            tables.append(set())
    columns = list(map(_apart, tables))
    return {place: columns[table] for place, table in table_by_row.items()}


def _apart(ends: set[int]) -> list[int]:
    """Return the first numbers in order, at most MOST_COLUMNS, without those that are near the one before."""
    apart: list[int] = []
    for end in sorted(ends):
        if not apart or end - apart[-1] > _NEAR:
            apart.append(end)
    return apart[:MOST_COLUMNS]
