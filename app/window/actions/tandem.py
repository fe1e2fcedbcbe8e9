"""The app menu, which macOS names after the app."""

from __future__ import annotations

from PySide6.QtGui import QAction

from app.window.actions.window_action import WindowAction

TANDEM_ACTIONS = (
    WindowAction(
        "about",
        "About Tandem",
        "Show version and licenses",
        lambda window: window.settings.open_about(),
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
        lambda window: window.close(),
        "Ctrl+Q",
        role=QAction.MenuRole.QuitRole,
        begins_section=True,
    ),
)
