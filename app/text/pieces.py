"""Cuts texts and tables that are too long for one widget into pieces. No Qt in here."""

from __future__ import annotations

import re

# A piece of plain text has at most this many characters.
LONG_PIECE = 4000

# After this many rows a table continues in another one with the same head.
TABLE_ROWS = 100
_HEAD = 2

# What makes letters coloured or bold in a terminal, and the beginning of it at the end of a text.
_COLOURS = re.compile(r"\x1b(?:\[[\d;?]*[A-Za-z])?")
BEGUN_COLOUR = re.compile(r"(?:\r|\x1b(?:\[[\d;?]*)?)\Z")

# Weight of a line besides its characters: parsing and laying it out costs as much as that many characters.
LINE_WEIGHT = 20
# Weight of a character beyond the basic plane or not printable: painting one that no font has searches all fonts, and
# Unicode's separators begin a line.
_PICTURE_WEIGHT = 30
_PICTURE = re.compile("[\U00010000-\U0010ffff]")
_LAST_OF_ASCII, _LAST_OF_PLANE = "\x7f", "\uffff"


def without_colours(text: str) -> str:
    """Return a text without the signs that set colours in a terminal."""
    return _COLOURS.sub("", text) if "\x1b" in text else text


def weight(text: str) -> int:
    """Return the cost of parsing and laying out a text, in characters of ordinary prose."""
    return length_with_pictures(text) + LINE_WEIGHT * text.count("\n")


def length_with_pictures(text: str) -> int:
    """Return the number of characters, where pictures, unknown signs and joiners count for many."""
    if text.isascii():
        return len(text)
    pictures = len(_PICTURE.findall(text))
    # Most texts are printable but for their line ends: avoid checking each character.
    if not text.replace("\n", "").isprintable():
        pictures += sum(_LAST_OF_ASCII < sign <= _LAST_OF_PLANE and not sign.isprintable() for sign in text)
    return len(text) + (_PICTURE_WEIGHT - 1) * pictures


def tables(lines: list[str]) -> list[str]:
    """Cut a table into ones that are not too long, independently of how it arrived."""
    head = "".join(lines[:_HEAD])
    rows = lines[_HEAD:]
    # An incomplete row may become something else.
    whole = len(rows) if lines[-1].endswith("\n") else len(rows) - 1
    *starts, last = range(0, max(1, whole), TABLE_ROWS)
    return [*(head + "".join(rows[start : start + TABLE_ROWS]) for start in starts), head + "".join(rows[last:])]


def plain_end(text: str) -> int:
    """Return the end of a piece of plain text: after a line, if one is not too long itself."""
    total, weighs = 0, 0
    for line in text[:LONG_PIECE].split("\n")[:-1]:
        of_line = weight(line)
        weighs += of_line + 1 + LINE_WEIGHT
        if weighs > LONG_PIECE and (total or of_line > LONG_PIECE):
            break
        total += len(line) + 1
    return total or fitting(text[:LONG_PIECE], LONG_PIECE)


def fitting(text: str, most: int) -> int:
    """Return how many characters of a line weigh at most `most`: all, or at least half of the greatest number."""
    end = min(len(text), most)
    while end > 1 and length_with_pictures(text[:end]) > most:
        end //= 2
    return end
