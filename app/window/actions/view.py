"""The view menu."""

from __future__ import annotations

import sys

from app.settings.declarations import SETTINGS
from app.window.actions.window_action import ActedWindow, WindowAction


def _zoom(window: ActedWindow, step: int) -> None:
    """Choose the next larger or smaller text size, if there is one."""
    sizes = [size for size, _ in SETTINGS["text_size"].choices]
    wanted = sizes.index(window.preferences.values.text_size) + step
    window.preferences.change(text_size=sizes[min(max(wanted, 0), len(sizes) - 1)])


def _toggle_full_screen(window: ActedWindow) -> None:
    if window.isFullScreen():
        window.showNormal()
    else:
        window.showFullScreen()


VIEW_ACTIONS = (
    WindowAction(
        "toggle-sidebar",
        "Show chat list",
        "Show or hide the chat list",
        lambda window: window.panes.toggle("sidebar"),
        "Ctrl+B",
        "sidebar-left",
        other_text="Hide chat list",
        shows_other=lambda window: window.panes.shows("sidebar"),
    ),
    WindowAction(
        "toggle-panel",
        "Show live panel",
        "Show or hide the live panel",
        lambda window: window.panes.toggle("panel"),
        "Ctrl+I",
        "sidebar-right",
        other_text="Hide live panel",
        shows_other=lambda window: window.panes.shows("panel"),
    ),
    WindowAction(
        "show-text",
        "Tint tokens while answering",
        "Tint drafted tokens only while an answer is written",
        lambda window: window.parts.transcript.set_as_tokens(False),
        "Ctrl+Shift+T",
        short="Text",
        checked=lambda window: not window.parts.transcript.as_tokens,
        begins_section=True,
    ),
    WindowAction(
        "show-tokens",
        "Always tint tokens",
        "Always tint the tokens that were drafted",
        lambda window: window.parts.transcript.set_as_tokens(True),
        "Ctrl+T",
        short="Tokens",
        checked=lambda window: window.parts.transcript.as_tokens,
    ),
    WindowAction(
        "versions",
        "Side by side",
        "Show two versions of the last answer side by side",
        lambda window: window.parts.turns.on_last(window.parts.turns.versions_wanted.emit),
        enabled=lambda window: any(map(window.parts.turns.has_versions, window.session.chat.turns[-1:])),
    ),
    WindowAction(
        "zoom-in", "Larger text", "Make the text larger", lambda window: _zoom(window, 1), "Ctrl+=", begins_section=True
    ),
    WindowAction("zoom-out", "Smaller text", "Make the text smaller", lambda window: _zoom(window, -1), "Ctrl+-"),
    WindowAction(
        "zoom-reset",
        "Normal text size",
        "Show the text in its normal size",
        lambda window: window.preferences.change(text_size=SETTINGS["text_size"].default),
        "Ctrl+0",
    ),
    WindowAction(
        "full-screen",
        "Enter full screen",
        "Enter or exit full screen",
        _toggle_full_screen,
        "Ctrl+Meta+F" if sys.platform == "darwin" else "F11",
        other_text="Exit full screen",
        shows_other=lambda window: window.isFullScreen(),
        begins_section=True,
    ),
)
