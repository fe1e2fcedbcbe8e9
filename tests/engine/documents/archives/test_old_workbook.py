"""Workbooks of Excel 97 give the values of their sheets."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from python_calamine import CalamineError

from engine.documents.archives.old_workbook import read_old_workbook
from engine.documents.text.damaged_parts import Encrypted
from engine.documents.text.marked_text import MarkedText
from engine.documents.text.parts import PartsRead, Selection
from tests.engine.documents.ole_objects import compound

_BOOK = (Path(__file__).parents[1] / "files" / "libreoffice.xls").read_bytes()
# What LibreOffice wrote: one sheet of all kinds of values, two that are hidden, one that is empty, and one that begins
# further down.
_EXPECTED = """\
## 견적

| 품목 | 날짜 | 금액 | 비율 | 확인 | 오류 |  | hidden col |
| --- | --- | --- | --- | --- | --- | --- | --- |
| 펌프 | 2031-05-03 | 310000 | 0.125 | TRUE |  |  |  |
| 밸브 | 2031-05-03 14:30:00 | 1.5 | 0.5 | FALSE | 310001.5 |  |  |
| merged |  | 09:15:00 | 30:00:00 |  |  |  |  |
| merged |  | x |  |  |  |  |  |
| hidden row |  |  |  |  |  |  |  |
| link |  |  |  |  |  |  |  |
| line1 line2 |  |  |  |  |  |  |  |
| 00123 | 12345678901234 | -1e-06 | 20310503 |  |  |  |  |

## Empty

## Later

|  |  | 7 |
| --- | --- | --- |

[Left out: 2 hidden sheets]"""


def test_values_are_as_sheets_without_formats_show_them() -> None:
    text = MarkedText(10_000)
    read_old_workbook(_BOOK, text)
    assert str(text) == _EXPECTED


def test_only_the_sheets_that_are_wanted_are_read() -> None:
    text = MarkedText(10_000, parts=PartsRead(Selection(names=("Later",))))
    read_old_workbook(_BOOK, text)
    assert str(text).startswith("## Later\n\n|  |  | 7 |")


def test_a_workbook_with_a_password_says_so() -> None:
    # The record of a password in place of the first one after the beginning of the book.
    begin = _BOOK.index(struct.pack("<HHHH", 0x0809, 16, 0x0600, 5))
    (size,) = struct.unpack_from("<H", _BOOK, begin + 22)
    password = struct.pack("<HHH", 0x002F, size, 1)
    locked = _BOOK[: begin + 20] + password + _BOOK[begin + 20 + len(password) :]
    with pytest.raises(Encrypted):
        read_old_workbook(locked, MarkedText(100))


def test_what_is_no_workbook_is_an_error() -> None:
    with pytest.raises(CalamineError):
        read_old_workbook(compound("Workbook", b"x"), MarkedText(100))
