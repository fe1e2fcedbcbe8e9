"""Reads Jan's threads: a folder for each chat, with thread.json and an OpenAI thread message a line in messages.jsonl.

A message has "id", "role", "created_at" (seconds or milliseconds) and a "content" list of {"type": "text",
"text": {"value": ...}}. Thoughts have the type "reasoning", or stand in "<think>" within a text. `reading` passes
{"thread": the object, "lines": the messages, "unreadable": the number of lines that are not JSON}.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from app.conversations.imports import fields
from app.conversations.imports.imported import (
    ImportedConversation,
    ImportedMessage,
    derived_uid,
    first_uid,
    fit,
    imported_message,
    replaced,
    with_thoughts,
)
from app.conversations.records import ROLES


def recognises(entry: object) -> bool:
    return any(fields.text(line, "object") == "thread.message" for line in fields.items(entry, "lines"))


def title_of(entry: object) -> str:
    thread = fields.mapping(entry, "thread")
    return fields.text(thread, "title") or fields.text(thread, "summary")


def read(entry: Any) -> ImportedConversation:
    """Return the chat with its messages sorted by time, which the file need not be."""
    left_out: Counter[str] = Counter(unreadable=entry["unreadable"])
    thread = fields.mapping(entry, "thread")
    lines = sorted(fields.items(entry, "lines"), key=lambda line: fields.time(line, "created_at") or 0.0)
    assistants = fields.items(thread, "assistants")
    model = fields.text(fields.mapping(assistants[0] if assistants else None, "model"), "id")
    messages: list[ImportedMessage] = []
    for line in lines:
        role = fields.text(line, "role")
        parts = fields.items(line, "content")
        thoughts = [part for part in parts if fields.text(part, "type") == "reasoning"]
        text, without_text = fields.parts_text([part for part in parts if part not in thoughts])
        if role == "assistant":
            text = _with_inner_thoughts(fields.parts_text(thoughts)[0], text)
        left_out["file"] += without_text
        if role not in ROLES or not text.strip():
            left_out["empty"] += 1
            continue
        previous = messages[-1].uid if messages else None
        uid = fields.text(line, "id") or derived_uid(previous, role, text)
        messages.append(imported_message(uid, previous, role, text, fields.time(line, "created_at"), model))
    identity = fields.text(thread, "id") or fields.text(lines[0] if lines else None, "thread_id")
    return fit(
        ImportedConversation(
            origin=f"jan:{identity or first_uid(messages)}",
            title=title_of(entry),
            messages=tuple(messages),
            created_at=fields.time(thread, "created"),
            updated_at=fields.time(thread, "updated"),
            selected=messages[-1].uid if messages else None,
            system_prompt=fields.text(assistants[0] if assistants else None, "instructions"),
            left_out=left_out,
        ),
        {},
    )


def _with_inner_thoughts(thoughts: str, text: str) -> str:
    """Return the text of an answer with its thoughts before it, also those between parts of the reply."""
    found = [thoughts]

    def convert(inner: str) -> str:
        found.append(inner)
        return ""

    return with_thoughts(found, replaced(text, "<think>", "</think>", convert).strip())
