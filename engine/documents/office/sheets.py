"""The text of XLSX files: a table for each sheet that is shown, with what its cells show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple
from xml.etree.ElementTree import Element

from engine.documents.archives.attached_files import AttachedFiles, ReadInner
from engine.documents.archives.zipped_parts import ZippedParts
from engine.documents.office.cell_styles import CellRun, CellStyle, cell_styles, string_runs
from engine.documents.office.charts import add_chart_titles
from engine.documents.office.drawn_letters import description, drawn_lines
from engine.documents.office.moved_formulas import column_letters, column_number, moved_formula
from engine.documents.text.damaged_parts import skipping_damage
from engine.documents.text.hidden_columns import HiddenColumns
from engine.documents.text.letters import Run, marked
from engine.documents.text.links import linked
from engine.documents.text.looks import NO_FORMAT, UNKNOWN
from engine.documents.text.marked_text import MarkedText
from engine.documents.text.merged_cells import MergedCells
from engine.documents.text.number_formats import DAY_0, DAY_0_OF_1904, hides_texts, shown
from engine.documents.text.parts import SHEET
from engine.documents.text.xml_values import integer, value
from engine.files.safe_xml import safe_xml

_LINK = re.compile(r'HYPERLINK\("([^"]+)"')
_TRUE = ("1", "true")
# What a sheet has.
_MOST_COLUMNS = 16_384
# The last row that a sheet may have.
_LAST_ROW = 1_048_576


class _CellArea(NamedTuple):
    """The cells of a sheet from one column and row to others."""

    first_column: int
    first_row: int
    last_column: int
    last_row: int

    def has(self, place: str) -> bool:
        is_in_columns = self.first_column <= _column(place) <= self.last_column
        return is_in_columns and self.first_row <= _row_number(place) <= self.last_row


class _SharedFormula(NamedTuple):
    """A formula that several cells share, and the place of the cell for which it is written."""

    text: str
    place: str

    def at(self, place: str) -> str:
        """Return the formula as it is in the cell at a place."""
        columns = _column(place) - _column(self.place)
        return f"={moved_formula(self.text, columns, _row_number(place) - _row_number(self.place))}"


@dataclass(slots=True)
class _Sheet:
    """What is known of the sheet that is read. Cells are named by their places, such as "B7"."""

    # The addresses that cells lead to; None for a place in the workbook.
    links: dict[str, str | None] = field(default_factory=dict)
    notes: dict[str | None, str] = field(default_factory=dict)
    # The formulas that cells share, by their numbers.
    formulas: dict[str, _SharedFormula] = field(default_factory=dict)
    # Where cells may be coloured in other ways than by their styles: by tables, by their values, by a picture.
    coloured: tuple[_CellArea, ...] = ()
    hidden: HiddenColumns = field(default_factory=HiddenColumns)
    # The columns in which cells are seen that begin in a hidden one.
    shown_columns: dict[str, int] = field(default_factory=dict)
    # The last rows of cells that take several rows, by their places.
    last_rows: dict[str, int] = field(default_factory=dict)
    merged: MergedCells = field(default_factory=MergedCells)


class SheetsReader:
    """Adds the sheets of a workbook to `text`; a formula without a stored value stands for itself.

    `read_inner` adds a file that a sheet has in it.
    """

    def __init__(self, parts: ZippedParts, text: MarkedText, read_inner: ReadInner) -> None:
        self._parts = parts
        self._attached = AttachedFiles(text, read_inner)
        self._text = text
        self._book = parts.xml(parts.main)
        self._related = parts.related(parts.main)
        # The strings that cells share, and the styles of cells, by their numbers in the file.
        shared = parts.sound_xml(self._related.get("sharedStrings", ""), text)
        self._shared = {str(number): string_runs(string) for number, string in enumerate(shared)}
        styles = cell_styles(parts.sound_xml(self._related.get("styles", ""), text))
        self._styles = {str(number): style for number, style in enumerate(styles)}
        is_of_1904 = value(self._book, "workbookPr", "date1904") in _TRUE
        self._first_day = DAY_0_OF_1904 if is_of_1904 else DAY_0
        # The values of formulas that were not computed. Programs that do not compute leave formulas empty, or write 0
        # for each and that all are to be computed.
        is_not_computed = value(self._book, "calcPr", "fullCalcOnLoad") in _TRUE
        self._unknown = ("", "0") if is_not_computed else ("",)
        self._sheet = _Sheet()

    def read(self) -> None:
        """Add all sheets that are shown; one that is damaged or missing is counted, and has its heading only."""
        sheets = list(self._book.iter("sheet"))
        visible = [sheet for sheet in sheets if sheet.get("state", "visible") == "visible"]
        if len(visible) < len(sheets):
            self._text.left_out["hidden-sheet"] += len(sheets) - len(visible)
        for number in self._text.wanted_parts(SHEET, [sheet.get("name", "") for sheet in visible]):
            sheet = visible[number - 1]
            name = self._related.get(sheet.get("id", ""), "")
            self._text.add_heading(2, sheet.get("name", ""))
            with skipping_damage(self._text):
                self._add_sheet(safe_xml(self._parts.read(name)), self._parts.related(name))

    def _add_sheet(self, element: Element, related: dict[str, str]) -> None:
        """Add a sheet: its table, and the texts drawn on it. `related` is what its part refers to, by ids and kinds."""
        hidden = _hidden_columns(element)
        self._sheet = _Sheet(
            links={
                link.get("ref", "").partition(":")[0]: related.get(link.get("id", ""))
                for link in element.iter("hyperlink")
            },
            notes=self._notes(related),
            coloured=tuple(self._coloured_areas(element, related)),
            hidden=hidden,
            shown_columns=_shown_columns(element, hidden),
            last_rows=_last_rows(element),
        )
        self._text.add_table(self._rows(element))
        # `_row` has put there the hidden columns that had content.
        if hidden.left_out:
            self._text.left_out["hidden-column"] += len(hidden.left_out)
        # Empty without a drawing.
        drawing_name = related.get("drawing", "")
        drawing = self._parts.sound_xml(drawing_name, self._text)
        self._text.add_blocks(*map(drawn_lines, drawing.iter("txBody")))
        related_to_drawing = self._parts.related(drawing_name)
        for picture in drawing.iter("pic"):
            if value(picture, "nvPicPr/cNvPr", "hidden") not in _TRUE:
                described = (f"[{words}]" for words in map(description, picture.iterfind("nvPicPr/cNvPr")) if words)
                self._text.add_blocks(*described)
                embedded_name = related_to_drawing.get(value(picture, "blipFill/blip", "embed"), "")
                self._parts.show_picture(embedded_name, self._text.pictures)
        for reference in drawing.iter("chart"):
            add_chart_titles(self._parts, related_to_drawing, reference, self._text)
        # Programs that do not know a newer form read the same object once more.
        names = (related.get(embedded.get("id", ""), "") for embedded in element.iter("oleObject"))
        for name in dict.fromkeys(names):
            self._attached.add_part(self._parts, name)

    def _coloured_areas(self, sheet: Element, related: dict[str, str]) -> Iterator[_CellArea]:
        """Yield where cells may have other colours than their styles say."""
        references = [form.get("sqref", "") for form in sheet.iterfind("conditionalFormatting")]
        for part in sheet.iterfind("tableParts/tablePart"):
            table = self._parts.sound_xml(related.get(part.get("id", ""), ""), self._text)
            references.append(table.get("ref", ""))
        if sheet.find("picture") is not None:
            references.append("")
        for reference in references:
            # What does not say its area is everywhere.
            for area in reference.split() or [f"A1:XFD{_LAST_ROW}"]:
                begin, _, end = area.partition(":")
                last = end or begin
                yield _CellArea(_column(begin), _row_number(begin), _column(last), _row_number(last))

    def _notes(self, related: dict[str, str]) -> dict[str | None, str]:
        """Return the notes of a sheet. In a thread of comments, words for older programs come first."""
        notes = self._parts.sound_xml(related.get("comments", ""), self._text).iter("comment")
        return {note.get("ref"): _note_text(note).rpartition("\nComment:\n")[2].strip() for note in notes}

    def _rows(self, sheet: Element) -> Iterator[list[str]]:
        """Yield the texts of the rows in the columns that are shown; what is hidden is counted."""
        hidden = self._sheet.hidden
        number = 0
        for row in sheet.iter("row"):
            number = integer(row.get("r"), number + 1)
            _place_cells(row, number)
            texts = self._row(row)
            if any(texts):
                self._text.left_out["hidden-text"] += self._sheet.merged.fill(number, texts)
            self._keep_merged(row, texts)
            if hidden:
                texts = [text for column, text in enumerate(texts, 1) if column not in hidden]
            yield texts

    def _row(self, row: Element) -> list[str]:
        """Return the texts of a row in all its columns, those that are hidden empty; what is hidden is counted."""
        sheet = self._sheet
        texts: list[str] = []
        is_hidden = row.get("hidden") in _TRUE or _is_nothing(row.get("ht"))
        has_content = False
        for cell in row.iter("c"):
            place = cell.get("r", "")
            texts += [""] * (_column(place) - 1 - len(texts))
            # Others may share it.
            formula = self._formula(cell, place)
            column = sheet.shown_columns.get(place, len(texts) + 1)
            if is_hidden or column in sheet.hidden:
                has_content = has_content or _has_content(cell)
                if not is_hidden and _has_content(cell):
                    sheet.hidden.left_out.add(column)
                texts.append("")
                continue
            texts += [""] * (column - 1 - len(texts))
            texts.append(self._noted(cell, formula, place))
        if is_hidden and has_content:
            self._text.left_out["hidden-row"] += 1
        return texts

    def _keep_merged(self, row: Element, texts: list[str]) -> None:
        """Keep the texts of the cells of a row that are merged with cells below, for those rows.

        `texts` still has the cells of hidden columns.
        """
        sheet = self._sheet
        if not sheet.last_rows:
            return
        for cell in row.iter("c"):
            place = cell.get("r", "")
            if place in sheet.last_rows:
                column = sheet.shown_columns.get(place, _column(place))
                text = texts[column - 1] if column <= len(texts) else ""
                sheet.merged.keep(column, text, sheet.last_rows[place])

    def _noted(self, cell: Element, formula: str, place: str) -> str:
        """Return what a cell shows, with its link and its note."""
        text = self._shown(cell, formula)
        if address := self._sheet.links.get(place):
            text = linked(text, address)
        note = self._sheet.notes.get(place)
        return f"{text} [Note: {note}]" if note else text

    def _shown(self, cell: Element, formula: str) -> str:
        """Return what a cell shows. What its style hides is counted."""
        style = self._styles.get(cell.get("s", "0"), CellStyle())
        if "[" in style.number_format and cell.get("t", "n") == "n":
            with suppress(ValueError):
                style = style.for_number(float(cell.findtext("v") or ""))
        texts = self._content(cell, formula, style.number_format)
        runs = style.looks(texts, has_plain_colours=True)
        are_seen = all(run.look.is_seen for run in runs)
        if not are_seen and any(area.has(cell.get("r", "")) for area in self._sheet.coloured):
            runs = style.looks(texts, has_plain_colours=False)
        content = self._text.seen_words(runs)
        link = _LINK.search(formula)
        return linked(content, link[1]) if link else content

    def _content(self, cell: Element, formula: str, code: str) -> list[CellRun]:
        """Return what is in a cell, as the number format `code` shows it; what the format hides is counted."""
        kind = cell.get("t", "n")
        content = cell.findtext("v")
        # The result of a formula may be known to be the empty text: t="str" with an empty value.
        is_unknown = (content or "") in self._unknown and (kind != "str" or content is None)
        if formula and is_unknown:
            texts = [CellRun(formula)]
            # Its result may be a text or a number: it is hidden if the format shows neither.
            is_hidden = hides_texts(code) and not shown(1, code)
        else:
            texts = self._value(cell, kind, content or "", code)
            is_hidden = kind in ("inlineStr", "s", "str", "b") and hides_texts(code)
        if is_hidden:
            self._count_hidden(texts)
            return []
        return texts

    def _value(self, cell: Element, kind: str, content: str, code: str) -> list[CellRun]:
        """Return what a cell of a `kind` has: a string in its runs of letters, a truth value, or a number.

        `content` is what the file has as its value; `code` is the format for a number.
        """
        if kind == "inlineStr":
            return [run for string in cell.iterfind("is") for run in string_runs(string)]
        if kind == "s":
            return self._shared.get(content, [])
        if kind == "b" and content:
            return [CellRun("TRUE" if content in _TRUE else "FALSE")]
        if kind == "n" and content:
            return [CellRun(self._number(content, code))]
        # The text of a formula, an error or a date, as it is; or nothing.
        return [CellRun(content)]

    def _count_hidden(self, texts: list[CellRun]) -> None:
        """Count a cell's texts that are left out."""
        if any(text.words.strip() for text in texts):
            self._text.left_out["hidden-text"] += 1

    def _number(self, content: str, code: str) -> str:
        """Return a number as a format shows it; `content` as it is if it is no number."""
        with suppress(ValueError):
            number = float(content)
            text = shown(number, code, self._first_day)
            # Many formats show nothing for 0.
            if number and not text:
                self._text.left_out["hidden-text"] += 1
            return text
        return content

    def _formula(self, cell: Element, place: str) -> str:
        """Return the formula of a cell, which it may share with one before it; "" if it has none.

        Formulas are kept for the cells that share them, so this is called for each cell in the order of the file.
        """
        if (element := cell.find("f")) is None:
            return ""
        number = element.get("si")
        if not element.text:
            shared = self._sheet.formulas.get(number) if number else None
            return shared.at(place) if shared else ""
        if number:
            self._sheet.formulas[number] = _SharedFormula(element.text, place)
        return f"={element.text}"


def _column(place: str) -> int:
    """Return the number of a cell's column; 0 if its place is not said, or is none of a sheet."""
    number = column_number(place.rstrip("0123456789"))
    return number if number <= _MOST_COLUMNS else 0


def _place_cells(row: Element, number: int) -> None:
    """Give the cells of row `number` that do not say their places those after the cells before them."""
    column = 0
    for cell in row.iter("c"):
        place = cell.get("r")
        column = _column(place) if place else column + 1
        if not place:
            cell.set("r", f"{column_letters(column)}{number}")


def _hidden_columns(sheet: Element) -> HiddenColumns:
    """Return the columns of a sheet that are hidden, or have no width."""
    hidden = HiddenColumns()
    columns = [(integer(column.get("min"), 1), column) for column in sheet.iterfind("cols/col")]
    for first, column in sorted(columns, key=lambda pair: pair[0]):
        if column.get("hidden") in _TRUE or _is_nothing(column.get("width")):
            hidden.add(first, integer(column.get("max"), first) + 1)
    return hidden


def _shown_columns(sheet: Element, hidden: HiddenColumns) -> dict[str, int]:
    """Return where cells show what they have that begin in a hidden column, and are merged with others beside it."""
    shown_columns: dict[str, int] = {}
    for merged in sheet.iterfind("mergeCells/mergeCell") if hidden else ():
        begin, _, end = merged.get("ref", "").partition(":")
        first = _column(begin)
        last = min(_column(end), _MOST_COLUMNS)
        seen = (column for column in range(first, last + 1) if column not in hidden)
        if first in hidden and (column := next(seen, 0)):
            shown_columns[begin] = column
    return shown_columns


def _last_rows(sheet: Element) -> dict[str, int]:
    """Return the last rows of cells that take several rows, by the places of these cells."""
    last_rows: dict[str, int] = {}
    for merged in sheet.iterfind("mergeCells/mergeCell"):
        begin, _, end = merged.get("ref", "").partition(":")
        last_row = _row_number(end)
        if last_row > _row_number(begin):
            last_rows[begin] = last_row
    return last_rows


def _row_number(place: str) -> int:
    """Return the number of the row in a cell's place; 0 if it has none."""
    return integer(place.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))


def _is_nothing(size: str | None) -> bool:
    """Return whether a width or a height is 0."""
    try:
        return size is not None and float(size) == 0
    except ValueError:
        return False


def _has_content(cell: Element) -> bool:
    """Return whether a cell has a formula, a text or a value."""
    return any(part.text and part.text.strip() for part in cell.iter() if part.tag in ("f", "t", "v"))


def _note_text(note: Element) -> str:
    """Return the text of a note, whose runs may have formats, without its reading aids."""
    runs = (run for text in note.iter("text") for run in string_runs(text))
    return marked(Run(run.words, (run.font or NO_FORMAT).look(UNKNOWN).letters) for run in runs)
