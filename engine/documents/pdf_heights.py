"""Raised and lowered digits of PDF pages, which would read as digits of the number before them: 10^6, 101_2."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

# How much smaller such digits are than what is before them, and how far above or below they stand, in sizes of that.
_SMALLER = 0.95
_LEAST_SHIFT = 0.1
_MOST_SHIFT = 0.7
_DIGITS = re.compile(r"[-−+]?\d{1,3}")
_NUMBER_BEFORE = re.compile(r"\d\Z")


class _PlacedWords(NamedTuple):
    """A piece of a page's text in one font, and the height and size of its letters; 0 for what is turned."""

    words: str
    height: float
    size: float


class MarkedHeights:
    """Gathers the pieces of a page's text as pypdf reads them, by `visit`."""

    def __init__(self) -> None:
        self._pieces: list[_PlacedWords] = []

    def visit(self, words: str, page: Any, line: Any, _font: Any, size: Any) -> None:
        """Note a piece that begins where the matrix of a line puts it, and this where that of the page does."""
        if not words:
            return
        is_upright = not any((page[1], page[2], line[1], line[2]))
        scale = abs(line[3] * page[3]) if is_upright else 0.0
        height = line[5] * page[3] + page[5] if is_upright else 0.0
        self._pieces.append(_PlacedWords(words, height, size * scale))

    def marked(self, content: str) -> str:
        """Return the text of the page, with marks before digits that are raised or lowered.

        It stays as it is if these are not its pieces.
        """
        if "".join(piece.words for piece in self._pieces) != content:
            return content
        parts: list[str] = []
        # What is on the line: a raised piece is compared with it, and with no other raised one.
        base: _PlacedWords | None = None
        for piece in self._pieces:
            sign = "" if base is None or not _NUMBER_BEFORE.search(base.words) else _sign(piece, base)
            parts.append(sign + piece.words)
            if not sign:
                base = piece
        return "".join(parts)


def _sign(piece: _PlacedWords, base: _PlacedWords) -> str:
    """Return "^" for a number that is raised beside another one, "_" for one that is lowered, "" for all others."""
    if not _DIGITS.fullmatch(piece.words.strip()) or piece.words[:1].isspace():
        return ""
    shift = piece.height - base.height
    is_small = 0 < piece.size <= _SMALLER * base.size
    if not is_small or not _LEAST_SHIFT * base.size <= abs(shift) <= _MOST_SHIFT * base.size:
        return ""
    return "^" if shift > 0 else "_"
