"""Cuts texts and tables that are too long for one widget into pieces. No Qt in here."""

from __future__ import annotations

import re

# A piece of plain text has at most this many characters.
LONG_PIECE = 4000

# After this many rows a table continues in another one with the same head.
TABLE_ROWS = 100
# The lines of a table above its rows.
_HEAD_LINES = 2

# The codes that make letters coloured or bold in a terminal.
_COLOURS = re.compile(r"\x1b(?:\[[\d;?]*[A-Za-z])?")
# The beginning of such a code or of a line end, at the end of a text.
BEGUN_COLOUR = re.compile(r"(?:\r|\x1b(?:\[[\d;?]*)?)\Z")

# The weight of a line in addition to its characters: parsing and laying it out costs as much as that many characters.
LINE_WEIGHT = 20
# Weight of a character beyond the basic plane or not printable: painting one that no font has searches all fonts, and
# Unicode's separators begin a line.
_PICTURE_WEIGHT = 30
_PICTURE = re.compile("[\U00010000-\U0010ffff]")
_LAST_OF_ASCII = "\x7f"
_LAST_OF_PLANE = "\uffff"


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
    """Cut the lines of a table into tables of at most TABLE_ROWS rows, with the same head.

    The last table may have one more row, which is incomplete. How a table is cut does not depend on the pieces in which
    it arrived.
    """
    head = "".join(lines[:_HEAD_LINES])
    rows = lines[_HEAD_LINES:]
    # An incomplete row may become something else.
    whole = len(rows) if lines[-1].endswith("\n") else len(rows) - 1
    *starts, last = range(0, max(1, whole), TABLE_ROWS)
    return [*(head + "".join(rows[start : start + TABLE_ROWS]) for start in starts), head + "".join(rows[last:])]


def plain_end(text: str) -> int:
    """Return the end of the first piece of a plain text: after a line, unless the first line is too long itself."""
    end = 0
    weight_so_far = 0
    for line in text[:LONG_PIECE].split("\n")[:-1]:
        line_weight = weight(line)
        weight_so_far += line_weight + 1 + LINE_WEIGHT
        if weight_so_far > LONG_PIECE and (end or line_weight > LONG_PIECE):
            break
        end += len(line) + 1
    return end or fitting(text[:LONG_PIECE], LONG_PIECE)


def fitting(text: str, most: int) -> int:
    """Return how many of a line's first characters weigh at most `most`: all, or at least half of those that could."""
    end = min(len(text), most)
    while end > 1 and length_with_pictures(text[:end]) > most:
        end //= 2
    return end
