"""A ring around a widget that has the focus and does not show it itself."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.widgets import theme

_WIDTH, _RADIUS = 2, 6


class FocusRing(QWidget):
    """Lies over the edge of `target` while that has the focus."""

    def __init__(self, target: QWidget) -> None:
        super().__init__(target)
        self._target = target
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        target.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut, QEvent.Type.Resize):
            self.setGeometry(self._target.rect())
            self.setVisible(self._target.hasFocus())
            self.raise_()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.colours().main), _WIDTH))
        inside = self.rect().adjusted(1, 1, -1, -1)
        painter.drawRoundedRect(inside, _RADIUS, _RADIUS)
