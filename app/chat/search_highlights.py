"""The hits of a search in one turn: marked in its widgets, one of them as the one that is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from app.conversations.search import highlights
from app.sidebar.row_painter import utf16
from app.widgets import theme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.conversations.search import Query

TextView = QTextEdit | QPlainTextEdit


@dataclass(frozen=True)
class _Hit:
    """`start` counts UTF-16 units."""

    view: TextView
    start: int


class HitMarks:
    """Of one turn. Places count the hits in the order in which the turn is read."""

    def __init__(self) -> None:
        self._hits: list[_Hit] = []

    def show(self, query: Query | None, views: Sequence[TextView], current: int | None) -> None:
        """Mark what `query` finds in `views`; None takes the marks away."""
        self._hits = []
        for view in views:
            text = view.toPlainText()
            marks = []
            for start, end in () if query is None else highlights(text, query):
                place = utf16(text[:start])
                marks.append(_mark(view, place, place + utf16(text[start:end]), len(self._hits) == current))
                self._hits.append(_Hit(view, place))
            view.setExtraSelections(marks)

    def place_in(self, turn: QWidget, place: int) -> QRect | None:
        """Where a hit stands in the turn's widget; None where there is none. What is to its side is brought into view.

        What is shown while an answer streams may have fewer hits than its text: the last one then stands for the rest.
        """
        if not self._hits:
            return None
        hit = self._hits[min(place, len(self._hits) - 1)]
        cursor = QTextCursor(hit.view.document())
        cursor.setPosition(hit.start)
        place_in_view = hit.view.cursorRect(cursor)
        bar, room = hit.view.horizontalScrollBar(), hit.view.viewport().width()
        if not 0 <= place_in_view.left() <= room * 3 // 4:
            bar.setValue(bar.value() + place_in_view.left() - room // 3)
        return place_in_view.translated(hit.view.viewport().mapTo(turn, QPoint(0, 0)))


def _mark(view: TextView, start: int, end: int, current: bool) -> QTextEdit.ExtraSelection:
    mark = QTextEdit.ExtraSelection()
    cursor = QTextCursor(view.document())
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    style = QTextCharFormat()
    background, foreground = hit_colours(current)
    style.setBackground(background)
    style.setForeground(foreground)
    mark.cursor, mark.format = cursor, style
    return mark


def hit_colours(current: bool) -> tuple[QColor, QColor]:
    """Background and text of a hit; of the one that is looked at if `current`."""
    colours = theme.colours()
    tint, text = QColor(colours.lookup_tint), QColor(colours.lookup_text)
    return (text, tint) if current else (tint, text)
