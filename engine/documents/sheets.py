"""The text of XLSX files: a table for each sheet that is shown, with the values that its formulas had."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from xml.etree.ElementTree import Element

from engine.documents.marked_text import MarkedText
from engine.documents.zipped_parts import ZippedParts, child, value

# The numbers of the formats of dates and times that are built in, those of East Asian Excel among them.
_DATES = {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}
_PERCENT = {9, 10}
# What in a format is text, a colour or a language; [h] is a time.
_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^\]]*\]', re.IGNORECASE)
_DURATION = re.compile(r"\[[hms]+\]")
_OF_DATES = re.compile(r"[ymdhs年月日]", re.IGNORECASE)
_COLUMN = re.compile(r"[A-Z]{1,3}")


def read_sheets(parts: ZippedParts, text: MarkedText) -> None:
    book, related = parts.xml(parts.main), parts.related(parts.main)
    shared = [_said(one) for one in parts.xml_or_none(related.get("sharedStrings", ""))]
    kinds = _kinds_of_styles(parts.xml_or_none(related.get("styles", "")))
    # Day 0; until 1900-03-01, Excel counts a day that there was not.
    first = (
        datetime(1904, 1, 1) if value(book, "workbookPr", name="date1904") in ("1", "true") else datetime(1899, 12, 30)
    )
    for sheet in book.iter("sheet"):
        name = related.get(sheet.get("id", ""), "")
        if sheet.get("state", "visible") != "visible" or "worksheet" not in name:
            continue
        text.heading(2, sheet.get("name", ""))
        rows = [list(_cells(row, shared, kinds, first)) for row in parts.xml(name).iter("row")]
        text.table(rows)


def _cells(row: Element, shared: list[str], kinds: list[str], first: datetime) -> Iterator[str]:
    """Yield the texts of a row, with "" for cells that are not there."""
    column = 0
    for cell in row.iter("c"):
        place = 0
        for letter in found[0] if (found := _COLUMN.match(cell.get("r", ""))) else "":
            place = 26 * place + ord(letter) - ord("A") + 1
        while column < place - 1:
            yield ""
            column += 1
        column += 1
        yield _shown(cell, shared, kinds, first)


def _shown(cell: Element, shared: list[str], kinds: list[str], first: datetime) -> str:
    """Return the value of a cell as it is shown, roughly: dates by ISO 8601, other numbers without their format."""
    inside = cell.find("is")
    if inside is not None:
        return _said(inside)
    found = child(cell, "v")
    content = (found.text or "") if found is not None else ""
    match cell.get("t", "n"):
        case "s":
            return shared[int(content)] if content else ""
        case "b":
            return "TRUE" if content == "1" else "FALSE"
        case "n" if content:
            style = int(cell.get("s", "0"))
            return _number(float(content), kinds[style] if style < len(kinds) else "", first)
    return content


def _number(number: float, kind: str, first: datetime) -> str:
    if kind == "percent":
        return f"{number * 100:.15g}%"
    if kind == "duration":
        minutes, seconds = divmod(round(number * 86_400), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    if kind != "date" or not 0 <= number < 2_958_466:
        return f"{number:.15g}"
    moment = first + timedelta(seconds=round(number * 86_400))
    day, clock = moment.date().isoformat(), moment.time().isoformat()
    return clock if number < 1 else day if clock == "00:00:00" else f"{day} {clock}"


def _kinds_of_styles(styles: Element) -> list[str]:
    """Return what the numbers in cells of each style are: "date", "duration", "percent" or ""."""
    codes = {one.get("numFmtId"): one.get("formatCode", "") for one in styles.iter("numFmt")}
    kinds = []
    for style in child(styles, "cellXfs") or ():
        number = style.get("numFmtId", "0")
        # The first section is for positive numbers.
        code = _LITERAL.sub("", codes.get(number, "")).partition(";")[0].lower()
        if _DURATION.search(code) or number == "46":
            kinds.append("duration")
        elif (_OF_DATES.search(code) and "general" not in code) or (not code and int(number) in _DATES):
            kinds.append("date")
        else:
            kinds.append("percent" if "%" in code or int(number) in _PERCENT else "")
    return kinds


def _said(element: Element) -> str:
    """Return the text of a string, whose runs may have formats, without its reading aids."""
    return "".join(one.text or "" for run in element if run.tag != "rPh" for one in run.iter("t"))
