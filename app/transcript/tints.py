"""The tints of tokens below the letters of an answer: which token wrote what is on the screen, painted, not formatted.

Formats of characters would lay a paragraph out again for each token. Painted below the letters, a tint costs only where
Qt paints anyway, which is the new line while an answer streams.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPen, QTextBlock, QTextCursor, QTextLine
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QToolTip

from app.text.formulas import Formula
from app.text.places import CodePlaces, ProsePlaces, SourcePlace, TokenPlace, token_places
from app.text.shown import Paragraph
from app.widgets import theme
from app.wording.sources import role_of
from app.wording.tokens import token_text
from engine.events import Token
from engine.methods import PROPOSERS, ProposerEntry
from engine.stats import RoundRecord

# The thickness of the line below the tokens of a proposer, so that colour is not needed to tell them apart.
_UNDERLINE = 1


@dataclass(eq=False)
class AnswerTints:
    """The tokens of one answer, their joined texts, and how they are tinted now.

    `strength` is 0 for no tints, and 1 for all of their colours. With `lit`, only the tokens of these rounds are
    tinted, those of the main model, too.
    """

    tokens: list[Token] = field(default_factory=list)
    rounds: Sequence[RoundRecord] = ()
    text: str = ""
    strength: float = 0.0
    lit: frozenset[int] = frozenset()
    # Where each token begins in the text.
    _starts: list[int] = field(default_factory=list)

    def take(self, tokens: Sequence[Token], rounds: Sequence[RoundRecord]) -> bool:
        """Take the tokens and rounds of the answer so far. Return whether they are others, not only more."""
        self.rounds = rounds
        others = len(tokens) < len(self.tokens) or (bool(self.tokens) and tokens[0] is not self.tokens[0])
        if others:
            self.tokens = []
            self._starts = []
            self.text = ""
        new = tokens[len(self.tokens) :]
        end = len(self.text)
        for token in new:
            self._starts.append(end)
            end += len(token.text)
        self.text += "".join(token.text for token in new)
        self.tokens.extend(new)
        return others

    @property
    def is_shown(self) -> bool:
        return bool(self.lit) or self.strength > 0

    def stretches(self, places: Sequence[SourcePlace]) -> list[TokenPlace]:
        """Return the stretches of a document that tokens wrote, from the places of its text."""
        return token_places(places, self._starts)

    def style(self, token: Token) -> _TintStyle | None:
        """Return how a token is tinted now; None if it is not."""
        is_lit = token.round in self.lit
        if token.source in PROPOSERS and (is_lit or not self.lit):
            return _TintStyle(role_of(token.source), underline_of(PROPOSERS[token.source]))
        return _TintStyle(role_of(token.source), None) if is_lit else None


@dataclass(frozen=True, slots=True)
class _TintStyle:
    role: str
    line: Qt.PenStyle | None


def underline_of(proposer: ProposerEntry) -> Qt.PenStyle:
    """Return the line below a proposer's tokens: solid of a drafter, dotted of an answer format, dashed of lookup."""
    if proposer.uses_drafter:
        return Qt.PenStyle.SolidLine
    return Qt.PenStyle.DotLine if proposer.every_method else Qt.PenStyle.DashLine


class TintLayer(QObject):
    """The tints of the document of one view: where its text stands in the answer, and how they are painted.

    `round_pointed` carries the number of the round whose token is under the pointer, None if there is none.
    """

    round_pointed = Signal(object)

    def __init__(self, view: QTextEdit | QPlainTextEdit) -> None:
        super().__init__(view)
        self._view = view
        self._pointed: int | None = None
        self._tints: AnswerTints | None = None
        self._places: list[SourcePlace] = []
        self._prose = ProsePlaces()
        self._code = CodePlaces()
        self._at = 0
        view.viewport().setMouseTracking(True)
        view.viewport().installEventFilter(self)

    def place_prose(
        self, tints: AnswerTints, at: int, paragraphs: Sequence[Paragraph], formula_length: Callable[[Formula], int]
    ) -> int:
        """Find the paragraphs in the answer's text from `at` on. Return where they end."""
        self._tints, self._at = tints, at
        self._places = self._prose.place(paragraphs, tints.text, at, formula_length)
        return self._prose.end

    def place_code(self, tints: AnswerTints, at: int, code: str) -> int:
        """Find the lines of code in the answer's text from `at` on. Return where they end."""
        self._tints, self._at = tints, at
        self._places = self._code.place(code, tints.text, at)
        return self._code.end

    def place_again(self, paragraphs: Sequence[Paragraph], formula_length: Callable[[Formula], int]) -> None:
        """Find the paragraphs again, because they are shown differently, as a formula that was LaTeX is."""
        if self._tints is not None:
            self._prose = ProsePlaces()
            self.place_prose(self._tints, self._at, paragraphs, formula_length)

    @property
    def is_shown(self) -> bool:
        return self._tints is not None and self._tints.is_shown

    def token_at(self, position: int) -> Token | None:
        """Return the token that wrote the letter at a position of the document; None if none is known."""
        stretches = self._stretches(position, position + 1)
        return self._tints.tokens[stretches[0].token] if stretches and self._tints is not None else None

    def rounds_between(self, start: int, end: int) -> set[int]:
        """Return the numbers of the rounds that wrote a stretch of the document."""
        if self._tints is None:
            return set()
        return {self._tints.tokens[stretch.token].round for stretch in self._stretches(start, end)}

    def first_lit(self) -> int | None:
        """Return where the rounds that are lit begin in the document; None if they wrote nothing of it."""
        if self._tints is None:
            return None
        tokens, lit = self._tints.tokens, self._tints.lit
        return next((at.start for at in self._tints.stretches(self._places) if tokens[at.token].round in lit), None)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Tell the token under the pointer, in a tooltip its figures."""
        if self._tints is None:
            return False
        if event.type() == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            self._point_to(self._token_under(event.position().toPoint()))
        elif event.type() == QEvent.Type.Leave:
            self._point_to(None)
        elif event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self.is_shown:
            token = self._token_under(event.pos())
            words = token_text(token, self._tints.rounds) if token is not None else ""
            QToolTip.showText(event.globalPos(), words, self._view)
            return True
        return False

    def _token_under(self, point: QPoint) -> Token | None:
        """Return the token that wrote the letter at a point of the viewport."""
        cursor = self._view.cursorForPosition(point)
        place = self._view.cursorRect(cursor)
        # The nearest place between letters may be to the right of the letter.
        position = cursor.position() - (1 if point.x() < place.left() else 0)
        is_near = abs(point.x() - place.left()) <= place.height() and place.top() <= point.y() <= place.bottom()
        return self.token_at(position) if is_near else None

    def _point_to(self, token: Token | None) -> None:
        number = token.round if token is not None else None
        if number != self._pointed:
            self._pointed = number
            self.round_pointed.emit(number)

    def _stretches(self, start: int, end: int) -> list[TokenPlace]:
        """Return the stretches of tokens between two positions of the document."""
        if self._tints is None:
            return []
        return self._tints.stretches([part for place in self._places if (part := _part(place, start, end))])

    def paint(self, painter: QPainter, blocks: Iterator[tuple[QTextBlock, QPointF]], area: QRect) -> None:
        """Paint the tints of blocks, each with where it is, within an area."""
        if self._tints is None:
            return
        painter.setOpacity(1.0 if self._tints.lit else self._tints.strength)
        for block, origin in blocks:
            layout = block.layout()
            for number in range(layout.lineCount()):
                line = layout.lineAt(number)
                top = origin.y() + line.y()
                if top <= area.bottom() and top + line.height() >= area.top():
                    self._paint_line(painter, line, block.position(), origin)

    def _paint_line(self, painter: QPainter, line: QTextLine, first: int, origin: QPointF) -> None:
        assert self._tints is not None
        start = first + line.textStart()
        tinted: list[tuple[int, int, _TintStyle]] = []
        for stretch in self._stretches(start, start + line.textLength()):
            style = self._tints.style(self._tints.tokens[stretch.token])
            if style is None:
                continue
            if tinted and tinted[-1][1:] == (stretch.start, style):
                tinted[-1] = tinted[-1][0], stretch.end, style
            else:
                tinted.append((stretch.start, stretch.end, style))
        for begin, end, style in tinted:
            # A blank where the line is wrapped is beyond its words.
            words = line.naturalTextRect()
            edges = sorted(min(max(_x(line, at - first), words.left()), words.right()) for at in (begin, end))
            height = min(line.height(), line.ascent() + line.descent())
            top = origin.y() + line.y() + line.ascent() + line.descent() - height
            _paint_tint(painter, QRectF(origin.x() + edges[0], top, edges[1] - edges[0], height), style)


def _part(place: SourcePlace, start: int, end: int) -> SourcePlace | None:
    """Return the part of a place between two positions of the document; None if there is none."""
    first = max(place.start, start)
    last = min(place.end, end)
    if first >= last:
        return None
    if not place.is_literal:
        return SourcePlace(first, last, place.source_start, place.source_end)
    source = place.source_start - place.start
    return SourcePlace(first, last, source + first, source + last)


def lit_rect(view: QTextEdit | QPlainTextEdit) -> QRect | None:
    """Return where the rounds that are lit begin in a text of an answer; None if they wrote nothing of it."""
    layer = view.findChild(TintLayer)
    start = layer.first_lit() if layer is not None else None
    if start is None:
        return None
    cursor = QTextCursor(view.document())
    cursor.setPosition(start)
    return view.cursorRect(cursor)


def selected_rounds(view: QTextEdit | QPlainTextEdit) -> set[int]:
    """Return the numbers of the rounds that wrote what is selected in a text of an answer."""
    layer = view.findChild(TintLayer)
    cursor = view.textCursor()
    if layer is None or not cursor.hasSelection():
        return set()
    return layer.rounds_between(cursor.selectionStart(), cursor.selectionEnd())


def _x(line: QTextLine, position: int) -> float:
    """Return how far from the left of its text's area a position of a line is."""
    place = cast("tuple[float, int]", line.cursorToX(position))
    return place[0]


def _paint_tint(painter: QPainter, place: QRectF, style: _TintStyle) -> None:
    colours = theme.colours()
    painter.fillRect(place, QColor(colours.tint(style.role)))
    if style.line is not None:
        pen = QPen(QColor(colours.accent(style.role)), _UNDERLINE, style.line)
        painter.setPen(pen)
        base = round(place.bottom()) - _UNDERLINE / 2
        painter.drawLine(QPointF(place.left(), base), QPointF(place.right(), base))
