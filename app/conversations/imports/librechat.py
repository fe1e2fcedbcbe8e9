"""Reads LibreChat's export of one chat: an object with "conversationId", a "title" and "options".

Messages are nested by "children" in "messagesTree" or "messages", or a flat list in "messages". A message has
"messageId", "parentMessageId", "isCreatedByUser", "text" or a "content" list of typed parts, "model" and "createdAt" in
ISO 8601.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from app.conversations.imports import fields
from app.conversations.imports.imported import ChatBuilder, ImportedConversation, Reader, derived_uid, with_thoughts
from app.conversations.imports.pictures import Files

# The parent of first messages.
_NO_PARENT = "00000000-0000-0000-0000-000000000000"


def _messages(entry: Any) -> list[Any]:
    return fields.items(entry, "messagesTree") or fields.items(entry, "messages")


def _flat(messages: list[Any]) -> Iterator[Any]:
    """Yield messages before those that are nested in them."""
    waiting = [*reversed(messages)]
    while waiting:
        message = waiting.pop()
        yield message
        waiting += reversed(fields.items(message, "children"))


def _read(entry: Any, files: Files) -> ImportedConversation:
    chat, options = ChatBuilder(files), fields.mapping(entry, "options")
    for message in _flat(_messages(entry)):
        parent = fields.text(message, "parentMessageId")
        text = _text(message, chat.left_out)
        chat.left_out["file"] += len(fields.items(message, "files"))
        chat.add(
            fields.text(message, "messageId") or derived_uid(chat.last, text),
            None if parent in ("", _NO_PARENT) else parent,
            "user" if fields.flag(message, "isCreatedByUser") else "assistant",
            text,
            fields.time(message, "createdAt"),
            fields.text(message, "model") or fields.text(options, "model"),
        )
    identity, system = fields.text(entry, "conversationId"), fields.text(options, "promptPrefix")
    return chat.chat("librechat", identity, chat.last, system_prompt=system or fields.text(options, "system"))


def _text(message: object, left_out: Counter[str]) -> str:
    parts, thoughts, texts = fields.items(message, "content"), [], []
    for part in parts:
        kind = fields.text(part, "type")
        if kind == "text":
            texts.append(fields.parts_text([part])[0])
        elif kind == "think":
            thoughts.append(fields.text(part, "think") or fields.text(fields.mapping(part, "think"), "value"))
        else:
            left_out["tool" if kind == "tool_call" else "file"] += 1
    return with_thoughts(thoughts, "\n\n".join(filter(None, texts)) or fields.text(message, "text"))


LIBRECHAT = Reader(
    lambda entry: bool(
        fields.text(entry, "conversationId") and fields.text(next(iter(_messages(entry)), None), "messageId")
    ),
    lambda entry: fields.text(entry, "title"),
    _read,
)
