"""Tandem's JSON: whole trees, settings and figures. `resources/schemas/conversations.schema.json` describes it.

`version` changes only when readers of the old version would misread the new one; fields may be added without that.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

from app.conversations.chat_settings import without_permissions
from app.conversations.database.encoding import round_to_row, to_json, token_to_row
from app.conversations.database.records import Message
from app.conversations.projects import exported
from app.conversations.store import ConversationStore

FORMAT = "tandem-conversations"
VERSION = 1
# The fields of records that are exported as they are.
_OF_CHAT = ("uid", "origin", "title", "title_edited", "created_at", "updated_at", "system_prompt")
_OF_MESSAGE = ("uid", "role", "content", "created_at", "attachments", "finish_reason", "stats")


def conversation_as_object(store: ConversationStore, conversation_id: int) -> dict[str, Any]:
    """Return one chat as an object of the format's "conversations" list; `encoding.to_json` writes it."""
    conversation = store.conversations.get(conversation_id)
    messages = store.messages.all(conversation_id)
    uids = {message.id: message.uid for message in messages}
    pictures = store.pictures.of(messages)
    encoded = {digest: base64.b64encode(content).decode() for digest, content in pictures.items()}
    leaf = store.messages.active_leaf(conversation_id)
    folder = store.conversations.folder(conversation.folder_id)
    listed = []
    for message in messages:
        parent = None if message.parent_id is None else uids[message.parent_id]
        listed.append(_message_as_object(message, parent))
        if tokens := store.messages.tokens(message.id):
            listed[-1]["tokens"] = [token_to_row(token) for token in tokens]
            if rounds := store.messages.rounds(message.id):
                listed[-1]["rounds"] = [round_to_row(record) for record in rounds]
    return {
        **{name: getattr(conversation, name) for name in _OF_CHAT},
        "folder": None if folder is None else folder.name,
        **({"folder_start": start} if (start := exported(folder)) else {}),
        "pinned": conversation.pin_position is not None,
        "archived": conversation.archived_at is not None,
        "settings": without_permissions(conversation.settings),
        "selected": None if leaf is None else uids[leaf],
        "messages": listed,
        **({"pictures": encoded} if encoded else {}),
    }


def document(conversations: Iterable[dict[str, Any]], exported_at: float) -> Iterator[str]:
    """Yield the pieces of a whole document, so that memory never holds a large export."""
    head = to_json({"format": FORMAT, "version": VERSION, "exported_at": exported_at})
    yield f'{head[:-1]},"conversations":['
    for index, conversation in enumerate(conversations):
        yield (",\n" if index else "\n") + to_json(conversation)
    yield "\n]}\n"


def _message_as_object(message: Message, parent_uid: str | None) -> dict[str, Any]:
    """Return a message as an object of the format; its parent is named by its uid."""
    return {
        **{name: getattr(message, name) for name in _OF_MESSAGE},
        **{field.name: getattr(message.source, field.name) for field in fields(message.source)},
        "parent": parent_uid,
        # A streaming answer is exported as interrupted.
        "state": "interrupted" if message.state == "streaming" else message.state,
        "error": message.error and {"code": message.error[0], "arguments": message.error[1]},
        **({"tool_use": message.tool_use} if message.tool_use else {}),
    }
