"""The actions of the view menu."""

from __future__ import annotations

import sys

from app.actions.spec import ActionSpec
from app.system.language import LANGUAGES
from app.system.translatable import QT_TRANSLATE_NOOP

VIEW_ACTIONS = (
    ActionSpec(
        "toggle-sidebar",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Chats"),
        QT_TRANSLATE_NOOP("Actions", "Show or hide the chats"),
        "Ctrl+B",
        "sidebar-left",
    ),
    ActionSpec(
        "toggle-panel",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Live panel"),
        QT_TRANSLATE_NOOP("Actions", "Show or hide the live panel"),
        "Ctrl+I",
        "sidebar-right",
    ),
    ActionSpec(
        "show-text",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Text"),
        QT_TRANSLATE_NOOP("Actions", "Show answers as text"),
        "Ctrl+Shift+T",
        group="answers",
    ),
    ActionSpec(
        "show-tokens",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Tokens"),
        QT_TRANSLATE_NOOP("Actions", "Show which tokens were guessed"),
        "Ctrl+T",
        group="answers",
    ),
    ActionSpec(
        "full-screen",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Full screen"),
        QT_TRANSLATE_NOOP("Actions", "Enter or leave full screen"),
        "Ctrl+Meta+F" if sys.platform == "darwin" else "F11",
    ),
    ActionSpec(
        "minimize",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Minimize"),
        QT_TRANSLATE_NOOP("Actions", "Minimize the window"),
        "Ctrl+M" if sys.platform == "darwin" else "",
    ),
    ActionSpec(
        "palette",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Commands…"),
        QT_TRANSLATE_NOOP("Actions", "Find a command"),
        "Ctrl+K",
        "search",
    ),
    ActionSpec(
        "shortcuts",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Keyboard shortcuts"),
        QT_TRANSLATE_NOOP("Actions", "Show the keyboard shortcuts"),
        "Ctrl+/",
        "keyboard",
    ),
    ActionSpec(
        "theme-system",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Like the system"),
        QT_TRANSLATE_NOOP("Actions", "Follow the system's light or dark appearance"),
        group="theme",
    ),
    ActionSpec(
        "theme-light",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Light"),
        QT_TRANSLATE_NOOP("Actions", "Light appearance"),
        group="theme",
    ),
    ActionSpec(
        "theme-dark",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Dark"),
        QT_TRANSLATE_NOOP("Actions", "Dark appearance"),
        group="theme",
    ),
    ActionSpec(
        "language-system",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Like the system"),
        QT_TRANSLATE_NOOP("Actions", "Use the system's language"),
        group="language",
    ),
    # A language is called by its own name in every language.
    *(ActionSpec(f"language-{code}", "view", name, name, group="language") for code, name in LANGUAGES.items()),
)
