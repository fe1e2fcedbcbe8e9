"""The text of XLSX files: a table for each sheet that is shown, with what its cells show."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from xml.etree.ElementTree import Element

from engine.documents.marked_text import MarkedText, linked
from engine.documents.number_formats import BUILT_IN, shown
from engine.documents.zipped_parts import ZippedParts, skipping_damage, value

# A text or the name of a sheet, or the address of a cell that is no part of a name.
_REFERENCE = re.compile(r""""[^"]*"|'[^']*'|(?<![\w.$])(\$?)([A-Z]{1,3})(\$?)([1-9]\d{0,6})(?![\w.(!])""")
_LINK = re.compile(r'HYPERLINK\("([^"]+)"')
# What is before the names of functions that the first version of the format did not have.
_NEWER = re.compile(r"_xl(?:fn|ws|pm)\.")
_TRUE = ("1", "true")


class SheetsReader:
    """Adds the sheets of a workbook to `text`; a formula without a stored value stands for itself."""

    def __init__(self, parts: ZippedParts, text: MarkedText) -> None:
        self._parts, self._text = parts, text
        self._book, self._related = parts.xml(parts.main), parts.related(parts.main)
        shared = parts.sound_xml(self._related.get("sharedStrings", ""), text)
        self._shared = {str(number): _cell_text(one) for number, one in enumerate(shared)}
        styles = parts.sound_xml(self._related.get("styles", ""), text)
        codes = {one.get("numFmtId", ""): one.get("formatCode", "") for one in styles.iter("numFmt")}
        numbers = (one.get("numFmtId", "0") for one in styles.iterfind("cellXfs/xf"))
        self._codes = {str(at): codes.get(one) or BUILT_IN.get(int(one), "") for at, one in enumerate(numbers)}
        # Day 0; until 1900-03-01, Excel counts a day that there was not.
        old = value(self._book, "workbookPr", "date1904") in _TRUE
        self._first = datetime(1904, 1, 1) if old else datetime(1899, 12, 30)
        # Programs that do not compute leave formulas empty, or write 0 for each and that all are to be computed.
        self._unknown = ("", "0") if value(self._book, "calcPr", "fullCalcOnLoad") in _TRUE else ("",)

    def read(self) -> None:
        for sheet in self._book.iter("sheet"):
            name = self._related.get(sheet.get("id", ""), "")
            if sheet.get("state", "visible") != "visible":
                self._text.left_out["hidden-sheet"] += 1
                continue
            self._text.add_heading(2, sheet.get("name", ""))
            with skipping_damage(self._text):
                self._add_sheet(self._parts.xml(name), self._parts.related(name))

    def _add_sheet(self, sheet: Element, related: dict[str, str]) -> None:
        self._links = {_first(one): related.get(one.get("id", "")) for one in sheet.iter("hyperlink")}
        notes = self._parts.sound_xml(related.get("comments", ""), self._text).iter("comment")
        # In a thread of comments, words for older programs come first.
        self._notes = {_first(one): _cell_text(one).rpartition("\nComment:\n")[2].strip() for one in notes}
        # The formulas that cells share, and where the first of them is.
        self._formulas = dict[str, tuple[str, int, int]]()
        spans = (one for one in sheet.iterfind("cols/col") if one.get("hidden") in _TRUE)
        hidden = [range(int(one.get("min", "1")), int(one.get("max", "1")) + 1) for one in spans]
        rows, left_out, number = list[list[str]](), set[int](), 0
        for row in sheet.iter("row"):
            number = int(row.get("r", number + 1))
            texts = dict(self._texts(row, number))
            if texts and row.get("hidden") in _TRUE:
                self._text.left_out["hidden-row"] += 1
                continue
            unseen = {column for column in texts if any(column in span for span in hidden)}
            left_out |= unseen
            rows.append(["" if at in unseen else texts.get(at, "") for at in range(1, max(texts, default=0) + 1)])
        self._text.add_table(rows)
        self._text.left_out["hidden-column"] += len(left_out)
        boxes = self._parts.sound_xml(related.get("drawing", ""), self._text).iter("txBody")
        self._text.add_blocks(*("\n".join(_cell_text([line]) for line in box.iter("p")) for box in boxes))

    def _texts(self, row: Element, number: int) -> Iterator[tuple[int, str]]:
        """Yield the columns of the cells that show something, and what they show."""
        column = 0
        for cell in row.iter("c"):
            column = _column(cell.get("r", "")) or column + 1
            text = self._shown(cell, column, number)
            if address := self._links.get(cell.get("r", "")):
                text = linked(text, address)
            if note := self._notes.get(cell.get("r", "")):
                text += f" [Note: {note}]"
            if text:
                yield column, text

    def _shown(self, cell: Element, column: int, row: int) -> str:
        kind, content, formula = cell.get("t", "n"), cell.findtext("v"), self._formula(cell, column, row)
        # A text may be known to be empty.
        if formula and (content or "") in self._unknown and (kind != "str" or content is None):
            return formula
        content = content or ""
        if kind == "inlineStr":
            content = _cell_text(cell.iterfind("is/*"))
        elif kind == "s":
            content = self._shared.get(content, "")
        elif kind == "b":
            content = "TRUE" if content == "1" else "FALSE"
        elif kind == "n" and content:
            with suppress(ValueError):
                content = shown(float(content), self._codes.get(cell.get("s", "0"), ""), self._first)
        return linked(content, link[1]) if (link := _LINK.search(formula)) else content

    def _formula(self, cell: Element, column: int, row: int) -> str:
        """Return the formula of a cell, which may be that of another one, from where that is; "" if it has none."""
        if (element := cell.find("f")) is None:
            return ""
        text, shared = element.text or "", element.get("si", "")
        if text:
            self._formulas[shared] = text, column, row
        elif shared and shared in self._formulas:
            text, from_column, from_row = self._formulas[shared]
            text = _moved(text, column - from_column, row - from_row)
        return f"={_NEWER.sub('', text)}" if text else ""


def _moved(formula: str, columns: int, rows: int) -> str:
    def moved(found: re.Match[str]) -> str:
        if not found[2]:
            return found[0]
        column = found[2] if found[1] else _letters(_column(found[2]) + columns)
        return f"{found[1]}{column}{found[3]}{found[4] if found[3] else int(found[4]) + rows}"

    return _REFERENCE.sub(moved, formula)


def _first(element: Element) -> str:
    """Return the first cell that something is for."""
    return element.get("ref", "").partition(":")[0]


def _column(place: str) -> int:
    """Return the number of a cell's column; 0 if its place is not said."""
    number = 0
    for letter in place.rstrip("0123456789")[:3]:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def _letters(column: int) -> str:
    letters = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _cell_text(runs: Iterable[Element]) -> str:
    """Return the text of a string, whose runs may have formats, without its reading aids."""
    return "".join(one.text or "" for run in runs if run.tag != "rPh" for one in run.iter("t"))
