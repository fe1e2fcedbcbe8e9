"""The file menu."""

from __future__ import annotations

from app.system.translatable import QT_TRANSLATE_NOOP
from app.window.actions.parts import WindowAction, WindowParts


def _print(parts: WindowParts) -> None:
    from app.chat.printing import print_chat

    print_chat(parts.session.chat, parts.window)


FILE_ACTIONS = (
    WindowAction(
        "new-chat",
        QT_TRANSLATE_NOOP("Actions", "New chat"),
        QT_TRANSLATE_NOOP("Actions", "Start a new chat"),
        lambda parts: parts.session.chats.new_chat(),
        "Ctrl+N",
        "plus",
    ),
    WindowAction(
        "duplicate-chat",
        QT_TRANSLATE_NOOP("Actions", "Duplicate chat"),
        QT_TRANSLATE_NOOP("Actions", "Make a copy of this chat"),
        lambda parts: parts.chats.on_shown(parts.session.chats.duplicate),
        enabled=lambda now: now.is_kept,
    ),
    WindowAction(
        "attach",
        QT_TRANSLATE_NOOP("Actions", "Attach files…"),
        QT_TRANSLATE_NOOP("Actions", "Attach text, code or PDF files"),
        lambda parts: parts.attachments.choose_files(parts.composer.files),
        "Ctrl+Shift+A",
        "attach",
        begins_section=True,
    ),
    WindowAction(
        "import-chats",
        QT_TRANSLATE_NOOP("Actions", "Import chats…"),
        QT_TRANSLATE_NOOP("Actions", "Import chats from Tandem or another app"),
        lambda parts: parts.transfer.import_chats(),
    ),
    WindowAction(
        "export-chat",
        QT_TRANSLATE_NOOP("Actions", "Export chat…"),
        QT_TRANSLATE_NOOP("Actions", "Save this chat as Markdown, HTML or JSON"),
        lambda parts: parts.chats.on_shown(parts.transfer.export_chat),
        enabled=lambda now: now.is_kept,
    ),
    WindowAction(
        "export-all",
        QT_TRANSLATE_NOOP("Actions", "Export all chats…"),
        QT_TRANSLATE_NOOP("Actions", "Export all chats to a file or folder"),
        lambda parts: parts.transfer.export_all(),
    ),
    WindowAction(
        "stop-transfer",
        QT_TRANSLATE_NOOP("Actions", "Cancel import or export"),
        QT_TRANSLATE_NOOP("Actions", "Cancel the import or export in progress"),
        lambda parts: parts.transfer.stop(),
        icon="stop",
        enabled=lambda now: now.transferring,
        hides=True,
    ),
    WindowAction(
        "save-again",
        QT_TRANSLATE_NOOP("Actions", "Save again"),
        QT_TRANSLATE_NOOP("Actions", "Retry saving"),
        lambda parts: parts.session.answers.save_again(),
        enabled=lambda now: now.can_save_again,
        hides=True,
    ),
    WindowAction(
        "show-chats-folder",
        QT_TRANSLATE_NOOP("Actions", "Show chats in Finder"),
        QT_TRANSLATE_NOOP("Actions", "Show the folder where chats are stored"),
        lambda parts: parts.chats.show_folder(),
        icon="folder",
        begins_section=True,
    ),
    WindowAction(
        "print-chat",
        QT_TRANSLATE_NOOP("Actions", "Print…"),
        QT_TRANSLATE_NOOP("Actions", "Print this chat"),
        _print,
        "Ctrl+P",
        enabled=lambda now: now.has_turns,
        begins_section=True,
    ),
    WindowAction(
        "close-window",
        QT_TRANSLATE_NOOP("Actions", "Close window"),
        QT_TRANSLATE_NOOP("Actions", "Close the window"),
        lambda parts: parts.front_window.close(),
        "Ctrl+W",
        begins_section=True,
    ),
)
