"""The text of XLSX files: a table for each sheet that is shown, with the values that its formulas had."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from xml.etree.ElementTree import Element

from engine.documents.marked_text import MarkedText
from engine.documents.zipped_parts import ZippedParts, value

# The numbers of the formats of dates and times that are built in, those of East Asian Excel among them.
_DATES = {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}
# What in a format is text, a colour or a language; [h] is a time.
_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^\]]*\]', re.IGNORECASE)


class SheetsReader:
    """Adds the sheets of a workbook to `text`: dates by ISO 8601, other numbers without their format."""

    def __init__(self, parts: ZippedParts, text: MarkedText) -> None:
        self._parts, self._text = parts, text
        self._book, self._related = parts.xml(parts.main), parts.related(parts.main)
        self._shared = [_cell_text(one) for one in parts.xml(self._related.get("sharedStrings", ""))]
        styles = parts.xml(self._related.get("styles", ""))
        codes = {one.get("numFmtId"): one.get("formatCode", "") for one in styles.iter("numFmt")}
        numbers = [one.get("numFmtId", "0") for one in styles.iterfind("cellXfs/xf")]
        self._kinds = {str(style): _kind(int(number), codes.get(number, "")) for style, number in enumerate(numbers)}
        # Day 0; until 1900-03-01, Excel counts a day that there was not.
        old = value(self._book, "workbookPr", "date1904") in ("1", "true")
        self._first = datetime(1904, 1, 1) if old else datetime(1899, 12, 30)

    def read(self) -> None:
        for sheet in self._book.iter("sheet"):
            name = self._related.get(sheet.get("id", ""), "")
            if sheet.get("state", "visible") == "visible" and "worksheet" in name:
                self._text.add_heading(2, sheet.get("name", ""))
                self._text.add_table([list(self._cells(row)) for row in self._parts.xml(name).iter("row")])

    def _cells(self, row: Element) -> Iterator[str]:
        """Yield the texts of a row, with "" for cells that are not there."""
        column = 0
        for cell in row.iter("c"):
            place = 0
            for letter in cell.get("r", "").rstrip("0123456789")[:3]:
                place = 26 * place + ord(letter) - ord("A") + 1
            yield from [""] * (place - 1 - column)
            column = max(column + 1, place)
            yield self._shown(cell)

    def _shown(self, cell: Element) -> str:
        content, kind = cell.findtext("v") or "", cell.get("t", "n")
        if kind == "inlineStr":
            return _cell_text(cell.iterfind("is/*"))
        if kind == "s" and content:
            return self._shared[int(content)]
        if kind == "b":
            return "TRUE" if content == "1" else "FALSE"
        return (
            self._number(float(content), self._kinds.get(cell.get("s", "0"), ""))
            if kind == "n" and content
            else content
        )

    def _number(self, number: float, kind: str) -> str:
        if kind == "percent":
            return f"{number * 100:.15g}%"
        if kind == "duration":
            minutes, seconds = divmod(round(number * 86_400), 60)
            return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
        if kind != "date" or not 0 <= number < 2_958_466:
            return f"{number:.15g}"
        moment = self._first + timedelta(seconds=round(number * 86_400))
        day, clock = moment.date().isoformat(), moment.time().isoformat()
        return clock if number < 1 else day if clock == "00:00:00" else f"{day} {clock}"


def _kind(number: int, code: str) -> str:
    """Return what numbers with a format are: "date", "duration", "percent" or ""."""
    # The first section is for positive numbers.
    code = _LITERAL.sub("", code).partition(";")[0].lower()
    if re.search(r"\[[hms]+\]", code) or number == 46:
        return "duration"
    if (re.search("[ymdhs年月日]", code) and "general" not in code) or (not code and number in _DATES):
        return "date"
    return "percent" if "%" in code or number in (9, 10) else ""


def _cell_text(runs: Iterable[Element]) -> str:
    """Return the text of a string, whose runs may have formats, without its reading aids."""
    return "".join(one.text or "" for run in runs if run.tag != "rPh" for one in run.iter("t"))
