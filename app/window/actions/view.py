"""The view menu."""

from __future__ import annotations

import sys

from app.settings.declarations import SETTINGS
from app.system.language import LANGUAGES
from app.system.translatable import QT_TRANSLATE_NOOP
from app.window.actions.parts import WindowAction, WindowParts


def _zoom(parts: WindowParts, step: int) -> None:
    """Choose the next larger or smaller text size, if there is one."""
    sizes = [size for size, _ in SETTINGS["text_size"].choices]
    wanted = sizes.index(parts.preferences.values.text_size) + step
    parts.preferences.change(text_size=sizes[min(max(wanted, 0), len(sizes) - 1)])


def _toggle_full_screen(parts: WindowParts) -> None:
    if parts.window.isFullScreen():
        parts.window.showNormal()
    else:
        parts.window.showFullScreen()


def _language_action(language: str, text: str, name: str) -> WindowAction:
    return WindowAction(
        f"language-{language}",
        text,
        name,
        lambda parts: parts.application.language.choose(language),
        group="language",
        submenu="language",
        checked=lambda parts: parts.application.language.choice == language,
    )


VIEW_ACTIONS = (
    WindowAction(
        "toggle-sidebar",
        QT_TRANSLATE_NOOP("Actions", "Show chat list"),
        QT_TRANSLATE_NOOP("Actions", "Show or hide the chat list"),
        lambda parts: parts.panes.toggle("sidebar"),
        "Ctrl+B",
        "sidebar-left",
        other_text=QT_TRANSLATE_NOOP("Actions", "Hide chat list"),
        shows_other=lambda parts: parts.panes.shows("sidebar"),
    ),
    WindowAction(
        "toggle-panel",
        QT_TRANSLATE_NOOP("Actions", "Show live panel"),
        QT_TRANSLATE_NOOP("Actions", "Show or hide the live panel"),
        lambda parts: parts.panes.toggle("panel"),
        "Ctrl+I",
        "sidebar-right",
        other_text=QT_TRANSLATE_NOOP("Actions", "Hide live panel"),
        shows_other=lambda parts: parts.panes.shows("panel"),
    ),
    WindowAction(
        "show-text",
        QT_TRANSLATE_NOOP("Actions", "Answers as text"),
        QT_TRANSLATE_NOOP("Actions", "Show answers as text"),
        lambda parts: parts.transcript.set_as_tokens(False),
        "Ctrl+Shift+T",
        short=QT_TRANSLATE_NOOP("Actions", "Text"),
        group="answers",
        checked=lambda parts: not parts.transcript.as_tokens,
        begins_section=True,
    ),
    WindowAction(
        "show-tokens",
        QT_TRANSLATE_NOOP("Actions", "Answers as tokens"),
        QT_TRANSLATE_NOOP("Actions", "Show which tokens were drafted"),
        lambda parts: parts.transcript.set_as_tokens(True),
        "Ctrl+T",
        short=QT_TRANSLATE_NOOP("Actions", "Tokens"),
        group="answers",
        checked=lambda parts: parts.transcript.as_tokens,
    ),
    WindowAction(
        "zoom-in",
        QT_TRANSLATE_NOOP("Actions", "Larger text"),
        QT_TRANSLATE_NOOP("Actions", "Make the text larger"),
        lambda parts: _zoom(parts, 1),
        "Ctrl+=",
        begins_section=True,
    ),
    WindowAction(
        "zoom-out",
        QT_TRANSLATE_NOOP("Actions", "Smaller text"),
        QT_TRANSLATE_NOOP("Actions", "Make the text smaller"),
        lambda parts: _zoom(parts, -1),
        "Ctrl+-",
    ),
    WindowAction(
        "zoom-reset",
        QT_TRANSLATE_NOOP("Actions", "Normal text size"),
        QT_TRANSLATE_NOOP("Actions", "Show the text in its normal size"),
        lambda parts: parts.preferences.change(text_size=SETTINGS["text_size"].default),
        "Ctrl+0",
    ),
    WindowAction(
        "theme-system",
        QT_TRANSLATE_NOOP("Actions", "Match system"),
        QT_TRANSLATE_NOOP("Actions", "Match the system appearance"),
        lambda parts: parts.application.theme.set_mode("system"),
        group="theme",
        submenu="appearance",
        checked=lambda parts: parts.application.theme.mode == "system",
        begins_section=True,
    ),
    WindowAction(
        "theme-light",
        QT_TRANSLATE_NOOP("Actions", "Light"),
        QT_TRANSLATE_NOOP("Actions", "Light appearance"),
        lambda parts: parts.application.theme.set_mode("light"),
        group="theme",
        submenu="appearance",
        checked=lambda parts: parts.application.theme.mode == "light",
    ),
    WindowAction(
        "theme-dark",
        QT_TRANSLATE_NOOP("Actions", "Dark"),
        QT_TRANSLATE_NOOP("Actions", "Dark appearance"),
        lambda parts: parts.application.theme.set_mode("dark"),
        group="theme",
        submenu="appearance",
        checked=lambda parts: parts.application.theme.mode == "dark",
    ),
    _language_action(
        "system",
        QT_TRANSLATE_NOOP("Actions", "Match system"),
        QT_TRANSLATE_NOOP("Actions", "Use the system's language"),
    ),
    # Each language is named in that language.
    *(_language_action(language, name, name) for language, name in LANGUAGES.items()),
    WindowAction(
        "full-screen",
        QT_TRANSLATE_NOOP("Actions", "Enter full screen"),
        QT_TRANSLATE_NOOP("Actions", "Enter or exit full screen"),
        _toggle_full_screen,
        "Ctrl+Meta+F" if sys.platform == "darwin" else "F11",
        other_text=QT_TRANSLATE_NOOP("Actions", "Exit full screen"),
        shows_other=lambda parts: parts.window.isFullScreen(),
        begins_section=True,
    ),
)
