"""Formulas that cells of a sheet share, as they are in each of these cells."""

from __future__ import annotations

import re

# What a sheet has.
_MOST_COLUMNS = 16_384
_MOST_ROWS = 1_048_576
# What the names of columns have.
_MOST_LETTERS = 3
# What stands for a cell that is not in the sheet.
_NO_CELL = "#REF!"
# Texts, names of sheets, references to tables and error values stay as they are. After a reference to cells there is
# no bracket of a function, no rest of a name, and no sheet: "LOG10(", "A1B" and "A1!" are none.
_PART = re.compile(
    r"""(?P<fixed>"(?:[^"]|"")*"|'(?:[^']|'')*'|\[[^\]]*\]|\#[A-Z/0!?]+)
    |(?<![\w.$\\])(?P<sheet>(?:[^\W\d][\w.]*!)?)
    (?:(?P<columns>\$?[A-Z]{1,3}:\$?[A-Z]{1,3})|(?P<rows>\$?\d{1,7}:\$?\d{1,7})|(?P<cell>\$?[A-Z]{1,3}\$?[1-9]\d{0,6}))
    (?![\w.(!])
    """,
    re.VERBOSE,
)
_REFERENCE = re.compile(r"(\$?)([A-Z]*)(\$?)(\d*)")


def moved_formula(formula: str, columns: int, rows: int) -> str:
    """Return a formula as it is so many columns to the right and rows down: "A2*$A$1" is "B2*$A$1" one column on."""

    def moved(part: re.Match[str]) -> str:
        if part["fixed"] is not None:
            return part[0]
        reference = part["columns"] or part["rows"] or part["cell"]
        ends = [_moved_reference(end, columns, rows) for end in reference.split(":")]
        return part["sheet"] + (_NO_CELL if _NO_CELL in ends else ":".join(ends))

    return _PART.sub(moved, formula)


def column_number(letters: str) -> int:
    """Return the number of a column from 1; 0 if there are no letters from A to Z, or more than a sheet needs."""
    if len(letters) > _MOST_LETTERS or not letters.isascii() or not letters.isupper():
        return 0
    return sum(26**index * (ord(letter) - ord("A") + 1) for index, letter in enumerate(reversed(letters)))


def column_letters(number: int) -> str:
    """Return the letters of a column with a number from 1."""
    letters = ""
    while number > 0:
        number, letter = divmod(number - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def _moved_reference(reference: str, columns: int, rows: int) -> str:
    """Return a cell, a column or a row, moved where it has no "$"."""
    parts = _REFERENCE.fullmatch(reference)
    if parts is None:
        return reference
    column = parts[2]
    row = parts[4]
    if column and not parts[1]:
        number = column_number(column) + columns
        column = column_letters(number) if number in range(1, _MOST_COLUMNS + 1) else _NO_CELL
    # Of a row alone, the "$" before it is the first of the two.
    if row and not parts[3] and (column or not parts[1]):
        number = int(row) + rows
        row = str(number) if number in range(1, _MOST_ROWS + 1) else _NO_CELL
    return _NO_CELL if _NO_CELL in (column, row) else f"{parts[1]}{column}{parts[3]}{row}"
