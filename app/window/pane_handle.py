"""The edge of a side pane, dragged to make it wider or narrower."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractSlider, QWidget

from app.widgets import theme
from app.widgets.restyled import Restyled

# In pixels: the area that can be dragged, and the thinner line that is drawn.
_GRIP, _LINE = 7, 2
_STEP, _PAGE = 16, 64


class PaneHandle(Restyled, QAbstractSlider):
    """A slider on the edge of `pane` that faces the middle; its value is the pane's width in pixels.

    A double click or Enter emits `reset_wanted`, which asks for the usual width.
    """

    reset_wanted = Signal()

    def __init__(self, pane: QWidget, on_right: bool) -> None:
        """`on_right` is True for the chat list, which has the middle on its right, and False for the live panel."""
        super().__init__(pane)
        self._pane, self._on_right = pane, on_right
        self._grabbed = 0.0
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setInvertedControls(not on_right)
        self.setSingleStep(_STEP)
        self.setPageStep(_PAGE)
        self.setCursor(Qt.CursorShape.SplitHCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        pane.installEventFilter(self)
        self._fit()
        self.restyle()

    def _fit(self) -> None:
        left = self._pane.width() - _GRIP if self._on_right else 0
        self.setGeometry(left, 0, _GRIP, self._pane.height())
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._fit()
        return super().eventFilter(watched, event)

    def retranslate(self) -> None:
        left, right = self.tr("Width of the chat list"), self.tr("Width of the live panel")
        self.setAccessibleName(left if self._on_right else right)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._grabbed = event.globalPosition().x() - self._outwards(self.value())
            self.setSliderDown(True)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self.setValue(self._outwards(round(event.globalPosition().x() - self._grabbed)))

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self.setSliderDown(False)
        self.update()

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self.reset_wanted.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.reset_wanted.emit()
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ignore the wheel: scrolling beside a list must not move the edge."""
        event.ignore()

    def _outwards(self, distance: int) -> int:
        """Convert a distance to the right into growth of the pane, or growth into a distance."""
        return distance if self._on_right else -distance

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.underMouse() or self.hasFocus() or self.isSliderDown():
            left = self.width() - _LINE if self._on_right else 0
            QPainter(self).fillRect(left, 0, _LINE, self.height(), QColor(theme.colours().main))
