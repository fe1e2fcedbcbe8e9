"""The numbers of PDF pages: raised and lowered digits, those of Arabic, and those of lists.

Raised and lowered ones would read as digits of the number before them: 10^6, 101_2.
"""

from __future__ import annotations

import re
from typing import Any

from engine.documents.pdf_items import PlacedWords, with_marks_before_items
from engine.documents.pdf_struck_words import STRUCK

# Stand before raised and lowered digits. No text has them.
RAISED = "\u206b"
LOWERED = "\u206c"
# How much smaller such digits are than what is before them, and how far above or below they stand, in sizes of that.
_SMALLER = 0.95
_LEAST_SHIFT = 0.1
_MOST_SHIFT = 0.7
_DIGITS = re.compile(r"[-−+]?\d{1,3}")
_NUMBER_BEFORE = re.compile(r"\d\Z")
# What a raised digit stands beside: without a mark, a note after "in 2019." would make it "in 2019.3".
_WORDS_BEFORE = re.compile(r"[^\s^]\Z")

# What pypdf takes for letters that are written from the right. It turns the words round that it reads after one, until
# a letter comes that is written from the left; all others have no direction.
_FROM_RIGHT = re.compile("[\u0590-\u065f\u066e-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_WITHOUT_DIRECTION = re.compile("[\0-/:-@\u0660-\u066d\u06f0-\u06f9\u2000-\u206f\u20a0-\u21ff]*")
# The digits of such numbers are written from the left.
_ARABIC_NUMBER = re.compile("[\u0660-\u0669\u06f0-\u06f9]+(?:[\u066b\u066c.,:/][\u0660-\u0669\u06f0-\u06f9]+)*")


class MarkedHeights:
    """Gathers the pieces of a page's text as pypdf reads them, by `visit`."""

    def __init__(self) -> None:
        self._pieces: list[PlacedWords] = []
        # How far above its line text is shown from here on, and how far that of the next piece began.
        self._rise = 0.0
        self._first_rise: float | None = None

    def visit_operation(self, operator: bytes, operands: Any) -> None:
        """Note an operation before it is done."""
        if operator == b"Ts" and operands:
            self._rise = float(operands[0])
        elif operator in (b"Tj", b"TJ", b"'", b'"') and self._first_rise is None:
            self._first_rise = self._rise

    def visit(self, words: str, page: Any, line: Any, _font: Any, size: Any) -> None:
        """Note a piece that begins where the matrix of a line puts it, and this where that of the page does."""
        if not words:
            return
        is_upright = not any((page[1], page[2], line[1], line[2]))
        scale = abs(line[3] * page[3]) if is_upright else 0.0
        rise = (self._first_rise or 0.0) * line[3]
        height = (line[5] + rise) * page[3] + page[5] if is_upright else 0.0
        left = line[4] * page[0] + page[4] if is_upright else 0.0
        self._first_rise = None
        self._pieces.append(PlacedWords(words, height, left, size * scale))

    def heights_of_lines(self) -> dict[str, float]:
        """Return the heights of the page's lines by their letters; those that come twice are left out."""
        heights: dict[str, float] = {}
        twice: set[str] = set()
        letters = ""
        height = 0.0
        for piece in (*self._pieces, PlacedWords("\n", 0.0, 0.0, 0.0)):
            if not letters and piece.words.strip():
                height = piece.height
            letters += "".join(piece.words.replace(STRUCK, "").split())
            if piece.words.endswith("\n") and letters:
                twice |= {letters} & heights.keys()
                heights[letters] = height
                letters = ""
        return {line: height for line, height in heights.items() if line not in twice}

    def marked(self, content: str) -> str:
        """Return the text of the page, with signs before digits that are raised or lowered, and with numbers of Arabic.

        The signs and numbers of lists stand before their items. It stays as it is if these are not its pieces.
        """
        if "".join(piece.words for piece in self._pieces) != content:
            return content
        parts: list[str] = []
        # What is on the line: a raised piece is compared with it, and with no other raised one.
        base: PlacedWords | None = None
        is_from_right = False
        for piece in with_marks_before_items(self._pieces):
            if not _WITHOUT_DIRECTION.fullmatch(piece.words):
                is_from_right = bool(_FROM_RIGHT.search(piece.words))
            if piece.words == STRUCK:
                # It is on no line of its own.
                parts.append(STRUCK)
                continue
            sign = "" if base is None else _sign(piece, base)
            parts.append(sign + (_with_numbers_turned(piece.words) if is_from_right else piece.words))
            if not sign:
                base = piece
        return "".join(parts)


def with_marked_heights(content: str) -> str:
    """Return a page's text with "^" before digits that are raised, and "_" before those that are lowered."""
    return content.replace(RAISED, "^").replace(LOWERED, "_")


def _with_numbers_turned(words: str) -> str:
    """Return words in which pypdf has turned numbers of Arabic round with these numbers as they are written."""
    return _ARABIC_NUMBER.sub(lambda number: number[0][::-1], words)


def _sign(piece: PlacedWords, base: PlacedWords) -> str:
    """Return the sign of a number that is raised beside words, or lowered beside a number; "" for others."""
    if not _DIGITS.fullmatch(piece.words.strip()) or piece.words[:1].isspace():
        return ""
    shift = piece.height - base.height
    is_small = 0 < piece.size <= _SMALLER * base.size
    if not is_small or not _LEAST_SHIFT * base.size <= abs(shift) <= _MOST_SHIFT * base.size:
        return ""
    if shift > 0:
        return RAISED if _WORDS_BEFORE.search(base.words) else ""
    return LOWERED if _NUMBER_BEFORE.search(base.words) else ""
