"""Adds imported chats to the store. Importing one again adds nothing, and nothing is overwritten."""

from __future__ import annotations

import sqlite3

from app.conversations.database.database import storable
from app.conversations.database.encoding import error_to_json, optional_json, pack_rounds, pack_tokens
from app.conversations.database.records import STREAMING, pictures_in
from app.conversations.imports.imported import IN_TRASH, ImportedConversation, ImportedMessage
from app.conversations.inserting import insert_messages, next_message_id
from app.conversations.store import ConversationStore
from app.text.thinking import parts_of

ADDED = "added"
EXTENDED = "extended"
UNCHANGED = "unchanged"

# Seconds between messages without a time: enough to keep their order.
_STEP = 0.001


def add(store: ConversationStore, conversation: ImportedConversation) -> tuple[str, int]:
    """Add the chat, or extend the one of an earlier import; return the outcome and the chat's id.

    The outcome is ADDED, EXTENDED, UNCHANGED or IN_TRASH: a chat in the trash does not change. An extended chat keeps
    its title, its settings and the branches it shows; a message's text is replaced only by one that continues it. One
    transaction.
    """
    database = store.database
    existing = database.row(
        "SELECT id, trashed_at FROM conversations WHERE uid = ? OR origin = ?", (conversation.uid, conversation.origin)
    )
    if existing is None:
        return ADDED, _add_new(store, conversation)
    identity: int = existing["id"]
    if existing["trashed_at"] is not None:
        return IN_TRASH, identity
    rows = database.rows("SELECT uid, id, role, content, state FROM messages WHERE conversation_id = ?", (identity,))
    known = {row["uid"]: row for row in rows}
    grown = [message for message in conversation.messages if _has_grown(known.get(message.uid), message)]
    if not grown and all(message.uid in known for message in conversation.messages):
        return UNCHANGED, identity
    with database.write():
        leaf = store.messages.active_leaf(identity)
        used_at = store.conversations.get(identity).updated_at
        ids = {uid: row["id"] for uid, row in known.items()}
        _add_messages(store, identity, conversation, ids)
        for message in grown:
            _replace_content(store, ids[message.uid], message)
        if leaf is not None:
            store.messages.select(leaf)
        database.update("conversations", identity, updated_at=max(used_at, conversation.updated_at or used_at))
    return EXTENDED, identity


def _add_new(store: ConversationStore, conversation: ImportedConversation) -> int:
    """Add a chat with all that the file says of it, and return its id."""
    with store.database.write():
        folder = None if conversation.folder is None else store.conversations.create_folder(conversation.folder)
        if folder is not None and conversation.folder_start:
            store.conversations.begin_as_imported(folder, conversation.folder_start)
        identity = store.conversations.create(
            title=conversation.title,
            title_edited=conversation.title_edited,
            system_prompt=conversation.system_prompt,
            settings=conversation.settings,
            folder_id=folder,
        )
        started = conversation.created_at or store.database.clock()
        store.database.execute(
            "UPDATE conversations SET uid = coalesce(?, uid), origin = ?, created_at = ? WHERE id = ?",
            (conversation.uid, conversation.origin, started, identity),
        )
        ids = _add_messages(store, identity, conversation, {})
        shown = ids.get(conversation.selected or "")
        if shown is not None and shown != store.messages.active_leaf(identity):
            store.messages.select(shown)
        if conversation.pinned:
            store.conversations.pin(identity)
        if conversation.archived:
            store.conversations.archive(identity)
        if not conversation.title:
            store.conversations.title_automatically(identity)
        times = [message.created_at for message in conversation.messages if message.created_at is not None]
        used_at = conversation.updated_at or max(times, default=started)
        store.database.update("conversations", identity, updated_at=used_at)
    return identity


def _add_messages(
    store: ConversationStore, identity: int, conversation: ImportedConversation, known: dict[str, int]
) -> dict[str, int]:
    """Add the messages that are not `known` yet; return the ids of all by their uids."""
    started = conversation.created_at or store.database.clock()
    added = [
        (message, message.created_at or started + index * _STEP)
        for index, message in enumerate(conversation.messages)
        if message.uid not in known
    ]
    for message, _ in added:
        for picture in pictures_in(message.attachments):
            store.pictures.add(conversation.pictures[picture.digest])
    first = next_message_id(store.database)
    ids = known | {message.uid: first + index for index, (message, _) in enumerate(added)}
    insert_messages(
        store.database,
        identity,
        [message for message, _ in added],
        [None if message.parent is None else ids[message.parent] for message, _ in added],
        [created_at for _, created_at in added],
    )
    for message, _ in added:
        _keep_tokens(store, ids[message.uid], message)
    return ids


def _keep_tokens(store: ConversationStore, message_id: int, message: ImportedMessage) -> None:
    """Store the tokens and rounds of a message that has some."""
    if message.tokens:
        tokens = pack_tokens(message.tokens)
        rounds = pack_rounds(message.rounds)
        store.database.insert("token_views", message_id=message_id, tokens=tokens, rounds=rounds)


def _has_grown(known: sqlite3.Row | None, message: ImportedMessage) -> bool:
    """Return whether the file continues the text of a stored message, as when an answer was continued.

    An agent thinks again between the parts of an answer, whose thoughts come first; then thoughts and reply both go on.
    """
    if known is None or known["role"] != message.role or known["state"] == STREAMING:
        return False
    content = storable(message.content)
    if len(content) <= len(known["content"]):
        return False
    if content.startswith(known["content"]):
        return True
    before = parts_of(known["content"])
    after = parts_of(content)
    return after.reply.startswith(before.reply) and (after.thought or "").startswith(before.thought or "")


def _replace_content(store: ConversationStore, message_id: int, message: ImportedMessage) -> None:
    """Replace a stored message's text, figures and tokens by those in the file, whose text is longer."""
    with store.database.write():
        values = {name: getattr(message, name) for name in ("content", "state", "finish_reason")}
        values |= {"error": error_to_json(message.error), "stats": optional_json(message.stats)}
        store.database.update("messages", message_id, **values)
        # The stored tokens belong to the shorter text.
        store.database.execute("DELETE FROM token_views WHERE message_id = ?", (message_id,))
        _keep_tokens(store, message_id, message)
