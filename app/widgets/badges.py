"""Small parts of the pickers and cards: a badge, and a bar of shares."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.widgets import theme
from app.widgets.style_class import set_style_class

_BAR_HEIGHT = 7


class Badge(QLabel):
    """A word on a tinted background, hidden while it is empty. Tones: neutral, draft, lookup, problem."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
        self.show_word("")

    def show_word(self, word: str, tone: str = "neutral") -> None:
        self.setText(word)
        self.setVisible(bool(word))
        set_style_class(self, f"badge-{tone}")


class Bar(QWidget):
    """A bar that shows the shares of a whole side by side."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parts: tuple[tuple[float, str], ...] = ()
        self.setFixedHeight(_BAR_HEIGHT)

    def show_parts(self, parts: Sequence[tuple[float, str]], words: str) -> None:
        """`parts` are (share of the whole, name of a colour in colours.py); `words` is for screen readers."""
        self._parts = tuple(parts)
        self.setAccessibleName(words)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        colours = theme.colours()
        whole = QPainterPath()
        left = 0.0
        whole.addRoundedRect(QRectF(self.rect()), _BAR_HEIGHT / 2, _BAR_HEIGHT / 2)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setClipPath(whole)
            painter.fillRect(self.rect(), QColor(colours.selection))
            for share, name in self._parts:
                length = min(share, 1.0) * self.width()
                painter.fillRect(QRectF(left, 0, length, self.height()), QColor(getattr(colours, name)))
                left += length
