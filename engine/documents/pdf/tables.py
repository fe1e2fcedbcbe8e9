"""Tables on pages of PDF files, which only place words: their columns are told by the lines around, or by wide gaps."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, groupby, pairwise
from statistics import mode
from typing import NamedTuple

from engine.documents.pdf.lines import LinePiece, rows_of
from engine.documents.pdf.objects import Box
from engine.documents.pdf.rules import PageRules, RuledTable
from engine.documents.pdf.structure import PageHeading
from engine.documents.text.letters import Letters, Run, marked

# Lines meet, and texts begin at the same place, but for this many points.
_NEAR = 1.5
_SAME_PLACE = 0.5
# How far apart the texts of two columns are at least, in points.
_LEAST_GAP = 2.0
# How much of its size a piece's middle stands above its line.
_MIDDLE = 0.2
_LEAST_ROWS = 2
# The share of a table's cells that have a text.
_LEAST_FILLED = 0.2
# Pages with more pairs of lines that may cross are drawings.
_MOST_CROSSINGS = 100_000
# How much larger the letters of one row of a table may be than the letters of another, where no lines are around it.
_LARGER = 1.5
# How wide a letter of a table is whose columns are not certain, in sizes of its font.
_LETTER_WIDTH = 0.5


class _RuledGrid(NamedTuple):
    """The places of the upright lines and the heights of the level lines that lie around the cells of a table."""

    sides: list[float]
    heights: list[float]

    def has(self, piece: LinePiece) -> bool:
        """Return whether a piece stands in one of the cells."""
        return (
            piece.is_level
            and self.sides[0] - _NEAR <= piece.left
            and piece.right <= self.sides[-1] + _NEAR
            and self.heights[0] < _middle(piece) < self.heights[-1]
        )

    def column_of(self, piece: LinePiece) -> int:
        """Return the number of the column in which a piece begins, from the left."""
        return max(0, bisect_right(self.sides, piece.left + _NEAR) - 1)

    def row_of(self, piece: LinePiece) -> int:
        """Return the number of the row of a piece, from below."""
        return bisect_right(self.heights, _middle(piece)) - 1


class _PlacedRow(NamedTuple):
    """The pieces of a row by their columns, from the left in each."""

    cells: Mapping[int, Sequence[LinePiece]]

    @property
    def pieces(self) -> list[LinePiece]:
        """Return all pieces."""
        return list(chain.from_iterable(self.cells.values()))


def text_of(pieces: Sequence[LinePiece], lines: Sequence[Box]) -> str:
    """Return the text of a page in which tables are tables in Markdown.

    `lines` are those that it draws: cells that take several rows or columns give their text to each of them, where the
    lines say so. A table whose columns are not certain is a fenced block with the spaces between its words.
    """
    rules = PageRules()
    for line in lines:
        rules.add_line(line)
    # What stands in the place of the first piece of each ruled table, and the pieces that are in these.
    tables: dict[int, str] = {}
    taken: set[int] = set()
    for grid in _grids(lines):
        inside = [index for index, piece in enumerate(pieces) if index not in taken and grid.has(piece)]
        members = [pieces[index] for index in inside]
        rows = _rows_in(_with_columns_by_gaps(grid, members), members)
        if _is_table(rows):
            tables[inside[0]] = _markdown(rows, rules)
            taken.update(inside)
    blocks: list[str] = []
    free: list[LinePiece] = []
    for index, piece in enumerate(pieces):
        if index in tables:
            blocks += [*_blocks_by_gaps(free, rules), tables[index]]
            free = []
        if index not in taken:
            free.append(piece)
    return "\n".join([*blocks, *_blocks_by_gaps(free, rules)])


def _is_table(rows: Sequence[_PlacedRow]) -> bool:
    """Return whether rows between lines are a table; charts have a few words between many lines."""
    columns = {column for row in rows for column in row.cells}
    filled = sum(len(row.cells) for row in rows)
    is_filled = filled >= _LEAST_FILLED * len(rows) * (max(columns, default=0) + 1)
    return len(rows) >= _LEAST_ROWS and len(columns) > 1 and is_filled


def _grids(lines: Sequence[Box]) -> list[_RuledGrid]:
    """Return the places of lines that cross each other in several rows and columns."""
    grids: list[_RuledGrid] = []
    for group in _crossing(lines):
        upright = [line for line in group if line.height > line.width]
        level = [line for line in group if line.width > line.height]
        # A table may be open at its ends.
        sides = [(line.left + line.right) / 2 for line in upright]
        sides += [min(line.left for line in level), max(line.right for line in level)]
        heights = [(line.bottom + line.top) / 2 for line in level]
        heights += [min(line.bottom for line in upright), max(line.top for line in upright)]
        grids.append(_RuledGrid(_places(sides), _places(heights)))
    # Two columns have three lines.
    return [grid for grid in grids if min(len(grid.sides), len(grid.heights)) > _LEAST_ROWS]


def _crossing(lines: Sequence[Box]) -> list[list[Box]]:
    """Return the lines that cross or meet others, in groups of those that hang together; none of a drawing."""
    upright = [line for line in lines if line.height > line.width]
    level = sorted((line for line in lines if line.width > line.height), key=lambda line: line.bottom)
    heights = [line.bottom for line in level]
    groups: list[set[Box]] = []
    crossings = 0
    for line in upright:
        near = level[bisect_left(heights, line.bottom - 2 * _NEAR) : bisect_right(heights, line.top + _NEAR)]
        crossed = {other for other in near if other.left - _NEAR <= line.right and line.left <= other.right + _NEAR}
        crossings += len(near)
        if crossings > _MOST_CROSSINGS:
            return []
        if crossed:
            touching = [group for group in groups if not group.isdisjoint(crossed)]
            groups = [group for group in groups if group.isdisjoint(crossed)]
            groups.append({line}.union(crossed, *touching))
    return [sorted(group) for group in groups]


def _places(places: Iterable[float]) -> list[float]:
    """Return different places, in their order."""
    different: list[float] = []
    for place in sorted(places):
        if not different or place - different[-1] > _NEAR:
            different.append(place)
    return different


def _with_columns_by_gaps(grid: _RuledGrid, pieces: Sequence[LinePiece]) -> _RuledGrid:
    """Return a grid in which columns are two or more that no line parts, but gaps in several rows."""
    sides = [*grid.sides]
    for column in range(len(grid.sides) - 1):
        members = [piece for piece in pieces if grid.column_of(piece) == column]
        lines = [[*line] for _, line in groupby(members, key=lambda piece: piece.baseline)]
        if sum(len(line) > 1 for line in lines) >= _LEAST_ROWS and _columns_by_spans(lines) is not None:
            sides += _begins(members)[1:]
    return _RuledGrid(_places(sides), grid.heights)


def _rows_in(grid: _RuledGrid, pieces: Sequence[LinePiece]) -> list[_PlacedRow]:
    """Return the rows of the pieces in a grid, from above."""
    rows: list[_PlacedRow] = []
    for _, members in groupby(sorted(pieces, key=grid.row_of, reverse=True), key=grid.row_of):
        rows += _lines_of_row(grid, list(members))
    return rows


def _lines_of_row(grid: _RuledGrid, pieces: list[LinePiece]) -> list[_PlacedRow]:
    """Return what a row between two lines is: one row, or several if texts of several cells stand in the same lines."""
    lines: list[list[LinePiece]] = []
    for piece in sorted(pieces, key=lambda piece: -piece.baseline):
        if lines and abs(lines[-1][0].baseline - piece.baseline) <= _MIDDLE * piece.size:
            lines[-1].append(piece)
        else:
            lines.append([piece])
    shared = [line for line in lines if len({grid.column_of(piece) for piece in line}) > 1]
    parts = lines if len(shared) > 1 else [list(chain.from_iterable(lines))]
    return [_PlacedRow(_by_column((grid.column_of(piece), piece) for piece in part)) for part in parts]


def _by_column(placed: Iterable[tuple[int, LinePiece]]) -> dict[int, list[LinePiece]]:
    cells: defaultdict[int, list[LinePiece]] = defaultdict(list)
    for column, piece in placed:
        cells[column].append(piece)
    return dict(cells)


def _blocks_by_gaps(pieces: Sequence[LinePiece], rules: PageRules) -> list[str]:
    """Return the lines of pieces, headings, and lines of which several have wide gaps as tables."""
    blocks: list[str] = []
    for heading, lines in groupby(rows_of(pieces), key=_heading_of):
        if heading is None:
            blocks += _tables_and_lines(list(lines), rules)
        else:
            if blocks[-1:] != [""]:
                blocks.append("")
            blocks += [f"{'#' * heading.level} {' '.join(map(_line, lines))}", ""]
    return blocks


def _heading_of(row: Sequence[LinePiece]) -> PageHeading | None:
    """Return the heading that all of a line is of."""
    heading = row[0].heading
    return heading if all(piece.heading == heading for piece in row) else None


def _tables_and_lines(rows: Sequence[list[LinePiece]], rules: PageRules) -> list[str]:
    """Return lines, and tables in place of several lines that have wide gaps."""
    blocks: list[str] = []
    table: list[list[LinePiece]] = []
    for row in [*rows, []]:
        if table and row and _may_follow(table, row):
            table.append(row)
            continue
        blocks += _block(table, rules)
        table = [row] if _counts_cells(row) > 1 else []
        if row and not table:
            blocks.append(_line(row))
    return blocks


def _counts_cells(row: Sequence[LinePiece]) -> int:
    """Return how many cells a line may have: the sign of an item is none, and no text from the right is in a table."""
    if any(piece.is_from_the_right for piece in row):
        return 0
    cells = row[1:] if row and row[0].is_item_mark else row
    return len(cells)


def _may_follow(table: Sequence[Sequence[LinePiece]], row: Sequence[LinePiece]) -> bool:
    """Return whether a line may be a row of a table: it has several cells, or one under a cell but for the first."""
    sizes = sorted((table[-1][0].size, row[0].size))
    if sizes[1] > _LARGER * sizes[0]:
        return False
    if _counts_cells(row) > 1:
        return True
    columns = next(line for line in reversed(table) if len(line) > 1)
    is_cell = any(abs(cell.left - row[0].left) <= _SAME_PLACE for cell in columns[1:])
    return len(row) == 1 and _counts_cells(row) == 1 and is_cell


def _block(table: Sequence[Sequence[LinePiece]], rules: PageRules) -> list[str]:
    """Return what lines with several cells are: a table if there are several such lines."""
    if len(table) < _LEAST_ROWS:
        return [_line(row) for row in table]
    columns = _columns_by_spans(table) or _columns_by_lefts(table)
    if columns is None:
        return [_with_spaces(table)] if _has_wide_gaps(table) else [_line(row) for row in table]
    rows = [_PlacedRow(_by_column(zip(places, row, strict=True))) for places, row in zip(columns, table, strict=True)]
    return [_markdown(rows, rules)]


def _has_wide_gaps(table: Sequence[Sequence[LinePiece]]) -> bool:
    """Return whether the gaps between pieces are wider than those between the words of a line that fills a column."""
    return all(after.left - before.right > before.size for row in table for before, after in pairwise(row))


def _columns_by_spans(table: Sequence[Sequence[LinePiece]]) -> list[list[int]] | None:
    """Return the columns of cells, where those that stand above each other are of one; None if two of a row are."""
    begins = _begins(chain.from_iterable(table))
    columns = [[bisect_right(begins, piece.left) - 1 for piece in row] for row in table]
    return columns if all(len(set(row)) == len(row) for row in columns) else None


def _begins(pieces: Iterable[LinePiece]) -> list[float]:
    """Return where the columns of pieces begin, with a gap before each that no piece crosses."""
    begins: list[float] = []
    end = 0.0
    for piece in sorted(pieces, key=lambda piece: piece.left):
        if not begins or piece.left > end + _LEAST_GAP:
            begins.append(piece.left)
            end = piece.right
        end = max(end, piece.right)
    return begins


def _columns_by_lefts(table: Sequence[Sequence[LinePiece]]) -> list[list[int]] | None:
    """Return the columns of cells by where they begin; None if not each begins where one of the fullest row does."""
    begins: list[float] = []
    for left in sorted(piece.left for piece in chain.from_iterable(table)):
        if not begins or left - begins[-1] > _SAME_PLACE:
            begins.append(left)
    if len(begins) > max(map(len, table)):
        return None
    columns = [[bisect_right(begins, piece.left) - 1 for piece in row] for row in table]
    return columns if all(len(set(row)) == len(row) for row in columns) else None


def _markdown(rows: Sequence[_PlacedRow], rules: PageRules) -> str:
    """Return a table in Markdown, with empty lines around it."""
    width = max(chain.from_iterable(row.cells for row in rows)) + 1
    texts = [[_line(row.cells.get(column, ())).replace("|", r"\|") for column in range(width)] for row in rows]
    lefts = [{column: min(piece.left for piece in cell) for column, cell in row.cells.items()} for row in rows]
    heights = [mode(round(piece.baseline, 1) for piece in row.pieces) for row in rows]
    RuledTable(heights, lefts, rules).fill(texts)
    lines = [f"| {' | '.join(row)} |" for row in texts]
    return "\n".join(["", lines[0], "|" + " --- |" * width, *lines[1:], ""])


def _with_spaces(table: Sequence[Sequence[LinePiece]]) -> str:
    """Return lines with spaces between their pieces, so that these stand about where they are on the page."""
    left = min(row[0].left for row in table)
    lines: list[str] = []
    for row in table:
        line = ""
        for piece in row:
            place = int((piece.left - left) / (_LETTER_WIDTH * max(piece.size, 1)))
            text = marked(piece.runs)
            line = f"{line} {text}" if len(line) >= place and line else line.ljust(place) + text
        lines.append(line)
    return "\n".join(["", "```table", *lines, "```", ""])


def _line(pieces: Iterable[LinePiece]) -> str:
    """Return the text of pieces that stand beside each other."""
    runs: list[Run] = []
    for piece in pieces:
        if runs:
            is_struck = runs[-1].letters.struck and piece.runs[0].letters.struck
            runs.append(Run(" ", Letters(struck=is_struck)))
        runs += piece.runs
    return marked(runs).strip()


def _middle(piece: LinePiece) -> float:
    return piece.baseline + _MIDDLE * piece.size
