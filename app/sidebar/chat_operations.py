"""What can be done with chats and folders of the list. The store does it; the list is read again afterwards."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from app.session.session import Session


class ChatOperations(QObject):
    """`export_wanted` carries a chat to write to a file, `folder_created` a folder whose name can be typed now."""

    export_wanted = Signal(int)
    folder_created = Signal(int)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._list = session, session.list

    # Chats

    def open(self, chat_id: int) -> None:
        self._session.chats.open_id(chat_id)

    def rename(self, chat_id: int, title: str) -> None:
        self._list.rename(chat_id, title)

    def toggle_pin(self, chat_id: int) -> None:
        chat = self._list.chat(chat_id)
        (self.pin if chat is None or chat.pin_position is None else self.unpin)(chat_id)

    def pin(self, chat_id: int) -> None:
        self._list.pin(chat_id)

    def unpin(self, chat_id: int) -> None:
        self._list.unpin(chat_id)

    def order_pins(self, chat_ids: list[int]) -> None:
        self._list.order_pins(chat_ids)

    def duplicate(self, chat_id: int) -> None:
        """Copy a chat, and open the copy."""
        self._session.chats.duplicate(chat_id)

    def archive(self, chat_id: int) -> None:
        self._list.archive(chat_id)

    def unarchive(self, chat_id: int) -> None:
        self._list.unarchive(chat_id)

    def export(self, chat_id: int) -> None:
        self.export_wanted.emit(chat_id)

    def trash(self, chat_id: int) -> None:
        self._session.chats.trash(chat_id)

    def restore(self, chat_id: int) -> None:
        self._list.restore(chat_id)

    def purge(self, chat_id: int) -> None:
        """Delete a chat permanently."""
        self._session.chats.purge(chat_id)

    def empty_trash(self) -> None:
        self._session.chats.empty_trash()

    # Folders

    def move_to_folder(self, chat_id: int, folder_id: int | None) -> None:
        """Move a chat into a folder, or out of its folder for None. A pinned chat is unpinned."""
        self._list.move_to_folder(chat_id, folder_id)

    def move_to_new_folder(self, chat_id: int) -> None:
        names = {folder.name for folder in self._list.folders}
        name, number = self.tr("New folder"), 2
        while name in names:
            name, number = f"{self.tr('New folder')} {number}", number + 1

        def created(folder_id: int) -> None:
            # The list with the new folder arrives after this call.
            QTimer.singleShot(0, self, lambda: self.folder_created.emit(folder_id))

        self._list.move_to_new_folder(chat_id, name, created)

    def rename_folder(self, folder_id: int, name: str) -> None:
        self._list.rename_folder(folder_id, name)

    def close_folder(self, folder_id: int, closed: bool) -> None:
        """Hide a folder's chats in the list, or show them again."""
        self._list.close_folder(folder_id, closed)

    def shift_folder(self, folder_id: int, step: int) -> None:
        """Move a folder up (-1) or down (1) in the list."""
        order = [folder.id for folder in self._list.folders]
        if folder_id not in order:
            return
        position = order.index(folder_id) + step
        if 0 <= position < len(order):
            order.remove(folder_id)
            order.insert(position, folder_id)
            self.order_folders(order)

    def order_folders(self, folder_ids: list[int]) -> None:
        self._list.order_folders(folder_ids)

    def delete_folder(self, folder_id: int) -> None:
        """Delete a folder; its chats stay."""
        self._list.delete_folder(folder_id)
