"""The edit menu."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication

from app.system.translatable import QT_TRANSLATE_NOOP
from app.window.actions.parts import WindowAction, WindowParts


def _text_action(action_id: str, text: str, name: str, shortcut: str, begins_section: bool = False) -> WindowAction:
    """Return an action that sends its keys to the text with the focus, which handles them itself."""
    return WindowAction(
        action_id,
        text,
        name,
        partial(_press, QKeySequence(shortcut)),
        shortcut,
        begins_section=begins_section,
        # macOS finds the entries that edit in its own dialogs by their texts.
        role=QAction.MenuRole.TextHeuristicRole,
    )


def _press(keys: QKeySequence, _parts: WindowParts) -> None:
    """Send the keys to the widget with the focus."""
    focus = QApplication.focusWidget()
    if focus is not None:
        pressed = keys[0]  # type: ignore[index]
        event = QKeyEvent(QEvent.Type.KeyPress, pressed.key(), pressed.keyboardModifiers())
        QCoreApplication.sendEvent(focus, event)


def _search_chats(parts: WindowParts) -> None:
    parts.panes.show("sidebar", True)
    parts.sidebar.search.setFocus(Qt.FocusReason.ShortcutFocusReason)


EDIT_ACTIONS = (
    _text_action("undo", QT_TRANSLATE_NOOP("Actions", "Undo"), QT_TRANSLATE_NOOP("Actions", "Undo typing"), "Ctrl+Z"),
    _text_action(
        "redo", QT_TRANSLATE_NOOP("Actions", "Redo"), QT_TRANSLATE_NOOP("Actions", "Redo typing"), "Ctrl+Shift+Z"
    ),
    _text_action(
        "cut",
        QT_TRANSLATE_NOOP("Actions", "Cut"),
        QT_TRANSLATE_NOOP("Actions", "Cut the selection"),
        "Ctrl+X",
        begins_section=True,
    ),
    _text_action(
        "copy", QT_TRANSLATE_NOOP("Actions", "Copy"), QT_TRANSLATE_NOOP("Actions", "Copy the selection"), "Ctrl+C"
    ),
    _text_action(
        "paste", QT_TRANSLATE_NOOP("Actions", "Paste"), QT_TRANSLATE_NOOP("Actions", "Paste text or files"), "Ctrl+V"
    ),
    _text_action(
        "select-all",
        QT_TRANSLATE_NOOP("Actions", "Select all"),
        QT_TRANSLATE_NOOP("Actions", "Select all text"),
        "Ctrl+A",
    ),
    WindowAction(
        "copy-answer",
        QT_TRANSLATE_NOOP("Actions", "Copy last answer"),
        QT_TRANSLATE_NOOP("Actions", "Copy the last answer as Markdown"),
        lambda parts: parts.turns.copy_last_answer(),
        "Ctrl+Shift+C",
        "copy",
        enabled=lambda now: now.has_answer,
        begins_section=True,
    ),
    WindowAction(
        "restore-chat",
        QT_TRANSLATE_NOOP("Actions", "Undo delete"),
        QT_TRANSLATE_NOOP("Actions", "Restore the chat or messages you deleted last"),
        lambda parts: parts.chats.restore_deleted(),
        "Ctrl+Alt+Z",
        "retry",
        enabled=lambda now: now.can_restore,
    ),
    WindowAction(
        "find-in-chat",
        QT_TRANSLATE_NOOP("Actions", "Find in chat"),
        QT_TRANSLATE_NOOP("Actions", "Find text in this chat"),
        lambda parts: parts.find_bar.open(),
        "Ctrl+F",
        "search",
        enabled=lambda now: now.has_turns,
        begins_section=True,
        submenu="find",
    ),
    WindowAction(
        "find-next",
        QT_TRANSLATE_NOOP("Actions", "Find next"),
        QT_TRANSLATE_NOOP("Actions", "Go to the next match in this chat"),
        lambda parts: parts.find_bar.step(1),
        "Ctrl+G",
        "arrow-down",
        enabled=lambda now: now.finding,
        submenu="find",
    ),
    WindowAction(
        "find-previous",
        QT_TRANSLATE_NOOP("Actions", "Find previous"),
        QT_TRANSLATE_NOOP("Actions", "Go to the previous match in this chat"),
        lambda parts: parts.find_bar.step(-1),
        "Ctrl+Shift+G",
        "arrow-up",
        enabled=lambda now: now.finding,
        submenu="find",
    ),
    WindowAction(
        "search-chats",
        QT_TRANSLATE_NOOP("Actions", "Search chats"),
        QT_TRANSLATE_NOOP("Actions", "Go to the chat search"),
        _search_chats,
        "Ctrl+Shift+F",
        "search",
        submenu="find",
    ),
    WindowAction(
        "read-aloud",
        QT_TRANSLATE_NOOP("Actions", "Read last answer aloud"),
        QT_TRANSLATE_NOOP("Actions", "Read the last answer aloud with the system's voice"),
        lambda parts: parts.turns.on_last(parts.turns.speak),
        "Ctrl+Alt+R",
        "speak",
        enabled=lambda now: now.can_speak and now.has_answer and not now.speaking,
        submenu="speech",
    ),
    WindowAction(
        "stop-reading",
        QT_TRANSLATE_NOOP("Actions", "Stop reading"),
        QT_TRANSLATE_NOOP("Actions", "Stop reading aloud"),
        lambda parts: parts.turns.speaker.stop(),
        "Ctrl+Alt+.",
        "stop",
        enabled=lambda now: now.speaking,
        submenu="speech",
    ),
)
