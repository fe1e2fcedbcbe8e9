"""The tints of tokens below the letters of an answer: which token wrote what is on the screen, painted, not formatted.

Formats of characters would lay a paragraph out again for each token. Painted below the letters, a tint costs only where
Qt paints anyway. Lines keep their tints, so that those above the new line of a paragraph cost little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from operator import attrgetter

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QTextBlock,
    QTextCursor,
    QTextLayout,
    QTextLine,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QToolTip

from app.text.formulas import Formula
from app.text.places import CodePlaces, SourcePlace, first_change, token_places
from app.text.prose_places import ProsePlaces
from app.text.shown import Paragraph
from app.transcript.tints.painted_tints import BlockPlace, PaintedBlock, PaintedTints, TintedView
from app.transcript.tints.tint_styles import UNDERLINE, TintStyle, pointed_style_of, style_of
from app.widgets import theme
from app.wording.tokens import token_text
from engine.events import Token
from engine.methods import PROPOSERS
from engine.stats import RoundRecord

_NO_PEN = QPen(Qt.PenStyle.NoPen)
_run_of = attrgetter("round", "source")


# Where a run of tokens begins and ends in a document, and its first token. No record, because painting makes many.
TokenStretch = tuple[int, int, Token]


@dataclass(eq=False)
class AnswerTints:
    """The tokens of one answer, their joined texts, and how they are tinted now.

    Neighbours of one round and one source are a run: they are tinted alike.

    `strength` is 0 for no tints, and 1 for all of their colours. With `lit`, only the tokens of these rounds are
    tinted, those of the main model, too; the tokens of the round that is `pointed` to are tinted so beside the others.
    `underlined` says whether the tokens of each proposer have a line of their own
    below them, for whom colours do not tell enough; a text that streams is calmer without.
    """

    tokens: list[Token] = field(default_factory=list)
    rounds: Sequence[RoundRecord] = ()
    text: str = ""
    strength: float = 0.0
    lit: frozenset[int] = frozenset()
    pointed: int | None = None
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
        known = len(self.tokens)
        if len(tokens) > known:
            self._take_new(tokens[known:])
        return others

    def _take_new(self, tokens: Sequence[Token]) -> None:
        """Take tokens that follow the known ones."""
        for run, group in groupby(tokens, key=_run_of):
            of_run = list(group)
            if not self.tokens or _run_of(self.tokens[-1]) != run:
                self._firsts.append(len(self.tokens))
                self._starts.append(len(self.text))
            self.text += "".join([token.text for token in of_run])
            self.tokens += of_run

    @property
    def is_shown(self) -> bool:
        return self.shown_strength > 0

    @property
    def shown_strength(self) -> float:
        """How strong the tints are, with those of rounds that are lit or pointed to, which do not fade."""
        return 1.0 if self.lit or self.pointed is not None else self.strength

    def runs_in(self, places: Sequence[SourcePlace], start: int, end: int | None) -> list[TokenStretch]:
        """Return the stretches between two positions of a document that runs of tokens wrote, by its places.

        Each has where it begins and ends, and the first token of its run.
        """
        tokens = self.tokens
        firsts = self._firsts
        runs = token_places(places, self._starts, start, end)
        return [(begin, after, tokens[firsts[run]]) for begin, after, run in runs]

    def token_at(self, places: Sequence[SourcePlace], position: int) -> Token | None:
        """Return the token that wrote the letter at a position of a document with these places; None if none did."""
        runs = token_places(places, self._starts, position, position + 1)
        if not runs:
            return None
        run = runs[0].token
        first = self._firsts[run]
        after = self._firsts[run + 1] if run + 1 < len(self._firsts) else len(self.tokens)
        texts = [token.text for token in self.tokens[first:after]]
        starts = list(accumulate(map(len, texts[:-1]), initial=self._starts[run]))
        return self.tokens[first + token_places(places, starts, position, position + 1)[0].token]

    def stretches_in(
        self, places: Sequence[SourcePlace], start: int, end: int, stretches: list[tuple[int, int, TintStyle]]
    ) -> int:
        """Add what is tinted between two positions of a document to the stretches before it. Return where it ends."""
        for begin, after, token in self.runs_in(places, start, end):
            start = after
            style = self.style(token)
            if style is None:
                continue
            if stretches and stretches[-1][1] == begin and stretches[-1][2] is style:
                stretches[-1] = stretches[-1][0], after, style
            else:
                stretches.append((begin, after, style))
        return start

    def style(self, token: Token) -> TintStyle | None:
        """Return how a token is tinted now; None if it is not."""
        if self.lit:
            return style_of(token.source) if token.round in self.lit else None
        if token.round == self.pointed:
            return pointed_style_of(token.source)
        if not self.strength:
            return None
        return style_of(token.source) if token.source in PROPOSERS else None


class TintLayer(QObject):
    """The tints of the document of one view: where its text stands in the answer, and how they are painted.

    `round_pointed` carries the number of the round whose token is under the pointer, None if there is none.
    """

    round_pointed = Signal(object)

    def __init__(self, view: QTextEdit | QPlainTextEdit) -> None:
        super().__init__(view)
        self._view = view
        self._document = view.document()
        self._pointed: int | None = None
        self._tints: AnswerTints | None = None
        self._places: list[SourcePlace] = []
        # The tints that were painted last, and what they were worked out for.
        self._painted = PaintedTints()
        self._painted_for: tuple[object, ...] | None = None
        self._brushes: dict[TintStyle, QBrush] = {}
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
        self._tints = tints
        self._at = at
        self._take_places(self._prose.place(paragraphs, tints.text, at, formula_length))
        return self._prose.end

    def place_code(self, tints: AnswerTints, at: int, code: str) -> int:
        """Find the lines of code in the answer's text from `at` on. Return where they end."""
        self._tints = tints
        self._at = at
        self._take_places(self._code.place(code, tints.text, at))
        return self._code.end

    def place_again(self, paragraphs: Sequence[Paragraph], formula_length: Callable[[Formula], int]) -> None:
        """Find the paragraphs again, because they are shown differently, as a formula that was LaTeX is."""
        if self._tints is not None:
            self._prose = ProsePlaces()
            self._painted.clear()
            self.place_prose(self._tints, self._at, paragraphs, formula_length)

    @property
    def is_shown(self) -> bool:
        return self._tints is not None and self._tints.is_shown

    def token_at(self, position: int) -> Token | None:
        """Return the token that wrote the letter at a position of the document; None if none is known."""
        return self._tints.token_at(self._places, position) if self._tints is not None else None

    def rounds_between(self, start: int, end: int) -> set[int]:
        """Return the numbers of the rounds that wrote a stretch of the document."""
        if self._tints is None:
            return set()
        return {token.round for _, _, token in self._tints.runs_in(self._places, start, end)}

    def first_lit(self) -> int | None:
        """Return where the rounds that are lit begin in the document; None if they wrote nothing of it."""
        if self._tints is None:
            return None
        lit = self._tints.lit
        runs = self._tints.runs_in(self._places, 0, None)
        return next((start for start, _, token in runs if token.round in lit), None)

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

    def _take_places(self, places: list[SourcePlace]) -> None:
        """Take the places of the text. Blocks keep their tints up to the first place that is not as it was.

        The last place may have grown, and with it the block that it is in.
        """
        before = self._places
        self._places = places
        if places is before:
            return
        count = len(before)
        if before and len(places) >= count and places[: count - 1] == before[:-1]:
            last = before[-1]
            now = places[count - 1]
            if now.start == last.start and now.source_start == last.source_start and now.end >= last.end:
                self._painted.drop_below(last.start)
                return
        self._painted.drop_from(first_change(before, places))

    def forget_from(self, position: int) -> None:
        """Forget the tints from a position of the document on, where something else than their tokens has changed."""
        self._painted.drop_from(position)

    def paint(self, painter: QPainter, view: TintedView, area: QRect) -> None:
        """Paint the tints in an area of the view."""
        if self._tints is None:
            return
        colours = theme.colours()
        tints = self._tints
        marked = tints.lit, tints.pointed, bool(tints.strength)
        painted_for = (colours, *marked, tints.underlined, self._document.textWidth())
        if painted_for != self._painted_for:
            self._painted_for = painted_for
            self._painted.clear()
            self._brushes = {}
        top = area.top()
        self._look_at(view, area, top)
        strength = tints.shown_strength
        if strength < 1:
            painter.setOpacity(strength)
        painter.setPen(_NO_PEN)
        for style, rects in self._painted.rects_from(top):
            brush = self._brushes.get(style)
            if brush is None:
                brush = self._brushes[style] = style.brush(colours)
            painter.setBrush(brush)
            painter.drawRects(rects)

    def _look_at(self, view: TintedView, area: QRect, top: int) -> None:
        """Find the tints in an area, but for those that are where they were: of two rows, the blocks are looked at.

        A row that is complete tells whether a table has other columns now, which moves the words in all of its rows.
        """
        painted = self._painted
        if painted.blocks and top >= painted.top:
            first = painted.first_of_last_rows
            block = self._document.findBlock(painted.blocks[first].position)
            if self._take_blocks(view.blocks_from(block), first, area.bottom()):
                return
        painted.clear(top)
        self._take_blocks(view.blocks_from(view.first_block_in(area)), 0, area.bottom())

    def _take_blocks(self, blocks: Iterable[tuple[QTextBlock, BlockPlace]], number: int, bottom: int) -> bool:
        """Take blocks down to a height, of which the first ones are known, from that number on.

        Return False if one that is known, but for the last one, is not as it was.
        """
        known = self._painted.blocks
        for block, place in blocks:
            if number < len(known) and not self._take_known(known[number], block, place, number + 1 == len(known)):
                if number + 1 < len(known):
                    return False
                self._painted.drop_blocks(number)
            if number == len(known):
                if place[1] > bottom:
                    return True
                known.append(PaintedBlock(block.position(), place, self._painted.counts))
                self._take_lines(known[number], block.layout())
                known[number].length = block.length()
            number += 1
        return number >= len(known)

    def _take_known(self, known: PaintedBlock, block: QTextBlock, place: BlockPlace, is_last: bool) -> bool:
        """Take a block that is known. Return False if more of it has changed than that its last line has grown.

        That may be so only of the last one.
        """
        length = block.length()
        if known.length == length and known.place == place:
            return True
        if not is_last or known.length > length or known.place[:3] != place[:3]:
            return False
        known.place = place
        known.length = length
        return self._take_lines(known, block.layout())

    def _take_lines(self, block: PaintedBlock, layout: QTextLayout) -> bool:
        """Take the lines of the last block, from its last one that is known on. Return False if others have changed."""
        painted = self._painted
        count = layout.lineCount()
        first = max(0, len(block.starts) - 1)
        # A line that is not there crashes Qt when its words are asked for.
        if count <= first:
            return not block.starts
        words = layout.lineAt(0).naturalTextRect()
        first_line = (words.x(), words.width())
        if first and (first_line != block.first_line or layout.lineAt(first).textStart() != block.starts[first]):
            return False
        block.first_line = first_line
        painted.drop_rects(block.above[first] if block.above else block.above_block)
        del block.starts[first:]
        del block.above[first:]
        for number in range(first, count):
            line = layout.lineAt(number)
            block.starts.append(line.textStart())
            block.above.append(painted.counts)
            self._take_line(line, block)
        return True

    def _take_line(self, line: QTextLine, block: PaintedBlock) -> None:
        """Take the last line of the last block, whose known line becomes that one. It may be that, but shorter."""
        assert self._tints is not None
        position = block.position
        start = position + line.textStart()
        end = start + line.textLength()
        known = block.line
        if known.start != start or known.end > end:
            known.start = known.end = start
            known.stretches = []
        known.end = self._tints.stretches_in(self._places, known.end, end, known.stretches)
        words: BlockPlace = line.naturalTextRect().getRect()  # type: ignore[assignment]
        # A blank where the line is wrapped is beyond its words.
        leftmost = words[0]
        rightmost = leftmost + words[2]
        left = block.place[0]
        ascent = line.ascent()
        descent = line.descent()
        above = 0.0
        if isinstance(self._view, QPlainTextEdit):
            # A letter of another font, as in "x²", makes its line higher, but no tint of code.
            usual = self._view.fontMetrics()
            above = max(0.0, ascent - usual.ascent())
            ascent -= above
            descent = min(descent, usual.descent())
        bottom = round(block.place[1] + words[1] + above + ascent + descent)
        height = round(ascent + descent)
        for begin, after, style in known.stretches:
            edge: float = line.cursorToX(begin - position)[0]  # type: ignore[index]
            other: float = line.cursorToX(after - position)[0]  # type: ignore[index]
            if edge > other:
                edge, other = other, edge
            first = round(left + (edge if edge > leftmost else leftmost))
            width = round(left + (other if other < rightmost else rightmost)) - first
            if width > 0:
                self._painted.areas[style].append(QRect(first, bottom - height, width, height))
                if style.below is not None and (self._tints.underlined or style.is_pointed):
                    underline = QRect(first, bottom - UNDERLINE, width, UNDERLINE)
                    self._painted.underlines[style.below].append(underline)


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
