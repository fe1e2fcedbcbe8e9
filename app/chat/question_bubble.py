"""A question in the transcript: as it was typed, in a bubble, below the names of what was attached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import QFrame, QSizePolicy, QVBoxLayout, QWidget

from app.chat.hits import hit_colours
from app.chat.wrapped_label import WrappedLabel
from app.conversations.row_painter import utf16
from app.conversations.search import highlights

if TYPE_CHECKING:
    from app.conversations.chats import Turn
    from app.conversations.search import Query

_SIDE = 14
# No line with more characters than this fits into a bubble anyway.
_LONG_LINE = 400


class QuestionBubble(QFrame):
    """The question as it was typed, never interpreted, below the names of what was attached.

    It is as wide as its longest line, and no wider than it is given room.
    """

    def __init__(self, turn: Turn, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("question")
        self.label = WrappedLabel(self)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setText(turn.question)
        self.label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.label.setCursor(Qt.CursorShape.IBeamCursor)
        column = QVBoxLayout(self)
        column.setContentsMargins(_SIDE, 10, _SIDE, 10)
        self._lines = turn.question.split("\n")
        if turn.attachments:
            names = WrappedLabel(self)
            names.setProperty("look", "muted")
            names.setTextFormat(Qt.TextFormat.PlainText)
            names.setText(" · ".join(attachment.name for attachment in turn.attachments))
            self._lines.append(names.text())
            column.addWidget(names)
        column.addWidget(self.label)
        self._words = turn.question
        self._marked = self._is_current = False
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self._fit()

    def _fit(self) -> None:
        self.label.ensurePolished()
        metrics = self.label.fontMetrics()
        widest = max(metrics.horizontalAdvance(line[:_LONG_LINE].expandtabs()) for line in self._lines)
        # One pixel for what a line's last letter leans out.
        self.setMaximumWidth(widest + 2 * _SIDE + 1)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_words"):
            self._fit()
            if self._marked:
                self._dress(True)

    def mark(self, query: Query | None, current: int | None = None) -> list[int]:
        """Select the hit number `current`, or the first where it is another's: a label can show one. Where each begins,
        in UTF-16 units.
        """
        found = () if query is None else highlights(self._words, query)
        self._is_current = current is not None and current < len(found)
        starts = [utf16(self._words[:start]) for start, _ in found]
        if found:
            place = current if self._is_current and current is not None else 0
            self.label.setSelection(starts[place], utf16(self._words[found[place][0] : found[place][1]]))
        elif self._marked:
            self.label.setSelection(0, 0)
        self._dress(bool(found))
        return starts

    def place_of(self, start: int) -> QRect:
        """The line in which a hit begins, in this widget. A label does not say where it breaks its lines: measured up
        to there, they end with that one.
        """
        label, metrics = self.label, self.label.fontMetrics()
        above = self._words.encode("utf-16-le", "surrogatepass")[: 2 * start + 2].decode("utf-16-le", "ignore")
        room = QRect(0, 0, label.width(), label.height())
        end = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap | Qt.TextFlag.TextExpandTabs, above).bottom()
        return QRect(label.x(), label.y() + end - metrics.lineSpacing(), label.width(), metrics.lineSpacing())

    def _dress(self, marked: bool) -> None:
        """What a search marks looks here as it does in answers; what is selected by hand looks as everywhere."""
        self._marked = marked
        palette = QGuiApplication.palette()
        if marked:
            background, foreground = hit_colours(self._is_current)
            palette.setColor(QPalette.ColorRole.Highlight, background)
            palette.setColor(QPalette.ColorRole.HighlightedText, foreground)
        self.label.setPalette(palette)
