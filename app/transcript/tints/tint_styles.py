"""How tokens are tinted: a colour for the role of what wrote them, and a line below the words of each proposer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPixmap

from app.widgets.colours import Colours
from app.wording.sources import MAIN, role_of
from engine.methods import PROPOSERS, ProposerEntry

# The thickness of the line below the tokens of a proposer, so that colour is not needed to tell them apart.
UNDERLINE = 1
# The pixels of its dashes and of the gaps between them.
_DASHES = {Qt.PenStyle.DashLine: (4, 2), Qt.PenStyle.DotLine: (1, 2)}


@dataclass(frozen=True, slots=True, eq=False)
class TintStyle:
    """The tint of a role or, with a `line`, its accent in that pattern.

    `below` is the line below words so tinted, in texts that have such lines and, if `is_pointed`, in all texts.
    """

    role: str
    line: Qt.PenStyle | None = None
    below: TintStyle | None = None
    is_pointed: bool = False

    def brush(self, colours: Colours) -> QBrush:
        """Return what areas of this style are painted with."""
        if self.role == MAIN:
            # Words of the main model have no colour of their own: those of a round that is shown are grey.
            return QBrush(QColor(colours.line if self.line is None else colours.muted))
        if self.line is None:
            return QBrush(QColor(colours.tint(self.role)))
        return _line_brush(QColor(colours.accent(self.role)), self.line)


@cache
def style_of(source: str) -> TintStyle:
    """Return the tint of the tokens of a source."""
    role = role_of(source)
    below = TintStyle(role, _underline_of(PROPOSERS[source])) if source in PROPOSERS else None
    return TintStyle(role, below=below)


@cache
def pointed_style_of(source: str) -> TintStyle:
    """Return the tint of the tokens of a source in a round that is pointed to among others that are tinted."""
    role = role_of(source)
    line = _underline_of(PROPOSERS[source]) if source in PROPOSERS else Qt.PenStyle.SolidLine
    return TintStyle(role, below=TintStyle(role, line), is_pointed=True)


def _underline_of(proposer: ProposerEntry) -> Qt.PenStyle:
    """Return the line below a proposer's tokens: solid of a drafter, dotted of an answer format, dashed of lookup."""
    if proposer.uses_drafter:
        return Qt.PenStyle.SolidLine
    return Qt.PenStyle.DotLine if proposer.every_method else Qt.PenStyle.DashLine


def _line_brush(colour: QColor, line: Qt.PenStyle) -> QBrush:
    """Return the brush for the line below the tokens of a proposer."""
    if line is Qt.PenStyle.SolidLine:
        return QBrush(colour)
    dash, gap = _DASHES[line]
    pattern = QPixmap(dash + gap, UNDERLINE)
    pattern.fill(Qt.GlobalColor.transparent)
    with QPainter(pattern) as painter:
        painter.fillRect(0, 0, dash, UNDERLINE, colour)
    return QBrush(pattern)
