"""The actions of the edit menu."""

from __future__ import annotations

from app.actions.spec import ActionSpec
from app.system.translatable import QT_TRANSLATE_NOOP

# Whatever has the focus knows these keys itself; menus name them.
TEXT_ACTIONS = (
    ActionSpec(
        "undo",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Undo"),
        QT_TRANSLATE_NOOP("Actions", "Undo what was written"),
        "Ctrl+Z",
    ),
    ActionSpec(
        "redo",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Redo"),
        QT_TRANSLATE_NOOP("Actions", "Redo what was undone"),
        "Ctrl+Shift+Z",
    ),
    ActionSpec(
        "cut",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Cut"),
        QT_TRANSLATE_NOOP("Actions", "Cut the selection"),
        "Ctrl+X",
    ),
    ActionSpec(
        "copy",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Copy"),
        QT_TRANSLATE_NOOP("Actions", "Copy the selection"),
        "Ctrl+C",
    ),
    ActionSpec(
        "paste",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Paste"),
        QT_TRANSLATE_NOOP("Actions", "Paste text or files"),
        "Ctrl+V",
    ),
    ActionSpec(
        "select-all",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Select all"),
        QT_TRANSLATE_NOOP("Actions", "Select all of the text"),
        "Ctrl+A",
    ),
)

EDIT_ACTIONS = (
    *TEXT_ACTIONS,
    ActionSpec(
        "restore-chat",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Undo delete"),
        QT_TRANSLATE_NOOP("Actions", "Bring back the deleted chat"),
        "Ctrl+Alt+Z",
        "retry",
        enabled=lambda now: now.can_restore,
    ),
    ActionSpec(
        "copy-answer",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Copy last answer"),
        QT_TRANSLATE_NOOP("Actions", "Copy the last answer as Markdown"),
        "Ctrl+Shift+C",
        "copy",
        enabled=lambda now: now.has_answer,
    ),
    ActionSpec(
        "read-aloud",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Read last answer aloud"),
        QT_TRANSLATE_NOOP("Actions", "Read the last answer aloud with the system's voice"),
        "Ctrl+Alt+R",
        "speak",
        enabled=lambda now: now.can_speak and now.has_answer and not now.speaking,
    ),
    ActionSpec(
        "stop-reading",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Stop reading"),
        QT_TRANSLATE_NOOP("Actions", "Stop reading aloud"),
        "Ctrl+Alt+.",
        "stop",
        enabled=lambda now: now.speaking,
    ),
    ActionSpec(
        "focus-composer",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Write a message"),
        QT_TRANSLATE_NOOP("Actions", "Go to the message box"),
        "Ctrl+L",
        "edit",
    ),
    ActionSpec(
        "find-in-chat",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Find in chat"),
        QT_TRANSLATE_NOOP("Actions", "Find words in this chat"),
        "Ctrl+F",
        "search",
        enabled=lambda now: now.has_turns,
    ),
    ActionSpec(
        "find-next",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Find next"),
        QT_TRANSLATE_NOOP("Actions", "Go to the next match in this chat"),
        "Ctrl+G",
        "arrow-down",
        enabled=lambda now: now.finding,
    ),
    ActionSpec(
        "find-previous",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Find previous"),
        QT_TRANSLATE_NOOP("Actions", "Go to the previous match in this chat"),
        "Ctrl+Shift+G",
        "arrow-up",
        enabled=lambda now: now.finding,
    ),
    ActionSpec(
        "search-chats",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Search chats"),
        QT_TRANSLATE_NOOP("Actions", "Go to the chat search"),
        "Ctrl+Shift+F",
        "search",
    ),
)
