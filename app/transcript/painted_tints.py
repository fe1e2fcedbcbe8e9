"""What is known of the tints that were painted: of a line, of a block of a document, and of one whose end grows."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QRect

from app.transcript.tint_styles import TintStyle

# Left, top, width and height of a block in its view.
BlockPlace = tuple[float, float, float, float]


@dataclass(slots=True)
class Tints:
    """Where text is tinted in its view, and where it has lines below its words, by how."""

    areas: defaultdict[TintStyle, list[QRect]] = field(default_factory=partial(defaultdict, list))
    underlines: defaultdict[TintStyle, list[QRect]] = field(default_factory=partial(defaultdict, list))

    def add(self, others: Tints) -> None:
        """Take the tints of other text, too."""
        for style in others.areas:
            self.areas[style] += others.areas[style]
        for style in others.underlines:
            self.underlines[style] += others.underlines[style]


class BlockLook(NamedTuple):
    """What moves the lines of a block: the first one's width and place within it, and its own place.

    The words of a centred cell move within it when another row makes its column wider.
    """

    begins: float
    indent: float
    left: float
    top: float


@dataclass(slots=True)
class TintedLine:
    """The tinted stretches of a line that begins at a position of the document, up to where its tokens are known."""

    start: int = -1
    end: int = -1
    stretches: list[tuple[int, int, TintStyle]] = field(default_factory=list)


@dataclass(slots=True)
class BlockTints:
    """The tints of a block of so many units and lines: of its last line, whose stretches are known, and above it."""

    look: BlockLook
    place: BlockPlace = (0.0, 0.0, 0.0, 0.0)
    length: int = 0
    lines: int = 0
    above: Tints = field(default_factory=Tints)
    last: Tints = field(default_factory=Tints)
    line: TintedLine = field(default_factory=TintedLine)

    def add_to(self, tints: Tints) -> None:
        """Add all of these to other tints."""
        if self.lines > 1:
            tints.add(self.above)
        tints.add(self.last)

    def can_be_above(self, now: BlockLook) -> bool:
        """Return whether all lines but the last one are as they were. A first line that is the last one may grow."""
        return self.look[1:] == now[1:] and (self.lines == 1 or self.look.begins == now.begins)


@dataclass(slots=True)
class Growth:
    """The tints of a document that was painted from a height on to its end, while only its last block grows."""

    top: int
    above: Tints
    last: BlockTints
