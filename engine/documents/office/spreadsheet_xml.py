"""The text of workbooks in the XML of Excel 2003, which banks and other programs also name ".xls"."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from xml.etree.ElementTree import Element

from engine.documents.office.cell_styles import CellRun, CellStyle
from engine.documents.text.fitting_rows import MOST_COLUMNS
from engine.documents.text.hidden_columns import HiddenColumns
from engine.documents.text.links import linked
from engine.documents.text.looks import UNKNOWN, LetterFormat, colour_of
from engine.documents.text.marked_text import MarkedText
from engine.documents.text.merged_cells import MergedCells
from engine.documents.text.number_formats import DAY_0, hides_texts, shown
from engine.documents.text.xml_values import integer
from engine.files.safe_xml import safe_xml

# The formats that have names, by these; dates have one form here.
_NAMED_FORMATS = {
    "General": "",
    "General Number": "",
    "Currency": "$#,##0.00;($#,##0.00)",
    "Fixed": "0.00",
    "Standard": "#,##0.00",
    "Percent": "0.00%",
    "Scientific": "0.00E+00",
}
# The style of cells, and of styles, that name none.
_DEFAULT = "Default"
_HEIGHTS = {"Superscript": 1, "Subscript": -1}
# What a sheet has.
_MOST_COLUMNS = 16_384


def read_spreadsheet_xml(data: bytes, text: MarkedText) -> None:
    """Add a table for each sheet that is shown, with what its cells show; what is hidden is counted."""
    book = safe_xml(data)
    styles = _styles(book)
    for sheet in book.iter("Worksheet"):
        if sheet.findtext("WorksheetOptions/Visible", "") in ("SheetHidden", "SheetVeryHidden"):
            text.left_out["hidden-sheet"] += 1
            continue
        text.add_heading(2, sheet.get("Name", ""))
        # A condition may colour any cell.
        has_plain_colours = sheet.find("ConditionalFormatting") is None
        for table in sheet.iterfind("Table"):
            _TableReader(table, styles, text, has_plain_colours=has_plain_colours).read()
    text.finish()


def _styles(book: Element) -> dict[str, CellStyle]:
    """Return the styles by their names; each has what it does not say from the one that it is based on."""
    styles: dict[str, CellStyle] = {}
    for element in book.iter("Style"):
        style = styles.get(element.get("Parent", _DEFAULT), CellStyle())
        for number_format in element.iterfind("NumberFormat"):
            code = number_format.get("Format", "")
            style = style._replace(number_format=_NAMED_FORMATS.get(code, code))
        for font in element.iterfind("Font"):
            style = style._replace(font=_font(font).over(style.font))
        for interior in element.iterfind("Interior"):
            is_plain = interior.get("Pattern", "Solid") == "Solid"
            style = style._replace(behind=colour_of(interior.get("Color")) if is_plain else UNKNOWN)
        styles[element.get("ID", "")] = style
    return styles


def _font(font: Element) -> LetterFormat:
    """Return what a font of a style, or of a run of letters, says."""
    align = font.get("VerticalAlign")
    struck = font.get("StrikeThrough")
    points: float | None = None
    with suppress(ValueError):
        points = float(font.get("Size", ""))
    return LetterFormat(
        height=_HEIGHTS.get(align, 0) if align else None,
        struck=struck == "1" if struck else None,
        colour=colour_of(font.get("Color")) if "Color" in font.attrib else None,
        points=points,
    )


def _runs(element: Element, font: LetterFormat) -> Iterator[CellRun]:
    """Yield the words of a value, which may have elements of HTML for letters."""
    yield CellRun(element.text or "", font)
    for child in element:
        yield from _runs(child, _font_within(child, font))
        yield CellRun(child.tail or "", font)


def _font_within(element: Element, around: LetterFormat) -> LetterFormat:
    """Return the font that an element of HTML sets within another one."""
    match element.tag.lower():
        case "sup":
            return around._replace(height=1)
        case "sub":
            return around._replace(height=-1)
        case "s" | "strike" | "del":
            return around._replace(struck=True)
        case "font":
            return _font(element).over(around)
    return around


class _TableReader:
    """Adds the table of a sheet to `text`.

    Without `has_plain_colours`, something other than the `styles` may colour cells.
    """

    def __init__(
        self, table: Element, styles: dict[str, CellStyle], text: MarkedText, *, has_plain_colours: bool
    ) -> None:
        self._table = table
        self._styles = styles
        self._text = text
        self._has_plain_colours = has_plain_colours
        self._hidden = _hidden_columns(table)
        self._merged = MergedCells()

    def read(self) -> None:
        self._text.add_table(self._rows())
        if self._hidden.left_out:
            self._text.left_out["hidden-column"] += len(self._hidden.left_out)

    def _rows(self) -> Iterator[list[str]]:
        """Yield the texts of the rows in the columns that are shown."""
        number = 0
        for row in self._table.iterfind("Row"):
            number = integer(row.get("Index"), number + 1)
            if row.get("Hidden") == "1" or row.get("Height") == "0":
                if any(cell.findtext("Data") for cell in row.iterfind("Cell")):
                    self._text.left_out["hidden-row"] += 1
            else:
                texts = self._texts_of(row, number)
                yield [words for column, words in enumerate(texts, 1) if column not in self._hidden]
            # The rows that it spans have no elements.
            number += integer(row.get("Span"))

    def _texts_of(self, row: Element, number: int) -> list[str]:
        """Return the texts in all columns of a row, by its number. Earlier cells may reach into the row."""
        texts: list[str] = []
        usual_style = row.get("StyleID") or self._table.get("StyleID") or _DEFAULT
        says_something = False
        column = 0
        for cell in row.iterfind("Cell"):
            column = self._column_of(cell, number, column + 1)
            words = self._cell_text(cell, self._styles.get(cell.get("StyleID") or usual_style, CellStyle()))
            if column in self._hidden and words:
                self._hidden.left_out.add(column)
            texts += [""] * (column - len(texts))
            texts[column - 1] = words
            says_something = says_something or bool(words)
            columns_beside = min(integer(cell.get("MergeAcross")), _MOST_COLUMNS)
            rows_below = integer(cell.get("MergeDown"))
            if rows_below:
                self._merged.keep(column, words, number + rows_below)
                for covered in range(column + 1, min(column + columns_beside, MOST_COLUMNS) + 1):
                    self._merged.keep(covered, "", number + rows_below)
            column += columns_beside
        self._merged.fill(number, texts)
        return texts if says_something else []

    def _column_of(self, cell: Element, number: int, next_column: int) -> int:
        """Return the column of a cell. One that does not say it comes after cells of earlier rows that take this."""
        column = integer(cell.get("Index"))
        if not column:
            column = next_column
            while self._merged.takes(column, number):
                column += 1
        return min(column, _MOST_COLUMNS)

    def _cell_text(self, cell: Element, style: CellStyle) -> str:
        """Return what a cell shows, with its link and its note; the formula of one without a value."""
        texts = self._content(cell, style)
        words = self._text.seen_words(style.looks(texts, has_plain_colours=self._has_plain_colours))
        if not texts:
            words = cell.get("Formula", "")
        address = cell.get("HRef")
        if address:
            words = linked(words, address)
        note = " ".join("".join(part.itertext()) for part in cell.iterfind("Comment/Data")).strip()
        return f"{words} [Note: {note}]" if note else words

    def _content(self, cell: Element, style: CellStyle) -> list[CellRun]:
        """Return the value of a cell, as its format shows it; one that this hides is counted."""
        data = cell.find("Data")
        if data is None:
            return []
        content = "".join(data.itertext())
        match data.get("Type"):
            case "Boolean":
                return [CellRun("TRUE" if content == "1" else "FALSE")]
            case "Number":
                with suppress(ValueError):
                    number = float(content)
                    words = shown(number, style.number_format)
                    # Many formats show nothing for 0.
                    if number and not words:
                        self._text.left_out["hidden-text"] += 1
                    return [CellRun(words)]
            case "DateTime":
                with suppress(ValueError):
                    # The time of a cell has no zone, but some programs write one.
                    moment = datetime.fromisoformat(content).replace(tzinfo=None)
                    # "d" is any format of dates: they are shown as ISO 8601 has them.
                    return [CellRun(shown((moment - DAY_0).total_seconds() / 86_400, "d"))]
        if content.strip() and hides_texts(style.number_format):
            self._text.left_out["hidden-text"] += 1
            return [CellRun("")]
        return [run for run in _runs(data, style.font) if run.words]


def _hidden_columns(table: Element) -> HiddenColumns:
    """Return the columns that are hidden; columns that do not say their place follow each other."""
    hidden = HiddenColumns()
    number = 0
    for column in table.iterfind("Column"):
        number = integer(column.get("Index"), number + 1)
        last = number + integer(column.get("Span"))
        if column.get("Hidden") == "1" or column.get("Width") == "0":
            hidden.add(number, last + 1)
        number = last
    return hidden
