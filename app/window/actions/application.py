"""The menus of the app itself: the one that macOS names after it, and those of its windows and its help."""

from __future__ import annotations

import sys

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction

from app.window.actions.window_action import ActedWindow, WindowAction


def _zoom(window: ActedWindow) -> None:
    """Maximise the window in front, or restore it."""
    front = window.front_window
    if front.isMaximized():
        front.showNormal()
    else:
        front.showMaximized()


TANDEM_ACTIONS = (
    WindowAction(
        "about",
        "About Tandem",
        "Show version and licenses",
        lambda window: window.about.open(),
        role=QAction.MenuRole.AboutRole,
    ),
    WindowAction(
        "check-updates",
        "Check for updates…",
        "Look for a newer version of Tandem",
        lambda window: window.updates.check(),
        role=QAction.MenuRole.ApplicationSpecificRole,
    ),
    WindowAction(
        "settings",
        "Settings…",
        "Open settings",
        lambda window: window.settings.open("general"),
        "Ctrl+,",
        "settings",
        role=QAction.MenuRole.PreferencesRole,
        begins_section=True,
    ),
    WindowAction(
        "quit",
        "Quit Tandem",
        "Quit Tandem",
        lambda window: window.quit(),
        "Ctrl+Q",
        role=QAction.MenuRole.QuitRole,
        begins_section=True,
    ),
)

WINDOW_ACTIONS = (
    WindowAction(
        "minimize",
        "Minimize",
        "Minimize the window",
        lambda window: window.front_window.showMinimized(),
        "Ctrl+M" if sys.platform == "darwin" else "",
    ),
    WindowAction("zoom-window", "Zoom", "Make the window as large as possible, or restore its size", _zoom),
    # In macOS's own apps it is named after the app, too.
    WindowAction(
        "main-window",
        "Tandem",
        "Show the main window",
        lambda window: window.show_main_window(),
        begins_section=True,
    ),
    WindowAction(
        "previous-chat",
        "Previous chat",
        "Go to the chat above this one in the list",
        lambda window: window.chats.step(-1),
        "Ctrl+Alt+Up",
        begins_section=True,
    ),
    WindowAction(
        "next-chat",
        "Next chat",
        "Go to the chat below this one in the list",
        lambda window: window.chats.step(1),
        "Ctrl+Alt+Down",
    ),
    WindowAction(
        "chat-window",
        "Open in new window",
        "Show this chat in a window of its own",
        lambda window: window.chats.on_shown(window.open_beside),
        "Ctrl+Alt+N",
        enabled=lambda window: window.is_kept,
    ),
    WindowAction(
        "focus-composer",
        "Focus message box",
        "Go to the message box",
        lambda window: window.parts.composer.setFocus(Qt.FocusReason.ShortcutFocusReason),
        "Ctrl+L",
        "edit",
        begins_section=True,
    ),
    WindowAction(
        "quick-entry",
        "Quick entry",
        "Ask in a small window, which answers in place",
        lambda window: window.quick_entry.open(),
    ),
    WindowAction(
        "models-page",
        "Models and downloads…",
        "Show models and downloads",
        lambda window: window.settings.open("models"),
        "Ctrl+Shift+L",
        "arrow-down",
        begins_section=True,
    ),
    WindowAction(
        "serve-api",
        "Start the local API",
        "Let other programs on this Mac use the models",
        lambda window: window.preferences.change(api_serve=not window.preferences.values.api_serve),
        other_text="Stop the local API",
        shows_other=lambda window: window.preferences.values.api_serve,
        begins_section=True,
    ),
)


HELP_ACTIONS = (
    WindowAction(
        "palette",
        "Command palette…",
        "Find a command",
        lambda window: window.command_palette.open(),
        "Ctrl+K",
        "search",
    ),
    WindowAction(
        "search-help",
        "Search help…",
        "Find an answer in the help of Tandem",
        lambda window: window.help_search.open(),
    ),
    WindowAction(
        "shortcuts",
        "Keyboard shortcuts",
        "Show all commands with their keys",
        lambda window: window.shortcuts_card.open(),
    ),
    WindowAction(
        "show-log",
        "Log of this session…",
        "Show what Tandem has recorded since it started",
        lambda window: window.log.open(),
    ),
    WindowAction(
        "show-chats-folder",
        "Show chats in Finder",
        "Show the folder where chats are stored",
        lambda window: window.chats.show_folder(),
        icon="folder",
    ),
    WindowAction(
        "show-report",
        "Show crash report",
        "Show the crash report",
        lambda window: window.notifications.open_report(),
        enabled=lambda window: window.notifications.report is not None,
        hides=True,
        begins_section=True,
    ),
)
