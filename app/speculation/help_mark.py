"""The "?" beside a figure or a chart: one sentence that says what it means."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QPoint, QSize, Qt
from PySide6.QtWidgets import QToolButton, QToolTip, QWidget

from app.widgets.labels import wrapped_tip

# Its width and height, in pixels.
_SIZE = 16


class HelpMark(QToolButton):
    """Says its sentence on hover, when it is pressed, and to screen readers."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("styleClass", "help")
        self.setText("?")
        self.setFixedSize(_SIZE, _SIZE)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.clicked.connect(self._say)

    def sizeHint(self) -> QSize:
        """A style sheet adds what a text usually needs around it."""
        return QSize(_SIZE, _SIZE)

    def explain(self, name: str, sentence: str) -> None:
        """`name` is what the mark stands beside."""
        if sentence == self.accessibleDescription():
            return
        self.setToolTip(wrapped_tip(sentence))
        self.setAccessibleName(QCoreApplication.translate("HelpMark", "What is “{name}”?").format(name=name))
        self.setAccessibleDescription(sentence)

    def _say(self) -> None:
        QToolTip.showText(self.mapToGlobal(QPoint(0, self.height())), self.toolTip(), self)
