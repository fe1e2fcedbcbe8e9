"""The values of workbooks of Excel 97 to 2003, where no program here converts them.

python-calamine reads them. It knows neither the formats of numbers, but for dates, nor hidden rows and columns, errors,
notes and links, which a conversion by LibreOffice keeps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import TYPE_CHECKING

from engine.documents.text.damaged_parts import Encrypted, skipping_damage
from engine.documents.text.marked_text import MarkedText
from engine.documents.text.merged_cells import MergedCells
from engine.documents.text.number_formats import shown
from engine.documents.text.parts import SHEET

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

_CellValue = int | float | str | bool | time | date | datetime | timedelta
_DAY_S = 86_400
# The beginning of a book whose records are encrypted ([MS-XLS]: BOF, perhaps WriteProtect, FilePass), which
# is of no format for python-calamine if it has no file's name.
_LOCKED = re.compile(rb"(?s)\x09\x08\x10\x00\x00\x06\x05\x00.{12}(?:\x86\x00\x00\x00)?\x2f\x00")


def read_old_workbook(data: bytes, text: MarkedText) -> None:
    """Add a table for each sheet that is shown. Raises `Encrypted`, and others for what is no workbook."""
    # Imported here because few files are such workbooks.
    from python_calamine import CalamineWorkbook, SheetVisibleEnum

    if _LOCKED.search(data):
        raise Encrypted
    book = CalamineWorkbook.from_filelike(BytesIO(data))
    names = [sheet.name for sheet in book.sheets_metadata if sheet.visible == SheetVisibleEnum.Visible]
    if len(names) < len(book.sheets_metadata):
        text.left_out["hidden-sheet"] += len(book.sheets_metadata) - len(names)
    for number in text.wanted_parts(SHEET, names):
        text.add_heading(2, names[number - 1])
        with skipping_damage(text):
            text.add_table(_rows(book.get_sheet_by_name(names[number - 1])))
    text.finish()


def _rows(sheet: CalamineSheet) -> Iterator[list[str]]:
    """Yield the texts of the rows. The text of a cell that takes several rows is in each of them."""
    last_rows = {first: last[0] for first, last in sheet.merged_cell_ranges or () if last[0] > first[0]}
    merged = MergedCells()
    for number, values in enumerate(sheet.to_python(skip_empty_area=False)):
        texts = list(map(_words, values))
        merged.fill(number, texts)
        for column, words in enumerate(texts):
            last_row = last_rows.get((number, column))
            if last_row is not None:
                merged.keep(column + 1, words, last_row)
        yield texts


def _words(value: _CellValue) -> str:
    """Return a value as a sheet without formats shows it; moments and times are as ISO 8601 has them."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return shown(value, "")
    if isinstance(value, timedelta):
        return shown(value.total_seconds() / _DAY_S, "[h]:mm:ss")
    if isinstance(value, datetime):
        return value.isoformat(" ", "seconds")
    return value if isinstance(value, str) else value.isoformat()
