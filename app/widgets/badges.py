"""Small painted parts of the pickers and cards: a badge, and a bar of shares."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from app.widgets import theme
from app.widgets.style_class import set_style_class

_BAR_HEIGHT = 7


class Badge(QLabel):
    """A word on a tint, hidden without one. Tones: neutral, draft, lookup, problem."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
        self.say("")

    def say(self, word: str, tone: str = "neutral") -> None:
        self.setText(word)
        self.setVisible(bool(word))
        set_style_class(self, f"badge-{tone}")


class Bar(QWidget):
    """Shares of a whole side by side; the words beside it say the same."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parts: tuple[tuple[float, str], ...] = ()
        self.setFixedHeight(_BAR_HEIGHT)

    def show_parts(self, parts: Sequence[tuple[float, str]], words: str) -> None:
        """`parts` are (share of the whole, a colour's name in `Colours`); `words` is for screen readers."""
        self._parts = tuple(parts)
        self.setAccessibleName(words)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        colours = theme.colours()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        whole = QPainterPath()
        whole.addRoundedRect(QRectF(self.rect()), _BAR_HEIGHT / 2, _BAR_HEIGHT / 2)
        painter.setClipPath(whole)
        painter.fillRect(self.rect(), QColor(colours.selection))
        at, width = 0.0, self.width()
        for share, name in self._parts:
            length = min(share, 1.0) * width
            painter.fillRect(QRectF(at, 0, length, self.height()), QColor(getattr(colours, name)))
            at += length
        painter.end()


class Tabs(QFrame):
    """A row of buttons of which one is down. Choose with the mouse, or with Tab and Space."""

    def __init__(self, count: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("segments")
        self.buttons = [QPushButton(self) for _ in range(count)]
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for button in self.buttons:
            button.setProperty("styleClass", "segment")
            button.setCheckable(True)
            button.setAutoExclusive(True)
            button.setCursor(Qt.CursorShape.ArrowCursor)
            row.addWidget(button)
