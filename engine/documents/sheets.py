"""The text of XLSX files: a table for each sheet that is shown, with what its cells show."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from xml.etree.ElementTree import Element

from engine.documents.marked_text import MarkedText, linked
from engine.documents.number_formats import BUILT_IN, shown
from engine.documents.office import lines
from engine.documents.zipped_parts import ZippedParts, skipping_damage, value

_LINK = re.compile(r'HYPERLINK\("([^"]+)"')
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
        links = sheet.iter("hyperlink")
        self._links = {one.get("ref", "").partition(":")[0]: related.get(one.get("id", "")) for one in links}
        notes = self._parts.sound_xml(related.get("comments", ""), self._text).iter("comment")
        # In a thread of comments, words for older programs come first.
        self._notes = {one.get("ref"): _cell_text(one).rpartition("\nComment:\n")[2].strip() for one in notes}
        self._formulas = dict[str, str]()
        self._text.add_table(map(self._row, sheet.iter("row")))
        drawing = self._parts.sound_xml(related.get("drawing", ""), self._text)
        self._text.add_blocks(*map(lines, drawing.iter("txBody")))

    def _row(self, row: Element) -> list[str]:
        texts: list[str] = []
        for cell in row.iter("c"):
            place = cell.get("r", "")
            texts += [""] * (_column(place) - 1 - len(texts))
            text = self._shown(cell, self._formula(cell, place))
            if address := self._links.get(place):
                text = linked(text, address)
            texts.append(f"{text} [Note: {note}]" if (note := self._notes.get(place)) else text)
        if row.get("hidden") in _TRUE and any(texts):
            self._text.left_out["hidden-row"] += 1
            return []
        return texts

    def _shown(self, cell: Element, formula: str) -> str:
        kind, content = cell.get("t", "n"), cell.findtext("v")
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

    def _formula(self, cell: Element, place: str) -> str:
        """Return the formula of a cell, or that of the first cell that it is shared with; "" if it has none."""
        if (element := cell.find("f")) is None:
            return ""
        shared = element.get("si", place)
        if not element.text:
            return self._formulas.get(shared, "")
        self._formulas[shared] = f"={element.text} (as in {place}, moved)"
        return f"={element.text}"


def _column(place: str) -> int:
    """Return the number of a cell's column; 0 if its place is not said."""
    letters = reversed(place.rstrip("0123456789")[:3])
    return sum(26**index * (ord(letter) - ord("A") + 1) for index, letter in enumerate(letters))


def _cell_text(runs: Iterable[Element]) -> str:
    """Return the text of a string, whose runs may have formats, without its reading aids."""
    return "".join(one.text or "" for run in runs if run.tag != "rPh" for one in run.iter("t"))
