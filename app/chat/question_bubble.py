"""A question in the transcript: as it was typed, in a bubble, below the names of what was attached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QSizePolicy, QVBoxLayout, QWidget

from app.chat.wrapped_label import WrappedLabel
from app.conversations.row_painter import utf16
from app.conversations.search import highlights

if TYPE_CHECKING:
    from app.conversations.chats import Turn
    from app.conversations.search import Query


class QuestionBubble(QFrame):
    """The question as it was typed, never interpreted, below the names of what was attached."""

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
        column.setContentsMargins(14, 10, 14, 10)
        if turn.attachments:
            names = WrappedLabel(self)
            names.setProperty("look", "muted")
            names.setTextFormat(Qt.TextFormat.PlainText)
            names.setText(" · ".join(attachment.name for attachment in turn.attachments))
            column.addWidget(names)
        column.addWidget(self.label)
        self._words = turn.question
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)

    def mark(self, query: Query | None) -> None:
        """Select the first hit: a label can show one."""
        found = () if query is None else highlights(self._words, query)
        if found:
            start, end = (utf16(self._words[:place]) for place in found[0])
            self.label.setSelection(start, end - start)
        elif self.label.hasSelectedText():
            self.label.setSelection(0, 0)
