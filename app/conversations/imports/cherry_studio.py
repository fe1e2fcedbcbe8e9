"""Reads the data.json in a backup of Cherry Studio: an object with "indexedDB" and "localStorage".

indexedDB.topics are the chats, each with its "messages" ("id", "role", "askId", "model", "createdAt" in ISO 8601, and
"blocks", ids of indexedDB.message_blocks; older ones have "content" and "reasoning_content"). A block has a "type" and
"content". Answers of several models to one question have its id as "askId". The names of chats are in JSON texts within
a JSON text, localStorage["persist:cherry-studio"].
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from app.conversations.imports import fields
from app.conversations.imports.imported import ChatBuilder, ImportedConversation, Reader, derived_uid, with_thoughts
from app.conversations.imports.pictures import Files
from app.text.fences import fenced

_STATE = "persist:cherry-studio"
# The reasons for which blocks without text are left out.
_LEFT_OUT = {"tool": "tool", "image": "file", "file": "file", "video": "file"}


def _entries(document: Any) -> Iterable[Any]:
    stored = fields.mapping(document, "indexedDB")
    blocks = {fields.text(block, "id"): block for block in fields.items(stored, "message_blocks")}
    topics = _topics(fields.text(fields.mapping(document, "localStorage"), _STATE))
    for topic in fields.items(stored, "topics"):
        yield {"topic": topic, "blocks": blocks, "known": topics.get(fields.text(topic, "id"), {})}


def _topics(state: str) -> Mapping[str, Any]:
    """Return what the program's state says of each chat, with the system prompt of its assistant as "prompt"."""
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


def _read(entry: Any, files: Files) -> ImportedConversation:
    chat, known = ChatBuilder(files), entry["known"]
    asked = set[str]()
    for message in fields.items(entry["topic"], "messages"):
        text = _text(message, entry["blocks"], chat.left_out)
        uid, question = fields.text(message, "id") or derived_uid(chat.last, text), fields.text(message, "askId")
        chat.add(
            uid,
            question if question in asked else chat.last,
            fields.text(message, "role"),
            text,
            fields.time(message, "createdAt"),
            fields.text(fields.mapping(message, "model"), "name") or fields.text(message, "modelId"),
        )
        asked.add(uid)
    times = {name: fields.time(known, key) for name, key in (("created_at", "createdAt"), ("updated_at", "updatedAt"))}
    identity, prompt = fields.text(entry["topic"], "id"), fields.text(known, "prompt")
    return chat.chat(
        "cherry-studio", identity, chat.last, system_prompt=prompt, pinned=fields.flag(known, "pinned"), **times
    )


def _text(message: object, blocks: Mapping[str, Any], left_out: Counter[str]) -> str:
    texts, thoughts = [], [fields.text(message, "reasoning_content")]
    for block in (blocks.get(uid) for uid in fields.items(message, "blocks") if isinstance(uid, str)):
        kind, content = fields.text(block, "type"), fields.text(block, "content")
        if kind == "main_text":
            texts.append(content)
        elif kind == "code":
            texts.append(fenced(content, fields.text(block, "language")))
        elif kind == "thinking":
            thoughts.append(content)
        elif kind in _LEFT_OUT:
            left_out[_LEFT_OUT[kind]] += 1
    return with_thoughts(thoughts, "\n\n".join(filter(None, texts)) or fields.text(message, "content"))


CHERRY_STUDIO = Reader(
    lambda document: bool(fields.items(fields.mapping(document, "indexedDB"), "topics")),
    lambda entry: fields.text(entry["known"], "name"),
    _read,
    _entries,
)
