"""Writes chats in memory to the store: that they exist, and what is unsent in them. Reads their messages."""

from __future__ import annotations

import time

from app.conversations.answer_writer import FLUSH_AFTER
from app.conversations.database.records import Message
from app.conversations.store import ConversationStore
from app.session.chats import Chat
from app.session.store_client import OPENED_AT, StoreClient


def ensure_stored(store: ConversationStore, chat: Chat) -> int:
    """Store the chat if it is not on disk yet and return its id. Runs on the store's thread.

    Sets the `uid` and the `id` of a chat that was not stored.
    """
    if chat.id is None:
        settings = {**chat.settings, OPENED_AT: time.time()}
        chat_id = store.conversations.create(
            system_prompt=chat.system_prompt, settings=settings, folder_id=chat.folder_id
        )
        # Set the id last: a thread that sees the id needs the uid.
        chat.uid = store.conversations.get(chat_id).uid
        chat.id = chat_id
    return chat.id


def move_empty(store: ConversationStore, chat: Chat) -> None:
    """Store that a stored chat without messages is in another folder, with the start of new chats there."""
    assert chat.id is not None
    store.conversations.move_to_folder(chat.id, chat.folder_id)
    store.conversations.set_system_prompt(chat.id, chat.system_prompt)
    store.conversations.set_settings(chat.id, chat.settings)


def path_of(store: ConversationStore, chat: Chat) -> list[Message]:
    """Return the messages that a chat shows; none if it is not stored."""
    return [] if chat.id is None else store.messages.path(chat.id)


class UnsentMessages:
    """Writes what is unsent in chats: the text and files of the composer, and the questions that wait there."""

    def __init__(self, store: StoreClient) -> None:
        self._store = store
        # The chats whose unsent messages are about to be written.
        self._scheduled: set[Chat] = set()
        # The chats whose unsent messages could not be written.
        self._refused: set[Chat] = set()

    def is_refused(self, chat: Chat) -> bool:
        """Whether the unsent message of a chat could not be written."""
        return chat in self._refused

    def write_soon(self, chat: Chat) -> None:
        """Write the unsent message that a chat has in half a second."""
        if chat in self._scheduled:
            return
        self._scheduled.add(chat)

        def write(store: ConversationStore) -> None:
            self._scheduled.discard(chat)
            self.write(store, chat)

        self._store.of(chat).schedule(write, FLUSH_AFTER)

    def write_again(self) -> None:
        """Write the unsent messages that could not be written before."""
        for chat in self._refused.copy():
            self.write_soon(chat)

    def write(self, store: ConversationStore, chat: Chat) -> None:
        """Write what is unsent in a chat. Stores the chat if there is anything. Runs on the store's thread."""
        text, attachments = chat.not_asked
        if chat.id is not None or text or attachments:
            self._refused.add(chat)
            store.conversations.set_unsent(ensure_stored(store, chat), text, attachments)
            self._refused.discard(chat)
