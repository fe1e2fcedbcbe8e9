"""What the menus do to whichever window and text is in front: the settings have no menu bar of their own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QWidget

from app.actions.edit import TEXT_ACTIONS

if TYPE_CHECKING:
    from collections.abc import Callable


def handlers(window: QWidget) -> dict[str, Callable[[], object]]:
    """For the actions of text and of windows; `window` where none is in front."""

    def front() -> QWidget:
        return QApplication.activeWindow() or window

    found: dict[str, Callable[[], object]] = {
        "close-window": lambda: front().close(),
        "minimize": lambda: front().showMinimized(),
        "full-screen": lambda: window.showNormal() if window.isFullScreen() else window.showFullScreen(),
    }
    for spec in TEXT_ACTIONS:
        found[spec.id] = partial(press, QKeySequence(spec.shortcut))
    return found


def press(keys: QKeySequence) -> None:
    """Have what has the focus do what it does at those keys: every kind of field knows them itself."""
    focus = QApplication.focusWidget()
    if focus is not None:
        pressed = keys[0]  # type: ignore[index]
        event = QKeyEvent(QEvent.Type.KeyPress, pressed.key(), pressed.keyboardModifiers())
        QCoreApplication.sendEvent(focus, event)
