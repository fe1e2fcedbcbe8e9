"""The matches of a search in one turn, highlighted in its text widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from app.conversations.search import Query, highlights
from app.text.utf16 import utf16_length
from app.transcript.answer_runs import AnswerRun, LimitNotice
from app.transcript.shown_text import AT_ONCE, block_text, is_known
from app.widgets import theme

TextView = QTextEdit | QPlainTextEdit
# What a turn shows: a text widget, or a run of blocks of an answer, which need not have a widget now.
TurnText = TextView | AnswerRun


@dataclass(frozen=True)
class _ShownMatch:
    """A match at `start` (in UTF-16 units) in `part`, which may have no widget now."""

    part: TurnText
    start: int


class SearchHighlights:
    """The highlights of one turn. Matches are counted from 0, in reading order."""

    def __init__(self) -> None:
        self._matches: list[_ShownMatch] = []
        # How many more characters of runs without widgets may be rendered now. The others wait until
        # `shown_text.ShownTexts` has rendered them.
        self._budget = 0

    def show(self, query: Query | None, parts: Sequence[TurnText], current: int | None) -> None:
        """Highlight the matches of `query` in `parts`, the one with index `current` differently; None removes all."""
        self._matches = []
        self._budget = AT_ONCE
        for part in parts:
            view = view_of(part)
            if view is None:
                # A run without a widget: count its matches.
                if query is not None and isinstance(part, AnswerRun) and (text := self._text_of(part)):
                    matches = highlights(text, query)
                    self._matches += [_ShownMatch(part, utf16_length(text[:start])) for start, _ in matches]
                continue
            text = view.toPlainText()
            selections = []
            for start, end in () if query is None else highlights(text, query):
                first = utf16_length(text[:start])
                passage = cursor_over(view, first, first + utf16_length(text[start:end]))
                selections.append(selection(passage, *match_colours(len(self._matches) == current)))
                self._matches.append(_ShownMatch(part, first))
            view.setExtraSelections(selections)

    def _text_of(self, run: AnswerRun) -> str:
        if isinstance(run.block, LimitNotice):
            return ""
        if not is_known(run.block):
            self._budget -= len(run.block.text)
            if self._budget < 0:
                return ""
        return block_text(run.block)

    def run_of(self, index: int) -> AnswerRun | None:
        """Return the run that contains a match; None if no run does."""
        part = self._matches[min(index, len(self._matches) - 1)].part if self._matches else None
        return part if isinstance(part, AnswerRun) else None

    def rect_of(self, index: int, turn: QWidget) -> QRect | None:
        """Return the place of a match in the turn's widget after scrolling sideways to it; None without matches.

        While an answer streams, fewer matches may be shown than its text has. The last one then stands for the others.
        """
        if not self._matches:
            return None
        match = self._matches[min(index, len(self._matches) - 1)]
        view = view_of(match.part)
        if view is None:
            return None
        rect = view.cursorRect(cursor_over(view, match.start, match.start))
        bar = view.horizontalScrollBar()
        width = view.viewport().width()
        if not 0 <= rect.left() <= width * 3 // 4:
            bar.setValue(bar.value() + rect.left() - width // 3)
        return rect.translated(view.viewport().mapTo(turn, QPoint(0, 0)))


def view_of(part: TurnText) -> TextView | None:
    """Return the text widget of a part, if it has one now."""
    return part.text_view if isinstance(part, AnswerRun) else part


def cursor_over(view: TextView, start: int, end: int) -> QTextCursor:
    """Return a cursor that selects a passage, whose bounds are in UTF-16 units."""
    cursor = QTextCursor(view.document())
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    return cursor


def selection(passage: QTextCursor, background: QColor, foreground: QColor) -> QTextEdit.ExtraSelection:
    """Return what shows a passage in these colours."""
    shown = QTextEdit.ExtraSelection()
    shown.cursor = passage
    shown.format = QTextCharFormat()
    shown.format.setBackground(background)
    shown.format.setForeground(foreground)
    return shown


def match_colours(current: bool) -> tuple[QColor, QColor]:
    """Return the background and the text colour of a match, or of the current match."""
    colours = theme.colours()
    tint = QColor(colours.lookup_tint)
    text = QColor(colours.lookup_text)
    return (text, tint) if current else (tint, text)
