"""The window menu."""

from __future__ import annotations

import sys

from PySide6.QtCore import Qt

from app.system.translatable import QT_TRANSLATE_NOOP
from app.window.actions.parts import WindowAction, WindowParts


def _zoom(parts: WindowParts) -> None:
    """Maximise the window in front, or restore it."""
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
        QT_TRANSLATE_NOOP("Actions", "Make the window as large as possible, or restore its size"),
        _zoom,
    ),
    WindowAction(
        "previous-chat",
        QT_TRANSLATE_NOOP("Actions", "Previous chat"),
        QT_TRANSLATE_NOOP("Actions", "Go to the chat above this one in the list"),
        lambda parts: parts.chats.step(-1),
        "Ctrl+Alt+Up",
        begins_section=True,
    ),
    WindowAction(
        "next-chat",
        QT_TRANSLATE_NOOP("Actions", "Next chat"),
        QT_TRANSLATE_NOOP("Actions", "Go to the chat below this one in the list"),
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
    WindowAction(
        "serve-api",
        QT_TRANSLATE_NOOP("Actions", "Start the local API"),
        QT_TRANSLATE_NOOP("Actions", "Let other programs on this Mac use the models"),
        lambda parts: parts.preferences.change(api_serve=not parts.preferences.values.api_serve),
        other_text=QT_TRANSLATE_NOOP("Actions", "Stop the local API"),
        shows_other=lambda parts: parts.preferences.values.api_serve,
        begins_section=True,
    ),
    WindowAction(
        "api-page",
        QT_TRANSLATE_NOOP("Actions", "Local API…"),
        QT_TRANSLATE_NOOP("Actions", "Show the address and status of the local API"),
        lambda parts: parts.settings.open("api"),
        icon="link",
    ),
    WindowAction(
        "machines-page",
        QT_TRANSLATE_NOOP("Actions", "Multiple Macs…"),
        QT_TRANSLATE_NOOP("Actions", "Run a model on multiple Macs together"),
        lambda parts: parts.settings.open("machines"),
    ),
)
