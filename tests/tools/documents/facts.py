"""What a document says and hides, and how well a reader's text agrees with it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.tools.documents.plain import Plain


@dataclass(frozen=True, slots=True)
class Facts:
    """What a document says, for a person who sees all of it, and what it hides from them."""

    # Words that are shown once. Each may be written in several ways.
    said: tuple[tuple[str, ...], ...] = ()
    # Cells that stand beside each other in a row of a table; empty ones are "", and "*" stands for any.
    rows: tuple[tuple[str, ...], ...] = ()
    # Patterns of what a reader must not say, because it has another meaning.
    wrong: tuple[str, ...] = ()
    # Words that nobody sees.
    hidden: tuple[str, ...] = ()

    def __add__(self, other: Facts) -> Facts:
        return Facts(
            self.said + other.said, self.rows + other.rows, self.wrong + other.wrong, self.hidden + other.hidden
        )


@dataclass(slots=True)
class Verdict:
    """What is not right in a reader's text. Each list has the facts."""

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)


def judge(text: str, facts: Facts) -> Verdict:
    """Return how a reader's text agrees with what the document says.

    A row whose cells are in one row of a table, but in other columns, is wrong. One whose cells are not together is
    lost.
    """
    plain = Plain(text)
    verdict = Verdict()
    for ways in facts.said:
        times = max(map(plain.words.count, ways))
        if not times:
            verdict.lost.append(ways[0])
        elif times > 1:
            verdict.doubled.append(ways[0])
    for cells in facts.rows:
        if not any(_has(row, cells) for row in plain.rows):
            is_moved = any(all(cell in row for cell in cells if cell not in ("", "*")) for row in plain.rows)
            (verdict.wrong if is_moved else verdict.lost).append(" | ".join(cells))
    verdict.wrong += [pattern for pattern in facts.wrong if re.search(pattern, plain.words)]
    verdict.hidden += [words for words in facts.hidden if words in plain.words]
    return verdict


def _has(row: Sequence[str], cells: Sequence[str]) -> bool:
    """Return whether cells stand beside each other in a row."""
    width = len(cells)
    parts = (row[first : first + width] for first in range(len(row) - width + 1))
    return any(all(cell in ("*", there) for cell, there in zip(cells, part, strict=True)) for part in parts)
