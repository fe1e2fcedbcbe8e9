"""The help menu."""

from __future__ import annotations

from app.system.translatable import QT_TRANSLATE_NOOP
from app.window.actions.parts import WindowAction

HELP_ACTIONS = (
    WindowAction(
        "palette",
        QT_TRANSLATE_NOOP("Actions", "Command palette…"),
        QT_TRANSLATE_NOOP("Actions", "Find a command"),
        lambda parts: parts.palette.open(),
        "Ctrl+K",
        "search",
    ),
    WindowAction(
        "explain",
        QT_TRANSLATE_NOOP("Actions", "Explain"),
        QT_TRANSLATE_NOOP("Actions", "Explain the figures of the live panel"),
        lambda parts: parts.explanations.open(),
    ),
    WindowAction(
        "shortcuts",
        QT_TRANSLATE_NOOP("Actions", "Keyboard shortcuts"),
        QT_TRANSLATE_NOOP("Actions", "Show the keyboard shortcuts"),
        lambda parts: parts.shortcuts.open(),
        "Ctrl+/",
        "keyboard",
    ),
    WindowAction(
        "show-report",
        QT_TRANSLATE_NOOP("Actions", "Show crash report"),
        QT_TRANSLATE_NOOP("Actions", "Show the crash report"),
        lambda parts: parts.notifications.open_report(),
        enabled=lambda now: now.has_report,
        hides=True,
        begins_section=True,
    ),
)
