"""Tables on pages of PDF files, which only place words: their columns are told by where the words are.

pypdf's text of a page has the words of a row with single spaces, so that an empty cell is gone; its layout of the page
has the same words where they are, with spaces between. Lines with wide gaps and the same words in both are a table.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, chain, pairwise
from math import inf
from statistics import mode
from types import MappingProxyType
from typing import NamedTuple

from engine.documents.pdf_heights import LOWERED, RAISED
from engine.documents.pdf_items import ITEM_MARK
from engine.documents.pdf_rules import PageRules, RuledTable
from engine.documents.pdf_struck_words import STRUCK

# Cells in a line of the layout have several spaces between them.
_CELL = re.compile(r"\S+(?: \S+)*")
# A number beside other words may be a cell of its own: narrow columns have one space between them.
_MAYBE_TWO_CELLS = re.compile(r"(?:^| )[-+(]?[\d.,]*\d[%)]?(?: |$)")
# Layouts have words that are written from the right in the wrong order.
_FROM_THE_RIGHT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_SPACES = re.compile(r"\s+")
# What the layout does not have.
_SIGNS = (RAISED, LOWERED)
_SPACES_OR_SIGNS = re.compile(rf"[\s{RAISED}{LOWERED}]+")
_LEAST_ROWS = 2
# The texts of cells begin at the same place but for roundings, in points.
_SAME_PLACE = 0.5
# Cells of one column may be so many places apart.
_NEAR = 2


class _PlacedCell(NamedTuple):
    """A cell of a line, which takes the places from `start` to the one before `end`."""

    words: str
    start: int
    end: int


class _LineRange(NamedTuple):
    """Lines of a text from `first` to the one before `end`."""

    first: int
    end: int


class _RowPlace(NamedTuple):
    """The height of a row, and the places from the left where the texts of its cells begin, in points."""

    height: float
    lefts: Sequence[float]


class _LinePlaces(NamedTuple):
    """Where the lines of a page and their texts are, by the letters of each, and the lines that are drawn."""

    lefts: Mapping[str, Sequence[float]]
    heights: Mapping[str, float]
    rules: PageRules | None

    def row(self, line: str, cells: Sequence[_PlacedCell]) -> _RowPlace | None:
        """Return where a line of a layout is, or its cells if each is a line of the page's text; None if unknown.

        The height is that of the most cells: the text of one that takes several rows may stand between these.
        """
        letters = _letters(line)
        lines = [letters] if letters in self.heights else [_letters(cell.words) for cell in cells]
        heights = [self.heights[letters] for letters in lines if letters in self.heights]
        lefts = sorted({*chain.from_iterable(self.lefts.get(letters, ()) for letters in lines)})
        if len(heights) < len(lines) or len(lefts) != len(cells):
            return None
        return _RowPlace(mode(heights), lefts)


def with_tables(
    content: str,
    layout: str,
    lefts: Mapping[str, Sequence[float]],
    heights: Mapping[str, float] = MappingProxyType({}),
    rules: PageRules | None = None,
) -> str:
    """Return the text of a page in which tables are tables, by the page's layout.

    `lefts` are the places where the texts of a line begin, in points, by the letters of the line, as far as known, and
    `heights` are those of the lines. By these and the `rules` of the page, cells that take several rows or columns give
    their text to each of them.
    A table whose columns are not certain is a fenced block with the spaces between its words.
    """
    places = _LinePlaces(lefts, heights, rules)
    lines = content.split("\n")
    plain = [_SPACES_OR_SIGNS.sub("", line) for line in lines]
    starts = list(accumulate(map(len, plain), initial=0))
    joined = "".join(plain)
    place = 0
    parts: list[str] = []
    done = 0
    for rows in _runs(layout, lefts):
        words = _SPACES.sub("", "".join(rows))
        begin = joined.find(words, place)
        place_in_text = _lines_between(starts, begin, begin + len(words)) if begin >= 0 else None
        if place_in_text is None:
            continue
        words_of_text = sum(len(line.split()) for line in lines[place_in_text.first : place_in_text.end])
        if words_of_text > sum(len(row.split()) for row in rows):
            # The layout has words without the space between them, which may be numbers.
            continue
        lines_of_table = lines[place_in_text.first : place_in_text.end]
        parts += [*lines[done : place_in_text.first], "", _table(_with_signs(rows, lines_of_table), places), ""]
        done = place_in_text.end
        place = begin + len(words)
    return "\n".join([*parts, *lines[done:]]) if parts else content


def _runs(layout: str, lefts: Mapping[str, Sequence[float]]) -> list[list[str]]:
    """Return the lines of a layout that may be the rows of a table, table by table.

    A line of one cell is a row if it begins where a cell of the row before begins, but for the first of these.
    """
    runs: list[list[str]] = [[]]
    # Where the cells of the row before begin; none where that is not known, or is of one cell.
    columns: Sequence[float] = ()
    for line in layout.split("\n"):
        if not line.strip():
            continue
        places = lefts.get(_letters(line), ())
        is_row = _count_cells(line) > 1
        is_cell = len(places) == 1 and any(abs(place - places[0]) <= _SAME_PLACE for place in columns[1:])
        if (is_row or is_cell) and not _FROM_THE_RIGHT.search(line):
            runs[-1].append(line)
            columns = places if is_row else columns
        elif runs[-1]:
            runs.append([])
            columns = ()
    return [run for run in runs if len(run) >= _LEAST_ROWS]


def _with_signs(rows: list[str], lines: list[str]) -> list[str]:
    """Return rows with the signs that lines of the text have, which else have the same letters in the same order."""
    letters = iter(_SPACES.sub("", "".join(lines)))
    return ["".join(place if place.isspace() else _next_letter(letters) for place in row) for row in rows]


def _next_letter(letters: Iterator[str]) -> str:
    """Return the next letter, with the signs before it."""
    signs = ""
    for letter in letters:
        signs += letter
        if letter not in _SIGNS:
            break
    return signs


def _count_cells(line: str) -> int:
    """Return how many cells a line of a layout may have."""
    cells = _CELL.findall(line)
    if cells and ITEM_MARK.fullmatch(cells[0]):
        del cells[0]
    return len(cells)


def _lines_between(starts: list[int], begin: int, end: int) -> _LineRange | None:
    """Return which lines have the characters from `begin` to `end`; None if these are not whole lines.

    `starts` is where each line starts among all characters that are no spaces, and where the last one ends.
    """
    first = bisect_left(starts, begin)
    last = bisect_left(starts, end)
    is_whole = first < len(starts) and last < len(starts) and starts[first] == begin and starts[last] == end
    # Lines without words have the place of the one after them.
    while is_whole and first + 1 < len(starts) and starts[first + 1] == begin:
        first += 1
    return _LineRange(first, last) if is_whole else None


def _table(rows: list[str], places: _LinePlaces) -> str:
    """Return rows as a table in Markdown, or as they are if their columns are not certain."""
    cells = [[_PlacedCell(match[0], match.start(), match.end()) for match in _CELL.finditer(row)] for row in rows]
    lefts = [places.lefts.get(_letters(row), ()) for row in rows]
    columns = _columns_by_lefts(cells, lefts)
    if columns is None:
        columns = _columns_by_layout(cells)
    if columns is None:
        indent = min(len(row) - len(row.lstrip()) for row in rows)
        return "\n".join(["```table", *(row[indent:].rstrip() for row in rows), "```"])
    width = max(chain.from_iterable(columns)) + 1
    texts = [[""] * width for _ in rows]
    for text, row, placed in zip(texts, columns, cells, strict=True):
        for column, cell in zip(row, placed, strict=True):
            text[column] = cell.words.replace("|", r"\|")
    if places.rules is not None:
        _fill_merged(
            texts, columns, [places.row(row, placed) for row, placed in zip(rows, cells, strict=True)], places.rules
        )
    lines = [f"| {' | '.join(text)} |" for text in texts]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def _fill_merged(
    texts: list[list[str]], columns: Sequence[Sequence[int]], rows: Sequence[_RowPlace | None], rules: PageRules
) -> None:
    """Have cells that take several rows or columns give their text to each, if all places of the table are known."""
    known = [row for row in rows if row is not None]
    if len(known) == len(rows):
        places = [dict(zip(row, place.lefts, strict=True)) for row, place in zip(columns, known, strict=True)]
        RuledTable([place.height for place in known], places, rules).fill(texts)


def _columns_by_layout(cells: Sequence[Sequence[_PlacedCell]]) -> list[list[int]] | None:
    """Return the columns of the cells of rows; None if they are not certain."""
    ends = _ends_of_columns(list(chain.from_iterable(cells)))
    columns = [[bisect_right(ends, cell.start) for cell in row] for row in cells]
    if any(len(set(row)) < len(row) for row in columns):
        return None
    # Where no cell is empty, two that are taken for one are beside each other in each row.
    is_full = all(len(row) == len(ends) for row in cells)
    may_be_two = any(_MAYBE_TWO_CELLS.search(cell.words) for cell in chain.from_iterable(cells) if " " in cell.words)
    return columns if is_full or not may_be_two else None


def _columns_by_lefts(
    cells: Sequence[Sequence[_PlacedCell]], lefts: Sequence[Sequence[float]]
) -> list[list[int]] | None:
    """Return the columns of cells by the places where the texts of each row begin, in points.

    None if these are not known, or if not each cell is one text that begins at the place of a cell of the fullest row.
    """
    if any(len(row) != len(places) for row, places in zip(cells, lefts, strict=True)):
        return None
    places = sorted(chain.from_iterable(lefts))
    begins = [place for before, place in pairwise([-inf, *places]) if place - before > _SAME_PLACE]
    if len(begins) > max(map(len, cells)):
        return None
    columns = [[bisect_right(begins, place) - 1 for place in row] for row in lefts]
    return columns if all(len(set(row)) == len(row) for row in columns) else None


def _letters(words: str) -> str:
    """Return what both a line of the text and one of the layout have."""
    return _SPACES_OR_SIGNS.sub("", words.replace(STRUCK, ""))


def _ends_of_columns(cells: list[_PlacedCell]) -> list[int]:
    """Return where columns end: cells that are above each other, even in part, are of one column.

    The places are those of letters of the same width, so that they differ a little from those on the page.
    """
    ends: list[int] = []
    for cell in sorted(cells, key=lambda cell: cell.start):
        if ends and cell.start < ends[-1] + _NEAR:
            ends[-1] = max(ends[-1], cell.end)
        else:
            ends.append(cell.end)
    return ends
