"""A label of one line that shortens its text where there is too little room, and never asks for more."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

from app.widgets.tooltips import tip


class ElidedLabel(QLabel):
    """All of a shortened text is in the tip. `mode` says where it is shortened, unless it has a brief form."""

    def __init__(self, parent: QWidget | None = None, mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._mode, self._brief = mode, ""

    def show_text(self, text: str, brief: str) -> None:
        """Show `text`, or `brief` where it has no room."""
        self._brief = brief
        self.setText(text)
        self.update()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        place = self.contentsRect()
        shown = self.fontMetrics().elidedText(self.text(), self._mode, place.width())
        if shown != self.text() and self._brief:
            shown = self.fontMetrics().elidedText(self._brief, self._mode, place.width())
        QPainter(self).drawText(place, self.alignment(), shown)
        self.setToolTip("" if shown == self.text() else tip(self.text()))
