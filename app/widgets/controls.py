"""The controls of settings: a choice of one, numbers, a switch. None of them takes the wheel while a page scrolls."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QDoubleSpinBox,
    QSpinBox,
    QStyledItemDelegate,
    QWidget,
)

from app.widgets import theme
from app.widgets.icons import icon


class Chooser(QComboBox):
    """A choice of one, with our own arrow: a style sheet that shapes the box takes Qt's away."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        # The one that Qt takes draws the list as a menu of the system's, whatever the style sheet says.
        self.setItemDelegate(QStyledItemDelegate(self))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        place = QRect(self.width() - 26, (self.height() - 16) // 2, 16, 16)
        icon("chevron-down", theme.colours().muted).paint(painter, place)
        painter.end()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class WholeNumber(QSpinBox):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # The style sheet's padding makes room on the left without moving the text there.
        self.lineEdit().setTextMargins(7, 0, 0, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        _paint_steps(self)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class Number(QDoubleSpinBox):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # The style sheet's padding makes room on the left without moving the text there.
        self.lineEdit().setTextMargins(7, 0, 0, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        _paint_steps(self)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


def _paint_steps(box: QAbstractSpinBox) -> None:
    """The two arrows, faint where there is no further step."""
    colours, can = theme.colours(), box.stepEnabled()
    middle, centre = box.height() / 2, box.width() - 14.0
    with QPainter(box) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for step, direction in ((box.StepEnabledFlag.StepUpEnabled, -1), (box.StepEnabledFlag.StepDownEnabled, 1)):
            pen = QPen(QColor(colours.muted if can & step else colours.line), 1.5)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            tip = QPointF(centre, middle + 7 * direction)
            for side in (-3.5, 3.5):
                painter.drawLine(tip, QPointF(centre + side, middle + 3.5 * direction))


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
        track = QRectF(self.width() - 39, (self.height() - 22) / 2, 38, 22)
        ring = colours.text if self.hasFocus() else colours.main if self.isChecked() else colours.muted
        painter.setPen(QPen(QColor(ring), 2 if self.hasFocus() else 1))
        painter.setBrush(QColor(colours.main if self.isChecked() else colours.selection))
        painter.drawRoundedRect(track, 11, 11)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours.on_accent if self.isChecked() else colours.muted))
        left = track.right() - 19 if self.isChecked() else track.left() + 3
        painter.drawEllipse(QRectF(left, track.top() + 3, 16, 16))
        painter.end()
