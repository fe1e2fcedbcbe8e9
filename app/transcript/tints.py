"""The tints of tokens below the letters of an answer: which token wrote what is on the screen, painted, not formatted.

Formats of characters would lay a paragraph out again for each token. Painted below the letters, a tint costs only where
Qt paints anyway. Lines keep their tints, so that those above the new line of a paragraph cost little.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from operator import attrgetter
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QPixmap,
    QTextBlock,
    QTextCursor,
    QTextLine,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QToolTip

from app.text.formulas import Formula
from app.text.places import CodePlaces, SourcePlace, token_places
from app.text.prose_places import ProsePlaces
from app.text.shown import Paragraph
from app.widgets import theme
from app.wording.sources import role_of
from app.wording.tokens import token_text
from engine.events import Token
from engine.methods import PROPOSERS, ProposerEntry
from engine.stats import RoundRecord

_NO_PEN = QPen(Qt.PenStyle.NoPen)
# The thickness of the line below the tokens of a proposer, so that colour is not needed to tell them apart.
_UNDERLINE = 1
# So many lines of a block are painted together, unless none of them is to be seen.
_TOGETHER = 16
# The pixels of its dashes and of the gaps between them.
_DASHES = {Qt.PenStyle.DashLine: (4, 2), Qt.PenStyle.DotLine: (1, 2)}


@dataclass(eq=False)
class AnswerTints:
    """The tokens of one answer, their joined texts, and how they are tinted now.

    Neighbours of one round and one source are a run: they are tinted alike.

    `strength` is 0 for no tints, and 1 for all of their colours. With `lit`, only the tokens of these rounds are
    tinted, those of the main model, too. `underlined` says whether the tokens of each proposer have a line of their own
    below them, for whom colours do not tell enough; a text that streams is calmer without.
    """

    tokens: list[Token] = field(default_factory=list)
    rounds: Sequence[RoundRecord] = ()
    text: str = ""
    strength: float = 0.0
    lit: frozenset[int] = frozenset()
    underlined: bool = False
    # Where each run begins among the tokens and in the text.
    _firsts: list[int] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)

    def take(self, tokens: Sequence[Token], rounds: Sequence[RoundRecord]) -> bool:
        """Take the tokens and rounds of the answer so far. Return whether they are others, not only more."""
        self.rounds = rounds
        others = len(tokens) < len(self.tokens) or (bool(self.tokens) and tokens[0] is not self.tokens[0])
        if others:
            self.tokens = []
            self._firsts = []
            self._starts = []
            self.text = ""
        new = tokens[len(self.tokens) :]
        if new:
            self._take_new(new)
        return others

    def _take_new(self, tokens: Sequence[Token]) -> None:
        """Take tokens that follow the known ones."""
        start = len(self.text)
        last = self.tokens[-1] if self.tokens else None
        for number, token in enumerate(tokens, start=len(self.tokens)):
            if last is None or last.round != token.round or last.source != token.source:
                self._firsts.append(number)
                self._starts.append(start)
            last = token
            start += len(token.text)
        self.text += "".join([token.text for token in tokens])
        self.tokens += tokens

    @property
    def is_shown(self) -> bool:
        return bool(self.lit) or self.strength > 0

    def runs_in(self, places: Sequence[SourcePlace]) -> list[tuple[int, int, Token]]:
        """Return the stretches of a document that runs of tokens wrote, from the places of its text.

        Each has where it begins and ends, and the first token of its run.
        """
        tokens, firsts = self.tokens, self._firsts
        return [(start, end, tokens[firsts[run]]) for start, end, run in token_places(places, self._starts)]

    def token_in(self, places: Sequence[SourcePlace]) -> Token | None:
        """Return the token that wrote the first of these places of a document; None if none did."""
        runs = token_places(places, self._starts)
        if not runs:
            return None
        run = runs[0].token
        first = self._firsts[run]
        after = self._firsts[run + 1] if run + 1 < len(self._firsts) else len(self.tokens)
        texts = [token.text for token in self.tokens[first:after]]
        starts = list(accumulate(map(len, texts[:-1]), initial=self._starts[run]))
        return self.tokens[first + token_places(places, starts)[0].token]

    def style(self, token: Token) -> _TintStyle | None:
        """Return how a token is tinted now; None if it is not."""
        if self.lit:
            return _style_of(token.source) if token.round in self.lit else None
        return _style_of(token.source) if token.source in PROPOSERS else None


@dataclass(frozen=True, slots=True, eq=False)
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
        # The tints of blocks by where they begin, and what they were worked out for.
        self._blocks: dict[int, _BlockTints] = {}
        self._painted_for: tuple[frozenset[int], bool, float] | None = None
        self._prose = ProsePlaces()
        self._code = CodePlaces()
        self._at = 0
        view.viewport().setMouseTracking(True)

    def follow_pointer(self, is_over: bool) -> None:
        """Take whether the pointer is over the view. Without it, no event is looked at: each word brings some."""
        if is_over:
            self._view.viewport().installEventFilter(self)
        else:
            self._view.viewport().removeEventFilter(self)
            self._point_to(None)

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
            self._blocks = {}
            self.place_prose(self._tints, self._at, paragraphs, formula_length)

    @property
    def is_shown(self) -> bool:
        return self._tints is not None and self._tints.is_shown

    def token_at(self, position: int) -> Token | None:
        """Return the token that wrote the letter at a position of the document; None if none is known."""
        return self._tints.token_in(self._places_between(position, position + 1)) if self._tints is not None else None

    def rounds_between(self, start: int, end: int) -> set[int]:
        """Return the numbers of the rounds that wrote a stretch of the document."""
        if self._tints is None:
            return set()
        return {token.round for _, _, token in self._tints.runs_in(self._places_between(start, end))}

    def first_lit(self) -> int | None:
        """Return where the rounds that are lit begin in the document; None if they wrote nothing of it."""
        if self._tints is None:
            return None
        lit = self._tints.lit
        return next((start for start, _, token in self._tints.runs_in(self._places) if token.round in lit), None)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Tell the token under the pointer, in a tooltip its figures."""
        if self._tints is None:
            return False
        if event.type() == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            self._point_to(self._token_under(event.position().toPoint()))
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

    def _places_between(self, start: int, end: int) -> list[SourcePlace]:
        """Return the places of the text between two positions of the document."""
        first = max(0, bisect_right(self._places, start, key=_start_of) - 1)
        last = bisect_left(self._places, end, key=_start_of)
        return [part for place in self._places[first:last] if (part := _part(place, start, end))]

    def _take_places(self, places: list[SourcePlace]) -> None:
        """Take the places of the text. Blocks keep their tints up to the first place that is not as it was.

        The last place may have grown.
        """
        before = self._places
        self._places = places
        count = len(before)
        if places is before or not count:
            return
        last = before[-1]
        if len(places) >= count and places[: count - 1] == before[:-1]:
            now = places[count - 1]
            if now.start == last.start and now.source_start == last.source_start and now.end >= last.end:
                return
        pairs = zip(before, places, strict=False)
        same = next((at for at, (old, new) in enumerate(pairs) if old != new), min(count, len(places)))
        changed = min(all_places[same].start for all_places in (before, places) if same < len(all_places))
        self._blocks = {
            position: known for position, known in self._blocks.items() if position + known.look.length <= changed
        }

    def paint(self, painter: QPainter, blocks: Iterator[tuple[QTextBlock, QPointF]], area: QRect) -> None:
        """Paint the tints of blocks, each with where it is, within an area."""
        if self._tints is None:
            return
        painted_for = (self._tints.lit, self._tints.underlined, self._view.document().textWidth())
        if painted_for != self._painted_for:
            self._painted_for = painted_for
            self._blocks = {}
        tints = _LineTints(0, 0)
        for block, origin in blocks:
            for lines in self._lines_of(block, origin):
                if lines.top <= area.bottom() and lines.bottom >= area.top():
                    tints.add(lines)
        strength = 1.0 if self._tints.lit else self._tints.strength
        if strength < 1:
            painter.setOpacity(strength)
        painter.setPen(_NO_PEN)
        colours = theme.colours()
        for style, rects in tints.tints.items():
            painter.setBrush(_tint_brush(colours.tint(style.role)))
            painter.drawRects(rects)
        for style, rects in tints.underlines.items():
            painter.setBrush(_underline_brush(colours.accent(style.role), style.line))
            painter.drawRects(rects)

    def _lines_of(self, block: QTextBlock, origin: QPointF) -> list[_LineTints]:
        """Return the tints of the lines of a block. Of a paragraph that has grown, only the last ones are new."""
        layout = block.layout()
        position = block.position()
        count = layout.lineCount()
        begins = layout.lineAt(0).naturalTextRect() if count else QRectF()
        look = _BlockLook(block.length(), count, begins.width(), begins.left(), origin.x(), origin.y())
        known = self._blocks.get(position)
        if known is not None and known.look == look:
            return known.lines
        if known is None or not known.look.grows_to(look):
            known = _BlockTints(look)
            first = 0
        else:
            first = max(0, known.look.lines - 1)
            del known.lines[-1:]
        known.look = look
        for number in range(first, count):
            line = self._line_tints(layout.lineAt(number), position, origin, known.last)
            if known.lines and number + 1 < count and number % _TOGETHER:
                known.lines[-1].add(line)
            else:
                known.lines.append(line)
        self._blocks[position] = known
        return known.lines

    def _tint_line(self, last: _TintedLine, start: int, end: int) -> None:
        """Make `last` the line between two positions of the document, which it may be already, but shorter."""
        assert self._tints is not None
        if last.start != start or last.end > end:
            last.start = last.end = start
            last.stretches = []
        style_of = self._tints.style
        stretches = last.stretches
        for first, after, token in self._tints.runs_in(self._places_between(last.end, end)):
            last.end = after
            style = style_of(token)
            if style is None:
                continue
            if stretches and stretches[-1][1] == first and stretches[-1][2] is style:
                stretches[-1] = stretches[-1][0], after, style
            else:
                stretches.append((first, after, style))

    def _line_tints(self, line: QTextLine, first: int, origin: QPointF, last: _TintedLine) -> _LineTints:
        """Return the tints of a line of a block that begins at a position of the document."""
        assert self._tints is not None
        start = first + line.textStart()
        self._tint_line(last, start, start + line.textLength())
        words = line.naturalTextRect()
        letters = line.ascent() + line.descent()
        bottom = round(origin.y() + line.y() + letters)
        height = round(min(line.height(), letters))
        tints = _LineTints(bottom - height, bottom)
        from_left = origin.x()
        leftmost = words.left()
        rightmost = words.right()
        for begin, end, style in last.stretches:
            left, right = _between(line, begin - first, end - first)
            # A blank where the line is wrapped is beyond its words.
            left = round(from_left + (left if left > leftmost else leftmost))
            width = round(from_left + (right if right < rightmost else rightmost)) - left
            if width <= 0:
                continue
            tints.tints.setdefault(style, []).append(QRect(left, tints.top, width, height))
            if style.line is not None and self._tints.underlined:
                below = QRect(left, bottom - _UNDERLINE, width, _UNDERLINE)
                tints.underlines.setdefault(style, []).append(below)
        return tints


@dataclass(slots=True)
class _LineTints:
    """Where lines are tinted in their view, and where they have lines below their words, by how."""

    top: int
    bottom: int
    tints: dict[_TintStyle, list[QRect]] = field(default_factory=dict)
    underlines: dict[_TintStyle, list[QRect]] = field(default_factory=dict)

    def add(self, below: _LineTints) -> None:
        """Take the tints of lines below these, too."""
        self.bottom = below.bottom
        for style, rects in below.tints.items():
            self.tints.setdefault(style, []).extend(rects)
        for style, rects in below.underlines.items():
            self.underlines.setdefault(style, []).extend(rects)


class _BlockLook(NamedTuple):
    """What changes with the lines of a block: its length, their number, the first one's width and place, and its own.

    The words of a centred cell move within it when another row makes its column wider.
    """

    length: int
    lines: int
    begins: float
    indent: float
    left: float
    top: float

    def grows_to(self, now: _BlockLook) -> bool:
        """Return whether all lines but the last one can be as they were. A first line that is the last one may grow."""
        is_longer = self.length <= now.length and self.lines <= now.lines
        return is_longer and self[3:] == now[3:] and (self.lines == 1 or self.begins == now.begins)


@dataclass(slots=True)
class _TintedLine:
    """The tinted stretches of a line that begins at a position of the document, up to where its tokens are known."""

    start: int = -1
    end: int = -1
    stretches: list[tuple[int, int, _TintStyle]] = field(default_factory=list)


@dataclass(slots=True)
class _BlockTints:
    """The tints of a block that looks like this: of its last line alone, and of some lines above it together."""

    look: _BlockLook
    lines: list[_LineTints] = field(default_factory=list)
    last: _TintedLine = field(default_factory=_TintedLine)


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


def _between(line: QTextLine, begin: int, end: int) -> tuple[float, float]:
    """Return how far from the left of its text's area two positions of a line are, the leftmost one first."""
    left: float = line.cursorToX(begin)[0]  # type: ignore[index]
    right: float = line.cursorToX(end)[0]  # type: ignore[index]
    return (left, right) if left <= right else (right, left)


@cache
def _tint_brush(colour: str) -> QBrush:
    return QBrush(QColor(colour))


@cache
def _underline_brush(colour: str, line: Qt.PenStyle | None) -> QBrush:
    """Return what the line below the tokens of a proposer is painted with."""
    if line is None or line is Qt.PenStyle.SolidLine:
        return QBrush(QColor(colour))
    dash, gap = _DASHES[line]
    pattern = QPixmap(dash + gap, _UNDERLINE)
    pattern.fill(Qt.GlobalColor.transparent)
    with QPainter(pattern) as painter:
        painter.fillRect(0, 0, dash, _UNDERLINE, QColor(colour))
    return QBrush(pattern)
