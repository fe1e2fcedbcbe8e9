"""What can be done with a row of the left pane: with a chat, by where it is, or with a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QKeyCombination, Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.conversations.records import Conversation, Folder


# The keys that move a folder in the list. The list listens for them; the menu only says what they are.
MOVES = {
    "up": QKeySequence(QKeyCombination(Qt.KeyboardModifier.AltModifier, Qt.Key.Key_Up)),
    "down": QKeySequence(QKeyCombination(Qt.KeyboardModifier.AltModifier, Qt.Key.Key_Down)),
}


class RowMenu(QMenu):
    """`acted` carries what to do with a chat and its id, `moved` a chat and the folder that it goes to (None: out of
    its folder), `folder_wanted` a chat that goes into a new one, `folder_acted` what to do with a folder and its id.
    """

    acted = Signal(str, int)
    moved = Signal(int, object)
    folder_wanted = Signal(int)
    folder_acted = Signal(str, int)

    def fill_for_chat(self, chat: Conversation, folders: Sequence[Folder]) -> None:
        translate = QCoreApplication.translate
        self.clear()
        if chat.trashed_at is not None:
            self._add("restore", translate("ChatPane", "Restore"), chat)
            self._add("purge", translate("ChatPane", "Delete permanently"), chat)
            return
        self._add("rename", translate("ChatPane", "Rename"), chat)
        if chat.archived_at is None:
            if chat.pin_position is None:
                self._add("pin", translate("ChatPane", "Pin to the top"), chat)
            else:
                self._add("unpin", translate("ChatPane", "Unpin"), chat)
            fill_folders(self.addMenu(translate("ChatPane", "Move to folder")), chat, folders, self)
        self._add("duplicate", translate("ChatPane", "Duplicate"), chat)
        if chat.archived_at is None:
            self._add("archive", translate("ChatPane", "Move to the archive"), chat)
        else:
            self._add("unarchive", translate("ChatPane", "Take out of the archive"), chat)
        self._add("export", translate("ChatPane", "Export…"), chat)
        self.addSeparator()
        self._add("trash", translate("ChatPane", "Delete"), chat)

    def fill_for_folder(self, folder: Folder, folders: Sequence[Folder]) -> None:
        translate = QCoreApplication.translate
        self.clear()
        first, last = folder.id == folders[0].id, folder.id == folders[-1].id
        entries = (
            ("toggle", translate("ChatPane", "Open") if folder.closed else translate("ChatPane", "Close"), True),
            ("show", translate("ChatPane", "Show only this folder"), True),
            ("up", translate("ChatPane", "Move up"), not first),
            ("down", translate("ChatPane", "Move down"), not last),
            ("rename", translate("ChatPane", "Rename"), True),
            ("delete", translate("ChatPane", "Delete the folder, keep its chats"), True),
        )
        for word, text, enabled in entries:
            action = self.addAction(text)
            action.setEnabled(enabled)
            if word in MOVES:
                action.setShortcut(MOVES[word])
                action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.triggered.connect(lambda _=False, chosen=word: self.folder_acted.emit(chosen, folder.id))

    def _add(self, word: str, text: str, chat: Conversation) -> None:
        self.addAction(text).triggered.connect(lambda: self.acted.emit(word, chat.id))


def fill_folders(menu: QMenu, chat: Conversation, folders: Sequence[Folder], row: RowMenu) -> None:
    """The folders that a chat can go to, its own marked."""

    def go(folder_id: int | None) -> Callable[[], None]:
        return lambda: row.moved.emit(chat.id, folder_id)

    translate = QCoreApplication.translate
    menu.clear()
    for folder in folders:
        action = menu.addAction(folder.name.replace("&", "&&"))
        action.setCheckable(True)
        action.setChecked(folder.id == chat.folder_id)
        action.triggered.connect(go(folder.id))
    if folders:
        menu.addSeparator()
    if chat.folder_id is not None:
        menu.addAction(translate("ChatPane", "No folder")).triggered.connect(go(None))
    menu.addAction(translate("ChatPane", "New folder…")).triggered.connect(lambda: row.folder_wanted.emit(chat.id))
