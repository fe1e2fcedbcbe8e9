"""Shows the focus of widgets that do not show it themselves, only if the keyboard moved it there (:focus-visible)."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from app.widgets import theme
from app.widgets.style_class import set_property

_WIDTH, _RADIUS = 2, 6
_KEYBOARD = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)


class KeyboardFocus(QObject):
    """Tells by `changed`, after every change of the focus of `target`, whether to show it.

    A focus that returns with its window, or after a menu or a card was closed, is shown if it was shown before.
    """

    changed = Signal(bool)

    def __init__(self, target: QWidget) -> None:
        super().__init__(target)
        self._by_keyboard = False
        target.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QFocusEvent):
            by_keyboard = event.reason() in _KEYBOARD
            if by_keyboard or event.reason() == Qt.FocusReason.MouseFocusReason:
                self._by_keyboard = by_keyboard and event.gotFocus()
            self.changed.emit(self._by_keyboard and event.gotFocus())
        return super().eventFilter(watched, event)


def mark_keyboard_focus(rows: QWidget) -> None:
    """Keep the property `keyboardFocus` of a list up to date. Its delegate reads it."""

    def mark(has_focus: bool) -> None:
        # A list that has the focus loses it while it is being deleted.
        if isValid(rows):
            set_property(rows, "keyboardFocus", has_focus)

    KeyboardFocus(rows).changed.connect(mark)


class FocusRing(QWidget):
    """A frame over the edge of `target`, visible while the focus is to be shown."""

    def __init__(self, target: QWidget) -> None:
        super().__init__(target)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setGeometry(target.rect())
        self.hide()
        KeyboardFocus(target).changed.connect(self._show_focus)
        target.installEventFilter(self)

    def _show_focus(self, has_focus: bool) -> None:
        self.setVisible(has_focus)
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            self.setGeometry(watched.rect())
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.colours().main), _WIDTH))
        painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), _RADIUS, _RADIUS)
