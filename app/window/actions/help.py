"""The help menu."""

from __future__ import annotations

from app.window.actions.window_action import WindowAction

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
        "explain", "Explain", "Explain the figures of the live panel", lambda window: window.explanations.open()
    ),
    WindowAction(
        "show-report",
        "Show crash report",
        "Show the crash report",
        lambda window: window.notifications.open_report(),
        enabled=lambda now: now.has_report,
        hides=True,
        begins_section=True,
    ),
)
