"""The edit menu."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication

from app.window.actions.window_action import ActedWindow, WindowAction


def _press(shortcut: str, _window: ActedWindow) -> bool:
    """Give the keys to the widget with the focus. Return whether it uses them."""
    focus = QApplication.focusWidget()
    keys = QKeySequence(shortcut)[0]  # type: ignore[index]
    if focus is None:
        return False
    event = QKeyEvent(QEvent.Type.KeyPress, keys.key(), keys.keyboardModifiers())
    # `sendEvent` would first offer them to the window's shortcuts, and so to the same action again.
    focus.event(event)
    return event.isAccepted()


def _paste(shortcut: str, window: ActedWindow) -> None:
    """Paste where the focus is or else, over a chat or a list, into the message box."""
    if not _press(shortcut, window) and window.front_window is window and not window.has_open_card:
        window.parts.composer.setFocus(Qt.FocusReason.ShortcutFocusReason)
        window.parts.composer.edit.paste()


def _text_action(
    action_id: str,
    text: str,
    name: str,
    shortcut: str,
    run: Callable[[str, ActedWindow], object] = _press,
    begins_section: bool = False,
) -> WindowAction:
    """Return an action that sends its keys to the text with the focus, which handles them itself."""
    return WindowAction(
        action_id,
        text,
        name,
        partial(run, shortcut),
        shortcut,
        begins_section=begins_section,
        # macOS finds the entries that edit in its own dialogs by their texts.
        role=QAction.MenuRole.TextHeuristicRole,
    )


def _search_chats(window: ActedWindow) -> None:
    window.panes.show("sidebar", True)
    window.sidebar.search.setFocus(Qt.FocusReason.ShortcutFocusReason)


def _can_speak(window: ActedWindow) -> bool:
    speaker = window.parts.turns.speaker
    return speaker.program is not None and window.has_answer and not speaker.speaking


EDIT_ACTIONS = (
    _text_action("undo", "Undo", "Undo typing", "Ctrl+Z"),
    _text_action("redo", "Redo", "Redo typing", "Ctrl+Shift+Z"),
    _text_action("cut", "Cut", "Cut the selection", "Ctrl+X", begins_section=True),
    _text_action("copy", "Copy", "Copy the selection", "Ctrl+C"),
    _text_action("paste", "Paste", "Paste text or files", "Ctrl+V", _paste),
    _text_action("select-all", "Select all", "Select all text", "Ctrl+A"),
    WindowAction(
        "copy-answer",
        "Copy last answer",
        "Copy the last answer as Markdown",
        lambda window: window.parts.turns.copy_last_answer(),
        "Ctrl+Shift+C",
        "copy",
        enabled=lambda window: window.has_answer,
        begins_section=True,
    ),
    WindowAction(
        "restore-chat",
        "Undo delete",
        "Restore the chat or messages you deleted last",
        lambda window: window.chats.restore_deleted(),
        "Ctrl+Alt+Z",
        "retry",
        enabled=lambda window: bool(window.session.chats.restorable),
    ),
    WindowAction(
        "find-in-chat",
        "Find in chat",
        "Find text in this chat",
        lambda window: window.parts.find_bar.open(),
        "Ctrl+F",
        "search",
        enabled=lambda window: bool(window.chat.turns),
        begins_section=True,
        submenu="find",
    ),
    WindowAction(
        "find-next",
        "Find next",
        "Go to the next match in this chat",
        lambda window: window.parts.find_bar.step(1),
        "Ctrl+G",
        "arrow-down",
        enabled=lambda window: window.parts.find_bar.finding,
        submenu="find",
    ),
    WindowAction(
        "find-previous",
        "Find previous",
        "Go to the previous match in this chat",
        lambda window: window.parts.find_bar.step(-1),
        "Ctrl+Shift+G",
        "arrow-up",
        enabled=lambda window: window.parts.find_bar.finding,
        submenu="find",
    ),
    WindowAction(
        "search-chats", "Search chats", "Go to the chat search", _search_chats, "Ctrl+Shift+F", "search", submenu="find"
    ),
    WindowAction(
        "read-aloud",
        "Read last answer aloud",
        "Read the last answer aloud with the system's voice",
        lambda window: window.parts.turns.on_last(window.parts.turns.speak),
        "Ctrl+Alt+R",
        "speak",
        enabled=_can_speak,
        submenu="speech",
    ),
    WindowAction(
        "stop-reading",
        "Stop reading",
        "Stop reading aloud",
        lambda window: window.parts.turns.speaker.stop(),
        "Ctrl+Alt+.",
        "stop",
        enabled=lambda window: window.parts.turns.speaker.speaking,
        submenu="speech",
    ),
)
