"""A question in the transcript: as it was typed, in a bubble, below the names of what was attached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMimeData, Qt
from PySide6.QtWidgets import QFrame, QSizePolicy, QVBoxLayout, QWidget

from app.chat.auto_height_browser import AutoHeightTextBrowser
from app.widgets.labels import WrappedLabel, tip

if TYPE_CHECKING:
    from app.session.chats import Turn

_SIDE = 14
# No line with more characters than this fits into a bubble anyway.
_LONG_LINE = 400
# In pixels, for the name of an attached file.
_WIDEST_NAME = 320


class _Typed(AutoHeightTextBrowser):
    """What was typed is copied as that, and not as rich text in the window's fonts."""

    def createMimeDataFromSelection(self) -> QMimeData:
        data = QMimeData()
        data.setText(self.textCursor().selection().toPlainText())
        return data


class QuestionBubble(QFrame):
    """The question as it was typed, never interpreted, below the names of what was attached.

    It is as wide as its longest line, and no wider than it is given room: what has no spaces is broken anywhere.
    """

    def __init__(self, turn: Turn, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("question")
        self.text = _Typed(self)
        # Reached by the mouse and from the buttons below it, not one by one by whoever goes through a chat with Tab.
        self.text.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.text.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        column = QVBoxLayout(self)
        column.setContentsMargins(_SIDE, 10, _SIDE, 10)
        self._lines = turn.question.split("\n")
        if turn.attachments:
            column.addWidget(self._names([attachment.name for attachment in turn.attachments]))
        column.addWidget(self.text)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.text.ensurePolished()
        self.text.setPlainText(turn.question)
        self.text.setHidden(bool(turn.attachments) and not turn.question)
        self._fit()

    def _names(self, names: list[str]) -> QWidget:
        label = WrappedLabel(self)
        label.setProperty("styleClass", "muted")
        metrics = label.fontMetrics()
        shown = [metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, _WIDEST_NAME) for name in names]
        label.setText(" · ".join(shown))
        label.setToolTip(tip("\n".join(names)) if shown != names else "")
        self._lines.append(label.text())
        return label

    def _fit(self) -> None:
        metrics = self.text.fontMetrics()
        widest = max(metrics.horizontalAdvance(line[:_LONG_LINE].expandtabs()) for line in self._lines)
        # One pixel for what a line's last letter leans out.
        self.setMaximumWidth(widest + 2 * _SIDE + 1)
        self.text.fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_lines"):
            self.text.ensurePolished()
            self._fit()
