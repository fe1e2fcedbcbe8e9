"""The base of cards above the window's dimmed content: the command palette, a chat's settings, a comparison."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QFrame, QScrollArea, QWidget
from shiboken6 import isValid

from app.widgets import theme
from app.widgets.keyboard_focus import TabOrdered
from app.widgets.keys import claims_escape, is_escape
from app.widgets.layouts import vbox

_SHADE = QColor(0, 0, 0, 90)


class Overlay(TabOrdered, QFrame):
    """A card, hidden until `open`. Esc or a click elsewhere closes it and returns the focus to the widget that had it.

    Its content is made when it first opens, so that the window starts faster. Tab stays inside of it. A card that hangs
    from a button like a menu sets `is_modal` to False.
    """

    closed = Signal()
    is_modal = True

    def __init__(self, window: QWidget, width: int, height: int | None = None) -> None:
        """`width` is at the normal text size; `height` None fits the content. The window limits both."""
        super().__init__(window)
        self.setObjectName("overlay")
        self._window = window
        self._width = width
        self._height = height
        self._focus_before: QWidget | None = None
        self._shade = Shade(window)
        self._is_made = False
        self.column = vbox(self, margins=(12, 12, 12, 12), spacing=8)
        self.hide()

    def open(self) -> None:
        focus = QApplication.focusWidget()
        # When `open` is called while it is open, the card itself has the focus.
        if focus is None or not self.isAncestorOf(focus):
            self._focus_before = focus
        if not self._is_made:
            self._is_made = True
            self.make()
        self.fill()
        self.fit_in_window()
        if self.is_modal:
            self._shade.show()
            self._shade.raise_()
        self.show()
        self.raise_()
        QApplication.instance().installEventFilter(self)  # type: ignore[union-attr]

    def make(self) -> None:
        """Make the content. Called once, before the card first opens."""

    def fill(self) -> None:
        """Load the content of the card. Called each time it opens."""

    def close_overlay(self) -> None:
        if self.isHidden():
            return
        QApplication.instance().removeEventFilter(self)  # type: ignore[union-attr]
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
        elif claims_escape(event):
            return True
        elif event.type() == QEvent.Type.KeyPress and is_escape(event):
            self.close_overlay()
            return True
        return super().eventFilter(watched, event)

    def fitting_width(self) -> int:
        """Return the width of the card in the window."""
        return min(theme.scaled(self._width), self._window.width() - 32)

    def most_height(self) -> int:
        """Return the greatest height of the card in the window."""
        return self._window.height() - 96

    def fit_in_window(self) -> None:
        """Set size and position to suit the window's size."""
        width = self.fitting_width()
        self.ensurePolished()
        # The style sheet's border is around what the layout fills.
        border = self.width() - self.contentsRect().width()
        wraps = self.column.hasHeightForWidth()
        content = self.column.totalHeightForWidth(width - border) if wraps else self.column.sizeHint().height()
        height = min(self._height or content + border, self.most_height())
        self.setGeometry((self._window.width() - width) // 2, 64, width, height)
        self._shade.setGeometry(self._window.rect())


class HighArea(QScrollArea):
    """A scroll area without a frame that asks for the height of its content.

    Tab skips it and stops at the controls in it.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest and watched is self.widget():
            # Qt would go on with the height that the content had before.
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def sizeHint(self) -> QSize:
        body = self.widget()
        hint = super().sizeHint()
        return hint if body is None else QSize(hint.width(), body.sizeHint().height())


class WrappingArea(HighArea):
    """A `HighArea` whose content wraps: its height depends on its width.

    The content is as wide with a scroll bar as without one, so that the bar never decides whether it is needed. The
    place of the bar, `bar_width`, is at the right.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.verticalScrollBar().rangeChanged.connect(self._keep_width)
        self._keep_width(0, 0)

    @property
    def bar_width(self) -> int:
        return self.verticalScrollBar().sizeHint().width()

    def _keep_width(self, _least: int, most: int) -> None:
        """Leave the place of the scroll bar empty while there is none."""
        self.setViewportMargins(0, 0, 0 if most else self.bar_width, 0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        body = self.widget()
        layout = body.layout() if body is not None else None
        if layout is None or not layout.hasHeightForWidth():
            return self.sizeHint().height()
        return layout.totalHeightForWidth(width - self.bar_width)


class Shade(QWidget):
    """Dims the window below a card or a pane. Hidden at first."""

    clicked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()

    def mousePressEvent(self, _event: QMouseEvent) -> None:
        self.clicked.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(event.rect(), _SHADE)
