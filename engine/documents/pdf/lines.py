"""The lines of a PDF page: words that stand beside each other, and the pieces of lines that a wide gap parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from engine.documents.pdf.structure import PageHeading
from engine.documents.pdf.words import GAP, PageWord, TextLook, is_from_the_right
from engine.documents.text.letters import Letters, Run

# A gap that is wider parts two pieces of a line, in sizes of the font; and one in which the file has no space.
_WIDE = 1.0
_WIDE_WITHOUT_SPACE = 0.4
# A gap at which a line goes on without a space, in sizes of the font.
_NARROW = 0.15
# How far words of one line may overlap, in sizes of the font.
_OVERLAP = 0.35
# How much higher or lower words of one line may stand, in sizes of the font.
_SAME_LINE = 0.1
_SAME_ROW = 0.2
# How far apart the lines of a text are at most, in sizes of their font.
_LINE_DISTANCE = 1.6
# How much smaller raised and lowered words are than what is before them, and how far above or below they stand, in
# sizes of that.
_SMALLER = 0.95
_LEAST_SHIFT = 0.1
_MOST_SHIFT = 0.7
# Letters from here on are written downwards, too.
_FIRST_CHINESE = 0x2E80
# A piece of nothing but the sign or the number of an item of a list.
_ITEM_MARK = re.compile(r"[^\w\s]|\w{1,3}[.)]")
# How far the sign of an item may be to the left of it, in sizes of its font.
_FARTHEST_MARK = 5


class LinePiece(NamedTuple):
    """Words beside each other without a wide gap, and where they begin and end in points.

    Their letters stand `baseline` points above the lower end of the page, and have the `size` in points.
    """

    runs: tuple[Run, ...]
    left: float
    right: float
    baseline: float
    size: float
    is_level: bool
    goes_down: bool
    # The heading that all its words are of.
    heading: PageHeading | None

    @property
    def text(self) -> str:
        """Return its words, without marks."""
        return "".join(run.words for run in self.runs)

    @property
    def is_item_mark(self) -> bool:
        """Whether it is nothing but the sign or the number of an item."""
        return self.is_level and _ITEM_MARK.fullmatch(self.text) is not None

    @property
    def is_from_the_right(self) -> bool:
        """Whether some of it is written from the right."""
        return is_from_the_right(self.text)


def pieces_of(words: Iterable[PageWord], headings: Mapping[int, PageHeading]) -> list[LinePiece]:
    """Return the pieces of a page's lines, in the order of its words.

    `headings` are by the addresses of the text objects that are of them.
    """
    pieces: list[_OpenLinePiece] = []
    for word in words:
        if not (pieces and pieces[-1].add(word)):
            pieces.append(_OpenLinePiece(word))
    return [piece.close(headings) for piece in pieces]


def rows_of(pieces: Iterable[LinePiece]) -> list[list[LinePiece]]:
    """Return pieces that follow each other on one line together; the signs of items stand before these."""
    rows: list[list[LinePiece]] = []
    for piece in pieces:
        if rows and _goes_on(rows[-1][-1], piece):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return _with_marks_before_items(_in_order(rows))


def _in_order(rows: Iterable[list[LinePiece]]) -> list[list[LinePiece]]:
    """Return lines in which those that are written downwards follow each other to the left."""
    ordered: list[list[LinePiece]] = []
    # Where the latest lines end that follow each other to the right; 0 for none.
    run = 0
    for row in rows:
        first = row[0]
        is_wrong = run > 0 and first.goes_down and _follows_wrongly(ordered[-run][0], first)
        run = run + 1 if is_wrong else int(first.goes_down)
        ordered.insert(len(ordered) - run + 1 if is_wrong else len(ordered), row)
    return ordered


def _follows_wrongly(line: LinePiece, following: LinePiece) -> bool:
    """Return whether a line that is written downwards, or is so on a page that is turned, has the next one before it.

    Those that are not level may also stand over columns, from left to right.
    """
    if line.is_level:
        return line.baseline < following.baseline
    return 0 < following.left - line.left <= _LINE_DISTANCE * line.size


class _OpenLinePiece:
    """A piece that may get other words."""

    def __init__(self, word: PageWord) -> None:
        self._words = [word]
        # How the letters on the line are set: raised ones are compared with them, and with no other raised ones.
        self._base = word.look
        self._runs = [Run(word.text, Letters(struck=word.is_struck))]

    def add(self, word: PageWord) -> bool:
        """Add a word if it stands beside the latest one; return whether it does."""
        last = self._words[-1]
        base = self._base
        gap = word.box.left - last.box.right
        if gap < 0:
            gap = max(gap, last.box.left - word.box.right)
        if word.look is last.look:
            is_beside = gap <= _WIDE * base.size and (word.before != "\n" or gap >= -_OVERLAP * base.size)
        else:
            is_beside = self._is_beside(word, gap)
        if not is_beside:
            return False
        heights = None if word.look is base else _heights(word.look, base)
        is_apart = word.before in (" ", GAP) or (word.before == "\n" and gap > _NARROW * base.size)
        letters = Letters(struck=word.is_struck) if heights is None else heights._replace(struck=word.is_struck)
        if is_apart:
            both = Letters(struck=word.is_struck and last.is_struck)
            self._runs.append(Run(" ", letters if letters == self._runs[-1].letters else both))
        self._runs.append(Run(word.text, letters))
        self._words.append(word)
        if heights is None:
            self._base = word.look
        return True

    def _is_beside(self, word: PageWord, gap: float) -> bool:
        """Return whether a word of another text object stands beside the latest one, with a gap of so many points."""
        base = self._base
        look = word.look
        size = max(base.size, look.size)
        shift = look.baseline - base.baseline
        if not (look.is_level and base.is_level):
            return word.before != "\n" and look.is_level == base.is_level
        if abs(shift) > _MOST_SHIFT * size:
            return _goes_down(self._words[-1], word)
        if word.before == "\n":
            is_on_line = _heights(look, base) is not None or abs(shift) <= _SAME_LINE * base.size
            return is_on_line and -_OVERLAP * base.size <= gap <= _WIDE * base.size
        return gap <= (_WIDE_WITHOUT_SPACE if word.before == GAP else _WIDE) * size

    def close(self, headings: Mapping[int, PageHeading]) -> LinePiece:
        """Return the piece with all its words."""
        boxes = [word.box for word in self._words]
        heading = headings.get(self._words[0].look.owner)
        if heading is not None and any(headings.get(word.look.owner) != heading for word in self._words):
            heading = None
        look = max((word.look for word in self._words), key=lambda look: look.size)
        return LinePiece(
            tuple(self._runs),
            min(box.left for box in boxes),
            max(box.right for box in boxes),
            look.baseline,
            look.size,
            look.is_level,
            look.goes_down,
            heading,
        )


def _goes_down(word: PageWord, following: PageWord) -> bool:
    """Return whether a word goes on in the next line after a hyphen, or in a line that is written downwards."""
    is_below = following.box.left < word.box.right and word.box.left < following.box.right
    is_upright_line = is_below and min(map(ord, word.text[-1:] + following.text[:1]), default=0) >= _FIRST_CHINESE
    return not following.before and (word.text.endswith("\n") or is_upright_line)


def _heights(look: TextLook, base: TextLook) -> Letters | None:
    """Return how letters are raised or lowered above or below others; None if they are not."""
    shift = look.baseline - base.baseline
    is_small = 0 < look.size <= _SMALLER * base.size
    if not is_small or not _LEAST_SHIFT * base.size <= abs(shift) <= _MOST_SHIFT * base.size:
        return None
    return Letters(raised=shift > 0, lowered=shift < 0)


def _goes_on(before: LinePiece, piece: LinePiece) -> bool:
    """Return whether a piece is on the line of another one, in the direction in which it is written."""
    if not (before.is_level and piece.is_level):
        return False
    if abs(before.baseline - piece.baseline) > _SAME_ROW * max(before.size, piece.size):
        return False
    is_from_the_right = before.is_from_the_right or piece.is_from_the_right
    return piece.left > before.right or (is_from_the_right and piece.right < before.left)


def _with_marks_before_items(rows: Sequence[list[LinePiece]]) -> list[list[LinePiece]]:
    """Return lines in which the sign or the number of an item stands before it.

    Some programs write these after all items, or after the whole page: they are moved if one earlier line begins there.
    """
    ordered: list[list[LinePiece]] = []
    for row in rows:
        mark = row[0]
        items = [line for line in ordered if _is_item(line, mark)] if len(row) == 1 and mark.is_item_mark else []
        if len(items) == 1:
            items[0].insert(0, mark)
        else:
            ordered.append(row)
    return ordered


def _is_item(line: list[LinePiece], mark: LinePiece) -> bool:
    """Return whether a line may be the beginning of the item of a sign."""
    first = line[0]
    return (
        first.is_level
        and not first.is_from_the_right
        and not first.is_item_mark
        and abs(first.baseline - mark.baseline) <= _SAME_LINE * mark.size
        and 0 < first.left - mark.left <= _FARTHEST_MARK * mark.size
    )
