"""A card above the window's content: the command palette and the shortcut sheet. Esc or a click elsewhere closes it."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QFrame, QVBoxLayout, QWidget


class Overlay(QFrame):
    """Child of the window, hidden until `open`. Gives the focus back to where it was when it closes."""

    closed = Signal()

    def __init__(self, window: QWidget, width: int, height: int | None = None) -> None:
        """`height` None is as high as the content; both are less where the window has less."""
        super().__init__(window)
        self.setObjectName("overlay")
        self._window, self._width, self._height = window, width, height
        self._focus_before: QWidget | None = None
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(12, 12, 12, 12)
        self.column.setSpacing(8)
        self.hide()

    def open(self) -> None:
        self._focus_before = QApplication.focusWidget()
        self.fill()
        self._place()
        self.show()
        self.raise_()
        application = QApplication.instance()
        if application is not None:
            application.installEventFilter(self)

    def fill(self) -> None:
        """Take what there is to show; called each time it opens."""

    def close_overlay(self) -> None:
        if self.isHidden():
            return
        application = QApplication.instance()
        if application is not None:
            application.removeEventFilter(self)
        self.hide()
        if self._focus_before is not None:
            self._focus_before.setFocus()
        self.closed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseButtonPress and isinstance(watched, QWidget):
            # The list of a choice is a window of its own that may reach out of the card.
            if watched.window() is not self._window:
                return super().eventFilter(watched, event)
            place = cast("QMouseEvent", event).globalPosition().toPoint()
            if not self.rect().contains(self.mapFromGlobal(place)):
                self.close_overlay()
        elif event.type() == QEvent.Type.Resize and watched is self._window:
            self._place()
        elif event.type() == QEvent.Type.ShortcutOverride and self._is_escape(event):
            # Otherwise the shortcut that stops an answer would get the key.
            event.accept()
            return True
        elif event.type() == QEvent.Type.KeyPress and self._is_escape(event):
            self.close_overlay()
            return True
        return super().eventFilter(watched, event)

    def _is_escape(self, event: QEvent) -> bool:
        return cast("QKeyEvent", event).key() == Qt.Key.Key_Escape

    def _place(self) -> None:
        width = min(self._width, self._window.width() - 32)
        height = min(self._height or self.column.sizeHint().height(), self._window.height() - 96)
        self.setGeometry((self._window.width() - width) // 2, 64, width, height)
