"""Where the chapters of a document begin that has no pages, so that a person can choose some of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

# Nobody chooses among more.
_MOST_CHAPTERS = 200
# The characters of a name; longer ones are paragraphs.
_LONGEST_NAME = 80


class Chapter(NamedTuple):
    """A chapter, and which pieces of the document it has: those from `first` on, before `end`."""

    name: str
    first: int
    end: int


class PieceHeading(NamedTuple):
    """The heading that a piece of a document is: its level, from 1, and its words; level 0 for another piece."""

    level: int = 0
    words: str = ""


def titles_of(headings: Sequence[PieceHeading]) -> list[str]:
    """Return the titles that begin chapters, for each piece of a document, "" for one that begins none.

    They are the headings of the highest level that has several, and those above it.
    """
    counts = Counter(heading.level for heading in headings if heading.level and heading.words)
    deepest = min((level for level, count in counts.items() if count > 1), default=0)
    return [heading.words if heading.level <= deepest else "" for heading in headings]


def chapters_of(titles: Sequence[str]) -> list[Chapter]:
    """Return the chapters of a document by the title that begins at each of its pieces, "" for none.

    What stands before the first title belongs to the first chapter. Titles that come again are numbered, so that each
    name is the name of one chapter. A document with fewer than two titles, or too many, has no chapters.
    """
    begins = [place for place, title in enumerate(titles) if title]
    if not 1 < len(begins) <= _MOST_CHAPTERS:
        return []
    names: dict[str, None] = {}
    for place in begins:
        title = titles[place]
        short = title if len(title) <= _LONGEST_NAME else f"{title[: _LONGEST_NAME - 1].rstrip()}…"
        name = short
        number = 1
        while name in names:
            number += 1
            name = f"{short} ({number})"
        names[name] = None
    return [
        Chapter(name, first, end)
        for name, first, end in zip(names, [0, *begins[1:]], [*begins[1:], len(titles)], strict=True)
    ]
