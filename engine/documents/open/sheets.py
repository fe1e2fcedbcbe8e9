"""The columns and cells of ODS sheets: which are hidden, and the values and styles of cells that do not say them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from itertools import pairwise
from xml.etree.ElementTree import Element

from engine.documents.open.letters import OpenStyles
from engine.documents.text.hidden_columns import HiddenColumns
from engine.documents.text.roles import MergedDown
from engine.documents.text.xml_values import integer

# The visibilities of rows and columns that are not shown.
COLLAPSED = ("collapse", "filter")
# What is repeated more often only fills the sheet, and is there once.
MOST_REPEATED = 1000
# What a sheet of LibreOffice has.
_MOST_COLUMNS = 16_384
# The attributes that have the value of a cell without text, the first one that is there.
_VALUES = ("string-value", "date-value", "time-value", "boolean-value", "value", "formula")
# What formulas begin with, and the brackets and points around the addresses in them.
_NOTATION = re.compile(r"^\w+:(?==)|\[\.?|(?<=:)\.|\]")

# A formula that makes its cell lead to an address.
_LINK = re.compile(r'HYPERLINK\("([^"]+)"')
# The attribute that `mark_merged` gives to cells, with the name of their `MergedDown`.
_MERGED = "merged-down"


def has_content(cell: Element) -> bool:
    """Return whether a cell has text or a value."""
    return len(cell) > 0 or any(map(cell.get, _VALUES))


def shown_value(cell: Element) -> str:
    """Return the value or the formula of a cell without text; "" if it has none."""
    value = next(filter(None, map(cell.get, _VALUES)), "")
    return _NOTATION.sub("", value)


def link_by_formula(cell: Element) -> None:
    """Make the paragraphs of a cell links if its formula says where they lead."""
    address = _LINK.search(cell.get("formula", ""))
    if address is None:
        return
    for paragraph in cell.iterfind("p"):
        # A row that is repeated has the same cells.
        if paragraph.find("a") is None:
            link = Element("a", href=address[1])
            link.text = paragraph.text
            link[:] = list(paragraph)
            paragraph.text = None
            paragraph[:] = [link]


def column_styles(sheet: Element) -> list[str]:
    """Return the usual style of cells in each column ("" for none), as far as a column has one; [] if none has."""
    styles: list[str] = []
    for column in sheet.iter("table-column"):
        repeated = min(integer(column.get("number-columns-repeated"), 1), _MOST_COLUMNS - len(styles))
        styles += [column.get("default-cell-style-name", "")] * repeated
    return styles if any(styles) else []


def name_styles(row: Element, of_columns: list[str]) -> None:
    """Give the cells of a row that name no style the style of the row, or else of their column."""
    usual = row.get("default-cell-style-name", "")
    if not usual and not of_columns:
        return
    column = 0
    for cell in row:
        of_column = of_columns[column] if column < len(of_columns) else ""
        cell.attrib.setdefault("style-name", usual or of_column)
        column += integer(cell.get("number-columns-repeated"), 1)


def mark_merged(row: Element, rows_left: dict[int, int]) -> None:
    """Mark the cells of a row that are merged with others of their column, and count the row in `rows_left`.

    `rows_left` has, for each first column of a merged cell, how many rows this takes from here on.
    """
    cells: list[Element] = []
    column = 0
    for cell in row:
        repeated = integer(cell.get("number-columns-repeated"), 1)
        if cell.tag == "covered-table-cell" and rows_left:
            cells += _covered_cells(cell, range(column, column + repeated), rows_left)
        else:
            cells.append(cell)
            rows = integer(cell.get("number-rows-spanned"), 1)
            if rows > 1:
                cell.set(_MERGED, MergedDown.BEGINS.name)
                rows_left[column] = rows
        column += repeated
    row[:] = cells
    repeated_rows = integer(row.get("number-rows-repeated"), 1)
    for taken, rows in list(rows_left.items()):
        if rows > repeated_rows:
            rows_left[taken] = rows - repeated_rows
        else:
            del rows_left[taken]


def merged_down(cell: Element) -> MergedDown:
    """Return how a cell is merged with others of its column, as `mark_merged` has found."""
    return MergedDown[cell.get(_MERGED, MergedDown.NO.name)]


def _covered_cells(cell: Element, columns: range, rows_left: Mapping[int, int]) -> list[Element]:
    """Return a covered cell that is repeated in columns as cells of which each goes on with what is above, or not."""
    # Where what is above begins or ends.
    edges = {edge for column in rows_left for edge in (column, column + 1)}
    firsts = [columns.start, *sorted(edge for edge in edges if edge in columns[1:])]
    cells: list[Element] = []
    for first, end in pairwise([*firsts, columns.stop]):
        part = copy(cell)
        part.set("number-columns-repeated", str(end - first))
        if first in rows_left:
            part.set(_MERGED, MergedDown.GOES_ON.name)
        cells.append(part)
    return cells


def hidden_columns(sheet: Element, styles: OpenStyles) -> HiddenColumns:
    """Return the columns of a sheet that are hidden, are in a group that is closed, or have no width."""
    hidden = HiddenColumns()
    groups = (group for group in sheet.iter("table-column-group") if group.get("display") == "false")
    in_groups = {column for group in groups for column in group.iter("table-column")}
    first = 0
    for column in sheet.iter("table-column"):
        end = first + integer(column.get("number-columns-repeated"), 1)
        is_hidden = column.get("visibility") in COLLAPSED or column in in_groups
        if is_hidden or _is_nothing(_width(column, styles)):
            hidden.add(first, end)
        first = end
    return hidden


@dataclass(slots=True)
class _Covering:
    """A cell that takes several columns, all of them hidden so far; `column` is the first."""

    cell: Element
    column: int


def remove_hidden(row: Element, hidden: HiddenColumns) -> None:
    """Remove the cells of hidden columns from a row, and add the columns that had content to `hidden`.

    What a cell shows in columns beside the hidden one that it begins in stays.
    """
    shown: list[Element] = []
    covering: _Covering | None = None
    first = 0
    for cell in row:
        end = first + integer(cell.get("number-columns-repeated"), 1)
        seen = hidden.seen_between(first, end)
        is_covered = cell.tag != "table-cell"
        if covering is not None and not is_covered:
            # It ends here, and was not seen anywhere.
            hidden.left_out.add(covering.column)
            covering = None
        if covering is not None and seen:
            # This column is the first in which it is seen.
            shown.append(covering.cell)
            covering = None
            seen -= 1
        if seen:
            cell.set("number-columns-repeated", str(seen))
            shown.append(cell)
        elif not is_covered and has_content(cell):
            if integer(cell.get("number-columns-spanned"), 1) > 1:
                covering = _Covering(cell, first)
            else:
                hidden.left_out.update(range(first, min(end, first + MOST_REPEATED, _MOST_COLUMNS)))
        first = end
    if covering is not None:
        hidden.left_out.add(covering.column)
    row[:] = shown


def _width(column: Element, styles: OpenStyles) -> str:
    """Return the width of a column with its unit; "" if nothing says it."""
    given = column.get("column-width")
    return given or styles.said("table-column", column.get("style-name", ""), "column-width") or ""


def _is_nothing(width: str) -> bool:
    number = width.rstrip("abcdefghijklmnopqrstuvwxyz%")
    return bool(number) and not number.strip("0.")
