"""The tints of tokens below the letters of an answer: which token wrote what is on the screen, painted, not formatted.

Formats of characters would lay a paragraph out again for each token. Painted below the letters, a tint costs only where
Qt paints anyway. A line that is painted again has a picture of
its tints, so that the lines above the new one of a paragraph cost little.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import ceil
from operator import attrgetter
from typing import NamedTuple, cast

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPen, QPixmap, QTextBlock, QTextCursor, QTextLine
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QToolTip

from app.text.formulas import Formula
from app.text.places import CodePlaces, ProsePlaces, SourcePlace, TokenPlace, token_places
from app.text.shown import Paragraph
from app.widgets import theme
from app.widgets.colours import Colours
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
        if self.lit:
            return _style_of(token.source) if token.round in self.lit else None
        return _style_of(token.source) if token.source in PROPOSERS else None


@dataclass(frozen=True, slots=True)
class _TintStyle:
    role: str
    line: Qt.PenStyle | None


@cache
def _style_of(source: str) -> _TintStyle:
    return _TintStyle(role_of(source), underline_of(PROPOSERS[source]) if source in PROPOSERS else None)


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
        # The pictures of lines by where their blocks begin, and what they were painted for.
        self._lines: dict[int, tuple[_BlockLook, list[_LineTint]]] = {}
        self._painted_for: tuple[frozenset[int], Colours, float, float] | None = None
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
        self._take_places(self._prose.place(paragraphs, tints.text, at, formula_length))
        return self._prose.end

    def place_code(self, tints: AnswerTints, at: int, code: str) -> int:
        """Find the lines of code in the answer's text from `at` on. Return where they end."""
        self._tints, self._at = tints, at
        self._take_places(self._code.place(code, tints.text, at))
        return self._code.end

    def place_again(self, paragraphs: Sequence[Paragraph], formula_length: Callable[[Formula], int]) -> None:
        """Find the paragraphs again, because they are shown differently, as a formula that was LaTeX is."""
        if self._tints is not None:
            self._prose = ProsePlaces()
            self.forget()
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
        first = max(0, bisect_right(self._places, start, key=_start_of) - 1)
        last = bisect_left(self._places, end, key=_start_of)
        return self._tints.stretches([part for place in self._places[first:last] if (part := _part(place, start, end))])

    def _take_places(self, places: list[SourcePlace]) -> None:
        """Take the places of the text. Pictures stay unless anything but the last place has changed."""
        count = len(self._places)
        if count:
            same = len(places) >= count and places[: count - 1] == self._places[:-1]
            before = self._places[-1]
            now = places[count - 1] if same else before
            if not same or (now.start, now.source_start) != (before.start, before.source_start) or now.end < before.end:
                self.forget()
        self._places = places

    def forget(self) -> None:
        """Paint all tints anew, because the letters have other places."""
        self._lines = {}

    def paint(self, painter: QPainter, blocks: Iterator[tuple[QTextBlock, QPointF]], area: QRect) -> None:
        """Paint the tints of blocks, each with where it is, within an area."""
        if self._tints is None:
            return
        ratio = painter.device().devicePixelRatioF()
        painted_for = (self._tints.lit, theme.colours(), ratio, self._view.document().textWidth())
        if painted_for != self._painted_for:
            self._painted_for = painted_for
            self.forget()
        painter.setOpacity(1.0 if self._tints.lit else self._tints.strength)
        for block, origin in blocks:
            above = area.top() - origin.y()
            below = area.bottom() - origin.y()
            for line in self._lines_of(block):
                if line.segments and line.top <= below and line.top + line.height >= above:
                    line.paint(painter, origin, ratio)

    def _lines_of(self, block: QTextBlock) -> list[_LineTint]:
        """Return the tints of the lines of a block. Of a paragraph that has grown, only the last ones are new."""
        layout = block.layout()
        count = layout.lineCount()
        begins = layout.lineAt(0).naturalTextWidth() if count else 0.0
        look = _BlockLook(block.length(), count, begins)
        known_look, lines = self._lines.get(block.position(), (None, []))
        if look == known_look:
            return lines
        has_grown = known_look is not None and known_look.begins == begins and known_look.length <= look.length
        lines = lines[:-1] if has_grown and len(lines) <= count else []
        for number in range(len(lines), count):
            lines.append(self._line_tint(layout.lineAt(number), block.position()))
        self._lines[block.position()] = look, lines
        return lines

    def _line_tint(self, line: QTextLine, first: int) -> _LineTint:
        assert self._tints is not None
        start = first + line.textStart()
        # A blank where the line is wrapped is beyond its words.
        words = line.naturalTextRect()
        height = min(line.height(), line.ascent() + line.descent())
        tint = _LineTint(line.y() + line.ascent() + line.descent() - height, height, words.width(), words.left())
        for stretch in self._stretches(start, start + line.textLength()):
            style = self._tints.style(self._tints.tokens[stretch.token])
            if style is None:
                continue
            last = tint.segments[-1] if tint.segments else None
            if last is not None and last.end == stretch.start and last.style is style:
                last.end = stretch.end
            else:
                tint.segments.append(_Segment(stretch.start, stretch.end, style))
        for segment in tint.segments:
            edges = sorted(_x(line, at - first) - words.left() for at in (segment.start, segment.end))
            segment.left = max(0.0, edges[0])
            segment.width = min(words.width(), edges[1]) - segment.left
        return tint


@dataclass(slots=True)
class _Segment:
    """A stretch of a line that is tinted alike, with its edges in pixels from the left of the line's words."""

    start: int
    end: int
    style: _TintStyle
    left: float = 0.0
    width: float = 0.0


@dataclass(slots=True)
class _LineTint:
    """The tints of a line, where they are in its block, and their picture once the line was painted again."""

    top: float
    height: float
    width: float
    left: float
    segments: list[_Segment] = field(default_factory=list)
    _picture: QPixmap | None = None
    _is_painted: bool = False

    def paint(self, painter: QPainter, origin: QPointF, ratio: float) -> None:
        """Paint the tints. A line that is not the last one is painted often, and costs less as a picture."""
        place = QPointF(origin.x() + self.left, origin.y() + self.top)
        if self._is_painted:
            if self._picture is None:
                self._picture = self._drawn(ratio)
            painter.drawPixmap(place, self._picture)
        else:
            self._is_painted = True
            self._draw(painter, place)

    def _drawn(self, ratio: float) -> QPixmap:
        picture = QPixmap(ceil(self.width * ratio), ceil(self.height * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        with QPainter(picture) as painter:
            self._draw(painter, QPointF(0, 0))
        return picture

    def _draw(self, painter: QPainter, place: QPointF) -> None:
        base = round(place.y() + self.height) - _UNDERLINE / 2
        for segment in self.segments:
            tint, pen = _paints(theme.colours(), segment.style)
            left = place.x() + segment.left
            painter.fillRect(QRectF(left, place.y(), segment.width, self.height), tint)
            if pen is not None:
                painter.setPen(pen)
                painter.drawLine(QPointF(left, base), QPointF(left + segment.width, base))


class _BlockLook(NamedTuple):
    """What changes with the lines of a block: its length and their number, and the width of the first one."""

    length: int
    count: int
    begins: float


_start_of = attrgetter("start")


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


@cache
def _paints(colours: Colours, style: _TintStyle) -> tuple[QColor, QPen | None]:
    """Return the colour of a tint, and the pen of its line."""
    line = None if style.line is None else QPen(QColor(colours.accent(style.role)), _UNDERLINE, style.line)
    return QColor(colours.tint(style.role)), line
