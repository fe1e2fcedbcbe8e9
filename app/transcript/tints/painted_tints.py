"""What is known of the tints that were painted last: where they are in their view, block after block of a document."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, Protocol

from PySide6.QtCore import QRect
from PySide6.QtGui import QTextBlock

from app.transcript.tints.tint_styles import TintStyle

# Left, top, width and height of a block in its view.
BlockPlace = tuple[float, float, float, float]
Rects = defaultdict[TintStyle, list[QRect]]


class TintedView(Protocol):
    """A view of a document whose blocks are tinted."""

    def first_block_in(self, area: QRect) -> QTextBlock:
        """Return the first block in an area of the view; of a row of a table, the first cell."""

    def blocks_from(self, block: QTextBlock) -> Iterator[tuple[QTextBlock, BlockPlace]]:
        """Yield a block and those below it, the cells of rows of tables among them, laid out, with their places."""


class RectCounts(NamedTuple):
    """How many rectangles of each style there are above a place of a document."""

    areas: dict[TintStyle, int]
    underlines: dict[TintStyle, int]


@dataclass(slots=True)
class TintedLine:
    """The tinted stretches of a line that begins at a position of the document, up to where its tokens are known."""

    start: int = -1
    end: int = -1
    stretches: list[tuple[int, int, TintStyle]] = field(default_factory=list)


@dataclass(slots=True)
class PaintedBlock:
    """A block of so many units that was painted. Only its last line may have grown since.

    `starts` has where its lines begin in it, and `above` what there was above each of them. `first_line` has the place
    of the first one within the block, and its width: the words of a centred cell move within it when another row makes
    its column wider. `line` is the last one.
    """

    position: int
    place: BlockPlace
    above_block: RectCounts
    length: int = -1
    starts: list[int] = field(default_factory=list)
    above: list[RectCounts] = field(default_factory=list)
    first_line: tuple[float, float] = (0.0, 0.0)
    line: TintedLine = field(default_factory=TintedLine)

    def drop_lines_from(self, position: int) -> RectCounts:
        """Drop the tints from the line with a position of the document on. Return what there was above it."""
        number = bisect_right(self.starts, position - self.position)
        del self.starts[number:]
        del self.above[number:]
        self.line = TintedLine()
        self.length = -1
        return self.above[-1] if self.above else self.above_block


@dataclass(slots=True)
class PaintedTints:
    """The tints of neighbouring blocks, from the one at the height `top` of their view on.

    Areas are painted below underlines. Rectangles are in the order of the document, so that those from a block on are
    the last ones, and a document that changes at its end keeps the others.
    """

    top: int = 0
    blocks: list[PaintedBlock] = field(default_factory=list)
    areas: Rects = field(default_factory=partial(defaultdict, list))
    underlines: Rects = field(default_factory=partial(defaultdict, list))

    @property
    def counts(self) -> RectCounts:
        """How many rectangles there are."""
        areas = {style: len(rects) for style, rects in self.areas.items()}
        return RectCounts(areas, {style: len(rects) for style, rects in self.underlines.items()})

    def drop_rects(self, above: RectCounts) -> None:
        """Drop all rectangles but those that were above a place."""
        for rects, counts in zip((self.areas, self.underlines), above, strict=True):
            for style, of_style in rects.items():
                del of_style[counts.get(style, 0) :]

    def rects_from(self, top: float) -> list[tuple[TintStyle, list[QRect]]]:
        """Return the rectangles in blocks that reach below a height, by style, in the order in which they are painted.

        Some of those above may be among them.
        """
        number = len(self.blocks) - 1 if top > self.top else 0
        while number > 0 and self.blocks[number].place[1] > top:
            number -= 1
        number = self._first_of_row(number)
        if number <= 0:
            return [*self.areas.items(), *self.underlines.items()]
        above = self.blocks[number].above_block
        areas = [(style, rects[above.areas.get(style, 0) :]) for style, rects in self.areas.items()]
        return areas + [(style, rects[above.underlines.get(style, 0) :]) for style, rects in self.underlines.items()]

    @property
    def first_of_last_rows(self) -> int:
        """The index of the first block of the last row but one, where blocks that are side by side are a row."""
        last = self._first_of_row(len(self.blocks) - 1)
        return self._first_of_row(last - 1) if last > 0 else 0

    def _first_of_row(self, number: int) -> int:
        """Return the index of the first block that is beside the one with that index."""
        while number > 0 and self.blocks[number - 1].place[1] == self.blocks[number].place[1]:
            number -= 1
        return number

    def clear(self, top: int = 0) -> None:
        """Drop all blocks. The next one is at that height."""
        self.top = top
        self.blocks = []
        self.areas.clear()
        self.underlines.clear()

    def drop_from(self, position: int) -> None:
        """Drop the tints from the line with a position of the document on."""
        self.drop_below(position)
        if self.blocks and position < self.blocks[-1].position + self.blocks[-1].length:
            self.drop_rects(self.blocks[-1].drop_lines_from(position))

    def drop_below(self, position: int) -> None:
        """Drop the blocks below the one with a position of the document."""
        self.drop_blocks(bisect_right(self.blocks, position, key=lambda block: block.position))

    def drop_blocks(self, first: int) -> None:
        """Drop the blocks from the one with that index on."""
        if first < len(self.blocks):
            self.drop_rects(self.blocks[first].above_block)
            del self.blocks[first:]
