"""The matches of a search in one turn, highlighted in its text widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from app.chat.answer_runs import Notice, Run
from app.chat.code_block import CodeBlock
from app.chat.prose import Prose
from app.chat.shown_text import AT_ONCE, block_text, is_known
from app.conversations.search import Query, highlights
from app.text.utf16 import utf16_length
from app.widgets import theme

TextView = QTextEdit | QPlainTextEdit


@dataclass(frozen=True)
class _Match:
    """`start` counts UTF-16 units. `source` is what shows it, which may have no widget now."""

    source: TextView | Run
    start: int


class SearchHighlights:
    """The highlights of one turn. Matches are counted from 0, in reading order."""

    def __init__(self) -> None:
        self._matches: list[_Match] = []
        # How many characters of runs without widgets may still be rendered: the others wait for `ShownTexts.ready`.
        self._budget = 0

    def show(self, query: Query | None, sources: Sequence[TextView | Run], current: int | None) -> None:
        """Highlight the matches of `query` in `sources`, the one with index `current` differently; None removes all."""
        self._matches = []
        self._budget = AT_ONCE
        for source in sources:
            view = view_of(source)
            if view is None:
                self._count(query, source)
                continue
            text = view.toPlainText()
            selections = []
            for start, end in () if query is None else highlights(text, query):
                first = utf16_length(text[:start])
                is_current = len(self._matches) == current
                selections.append(_selection(view, first, first + utf16_length(text[start:end]), is_current))
                self._matches.append(_Match(source, first))
            view.setExtraSelections(selections)

    def _count(self, query: Query | None, source: TextView | Run) -> None:
        """Count the matches in a run that has no widget."""
        if query is not None and isinstance(source, Run) and (text := self._text_of(source)):
            self._matches += [_Match(source, utf16_length(text[:start])) for start, _ in highlights(text, query)]

    def _text_of(self, run: Run) -> str:
        if isinstance(run.block, Notice):
            return ""
        if not is_known(run.block):
            self._budget -= len(run.block.text)
            if self._budget < 0:
                return ""
        return block_text(run.block)

    def run_of(self, index: int) -> Run | None:
        """The run that has a match; None if it is in none."""
        source = self._matches[min(index, len(self._matches) - 1)].source if self._matches else None
        return source if isinstance(source, Run) else None

    def rect_of(self, index: int, turn: QWidget) -> QRect | None:
        """Where a match is in the turn's widget, after scrolling it into view sideways; None if there are no matches.

        While an answer streams, fewer matches may be shown than its text has: the last one then stands for the rest.
        """
        if not self._matches:
            return None
        match = self._matches[min(index, len(self._matches) - 1)]
        view = view_of(match.source)
        if view is None:
            return None
        cursor = QTextCursor(view.document())
        cursor.setPosition(match.start)
        rect = view.cursorRect(cursor)
        bar, width = view.horizontalScrollBar(), view.viewport().width()
        if not 0 <= rect.left() <= width * 3 // 4:
            bar.setValue(bar.value() + rect.left() - width // 3)
        return rect.translated(view.viewport().mapTo(turn, QPoint(0, 0)))


def view_of(source: TextView | Run) -> TextView | None:
    """The text widget of a run, if it has one now."""
    if not isinstance(source, Run):
        return source
    if isinstance(source.view, CodeBlock):
        return source.view.text_view
    return source.view if isinstance(source.view, Prose) else None


def _selection(view: TextView, start: int, end: int, current: bool) -> QTextEdit.ExtraSelection:
    selection = QTextEdit.ExtraSelection()
    cursor = QTextCursor(view.document())
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    style = QTextCharFormat()
    background, foreground = match_colours(current)
    style.setBackground(background)
    style.setForeground(foreground)
    selection.cursor, selection.format = cursor, style
    return selection


def match_colours(current: bool) -> tuple[QColor, QColor]:
    """Background and text of a match; of the current one if `current`."""
    colours = theme.colours()
    tint, text = QColor(colours.lookup_tint), QColor(colours.lookup_text)
    return (text, tint) if current else (tint, text)
