"""The chat menu."""

from __future__ import annotations

from app.window.actions.window_action import ActedWindow, WindowAction


def _can_send(window: ActedWindow) -> bool:
    return window.session.waiting.takes(window.chat) and window.parts.composer.can_be_sent


CHAT_ACTIONS = (
    WindowAction(
        "send",
        "Send",
        "Send the message",
        lambda window: window.parts.composer.send(),
        "Ctrl+Return",
        "send",
        enabled=_can_send,
    ),
    WindowAction(
        "stop",
        "Stop",
        "Stop the answer",
        lambda window: window.session.answers.stop(window.chat),
        "Esc",
        "stop",
        enabled=lambda window: window.chat.streaming,
    ),
    WindowAction(
        "ask-again",
        "Regenerate",
        "Regenerate the last answer",
        lambda window: window.parts.turns.on_last(window.parts.turns.regenerate),
        "Ctrl+R",
        "retry",
        enabled=lambda window: window.can_retry,
        begins_section=True,
    ),
    WindowAction(
        "continue-answer",
        "Continue",
        "Continue the last answer",
        lambda window: window.parts.turns.on_last(window.parts.turns.continue_answer),
        "Ctrl+Shift+R",
        "play",
        enabled=lambda window: window.can_retry and window.chat.turns[-1].answer.unfinished,
    ),
    WindowAction(
        "edit-last",
        "Edit last message",
        "Edit your last message",
        lambda window: window.parts.turns.on_last(window.parts.turns.edit),
        "Ctrl+E",
        "edit",
        enabled=lambda window: window.can_retry,
    ),
    WindowAction(
        "keep-chat",
        "Keep this chat",
        "Save this temporary chat with the others",
        lambda window: window.session.chats.keep(window.session.chat),
        enabled=lambda window: (
            window.session.chat.temporary and window.has_answer and not window.session.chat.answering
        ),
        begins_section=True,
    ),
    WindowAction(
        "rename-chat",
        "Rename chat",
        "Change the title of this chat",
        lambda window: window.chats.on_shown(window.sidebar.rename),
        enabled=lambda window: window.is_kept,
    ),
    WindowAction(
        "pin-chat",
        "Pin chat",
        "Pin this chat to the top, or unpin it",
        lambda window: window.chats.on_shown(window.session.list.toggle_pin),
        icon="pin",
        other_text="Unpin chat",
        shows_other=lambda window: window.session.list.is_pinned(window.session.chat.id),
        enabled=lambda window: window.is_kept,
    ),
    WindowAction(
        "move-chat",
        "Move to folder…",
        "Move this chat to a folder",
        lambda window: window.chats.on_shown(window.sidebar.choose_folder),
        "Ctrl+Shift+O",
        "folder",
        enabled=lambda window: window.is_kept,
    ),
    WindowAction(
        "archive-chat",
        "Archive chat",
        "Archive this chat",
        lambda window: window.chats.on_shown(window.session.list.archive),
        icon="archive",
        enabled=lambda window: window.is_kept,
    ),
    WindowAction(
        "delete-chat",
        "Delete chat",
        "Delete this chat",
        lambda window: window.chats.on_shown(window.session.chats.trash),
        icon="trash",
        enabled=lambda window: window.is_kept,
    ),
    WindowAction(
        "chat-settings",
        "System prompt and settings…",
        "Edit this chat's system prompt and settings",
        lambda window: window.chat_settings.open(),
        "Ctrl+Shift+P",
        "settings",
        begins_section=True,
    ),
)
