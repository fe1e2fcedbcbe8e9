"""Reads plain lists of messages in the shape of OpenAI's and Ollama's APIs.

A chat is a list of messages, or an object with "messages", with or without a "title", a "model" and an "id"; a line of
a JSONL file may be one. A message has a "role", a "content" (a text or a list of parts) and perhaps thoughts in
"reasoning_content", "reasoning" or "thinking".
"""

from __future__ import annotations

from collections import Counter

from app.conversations.imports import fields
from app.conversations.imports.imported import (
    ImportedConversation,
    ImportedMessage,
    derived_uid,
    fit,
    imported_message,
    with_thoughts,
)
from app.conversations.records import ROLES

_INSTRUCTIONS = ("system", "developer")
_THOUGHTS = ("reasoning_content", "reasoning", "thinking")


def is_message(entry: object) -> bool:
    """Whether this is a message, so that a list of them is a chat."""
    return isinstance(entry, dict) and fields.text(entry, "role") in (*ROLES, *_INSTRUCTIONS, "tool")


def recognises(entry: object) -> bool:
    return any(map(is_message, fields.items(entry, "messages")[:1]))


def title_of(entry: object) -> str:
    return fields.text(entry, "title") or fields.text(entry, "name")


def read(entry: object) -> ImportedConversation:
    """Return the chat. The first instructions are its system prompt; calls of tools and their results are counted."""
    left_out: Counter[str] = Counter()
    messages: list[ImportedMessage] = []
    system_prompt, model = "", fields.text(entry, "model")
    for message in fields.items(entry, "messages"):
        role = fields.text(message, "role")
        text, without_text = fields.parts_text(fields.items(message, "content"))
        text = text or fields.text(message, "content")
        if role in _INSTRUCTIONS:
            system_prompt = system_prompt or text
            continue
        left_out["file"] += without_text + len(fields.items(message, "images"))
        left_out["tool"] += len(fields.items(message, "tool_calls")) + (role == "tool")
        text = with_thoughts([next(filter(None, (fields.text(message, name) for name in _THOUGHTS)), "")], text)
        if role not in ROLES or not text.strip():
            left_out["empty"] += role in ROLES and not fields.items(message, "tool_calls")
            continue
        previous = messages[-1].uid if messages else None
        written_at = fields.time(message, "created_at") or fields.time(message, "timestamp")
        uid = derived_uid(previous, role, text)
        messages.append(imported_message(uid, previous, role, text, written_at, model))
    # Many chats begin with the same question; a longer export of one begins with the same answer, too.
    identity = fields.text(entry, "id") or derived_uid(*(message.uid for message in messages[:2]))
    return fit(
        ImportedConversation(
            origin=f"messages:{identity}",
            title=title_of(entry),
            messages=tuple(messages),
            created_at=fields.time(entry, "created_at"),
            selected=messages[-1].uid if messages else None,
            system_prompt=system_prompt,
            left_out=left_out,
        ),
        {},
    )
