"""The file menu."""

from __future__ import annotations

from app.window.actions.window_action import ActedWindow, WindowAction


def _print(window: ActedWindow) -> None:
    from app.window.chat_parts.printing import print_chat

    print_chat(window.chat, window)


def _attach(window: ActedWindow) -> None:
    window.parts.attachments.choose_files(window.parts.composer.files)
    # On the button, the first space of the message would open the dialog again.
    window.parts.composer.setFocus()


FILE_ACTIONS = (
    WindowAction(
        "new-chat", "New chat", "Start a new chat", lambda window: window.session.chats.new_chat(), "Ctrl+N", "plus"
    ),
    WindowAction(
        "new-temporary-chat",
        "New temporary chat",
        "Start a chat that is not saved, and gone when you leave it",
        lambda window: window.session.chats.new_temporary_chat(),
        "Ctrl+Shift+N",
    ),
    WindowAction(
        "duplicate-chat",
        "Duplicate chat",
        "Make a copy of this chat",
        lambda window: window.chats.on_shown(window.session.chats.duplicate),
        enabled=lambda window: window.is_kept,
    ),
    WindowAction(
        "attach",
        "Attach files…",
        "Attach text, code, documents or pictures",
        _attach,
        "Ctrl+Shift+A",
        "attach",
        begins_section=True,
    ),
    WindowAction(
        "new-folder",
        "New folder",
        "Create a folder: a project with its own instructions and files",
        lambda window: window.sidebar.make_folder(),
        icon="folder",
    ),
    WindowAction(
        "import-chats",
        "Import chats…",
        "Import chats from Tandem or another app",
        lambda window: window.import_card.open(),
    ),
    WindowAction(
        "export-chat",
        "Export chat…",
        "Save this chat as Markdown, HTML, JSON or PDF",
        lambda window: window.chats.on_shown(window.transfer.export_chat),
        enabled=lambda window: window.is_kept,
    ),
    WindowAction(
        "export-all",
        "Export all chats…",
        "Export all chats to a file or folder",
        lambda window: window.transfer.export_all(),
    ),
    WindowAction(
        "stop-transfer",
        "Cancel import or export",
        "Cancel the import or export in progress",
        lambda window: window.transfer.stop(),
        icon="stop",
        enabled=lambda window: window.transfer.busy,
        hides=True,
    ),
    WindowAction(
        "save-again",
        "Save again",
        "Retry saving",
        lambda window: window.session.answers.save_again(),
        enabled=lambda window: window.session.answers.can_save_again,
        hides=True,
    ),
    WindowAction(
        "print-chat",
        "Print…",
        "Print this chat",
        _print,
        "Ctrl+P",
        enabled=lambda window: bool(window.chat.turns),
        begins_section=True,
    ),
    WindowAction(
        "close-window",
        "Close window",
        "Close the window",
        lambda window: window.front_window.close(),
        "Ctrl+W",
        begins_section=True,
    ),
)
