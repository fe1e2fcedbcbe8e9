"""Reads the data.json in a backup of Cherry Studio: an object with "indexedDB" and "localStorage".

indexedDB.topics are the chats, each with its "messages" ("id", "role", "askId", "model", "createdAt" in ISO 8601, and
"blocks", ids of indexedDB.message_blocks; older ones have "content" and "reasoning_content"). A block has a "type" and
"content". Answers of several models to one question have its id as "askId". The names of chats are in JSON texts within
a JSON text, localStorage["persist:cherry-studio"].
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from app.conversations.imports import fields
from app.conversations.imports.forms import ChatForm, with_fields
from app.conversations.imports.imported import ChatBuilder, ChatReader
from app.text.fences import fenced

_STATE = "persist:cherry-studio"


def _entries(documents: Iterable[Any]) -> Iterator[Any]:
    """Yield the chats, each with all blocks by their ids, and with its entry in the program's state."""
    for document in documents:
        blocks = {fields.text(block, "id"): block for block in fields.items(document, "indexedDB.message_blocks")}
        topics = _topics(fields.text(document, f"localStorage.{_STATE}"))
        for topic in fields.items(document, "indexedDB.topics"):
            yield {"topic": topic, "blocks": blocks, "known": topics.get(fields.text(topic, "id"), {})}


def _topics(state: str) -> Mapping[str, Any]:
    """Return the entry of each chat in the program's state, with the system prompt of its assistant as "prompt"."""
    try:
        state = json.loads(fields.text(json.loads(state), "assistants"))
    except (ValueError, RecursionError):
        return {}
    return {
        fields.text(topic, "id"): {**topic, "prompt": fields.text(topic, "prompt") or fields.text(assistant, "prompt")}
        for assistant in [*fields.items(state, "assistants"), fields.mapping(state, "defaultAssistant")]
        for topic in fields.items(assistant, "topics")
        if isinstance(topic, dict)
    }


def _messages(entry: Any, _chat: ChatBuilder) -> Iterator[Any]:
    """Yield the messages with their blocks; a "parent" is a question that was answered before."""
    asked = set[str]()
    for message in fields.items(entry, "topic.messages"):
        question = fields.text(message, "askId")
        blocks = [entry["blocks"].get(uid) for uid in fields.items(message, "blocks") if isinstance(uid, str)]
        parts = [part for block in blocks for part in _part(block)]
        yield with_fields(message, parent=question if question in asked else "", parts=parts)
        asked.add(fields.text(message, "id"))


def _part(block: Any) -> list[Any]:
    """Return a part for a block; none for a block that only says what the program did."""
    kind = fields.text(block, "type")
    content = fields.text(block, "content")
    if kind == "code":
        return [fenced(content, fields.text(block, "language"))]
    if kind == "main_text":
        return [content]
    return [{"type": kind, "text": content or None}] if kind in ("thinking", "tool", "image", "file", "video") else []


CHERRY_STUDIO = ChatReader(
    fields.has("indexedDB.topics"),
    "known.name",
    ChatForm(app="cherry-studio", chat=("known", "topic"), messages=_messages).read,
    _entries,
)
