"""A card above the window's dimmed content: the command palette, a chat's settings, a comparison.

Esc or a click elsewhere closes it.
"""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QFrame, QScrollArea, QWidget
from shiboken6 import isValid

from app.widgets import theme
from app.widgets.layouts import vbox
from app.widgets.tab_order import TabOrdered

_SHADE = QColor(0, 0, 0, 90)


class Overlay(TabOrdered, QFrame):
    """Child of the window, hidden until `open`. When it closes, it returns the focus to the widget that had it.

    What is in it is made when it first opens, so that the window is there sooner. Tab stays inside of it. A card that
    hangs from a button, as a menu does, sets `dims` to False.
    """

    closed = Signal()
    dims = True

    def __init__(self, window: QWidget, width: int, height: int | None = None) -> None:
        """`width` is at the normal text size; `height` None follows the content. Both shrink with the window."""
        super().__init__(window)
        self.setObjectName("overlay")
        self._window, self._width, self._height = window, width, height
        self._focus_before: QWidget | None = None
        self._shade = _Shade(window)
        self._is_made = False
        self.column = vbox(self, margins=(12, 12, 12, 12), spacing=8)
        self.hide()

    def open(self) -> None:
        focus = QApplication.focusWidget()
        # When it is opened again while open, it has the focus itself.
        if focus is None or not self.isAncestorOf(focus):
            self._focus_before = focus
        if not self._is_made:
            self._is_made = True
            self.make()
        self.fill()
        self.fit_in_window()
        if self.dims:
            self._shade.show()
            self._shade.raise_()
        self.show()
        self.raise_()
        application = QApplication.instance()
        if application is not None:
            application.installEventFilter(self)

    def make(self) -> None:
        """Make what is in it. Called once, before it first opens."""

    def fill(self) -> None:
        """Load what it shows. Called each time it opens."""

    def close_overlay(self) -> None:
        if self.isHidden():
            return
        application = QApplication.instance()
        if application is not None:
            application.removeEventFilter(self)
        self.hide()
        self._shade.hide()
        # The widget that had the focus may be deleted by now.
        if self._focus_before is not None and isValid(self._focus_before):
            self._focus_before.setFocus()
        self.closed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseButtonPress and isinstance(watched, QWidget):
            # The list of a chooser is a window of its own and may be larger than the card.
            if watched.window() is not self._window:
                return super().eventFilter(watched, event)
            position = cast("QMouseEvent", event).globalPosition().toPoint()
            if not self.rect().contains(self.mapFromGlobal(position)):
                self.close_overlay()
        elif event.type() == QEvent.Type.Resize and watched is self._window:
            self.fit_in_window()
        elif event.type() == QEvent.Type.ShortcutOverride and self._is_escape(event):
            # Otherwise the shortcut that stops an answer gets the key.
            event.accept()
            return True
        elif event.type() == QEvent.Type.KeyPress and self._is_escape(event):
            self.close_overlay()
            return True
        return super().eventFilter(watched, event)

    def _is_escape(self, event: QEvent) -> bool:
        return cast("QKeyEvent", event).key() == Qt.Key.Key_Escape

    def fit_in_window(self) -> None:
        """Take size and position for the window's size."""
        width = min(theme.scaled(self._width), self._window.width() - 32)
        height = min(self._height or self._height_of_content(width), self._window.height() - 96)
        self.setGeometry((self._window.width() - width) // 2, 64, width, height)
        self._shade.setGeometry(self._window.rect())

    def _height_of_content(self, width: int) -> int:
        if self.column.hasHeightForWidth():
            return self.column.totalHeightForWidth(width)
        return self.column.sizeHint().height()


class HighArea(QScrollArea):
    """Asks for the height of its content. Tab passes it by, for the controls in it scroll it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def sizeHint(self) -> QSize:
        body = self.widget()
        hint = super().sizeHint()
        return hint if body is None else QSize(hint.width(), body.sizeHint().height())


class WrappingArea(HighArea):
    """A `HighArea` whose content has lines that wrap: its height follows from its width."""

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        body = self.widget()
        layout = body.layout() if body is not None else None
        return (
            layout.totalHeightForWidth(width)
            if layout is not None and layout.hasHeightForWidth()
            else self.sizeHint().height()
        )


class _Shade(QWidget):
    """Dims the window below the card."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(event.rect(), _SHADE)
