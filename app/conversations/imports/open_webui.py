"""Reads Open WebUI's export: a list of records whose "chat" holds history.messages (by id) and history.currentId.

A message has "parentId", "childrenIds", "role", "content", "model" and a "timestamp" in seconds. A single chat may be
the inner object alone.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from app.conversations.imports import fields
from app.conversations.imports.imported import ImportedConversation, ImportedMessage, first_uid, fit, imported_message
from app.conversations.records import ROLES


def recognises(entry: object) -> bool:
    return bool(fields.mapping(fields.mapping(_chat(entry), "history"), "messages"))


def title_of(entry: object) -> str:
    return fields.text(entry, "title") or fields.text(_chat(entry), "title")


def read(entry: object) -> ImportedConversation:
    """Return one chat with all its branches."""
    chat = _chat(entry)
    history = fields.mapping(chat, "history")
    left_out: Counter[str] = Counter()
    messages: list[ImportedMessage] = []
    passed_over: dict[str, str | None] = {}
    for uid, message in fields.mapping(history, "messages").items():
        parent = fields.text(message, "parentId") or None
        role = fields.text(message, "role")
        text, without_text = fields.parts_text(fields.items(message, "content"))
        text = text or fields.text(message, "content")
        left_out["file"] += without_text + len(fields.items(message, "files"))
        if role not in ROLES or not text.strip():
            left_out["empty"] += 1
            passed_over[uid] = parent
            continue
        written_at, model = fields.time(message, "timestamp"), fields.text(message, "model")
        messages.append(imported_message(uid, parent, role, text, written_at, model))
    identity = fields.text(entry, "id") or first_uid(messages)
    return fit(
        ImportedConversation(
            origin=f"open-webui:{identity}",
            title=title_of(entry),
            messages=tuple(messages),
            created_at=fields.time(entry, "created_at") or fields.time(chat, "timestamp"),
            updated_at=fields.time(entry, "updated_at"),
            selected=fields.text(history, "currentId") or None,
            system_prompt=fields.text(fields.mapping(chat, "params"), "system"),
            archived=fields.flag(entry, "archived"),
            pinned=fields.flag(entry, "pinned"),
            left_out=left_out,
        ),
        passed_over,
    )


def _chat(entry: object) -> Any:
    return fields.mapping(entry, "chat") or entry
