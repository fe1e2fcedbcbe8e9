"""The app menu, which macOS names after the app."""

from __future__ import annotations

from PySide6.QtGui import QAction

from app.system.translatable import QT_TRANSLATE_NOOP
from app.window.actions.parts import WindowAction

TANDEM_ACTIONS = (
    WindowAction(
        "about",
        QT_TRANSLATE_NOOP("Actions", "About Tandem"),
        QT_TRANSLATE_NOOP("Actions", "Show version and licenses"),
        lambda parts: parts.settings.open_about(),
        role=QAction.MenuRole.AboutRole,
    ),
    WindowAction(
        "check-updates",
        QT_TRANSLATE_NOOP("Actions", "Check for updates…"),
        QT_TRANSLATE_NOOP("Actions", "Look for a newer version of Tandem"),
        lambda parts: parts.updates.check(),
        role=QAction.MenuRole.ApplicationSpecificRole,
    ),
    WindowAction(
        "settings",
        QT_TRANSLATE_NOOP("Actions", "Settings…"),
        QT_TRANSLATE_NOOP("Actions", "Open settings"),
        lambda parts: parts.settings.open("general"),
        "Ctrl+,",
        "settings",
        role=QAction.MenuRole.PreferencesRole,
        begins_section=True,
    ),
    WindowAction(
        "quit",
        QT_TRANSLATE_NOOP("Actions", "Quit Tandem"),
        QT_TRANSLATE_NOOP("Actions", "Quit Tandem"),
        lambda parts: parts.window.close(),
        "Ctrl+Q",
        role=QAction.MenuRole.QuitRole,
        begins_section=True,
    ),
)
