"""The controls of settings: a choice of one, numbers, a switch. None of them takes the wheel while a page scrolls."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QAbstractButton, QComboBox, QDoubleSpinBox, QSpinBox, QWidget

from app import theme
from app.icons import icon


class Chooser(QComboBox):
    """A choice of one, with our own arrow: a style sheet that shapes the box takes Qt's away."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        place = QRect(self.width() - 26, (self.height() - 16) // 2, 16, 16)
        icon("chevron-down", theme.colours().muted).paint(painter, place)
        painter.end()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class WholeNumber(QSpinBox):
    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class Number(QDoubleSpinBox):
    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class Switch(QAbstractButton):
    """On or off; the knob's side says which without the colour."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def sizeHint(self) -> QSize:
        return QSize(44, 28)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        colours = theme.colours()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = QRectF(3, (self.height() - 22) / 2, 38, 22)
        ring = colours.text if self.hasFocus() else colours.main if self.isChecked() else colours.muted
        painter.setPen(QPen(QColor(ring), 2 if self.hasFocus() else 1))
        painter.setBrush(QColor(colours.main if self.isChecked() else colours.selection))
        painter.drawRoundedRect(track, 11, 11)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours.on_accent if self.isChecked() else colours.muted))
        left = track.right() - 19 if self.isChecked() else track.left() + 3
        painter.drawEllipse(QRectF(left, track.top() + 3, 16, 16))
        painter.end()
