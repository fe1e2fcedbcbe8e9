"""Every user action, as data: menus, buttons, shortcuts, command palette and shortcut sheet are built from it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.language import LANGUAGES
from app.translatable import QT_TRANSLATE_NOOP

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Circumstances:
    """What the enabled-rules look at."""

    can_ask: bool = False
    has_text: bool = False
    streaming: bool = False
    has_turns: bool = False
    has_answer: bool = False
    can_retry: bool = False
    can_go_on: bool = False
    is_kept: bool = False
    loading: bool = False
    can_restore: bool = False
    can_measure: bool = False
    can_speak: bool = False
    speaking: bool = False
    has_report: bool = False
    transferring: bool = False
    finding: bool = False


def _always(_: Circumstances) -> bool:
    return True


@dataclass(frozen=True)
class ActionSpec:
    """One action. `name` is what a screen reader says; `shortcut` a portable key sequence, "" for none.

    `group` is the choice that a checkable action is one of.
    """

    id: str
    menu: str
    text: str
    name: str
    shortcut: str = ""
    icon: str = ""
    group: str = ""
    enabled: Callable[[Circumstances], bool] = _always


# Menu titles, in the order of the menu bar.
MENUS = {
    "chat": QT_TRANSLATE_NOOP("Actions", "Chat"),
    "edit": QT_TRANSLATE_NOOP("Actions", "Edit"),
    "models": QT_TRANSLATE_NOOP("Actions", "Models"),
    "view": QT_TRANSLATE_NOOP("Actions", "View"),
}

ACTIONS = (
    ActionSpec(
        "new-chat",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "New chat"),
        QT_TRANSLATE_NOOP("Actions", "Start a new chat"),
        "Ctrl+N",
        "plus",
    ),
    ActionSpec(
        "send",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "Send"),
        QT_TRANSLATE_NOOP("Actions", "Send the message"),
        "Ctrl+Return",
        "send",
        enabled=lambda now: now.can_ask and now.has_text,
    ),
    ActionSpec(
        "stop",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "Stop"),
        QT_TRANSLATE_NOOP("Actions", "Stop the answer"),
        "Esc",
        "stop",
        enabled=lambda now: now.streaming,
    ),
    ActionSpec(
        "attach",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "Attach files…"),
        QT_TRANSLATE_NOOP("Actions", "Attach text, code or PDF files"),
        "Ctrl+Shift+A",
        "attach",
    ),
    ActionSpec(
        "chat-settings",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "System prompt and settings…"),
        QT_TRANSLATE_NOOP("Actions", "Change the system prompt and the settings of this chat"),
        "Ctrl+Shift+P",
        "settings",
    ),
    ActionSpec(
        "ask-again",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "Regenerate"),
        QT_TRANSLATE_NOOP("Actions", "Answer the last question again"),
        "Ctrl+R",
        "retry",
        enabled=lambda now: now.can_retry,
    ),
    ActionSpec(
        "continue-answer",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "Continue"),
        QT_TRANSLATE_NOOP("Actions", "Continue the last answer"),
        "Ctrl+Shift+R",
        "play",
        enabled=lambda now: now.can_go_on,
    ),
    ActionSpec(
        "edit-last",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "Edit last message"),
        QT_TRANSLATE_NOOP("Actions", "Edit your last message"),
        "Ctrl+E",
        "edit",
        enabled=lambda now: now.can_retry,
    ),
    ActionSpec(
        "rename-chat",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "Rename chat"),
        QT_TRANSLATE_NOOP("Actions", "Change the title of this chat"),
        enabled=lambda now: now.is_kept,
    ),
    ActionSpec(
        "pin-chat",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "Pin or unpin chat"),
        QT_TRANSLATE_NOOP("Actions", "Pin this chat to the top, or unpin it"),
        "",
        "pin",
        enabled=lambda now: now.is_kept,
    ),
    ActionSpec(
        "duplicate-chat",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "Duplicate chat"),
        QT_TRANSLATE_NOOP("Actions", "Make a copy of this chat"),
        enabled=lambda now: now.is_kept,
    ),
    ActionSpec(
        "move-chat",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "Move to folder…"),
        QT_TRANSLATE_NOOP("Actions", "Move this chat to a folder"),
        "Ctrl+Shift+O",
        "folder",
        enabled=lambda now: now.is_kept,
    ),
    ActionSpec(
        "archive-chat",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "Archive chat"),
        QT_TRANSLATE_NOOP("Actions", "Move this chat to the archive"),
        "",
        "archive",
        enabled=lambda now: now.is_kept,
    ),
    ActionSpec(
        "delete-chat",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "Delete chat"),
        QT_TRANSLATE_NOOP("Actions", "Delete this chat"),
        "",
        "trash",
        enabled=lambda now: now.is_kept,
    ),
    ActionSpec(
        "save-again",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "Save again"),
        QT_TRANSLATE_NOOP("Actions", "Try again to save what could not be saved"),
    ),
    ActionSpec(
        "show-chats-folder",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "Show the chats folder"),
        QT_TRANSLATE_NOOP("Actions", "Open the folder that holds the chats"),
        "",
        "folder",
    ),
    ActionSpec(
        "export-chat",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "Export chat…"),
        QT_TRANSLATE_NOOP("Actions", "Save this chat as Markdown, HTML or JSON"),
        enabled=lambda now: now.is_kept,
    ),
    ActionSpec(
        "export-all",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "Export all chats…"),
        QT_TRANSLATE_NOOP("Actions", "Save all chats into one file or folder"),
    ),
    ActionSpec(
        "import-chats",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "Import chats…"),
        QT_TRANSLATE_NOOP("Actions", "Import chats of Tandem or of another app"),
    ),
    ActionSpec(
        "stop-transfer",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "Stop the import or export"),
        QT_TRANSLATE_NOOP("Actions", "Stop the import or export that is under way"),
        icon="stop",
        enabled=lambda now: now.transferring,
    ),
    ActionSpec(
        "settings",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "Settings…"),
        QT_TRANSLATE_NOOP("Actions", "Open the settings"),
        "Ctrl+,",
        "settings",
    ),
    ActionSpec(
        "show-report",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "Show the report"),
        QT_TRANSLATE_NOOP("Actions", "Show the report of what went wrong"),
        enabled=lambda now: now.has_report,
    ),
    ActionSpec(
        "close-window",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "Close window"),
        QT_TRANSLATE_NOOP("Actions", "Close the window"),
        "Ctrl+W",
    ),
    ActionSpec(
        "quit",
        "chat",
        QT_TRANSLATE_NOOP("Actions", "Quit Tandem"),
        QT_TRANSLATE_NOOP("Actions", "Quit Tandem"),
        "Ctrl+Q",
    ),
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
    ActionSpec(
        "choose-main",
        "models",
        QT_TRANSLATE_NOOP("Actions", "Choose main model…"),
        QT_TRANSLATE_NOOP("Actions", "Choose a main model"),
        "Ctrl+Shift+M",
        "main-model",
    ),
    ActionSpec(
        "choose-draft",
        "models",
        QT_TRANSLATE_NOOP("Actions", "Choose draft model…"),
        QT_TRANSLATE_NOOP("Actions", "Choose a draft model"),
        "Ctrl+Shift+D",
        "draft-on",
    ),
    ActionSpec(
        "models-page",
        "models",
        QT_TRANSLATE_NOOP("Actions", "Models and downloads…"),
        QT_TRANSLATE_NOOP("Actions", "Show models and downloads"),
        "Ctrl+Shift+L",
        "arrow-down",
    ),
    ActionSpec(
        "unload",
        "models",
        QT_TRANSLATE_NOOP("Actions", "Unload models"),
        QT_TRANSLATE_NOOP("Actions", "Free the memory of both models"),
        enabled=lambda now: not now.loading,
    ),
    ActionSpec(
        "use-starter",
        "models",
        QT_TRANSLATE_NOOP("Actions", "Use the starter pair"),
        QT_TRANSLATE_NOOP("Actions", "Load the two small models that come with Tandem"),
        enabled=lambda now: not now.loading,
    ),
    ActionSpec(
        "open-main",
        "models",
        QT_TRANSLATE_NOOP("Actions", "Open main model…"),
        QT_TRANSLATE_NOOP("Actions", "Choose a folder with a main model"),
        "Ctrl+Alt+M",
        "folder",
        enabled=lambda now: not now.loading,
    ),
    ActionSpec(
        "open-draft",
        "models",
        QT_TRANSLATE_NOOP("Actions", "Open draft model…"),
        QT_TRANSLATE_NOOP("Actions", "Choose a folder with a draft model"),
        "Ctrl+Alt+D",
        "folder",
        enabled=lambda now: not now.loading,
    ),
    ActionSpec(
        "no-draft",
        "models",
        QT_TRANSLATE_NOOP("Actions", "No draft model"),
        QT_TRANSLATE_NOOP("Actions", "Answer without a draft model"),
        enabled=lambda now: not now.loading,
    ),
    ActionSpec(
        "speculation-auto",
        "models",
        QT_TRANSLATE_NOOP("Actions", "Auto"),
        QT_TRANSLATE_NOOP("Actions", "Speculate whenever it pays"),
        group="speculation",
    ),
    ActionSpec(
        "speculation-on",
        "models",
        QT_TRANSLATE_NOOP("Actions", "On"),
        QT_TRANSLATE_NOOP("Actions", "Always speculate with the draft model"),
        group="speculation",
    ),
    ActionSpec(
        "speculation-off",
        "models",
        QT_TRANSLATE_NOOP("Actions", "Off"),
        QT_TRANSLATE_NOOP("Actions", "Do not speculate"),
        group="speculation",
    ),
    ActionSpec(
        "compare",
        "models",
        QT_TRANSLATE_NOOP("Actions", "Compare"),
        QT_TRANSLATE_NOOP("Actions", "Answer the last question with and without speculation, side by side"),
        enabled=lambda now: now.can_measure and now.has_turns,
    ),
    ActionSpec(
        "tune",
        "models",
        QT_TRANSLATE_NOOP("Actions", "Tune on this machine"),
        QT_TRANSLATE_NOOP("Actions", "Measure what guessing costs and brings with these models"),
        enabled=lambda now: now.can_measure,
    ),
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
