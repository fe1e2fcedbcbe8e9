"""The text of ODT, ODS and ODP files, as LibreOffice writes them."""

from __future__ import annotations

import re
from itertools import compress, count
from math import inf
from xml.etree.ElementTree import Element

from engine.documents.marked_text import CELL, NOTE, PARAGRAPH, ROW, TABLE, THROUGH, MarkedText, Role
from engine.documents.mathml import latex_of
from engine.documents.numbering import written
from engine.documents.office import OfficeReader, linked
from engine.documents.zipped_parts import Encrypted, ZippedParts, resolved

_LEFT_OUT = "automatic-styles binary-data date-string desc forms index-title-template note-citation notes ruby-text"
_NUMBERS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_VALUES = ("string-value", "date-value", "time-value", "boolean-value", "value", "formula")
# What formulas begin with, and the brackets and points around the addresses in them.
_NOTATION = re.compile(r"^\w+:(?==)|\[\.?|(?<=:)\.|\]")
_UNSEEN = ("collapse", "filter")
# What is repeated more often is there once, with its number.
_MOST_REPEATED = 1000
_UNITS = {"in": 1, "cm": 2.54, "mm": 25.4, "pt": 72}
_LENGTH = re.compile(r"(-?\d*\.?\d+)(cm|mm|in|pt)")
_MOVED = re.compile(r"translate\s*\(\s*(\S+)\s+([^\s)]+)")
# Inches: less is no row of its own.
_SAME_ROW = 0.1


class OpenTextReader(OfficeReader):
    """Reads ODT files, with all revisions accepted."""

    _run = ""

    def __init__(self, parts: ZippedParts, text: MarkedText) -> None:
        super().__init__(parts, text)
        if next(parts.xml("META-INF/manifest.xml").iter("encryption-data"), None) is not None:
            raise Encrypted
        self._common = parts.sound_xml("styles.xml", text)
        self._styles = dict[tuple[str | None, str | None], Element]()
        # The levels of the styles of lists, and with the name "" those of headings.
        self._levels = dict[str, dict[int, Element]]()
        for one in (*self._common.iter(), *self._main.iter()):
            if one.tag == "style":
                self._styles[one.get("family"), one.get("name")] = one
            elif one.tag in ("list-style", "outline-style"):
                name = one.get("name", "") if one.tag == "list-style" else ""
                self._levels[name] = {_count(level, "level"): level for level in one}
        self._counts: dict[str, dict[int, int]] = {}
        # The styles of the lists around, and whether an item has begun and says nothing so far.
        self._lists, self._begun = list[str](), False
        self._unseen, self._unseen_columns = set[int](), set[int]()
        self._meanings = dict.fromkeys(_LEFT_OUT.split())
        self._meanings |= {"p": self._paragraph, "h": self._paragraph, "list": self._list, "list-item": self._item}
        self._meanings |= dict.fromkeys(("span", "section", "hidden-text", "custom-shape"), self._visible)
        self._meanings |= {"note": NOTE, "annotation": self._annotation, "tracked-changes": self._changes}
        self._meanings |= {"table": TABLE, "table-row": self._row, "tab": "\t", "line-break": "\n"}
        self._meanings |= {"frame": self._frame, "object": self._object, "math": latex_of}
        # That of a picture is no text, that of a chart has paragraphs.
        self._meanings["title"] = lambda one: THROUGH if len(one) else None
        self._meanings["a"] = lambda one: linked(one.get("href", ""))
        self._meanings["s"] = lambda one: " " * min(_count(one, "c"), _MOST_REPEATED)

    def read(self) -> None:
        headers, footers = (
            {"".join(one.itertext()): one for one in self._common.iter(tag)}.values() for tag in ("header", "footer")
        )
        for part in (*headers, self._main, *footers):
            self._walk(part)
            self._text.end_block()
        self._text.finish()

    def _style(self, family: str, element: Element, attribute: str) -> str:
        """Return an attribute of an element, its style or the nearest that this is based on; "" if none has it."""
        if attribute in element.attrib:
            return element.attrib[attribute]
        name, seen = element.get("style-name"), set[str | None]()
        while (style := self._styles.get((family, name))) is not None and name not in seen:
            for properties in style:
                if attribute in properties.attrib:
                    return properties.attrib[attribute]
            seen.add(name)
            name = style.get("parent-style-name")
        return ""

    def _visible(self, element: Element) -> Role | None:
        family = "text" if element.tag == "span" else "paragraph"
        if (
            self._style(family, element, "display") == "none"
            or element.get("is-hidden") == "true"
            or (element.tag == "p" and element.find(".//hidden-paragraph[@is-hidden='true']") is not None)
        ):
            if "".join(element.itertext()).strip():
                self._text.left_out["hidden-text"] += 1
            return None
        return THROUGH

    def _changes(self, changes: Element) -> None:
        self._text.left_out["deleted-text"] += sum(one.tag in ("deletion", "previous") for one in changes.iter())

    def _annotation(self, annotation: Element) -> Role:
        for date in annotation.findall("date"):
            annotation.remove(date)
        return NOTE

    def _paragraph(self, paragraph: Element) -> Role | None:
        if self._visible(paragraph) is None:
            return None
        is_heading, level, mark = paragraph.tag == "h", _count(paragraph, "outline-level"), ""
        if self._begun:
            self._begun, mark = False, self._mark(self._lists[-1], len(self._lists))
        elif is_heading and paragraph.get("is-list-header") != "true":
            mark = self._mark("", level)
        if is_heading:
            return Role("heading", level, mark.removeprefix("-"))
        return Role("numbered paragraph", len(self._lists) - 1, mark) if mark else PARAGRAPH

    def _list(self, element: Element) -> None:
        self._lists.append(style := element.get("style-name") or (self._lists[-1] if self._lists else ""))
        if len(self._lists) == 1 and element.get("continue-numbering") != "true" and not element.get("continue-list"):
            self._counts.pop(style, None)
        self._walk(element)
        self._text.end_block()
        self._lists.pop()
        self._begun = False

    def _item(self, item: Element) -> Role:
        self._begun = True
        if start := item.get("start-value"):
            self._counts.setdefault(self._lists[-1], {})[len(self._lists)] = int(start) - 1
        return THROUGH

    def _mark(self, style: str, level: int) -> str:
        """Count a paragraph, and return its number; "-" if none is shown."""
        levels = self._levels.get(style, {})
        if (own := levels.get(level)) is None or not own.get("num-format"):
            return "-"
        counts = self._counts[style] = {
            one: count for one, count in self._counts.get(style, {}).items() if one <= level
        }
        counts[level] = counts.get(level, _count(own, "start-value") - 1) + 1
        numbers = [
            written(counts.get(one, 1), _NUMBERS.get(form, "decimal"))
            for one in range(level + 1 - _count(own, "display-levels"), level + 1)
            if one in levels and (form := levels[one].get("num-format"))
        ]
        return f"{own.get('num-prefix', '')}{'.'.join(numbers)}{own.get('num-suffix', '')}".strip()

    def _row(self, row: Element) -> None:
        says = any(map(_says, row))
        repeated = _count(row, "number-rows-repeated") if says else 1
        if says and row.get("visibility") in _UNSEEN:
            self._text.left_out["hidden-row"] += repeated
            return
        for _ in range(repeated if repeated <= _MOST_REPEATED else 1):
            self._text.start(ROW)
            column = 0
            for cell in row:
                column += self._add_cell(cell, column)
            self._text.end(ROW)
        if repeated > _MOST_REPEATED:
            self._text.start(ROW)
            self._text.start(CELL)
            self._text.add(f"[{repeated} rows like this]")
            self._text.end(ROW)

    def _add_cell(self, cell: Element, column: int) -> int:
        """Add a cell as often as it is repeated, and return how often."""
        repeated, says = _count(cell, "number-columns-repeated"), _says(cell)
        if says and column in self._unseen:
            self._unseen_columns.add(column)
            says = False
        for _ in range(min(repeated, _MOST_REPEATED) if says else 1):
            self._text.start(CELL if says else Role("cell", repeated))
            if says and cell.find("p") is None:
                self._text.add(_NOTATION.sub("", next(filter(None, map(cell.get, _VALUES)), "")))
            if says:
                self._walk(cell)
            self._text.end(CELL)
        return repeated

    def _frame(self, frame: Element) -> Role | None:
        described = frame.findtext("desc") or frame.findtext("title")
        if described and frame.find("image") is not None and frame.find("object") is None:
            self._text.add(f"[{' '.join(described.split())}]")
        return self._visible(frame)

    def _object(self, reference: Element) -> str | None:
        root = self._parts.sound_xml(resolved("", f"{reference.get('href', '')}/content.xml"), self._text)
        if root.tag == "math":
            return latex_of(root)
        self._text.end_block()
        self._walk(root)
        return None


class OpenSheetsReader(OpenTextReader):
    """Reads ODS files: each sheet that is shown, with what its cells show."""

    def read(self) -> None:
        for changes in self._main.iterfind("body/spreadsheet/tracked-changes"):
            self._changes(changes)
        # Others are the data of charts, which are in cells.
        self._meanings["table"] = None
        for sheet in self._main.iterfind("body/spreadsheet/table"):
            if self._style("table", sheet, "display") == "false":
                self._text.left_out["hidden-sheet"] += 1
                continue
            self._text.add_heading(2, sheet.get("name", ""))
            unseen = list[bool]()
            for one in sheet.iter("table-column"):
                many = min(_count(one, "number-columns-repeated"), _MOST_REPEATED)
                unseen += [one.get("visibility") in _UNSEEN] * many
            self._unseen = set(compress(count(), unseen))
            self._add(sheet, TABLE)
            self._text.left_out["hidden-column"] += len(self._unseen_columns)
            self._unseen_columns.clear()
        self._text.finish()


class OpenSlidesReader(OpenTextReader):
    """Reads ODP files: what each slide that is shown has, from top to bottom, and its notes."""

    def read(self) -> None:
        self._meanings["g"] = self._group
        for number, page in enumerate(self._main.iterfind("body/presentation/page"), 1):
            if self._style("drawing-page", page, "visibility") == "hidden":
                self._text.left_out["hidden-slide"] += 1
                continue
            title = page.find("frame[@class='title']")
            self._text.add_heading(2, f"{number}. {_lines(title)}")
            if title is not None:
                page.remove(title)
            self._group(page)
            self._walk(page)
            self._text.end_block()
            if said := _lines(page.find("notes/frame[@class='notes']")):
                self._text.add_blocks(f"Notes: {said}")
        self._text.finish()

    def _group(self, group: Element) -> Role:
        group[:] = sorted(group, key=_place)
        return THROUGH


def _count(element: Element, attribute: str) -> int:
    """Return how often something is there."""
    return int(element.get(attribute, "1"))


def _says(cell: Element) -> bool:
    return len(cell) > 0 or any(map(cell.get, _VALUES))


def _lines(frame: Element | None) -> str:
    if frame is None:
        return ""
    for one in frame.iter():
        if one.tag in ("line-break", "tab", "s"):
            one.text = " "
    return "\n".join("".join(one.itertext()) for one in frame.iter("p")).strip()


def _place(shape: Element) -> tuple[float, float]:
    """Return the row and the column in which a shape begins, or the first one of a group."""
    y, x = shape.get("y", shape.get("y1", "")), shape.get("x", shape.get("x1", ""))
    if moved := _MOVED.search(shape.get("transform", "")):
        x, y = moved[1], moved[2]
    if not y:
        return min(map(_place, shape), default=(inf, inf))
    return round(_length(y) / _SAME_ROW), _length(x)


def _length(text: str) -> float:
    """Return a length in inches."""
    found = _LENGTH.match(text)
    return float(found[1]) / _UNITS[found[2]] if found else 0
