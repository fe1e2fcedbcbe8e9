"""What pages of settings are made of: a title, and rows of a label, a control and a line of help."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QLabel, QVBoxLayout, QWidget

from app import theme
from app.icons import icon

_WIDEST = 560


class Chooser(QComboBox):
    """A choice of one, with our own arrow: a style sheet that shapes the box takes Qt's away."""

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        place = QRect(self.width() - 26, (self.height() - 16) // 2, 16, 16)
        icon("chevron-down", theme.colours().muted).paint(painter, place)
        painter.end()


class Form(QWidget):
    """A column that starts at the top left; `row` adds a control with its label above and its help below."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = QLabel(self)
        self.title.setProperty("look", "page-title")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(32, 24, 32, 24)
        self._column.setSpacing(4)
        self._column.addWidget(self.title)
        self._column.addSpacing(12)
        self._column.addStretch(1)

    def row(self, control: QWidget) -> tuple[QLabel, QLabel]:
        """Gives the label and the help for the page to word."""
        label, help_ = QLabel(self), QLabel(self)
        label.setBuddy(control)
        help_.setProperty("look", "muted")
        help_.setWordWrap(True)
        help_.setTextFormat(Qt.TextFormat.PlainText)
        for widget in (label, control, help_):
            widget.setMaximumWidth(_WIDEST)
            self._column.insertWidget(self._column.count() - 1, widget)
        self._column.insertSpacing(self._column.count() - 1, 16)
        return label, help_
