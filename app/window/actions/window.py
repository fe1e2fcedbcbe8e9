"""The window menu."""

from __future__ import annotations

import sys

from PySide6.QtCore import Qt

from app.system.translatable import QT_TRANSLATE_NOOP
from app.window.actions.parts import WindowAction, WindowParts


def _zoom(parts: WindowParts) -> None:
    """Make the window in front as large as the screen allows, or as large as before."""
    front = parts.front_window
    if front.isMaximized():
        front.showNormal()
    else:
        front.showMaximized()


WINDOW_ACTIONS = (
    WindowAction(
        "minimize",
        QT_TRANSLATE_NOOP("Actions", "Minimize"),
        QT_TRANSLATE_NOOP("Actions", "Minimize the window"),
        lambda parts: parts.front_window.showMinimized(),
        "Ctrl+M" if sys.platform == "darwin" else "",
    ),
    WindowAction(
        "zoom-window",
        QT_TRANSLATE_NOOP("Actions", "Zoom"),
        QT_TRANSLATE_NOOP("Actions", "Make the window as large as possible, or as large as before"),
        _zoom,
    ),
    WindowAction(
        "previous-chat",
        QT_TRANSLATE_NOOP("Actions", "Previous chat"),
        QT_TRANSLATE_NOOP("Actions", "Show the chat above in the list"),
        lambda parts: parts.chats.step(-1),
        "Ctrl+Alt+Up",
        begins_section=True,
    ),
    WindowAction(
        "next-chat",
        QT_TRANSLATE_NOOP("Actions", "Next chat"),
        QT_TRANSLATE_NOOP("Actions", "Show the chat below in the list"),
        lambda parts: parts.chats.step(1),
        "Ctrl+Alt+Down",
    ),
    WindowAction(
        "focus-composer",
        QT_TRANSLATE_NOOP("Actions", "Focus message box"),
        QT_TRANSLATE_NOOP("Actions", "Go to the message box"),
        lambda parts: parts.composer.setFocus(Qt.FocusReason.ShortcutFocusReason),
        "Ctrl+L",
        "edit",
        begins_section=True,
    ),
    WindowAction(
        "models-page",
        QT_TRANSLATE_NOOP("Actions", "Models and downloads…"),
        QT_TRANSLATE_NOOP("Actions", "Show models and downloads"),
        lambda parts: parts.settings.open("models"),
        "Ctrl+Shift+L",
        "arrow-down",
        begins_section=True,
    ),
)
