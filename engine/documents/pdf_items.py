"""The signs and numbers of lists on PDF pages: some programs write them after all items, or after the whole page."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

# A line of nothing but the sign or the number of an item.
ITEM_MARK = re.compile(r"[^\w\s]|\w{1,3}[.)]")
# Lines that are written from the right end on the left.
_FROM_THE_RIGHT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
# How far a sign's line may be above or below that of its item, and how far it may be to the left, in sizes of its font.
_SAME_LINE = 0.1
_FARTHEST = 5


class PlacedWords(NamedTuple):
    """A piece of a page's text in one font, and the height, the left end and the size of its letters.

    What is turned has the size 0.
    """

    words: str
    height: float
    left: float
    size: float


def with_marks_before_items(pieces: Sequence[PlacedWords]) -> list[PlacedWords]:
    """Return the pieces of a page's text in which the sign or the number of an item stands before that item.

    A sign is moved that ends a line which begins to the right of it at its height, or that is a line of its own, if
    only one earlier line begins there.
    """
    starts = [index for index in range(len(pieces)) if not index or pieces[index - 1].words.endswith("\n")]
    moved: dict[int, PlacedWords] = {}
    # The words of pieces that stay where signs were.
    left: dict[int, str] = {}
    for index, mark in enumerate(pieces):
        if not _is_mark(pieces, index):
            continue
        before = starts[: bisect_right(starts, index)]
        is_line = before[-1] == index
        items = [item for item in (before[:-1] if is_line else before[-1:]) if _is_item(pieces[item], mark)]
        if len(items) != 1 or items[0] in moved:
            continue
        moved[items[0]] = mark._replace(words=f"{mark.words.strip()} ")
        line_break = "\n" if mark.words.endswith("\n") else ""
        left[index] = "" if is_line else line_break
        if is_line and not line_break and index + 1 < len(pieces):
            left[index + 1] = pieces[index + 1].words.removeprefix("\n")
    ordered: list[PlacedWords] = []
    for index, piece in enumerate(pieces):
        if index in moved:
            ordered.append(moved[index])
        ordered.append(piece._replace(words=left.get(index, piece.words)))
    return [piece for piece in ordered if piece.words]


def _is_mark(pieces: Sequence[PlacedWords], index: int) -> bool:
    """Return whether a piece ends a line, and is the sign or the number of an item."""
    piece = pieces[index]
    ends_line = piece.words.endswith("\n") or index + 1 == len(pieces) or pieces[index + 1].words.startswith("\n")
    return ends_line and piece.size > 0 and ITEM_MARK.fullmatch(piece.words.strip()) is not None


def _is_item(piece: PlacedWords, mark: PlacedWords) -> bool:
    """Return whether a piece that begins a line may be the beginning of the item of a sign."""
    return (
        bool(piece.words.strip())
        and piece.size > 0
        and not _FROM_THE_RIGHT.search(piece.words)
        and ITEM_MARK.fullmatch(piece.words.strip()) is None
        and abs(piece.height - mark.height) <= _SAME_LINE * mark.size
        and 0 < piece.left - mark.left <= _FARTHEST * mark.size
    )
