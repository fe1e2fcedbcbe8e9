"""The context menu of a chat or a folder in the sidebar."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication, QKeyCombination, Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from app.conversations.conversation_list import ConversationList
from app.conversations.database.records import Conversation, Folder
from app.session.chat_service import ChatService
from app.session.list_service import ListService
from app.widgets.popups import Menu

# The keys that move a folder in the list. The pane handles them; the menu only shows them.
MOVE_UP = QKeySequence(QKeyCombination(Qt.KeyboardModifier.AltModifier, Qt.Key.Key_Up))
MOVE_DOWN = QKeySequence(QKeyCombination(Qt.KeyboardModifier.AltModifier, Qt.Key.Key_Down))


class RowMenu(Menu):
    """Calls the services. The signals carry the id of a chat or folder, for commands that are not of the services."""

    rename_wanted = Signal(int)
    purge_wanted = Signal(int)
    export_wanted = Signal(int)
    window_wanted = Signal(int)
    new_folder_wanted = Signal(int)
    folder_rename_wanted = Signal(int)
    folder_page_wanted = Signal(int)
    chat_in_folder_wanted = Signal(int)

    def __init__(self, listed: ListService, chats: ChatService, parent: QWidget) -> None:
        super().__init__(parent)
        self._list = listed
        self._chats = chats
        self._folders = Menu(self)

    def fill_for_chat(self, chat: Conversation) -> None:
        listed = self._list
        chats = self._chats
        translate = QCoreApplication.translate
        self.clear()
        if chat.trashed_at is not None:
            self._add(translate("ChatPane", "Restore"), partial(listed.change, ConversationList.restore), chat.id)
            self._add(translate("ChatPane", "Delete permanently"), self.purge_wanted.emit, chat.id)
            return
        self._add(translate("ChatPane", "Open in new window"), self.window_wanted.emit, chat.id)
        self._add(translate("ChatPane", "Rename"), self.rename_wanted.emit, chat.id)
        if chat.archived_at is None:
            pinned = chat.pin_position is not None
            words = translate("ChatPane", "Unpin") if pinned else translate("ChatPane", "Pin to the top")
            self._add(words, listed.toggle_pin, chat.id)
            fill_folders(self._folders, chat, listed, self.new_folder_wanted.emit)
            self._folders.setTitle(translate("ChatPane", "Move to folder"))
            self.addMenu(self._folders)
        self._add(translate("ChatPane", "Duplicate"), chats.duplicate, chat.id)
        if chat.archived_at is None:
            self._add(translate("ChatPane", "Archive chat"), listed.archive, chat.id)
        else:
            self._add(translate("ChatPane", "Unarchive"), partial(listed.change, ConversationList.unarchive), chat.id)
        self._add(translate("ChatPane", "Export…"), self.export_wanted.emit, chat.id)
        self.addSeparator()
        self._add(translate("ChatPane", "Delete"), chats.trash, chat.id)

    def fill_for_folder(self, folder: Folder) -> None:
        folders = self._list.folders
        change = self._list.change
        translate = QCoreApplication.translate
        self.clear()
        self._add(translate("ChatPane", "New chat in this folder"), self.chat_in_folder_wanted.emit, folder.id)
        self._add(translate("ChatPane", "System prompt and files…"), self.folder_page_wanted.emit, folder.id)
        self.addSeparator()
        toggle = translate("ChatPane", "Expand") if folder.closed else translate("ChatPane", "Collapse")
        self._add(
            toggle, lambda folder_id: change(ConversationList.close_folder, folder_id, not folder.closed), folder.id
        )
        self._add_move(translate("ChatPane", "Move up"), -1, MOVE_UP, folder, enabled=folder.id != folders[0].id)
        self._add_move(translate("ChatPane", "Move down"), 1, MOVE_DOWN, folder, enabled=folder.id != folders[-1].id)
        self._add(translate("ChatPane", "Rename"), self.folder_rename_wanted.emit, folder.id)
        delete = partial(change, ConversationList.delete_folder)
        self._add(translate("ChatPane", "Delete the folder, keep its chats"), delete, folder.id)

    def _add(self, text: str, run: Callable[[int], object], row_id: int) -> None:
        self.addAction(text).triggered.connect(lambda: run(row_id))

    def _add_move(self, text: str, step: int, keys: QKeySequence, folder: Folder, enabled: bool) -> None:
        action = self.addAction(text)
        action.setEnabled(enabled)
        action.setShortcut(keys)
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(lambda: self._list.shift_folder(folder.id, step))


def fill_folders(menu: Menu, chat: Conversation, listed: ListService, make_folder: Callable[[int], object]) -> None:
    """Fill `menu` with the folders for a chat, its own checked. `make_folder` is called with the chat's id."""
    translate = QCoreApplication.translate
    menu.clear()
    for folder in listed.folders:
        move = partial(listed.move_to_folder, chat.id, folder.id)
        menu.add_choice(folder.name, folder.id == chat.folder_id, move)
    if listed.folders:
        menu.addSeparator()
    if chat.folder_id is not None:
        out = menu.addAction(translate("ChatPane", "No folder"))
        out.triggered.connect(lambda: listed.move_to_folder(chat.id, None))
    new = menu.addAction(translate("ChatPane", "New folder…"))
    new.triggered.connect(lambda: make_folder(chat.id))
