"""The token view: an answer's raw text, with each token tinted by its proposer, exactly as the engine reports it.

Tokens of the draft model have a solid underline, those of lookup a dashed one, and those that the answer format forces
a dotted one, so that colour is not needed.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import cast

from PySide6.QtCore import QEvent, QRect, Signal
from PySide6.QtGui import QColor, QFontDatabase, QHelpEvent, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QToolTip, QWidget

from app.text.fences import is_fence
from app.text.pieces import weight
from app.transcript.auto_height_browser import LINE_HEIGHT, AutoHeightTextBrowser
from app.transcript.search_highlights import cursor_over, selection
from app.widgets import theme
from app.widgets.theme_aware import ThemeAware
from app.widgets.throttle import single_shot
from app.wording.sources import role_of
from app.wording.tokens import token_text
from engine.events import Token
from engine.methods import PROPOSERS, ProposerEntry
from engine.stats import RoundRecord

# Empty lines at the end that `fit` removes at most.
_MOST_EMPTY_LINES = 100
# The weight that one turn of the event loop inserts: each addition lays out its whole paragraph again.
_SLICE_WEIGHT = 9_000
# The weight of a token besides the characters of its text.
_TOKEN_WEIGHT = 4
# The limits of what is shown.
_MOST_TOKENS = 20_000
_MOST_WEIGHT = 60_000


class TokenView(ThemeAware, AutoHeightTextBrowser):
    """Grows with the tokens of an answer. `rounds_selected` carries the numbers of the rounds that are selected."""

    rounds_selected = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens: list[Token] = []
        self._wanted: Sequence[Token] = ()
        self._rounds: Sequence[RoundRecord] = ()
        self._slices = single_shot(self, self._insert_slice)
        # Where each token begins in the document, in UTF-16 units, and where the last one ends.
        self._starts: list[int] = []
        self._end = 0
        self._weight = 0
        self._line = ""
        self._in_code = False
        self.selectionChanged.connect(self._emit_selection)
        self.restyle()

    def show_tokens(self, tokens: Sequence[Token], rounds: Sequence[RoundRecord] = ()) -> None:
        """Show `tokens`; of a very long answer only the first ones.

        New tokens are inserted, many of them in slices. `rounds` are the known rounds that wrote them.
        """
        self._rounds = rounds
        if len(tokens) < len(self._tokens):
            self._reset()
        self._wanted = tokens
        self._insert_slice()

    def _insert_slice(self) -> None:
        """Insert as many tokens as a frame has time for. The next turn of the event loop continues."""
        first = len(self._tokens)
        last = self._end_of_slice()
        if first == last:
            return
        self.ensurePolished()
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        spacing = QTextBlockFormat()
        kind = QTextBlockFormat.LineHeightTypes.MinimumHeight
        spacing.setLineHeight(LINE_HEIGHT * self.font().pixelSize(), kind.value)
        cursor.setBlockFormat(spacing)
        for token in self._wanted[first:last]:
            self._starts.append(self._end)
            self._weight += weight(token.text)
            # Qt inserts a carriage return as a second new line.
            text = token.text.replace("\r", " ")
            cursor.insertText(text, char_format(token.source, self._in_code))
            # Qt drops some characters, such as a byte order mark.
            self._end = cursor.position()
            # Code blocks have a fixed-width font.
            *lines, self._line = (self._line + text).split("\n")
            for line in lines:
                if is_fence(line):
                    self._in_code = not self._in_code
        self._tokens.extend(self._wanted[first:last])
        if self._full and last < len(self._wanted):
            words = self.tr("Only the beginning of this very long text is shown.")
            cursor.insertText(f"\n\n{words}", QTextCharFormat())
        cursor.endEditBlock()
        self.fit()
        if not self._full and last < len(self._wanted):
            self._slices.start()

    @property
    def _full(self) -> bool:
        return len(self._tokens) >= _MOST_TOKENS or self._weight >= _MOST_WEIGHT

    def _end_of_slice(self) -> int:
        """Return the index after the last token of the next slice."""
        index = len(self._tokens)
        budget = _SLICE_WEIGHT
        if self._full:
            return index
        while index < min(len(self._wanted), _MOST_TOKENS) and budget > 0:
            budget -= _TOKEN_WEIGHT + weight(self._wanted[index].text)
            index += 1
        return index

    def fit(self) -> None:
        """Set the height that the text needs without empty lines at its end."""
        super().fit()
        block = last = self.document().lastBlock()
        for _ in range(_MOST_EMPTY_LINES):
            if not block.blockNumber() or block.text().strip():
                break
            last = block
            block = block.previous()
        if last != block:
            self.setFixedHeight(max(1, math.ceil(self.document().documentLayout().blockBoundingRect(last).top())))

    def token_at(self, position: int) -> Token | None:
        """Return the token that covers a position of the document. Tokens without text cover none."""
        if not 0 <= position < self._end:
            return None
        return self._tokens[bisect_right(self._starts, position) - 1]

    def mark(self, index: int | None) -> QRect | None:
        """Show the token `index` with exchanged colours, or none. Return where it begins; None if it is not shown."""
        if index is None or index >= len(self._starts):
            self.setExtraSelections([])
            return None
        start, end = [*self._starts, self._end][index : index + 2]
        colours = theme.colours()
        token = cursor_over(self, start, end)
        self.setExtraSelections([selection(token, QColor(colours.text), QColor(colours.window))])
        return self.cursorRect(cursor_over(self, start, start))

    def select_round(self, number: int) -> None:
        """Select the tokens of a round, if there are any."""
        inside = [index for index, token in enumerate(self._tokens) if token.round == number]
        if inside:
            end = [*self._starts, self._end][inside[-1] + 1]
            self.setTextCursor(cursor_over(self, self._starts[inside[0]], end))

    def description_at(self, position: int) -> str:
        """Return the tooltip of the token at a position of the document; "" if there is none."""
        token = self.token_at(position)
        return token_text(token, self._rounds) if token is not None else ""

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            asked = cast("QHelpEvent", event)
            position = self.cursorForPosition(self.viewport().mapFrom(self, asked.pos())).position()
            QToolTip.showText(asked.globalPos(), self.description_at(position), self)
            return True
        return super().event(event)

    def apply_theme(self) -> None:
        if self._tokens:
            self._reset()
            self._insert_slice()

    def _reset(self) -> None:
        self.clear()
        self._slices.stop()
        self._tokens = []
        self._starts = []
        self._end = 0
        self._weight = 0
        self._line = ""
        self._in_code = False

    def _emit_selection(self) -> None:
        cursor = self.textCursor()
        first = cursor.selectionStart()
        last = cursor.selectionEnd()
        if first == last:
            self.rounds_selected.emit(frozenset())
            return
        begin = bisect_right(self._starts, first) - 1
        end = bisect_right(self._starts, last - 1)
        self.rounds_selected.emit(frozenset(token.round for token in self._tokens[max(begin, 0) : end]))


def char_format(source: str, in_code: bool = False) -> QTextCharFormat:
    """Return the format of a proposer's tokens: plain for the main model, else tinted and underlined."""
    style = QTextCharFormat()
    colours = theme.colours()
    style.setForeground(QColor(colours.text))
    if in_code:
        style.setFontFamilies(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).families())
    if source in PROPOSERS:
        role = role_of(source)
        style.setBackground(QColor(colours.tint(role)))
        style.setUnderlineStyle(_underline(PROPOSERS[source]))
        style.setUnderlineColor(QColor(colours.accent(role)))
    return style


def _underline(proposer: ProposerEntry) -> QTextCharFormat.UnderlineStyle:
    if proposer.uses_drafter:
        return QTextCharFormat.UnderlineStyle.SingleUnderline
    if proposer.every_method:
        return QTextCharFormat.UnderlineStyle.DotLine
    return QTextCharFormat.UnderlineStyle.DashUnderline
