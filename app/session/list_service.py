"""The list of chats and folders, and the operations on its rows."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.conversations.records import Conversation, Folder
from app.conversations.search import MessageHit, TitleHit
from app.conversations.store import ConversationStore
from app.session.store_client import StoreClient


class ListService(QObject):
    """The chats of one view, and all folders. `changed` follows their changes, `archived` carries an archived title."""

    changed = Signal()
    archived = Signal(str)

    def __init__(self, store: StoreClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        store.listed.connect(self.changed)

    @property
    def ready(self) -> bool:
        """Whether the store is open."""
        return self._store.ready

    @property
    def view(self) -> str:
        """ACTIVE, ARCHIVED or TRASHED."""
        return self._store.view

    @property
    def chats(self) -> list[Conversation]:
        return self._store.conversations

    @property
    def folders(self) -> list[Folder]:
        return self._store.folders

    def chat(self, chat_id: int) -> Conversation | None:
        """Return a chat of the listed view."""
        return next((chat for chat in self.chats if chat.id == chat_id), None)

    def folder(self, folder_id: int) -> Folder | None:
        return next((folder for folder in self.folders if folder.id == folder_id), None)

    def show_view(self, view: str) -> None:
        """List the chats of another view; `changed` follows in any case."""
        self._store.show_view(view)

    def reload(self) -> None:
        """Read the list again, because it was written to elsewhere."""
        self._store.reload()

    def search(self, text: str, then: Callable[[tuple[list[TitleHit], list[MessageHit]]], object]) -> None:
        """Find chats by their titles and messages by their words."""
        self._store.run(lambda store: (store.search.titles(text), store.search.messages(text)), then)

    # Chats

    def rename(self, chat_id: int, title: str) -> None:
        self._store.run(lambda store: store.conversations.rename(chat_id, title))

    def pin(self, chat_id: int) -> None:
        """Show a chat above all others."""
        self._store.run(lambda store: store.conversations.pin(chat_id, 0))

    def is_pinned(self, chat_id: int | None) -> bool:
        return any(chat.id == chat_id and chat.pin_position is not None for chat in self.chats)

    def toggle_pin(self, chat_id: int) -> None:
        chat = self.chat(chat_id)
        (self.pin if chat is None or chat.pin_position is None else self.unpin)(chat_id)

    def unpin(self, chat_id: int) -> None:
        self._store.run(lambda store: store.conversations.unpin(chat_id))

    def order_pins(self, chat_ids: list[int]) -> None:
        self._store.run(lambda store: store.conversations.order_pins(chat_ids))

    def archive(self, chat_id: int) -> None:
        def archive(store: ConversationStore) -> str:
            store.conversations.archive(chat_id)
            return store.conversations.get(chat_id).title

        self._store.run(archive, self.archived.emit)

    def unarchive(self, chat_id: int) -> None:
        self._store.run(lambda store: store.conversations.unarchive(chat_id))

    def restore(self, chat_id: int) -> None:
        """Take a chat out of the trash."""
        self._store.run(lambda store: store.conversations.restore(chat_id))

    # Folders

    def move_to_folder(self, chat_id: int, folder_id: int | None) -> None:
        """Move a chat to a folder, which unpins it; None takes it out of its folder."""

        self._store.run(lambda store: _move(store, chat_id, folder_id))

    def move_to_new_folder(self, chat_id: int, name: str, then: Callable[[int], object]) -> None:
        """Move a chat to a new folder; `then` gets the folder's id before the list shows it."""

        def move(store: ConversationStore) -> int:
            folder_id = store.conversations.create_folder(name)
            _move(store, chat_id, folder_id)
            return folder_id

        self._store.run(move, then)

    def rename_folder(self, folder_id: int, name: str) -> None:
        self._store.run(lambda store: store.conversations.rename_folder(folder_id, name))

    def close_folder(self, folder_id: int, closed: bool) -> None:
        self._store.run(lambda store: store.conversations.close_folder(folder_id, closed))

    def shift_folder(self, folder_id: int, step: int) -> None:
        """Move a folder up (-1) or down (1) in the list."""
        order = [folder.id for folder in self.folders]
        if folder_id not in order:
            return
        position = order.index(folder_id) + step
        if 0 <= position < len(order):
            order.remove(folder_id)
            order.insert(position, folder_id)
            self.order_folders(order)

    def order_folders(self, folder_ids: list[int]) -> None:
        self._store.run(lambda store: store.conversations.order_folders(folder_ids))

    def delete_folder(self, folder_id: int) -> None:
        """Delete a folder; its chats stay."""
        self._store.run(lambda store: store.conversations.delete_folder(folder_id))


def _move(store: ConversationStore, chat_id: int, folder_id: int | None) -> None:
    store.conversations.move_to_folder(chat_id, folder_id)
    store.conversations.unpin(chat_id)
