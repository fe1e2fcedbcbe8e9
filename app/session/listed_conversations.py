"""What the list of chats shows, read again only as far as it has changed."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import NamedTuple

from app.conversations.conversation_list import ACTIVE
from app.conversations.database.records import Conversation, Folder, StoreChanges, list_order
from app.conversations.store import ConversationStore

# Above this number of changed chats, reading all of them is faster.
_MOST = 100


class Listed(NamedTuple):
    """What a view lists, in its order: `changed` are those of the `chats` that may differ from what was read before."""

    chats: list[Conversation]
    folders: list[Folder]
    changed: Sequence[Conversation]


class ListedConversations:
    """The chats that were last read, in their order. Used on the store's thread alone."""

    def __init__(self) -> None:
        self._view = ""
        self.chats: list[Conversation] = []
        self._by_id: dict[int, Conversation] = {}
        self._changed: set[int] = set()
        self._folders_changed = False

    def note(self, changes: StoreChanges) -> None:
        """Remember what a commit changed."""
        self._changed |= changes.conversations | changes.removed
        self._folders_changed = self._folders_changed or changes.folders

    def forget(self) -> None:
        """Read everything the next time."""
        self._view = ""

    def try_read(self, store: ConversationStore, view: str) -> Listed | Exception | None:
        """Return what `read` returns, or its error: what the operation before it wrote is on disk even so."""
        try:
            return store.run(lambda store: self.read(store, view))
        except Exception as error:
            return error

    def read(self, store: ConversationStore, view: str = ACTIVE) -> Listed | None:
        """Return what a view lists now, in its order, as a new list; None if nothing has changed since the last call.

        Chats with neither a message nor a title are not listed: the next new chat is one of them.
        """
        if view == self._view and not self._changed and not self._folders_changed:
            return None
        changed = self._changed
        self._changed = set()
        self._folders_changed = False
        # If reading fails, the next call reads everything.
        before = self._view
        self._view = ""
        if view != before or len(changed) > _MOST:
            self.chats = [chat for chat in store.conversations.view(view) if _is_listed(store, chat)]
            self._by_id = {chat.id: chat for chat in self.chats}
            read: Sequence[Conversation] = self.chats
        else:
            # A copy, because another thread reads the list returned before.
            self.chats = list(self.chats)
            for chat_id in changed:
                self._remove(chat_id)
            read = [chat for chat in store.conversations.among(changed, view) if _is_listed(store, chat)]
            for chat in read:
                insort(self.chats, chat, key=list_order)
                self._by_id[chat.id] = chat
        listed = Listed(self.chats, store.conversations.folders(), read)
        self._view = view
        return listed

    def _remove(self, chat_id: int) -> None:
        """Remove a chat, if it is listed, from its place in the order."""
        chat = self._by_id.pop(chat_id, None)
        if chat is not None:
            del self.chats[bisect_left(self.chats, list_order(chat), key=list_order)]


def _is_listed(store: ConversationStore, chat: Conversation) -> bool:
    return bool(chat.title) or store.messages.active_leaf(chat.id) is not None
