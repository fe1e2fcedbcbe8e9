"""The text of XLSX files: a table for each sheet that is shown, with what its cells show."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime
from xml.etree.ElementTree import Element

from engine.documents.cell_styles import CellRun, CellStyle, cell_styles, string_runs
from engine.documents.drawn_letters import drawn_lines
from engine.documents.hidden_columns import HiddenColumns
from engine.documents.letters import PLAIN, Run, marked
from engine.documents.marked_text import MarkedText, linked
from engine.documents.number_formats import hides_texts, shown
from engine.documents.zipped_parts import ZippedParts, integer, skipping_damage, value

_LINK = re.compile(r'HYPERLINK\("([^"]+)"')
_TRUE = ("1", "true")
# What a sheet has.
_MOST_COLUMNS = 16_384
# What may colour cells, beside their own styles.
_COLOURING = ("conditionalFormatting", "picture", "tableParts")


class SheetsReader:
    """Adds the sheets of a workbook to `text`; a formula without a stored value stands for itself."""

    def __init__(self, parts: ZippedParts, text: MarkedText) -> None:
        self._parts, self._text = parts, text
        self._book = parts.xml(parts.main)
        self._related = parts.related(parts.main)
        shared = parts.sound_xml(self._related.get("sharedStrings", ""), text)
        self._shared = {str(number): string_runs(one) for number, one in enumerate(shared)}
        styles = cell_styles(parts.sound_xml(self._related.get("styles", ""), text))
        self._styles = {str(number): style for number, style in enumerate(styles)}
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
        self._notes = {one.get("ref"): _note_text(one).rpartition("\nComment:\n")[2].strip() for one in notes}
        self._formulas = dict[str, str]()
        self._has_plain_colours = not any(one.tag in _COLOURING for one in sheet)
        self._hidden = _hidden_columns(sheet)
        self._shown_columns = _shown_columns(sheet, self._hidden)
        self._text.add_table(map(self._row, sheet.iter("row")))
        if self._hidden.left_out:
            self._text.left_out["hidden-column"] += len(self._hidden.left_out)
        drawing = self._parts.sound_xml(related.get("drawing", ""), self._text)
        self._text.add_blocks(*map(drawn_lines, drawing.iter("txBody")))

    def _row(self, row: Element) -> list[str]:
        texts: list[str] = []
        is_hidden = row.get("hidden") in _TRUE or _is_nothing(row.get("ht"))
        has_said = False
        for cell in row.iter("c"):
            place = cell.get("r", "")
            texts += [""] * (_column(place) - 1 - len(texts))
            # Others may share it.
            formula = self._formula(cell, place)
            column = self._shown_columns.get(place, len(texts) + 1)
            if is_hidden or column in self._hidden:
                has_said = has_said or _says(cell)
                if not is_hidden and _says(cell):
                    self._hidden.left_out.add(column)
                texts.append("")
                continue
            texts += [""] * (column - 1 - len(texts))
            texts.append(self._noted(cell, formula, place))
        if is_hidden and has_said:
            self._text.left_out["hidden-row"] += 1
        if not self._hidden:
            return texts
        return [text for column, text in enumerate(texts, 1) if column not in self._hidden]

    def _noted(self, cell: Element, formula: str, place: str) -> str:
        """Return what a cell shows, with its link and its note."""
        text = self._shown(cell, formula)
        if address := self._links.get(place):
            text = linked(text, address)
        return f"{text} [Note: {note}]" if (note := self._notes.get(place)) else text

    def _shown(self, cell: Element, formula: str) -> str:
        """Return what a cell shows. What its style hides is counted."""
        style = self._styles.get(cell.get("s", "0"), CellStyle())
        texts = self._content(cell, formula, style)
        seen = style.seen(texts, has_plain_colours=self._has_plain_colours)
        self._hide([text for text in texts if text not in seen])
        content = marked(Run(text.words, style.font_of(text).letters) for text in seen)
        return linked(content, link[1]) if (link := _LINK.search(formula)) else content

    def _content(self, cell: Element, formula: str, style: CellStyle) -> list[CellRun]:
        """Return what is in a cell, as its format shows it."""
        kind = cell.get("t", "n")
        content = cell.findtext("v")
        # A text may be known to be empty.
        if formula and (content or "") in self._unknown and (kind != "str" or content is None):
            is_hidden = hides_texts(style.number_format) and not shown(1, style.number_format)
            if is_hidden:
                self._hide([CellRun(formula)])
            return [] if is_hidden else [CellRun(formula)]
        content = content or ""
        if kind == "inlineStr":
            texts = [run for string in cell.iterfind("is") for run in string_runs(string)]
        elif kind == "s":
            texts = self._shared.get(content, [])
        elif kind == "b":
            texts = [CellRun("TRUE" if content == "1" else "FALSE")]
        elif kind == "n" and content:
            texts = [CellRun(self._number(content, style.number_format))]
        else:
            texts = [CellRun(content)]
        if kind in ("inlineStr", "s", "str", "b") and hides_texts(style.number_format):
            self._hide(texts)
            return []
        return texts

    def _hide(self, texts: list[CellRun]) -> None:
        if any(text.words.strip() for text in texts):
            self._text.left_out["hidden-text"] += 1

    def _number(self, content: str, code: str) -> str:
        with suppress(ValueError):
            number = float(content)
            text = shown(number, code, self._first)
            # Many formats show nothing for 0.
            if number and not text:
                self._text.left_out["hidden-text"] += 1
            return text
        return content

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


def _hidden_columns(sheet: Element) -> HiddenColumns:
    found = HiddenColumns()
    columns = [(integer(one.get("min"), 1), one) for one in sheet.iterfind("cols/col")]
    for first, column in sorted(columns, key=lambda pair: pair[0]):
        if column.get("hidden") in _TRUE or _is_nothing(column.get("width")):
            found.add(first, integer(column.get("max"), first) + 1)
    return found


def _shown_columns(sheet: Element, hidden: HiddenColumns) -> dict[str, int]:
    """Return where cells show what they have that begin in a hidden column, and are merged with others beside it."""
    found: dict[str, int] = {}
    for merged in sheet.iterfind("mergeCells/mergeCell") if hidden else ():
        begin, _, end = merged.get("ref", "").partition(":")
        first = _column(begin)
        last = min(_column(end), _MOST_COLUMNS)
        seen = (column for column in range(first, last + 1) if column not in hidden)
        if first in hidden and (column := next(seen, 0)):
            found[begin] = column
    return found


def _is_nothing(size: str | None) -> bool:
    """Return whether a width or a height is 0."""
    try:
        return size is not None and float(size) == 0
    except ValueError:
        return False


def _says(cell: Element) -> bool:
    return any(one.text and one.text.strip() for one in cell.iter() if one.tag in ("f", "t", "v"))


def _note_text(note: Element) -> str:
    """Return the text of a note, whose runs may have formats, without its reading aids."""
    runs = (run for text in note.iter("text") for run in string_runs(text))
    return marked(Run(run.words, run.font.letters if run.font else PLAIN) for run in runs)
