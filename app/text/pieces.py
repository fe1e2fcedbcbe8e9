"""Cuts paragraphs and tables that are too long for one widget into pieces. No Qt in here."""

from __future__ import annotations

import re

# A paragraph longer than this many characters is cut between sentences: all of its lines are set anew with each word.
LONG_PARAGRAPH = 4000
# Only before a letter: anything else may mean something where a paragraph begins.
_SENTENCE_END = re.compile(r"""(?:[.!?…]["')\]”’]*\s+|[。！？…][」』）”’]*\s*)(?=[^\W\d_])""")
_WORD_END = re.compile(r"(?:\s+|[、，；：])(?=[^\W\d_])")
_PAIRED = ("`", "**", "$")

# After so many rows a table goes on in another one with the same head.
TABLE_ROWS = 100
_HEAD = 2

# What a line weighs besides its characters: parsing and laying it out costs as much as that many more.
LINE_WEIGHT = 20


def weight(text: str) -> int:
    """What a text costs to parse and to lay out, in characters of ordinary prose."""
    return len(text) + LINE_WEIGHT * text.count("\n")


def pieces_of(kind: str, lines: list[str]) -> list[str]:
    """A paragraph or a table in pieces that are not too long, the same ones however it arrived."""
    return _tables(lines) if kind == "table_open" else _paragraphs("".join(lines))


def _tables(lines: list[str]) -> list[str]:
    head, rows = "".join(lines[:_HEAD]), lines[_HEAD:]
    # What begins like a row may turn out to be something else.
    whole = len(rows) - (not lines[-1].endswith("\n"))
    *starts, last = range(0, max(1, whole), TABLE_ROWS)
    return [*(head + "".join(rows[start : start + TABLE_ROWS]) for start in starts), head + "".join(rows[last:])]


def _paragraphs(text: str) -> list[str]:
    pieces = []
    while len(text) > LONG_PARAGRAPH:
        ends = [*_cuts(_WORD_END, text, 0), *_cuts(_SENTENCE_END, text, LONG_PARAGRAPH // 2)]
        if not ends:
            break
        # Sentences come last, and so go first; what is in bold or in code should not be torn.
        whole = (end for end in reversed(ends) if all(text.count(mark, 0, end) % 2 == 0 for mark in _PAIRED))
        end = next(whole, ends[-1])
        pieces.append(text[:end].rstrip())
        text = text[end:]
    return [*pieces, text]


def plain_end(text: str) -> int:
    """Where a piece of plain text ends: after a line, if it has one."""
    total, weighs = 0, 0
    for line in text[:LONG_PARAGRAPH].split("\n")[:-1]:
        weighs += len(line) + 1 + LINE_WEIGHT
        if total and weighs > LONG_PARAGRAPH:
            break
        total += len(line) + 1
    return total or LONG_PARAGRAPH


def _cuts(end: re.Pattern[str], text: str, first: int) -> list[int]:
    return [match.end() for match in end.finditer(text, first, LONG_PARAGRAPH)]
