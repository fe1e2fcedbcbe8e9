"""What the tables of DOCX files show: their rows and cells, and whether they only place things on a page."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from engine.documents.text.marked_text import LeftOut
from engine.documents.text.roles import MergedDown
from engine.documents.text.table_rows import only_places
from engine.documents.text.xml_values import integer, is_on

# What is seen of a run whatever its letters are like.
DRAWN = ("AlternateContent", "commentReference", "drawing", "endnoteReference", "footnoteReference", "object", "pict")
# What stands around rows, cells or tables without being shown: content controls, and marks of other programs.
TRANSPARENT = ("customXml", "sdt", "sdtContent")
# Rows with a fixed height below this many twentieths of a point show nothing of their text.
_FLAT_ROW = 40


def places_things(table: Element) -> bool:
    """Return whether a table only places things on a page."""
    rows = [list(children_of(row, "tc")) for row in children_of(table, "tr")]
    has_tables = any(cell.find(".//tbl") is not None for cells in rows for cell in cells)
    return only_places([[_has_content(cell) for cell in cells] for cells in rows], has_tables=has_tables)


def row_omission(row: Element) -> LeftOut:
    """Return why a row is left out; "" for one that is shown."""
    if row.find("trPr/del") is not None:
        return "deleted-text"
    return "hidden-text" if is_on(row, "trPr/hidden") or _is_flat(row) else ""


def children_of(element: Element, tag: str) -> Iterator[Element]:
    """Yield the children of a table or a row that have a tag, also those in content controls."""
    for child in element:
        if child.tag == tag:
            yield child
        elif child.tag in TRANSPARENT:
            yield from children_of(child, tag)


def _is_flat(row: Element) -> bool:
    """Return whether a row has a fixed height in which no text is seen. A height of 0 is none."""
    height = row.find("trPr/trHeight")
    return height is not None and height.get("hRule") == "exact" and 0 < integer(height.get("val")) < _FLAT_ROW


def _has_content(cell: Element) -> bool:
    """Return whether a cell has words, a number of a list, or something drawn."""
    shown = ("numPr", *DRAWN)
    return any((element.tag == "t" and element.text) or element.tag in shown for element in cell.iter())


def merged_down(cell: Element) -> MergedDown:
    """Return whether a cell is merged with others of its column."""
    merge = cell.find("tcPr/vMerge")
    if merge is None:
        return MergedDown.NO
    return MergedDown.BEGINS if merge.get("val") == "restart" else MergedDown.GOES_ON


def without_words(row: Element) -> Element:
    """Return a row with only the properties of its cells."""
    empty = Element("tr")
    for cell in children_of(row, "tc"):
        empty_cell = Element("tc")
        empty_cell.extend(cell.findall("tcPr"))
        empty.append(empty_cell)
    return empty
