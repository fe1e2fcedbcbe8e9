"""The list of chats and folders, and the operations on its rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.conversations.conversation_list import ConversationList
from app.conversations.database.records import Conversation, Folder
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
    def view(self) -> str:
        """ACTIVE, ARCHIVED or TRASHED."""
        return self._store.view

    @property
    def chats(self) -> list[Conversation]:
        """The chats of the view, in their order."""
        return self._store.conversations

    @property
    def folders(self) -> list[Folder]:
        """All folders, in their order."""
        return self._store.folders

    def chat(self, chat_id: int) -> Conversation | None:
        """Return a chat of the listed view."""
        return next((chat for chat in self.chats if chat.id == chat_id), None)

    def folder(self, folder_id: int) -> Folder | None:
        """Return a folder; None if it does not exist (any more)."""
        return next((folder for folder in self.folders if folder.id == folder_id), None)

    def search(self, text: str, then: Callable[[tuple[list[TitleHit], list[MessageHit]]], object]) -> None:
        """Find chats by their titles and messages by their words."""
        self._store.run(lambda store: (store.search.titles(text), store.search.messages(text)), then)

    def change(self, operation: Callable[..., object], *arguments: Any) -> None:
        """Run an operation of the list, `ConversationList.rename` for example, with these arguments."""
        self._store.run(lambda store: operation(store.conversations, *arguments))

    def is_pinned(self, chat_id: int | None) -> bool:
        """Return whether a chat is pinned in the listed view."""
        return any(chat.id == chat_id and chat.pin_position is not None for chat in self.chats)

    def toggle_pin(self, chat_id: int) -> None:
        """Show a chat above all others, or no longer."""
        if self.is_pinned(chat_id):
            self.change(ConversationList.unpin, chat_id)
        else:
            self.change(ConversationList.pin, chat_id, 0)

    def archive(self, chat_id: int) -> None:
        """Move a chat to the archive; `archived` follows."""

        def archive(store: ConversationStore) -> str:
            store.conversations.archive(chat_id)
            return store.conversations.get(chat_id).title

        self._store.run(archive, self.archived.emit)

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

    def make_folder(self, name: str, then: Callable[[int], object]) -> None:
        """Create an empty folder; `then` gets its id before the list shows it."""
        self._store.run(lambda store: store.conversations.create_folder(name), then)

    def shift_folder(self, folder_id: int, step: int) -> None:
        """Move a folder up (-1) or down (1) in the list."""
        order = [folder.id for folder in self.folders]
        if folder_id not in order:
            return
        position = order.index(folder_id) + step
        if 0 <= position < len(order):
            order.remove(folder_id)
            order.insert(position, folder_id)
            self.change(ConversationList.order_folders, order)


def _move(store: ConversationStore, chat_id: int, folder_id: int | None) -> None:
    store.conversations.move_to_folder(chat_id, folder_id)
    store.conversations.unpin(chat_id)
