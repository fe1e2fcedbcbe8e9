"""The text of workbooks in the XML of Excel 2003, which banks and other programs also name ".xls"."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from xml.etree.ElementTree import Element

from engine.documents.hidden_columns import HiddenColumns
from engine.documents.marked_text import MarkedText, linked
from engine.documents.merged_cells import MergedCells
from engine.documents.number_formats import DAY_0, shown
from engine.documents.zipped_parts import integer
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
# What a sheet has.
_MOST_COLUMNS = 16_384


def read_spreadsheet_xml(data: bytes, text: MarkedText) -> None:
    """Add a table for each sheet that is shown, with what its cells show; what is hidden is counted."""
    book = safe_xml(data)
    codes: dict[str, str] = {}
    for style in book.iter("Style"):
        for number_format in style.iterfind("NumberFormat"):
            code = number_format.get("Format", "")
            codes[style.get("ID", "")] = _NAMED_FORMATS.get(code, code)
    for sheet in book.iter("Worksheet"):
        if sheet.findtext("WorksheetOptions/Visible", "") in ("SheetHidden", "SheetVeryHidden"):
            text.left_out["hidden-sheet"] += 1
            continue
        text.add_heading(2, sheet.get("Name", ""))
        for table in sheet.iterfind("Table"):
            _TableReader(table, codes, text).read()
    text.finish()


class _TableReader:
    """Adds the table of a sheet to `text`. `codes` are the formats of numbers, by styles."""

    def __init__(self, table: Element, codes: dict[str, str], text: MarkedText) -> None:
        self._table = table
        self._codes = codes
        self._text = text
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
            if row.get("Hidden") == "1":
                if any(cell.findtext("Data") for cell in row.iterfind("Cell")):
                    self._text.left_out["hidden-row"] += 1
            else:
                texts = self._texts_of(row, number)
                yield [words for column, words in enumerate(texts, 1) if column not in self._hidden]
            # The rows that it spans have no elements.
            number += integer(row.get("Span"))

    def _texts_of(self, row: Element, number: int) -> list[str]:
        """Return the texts in all columns of a row, by its number, with those of earlier cells that take it."""
        texts: list[str] = []
        says_something = False
        column = 0
        for cell in row.iterfind("Cell"):
            column = self._column_of(cell, number, column + 1)
            words = self._cell_text(cell)
            if column in self._hidden and words:
                self._hidden.left_out.add(column)
            texts += [""] * (column - len(texts))
            texts[column - 1] = words
            says_something = says_something or bool(words)
            columns_beside = min(integer(cell.get("MergeAcross")), _MOST_COLUMNS)
            rows_below = integer(cell.get("MergeDown"))
            if rows_below:
                self._merged.keep(column, words, number + rows_below)
                for covered in range(column + 1, column + columns_beside + 1):
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

    def _cell_text(self, cell: Element) -> str:
        """Return what a cell shows, with its link and its note; the formula of one without a value."""
        words = self._content(cell) or cell.get("Formula", "")
        address = cell.get("HRef")
        if address:
            words = linked(words, address)
        note = " ".join("".join(part.itertext()) for part in cell.iterfind("Comment/Data")).strip()
        return f"{words} [Note: {note}]" if note else words

    def _content(self, cell: Element) -> str:
        """Return the value of a cell. One that its format hides is counted."""
        data = cell.find("Data")
        if data is None:
            return ""
        content = "".join(data.itertext())
        match data.get("Type"):
            case "Boolean":
                return "TRUE" if content == "1" else "FALSE"
            case "Number":
                with suppress(ValueError):
                    number = float(content)
                    words = shown(number, self._codes.get(cell.get("StyleID", ""), ""))
                    # Many formats show nothing for 0.
                    if number and not words:
                        self._text.left_out["hidden-text"] += 1
                    return words
            case "DateTime":
                with suppress(ValueError):
                    # The time of a cell has no zone, but some programs write one.
                    moment = datetime.fromisoformat(content).replace(tzinfo=None)
                    # "d" is any format of dates: they are shown as ISO 8601 has them.
                    return shown((moment - DAY_0).total_seconds() / 86_400, "d")
        return content


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
