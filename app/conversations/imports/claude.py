"""Reads Claude's data export: conversations.json, a list of chats with "uuid", "name" and a flat "chat_messages".

A message has "uuid", "sender" ("human" or "assistant"), "text" and, in newer exports, "parent_message_uuid" and a
"content" list of typed parts. Times are ISO 8601.
"""

from __future__ import annotations

from collections import Counter

from app.conversations.imports import fields
from app.conversations.imports.imported import ImportedConversation, ImportedMessage, derived_uid, fit, imported_message

_ROLES = {"human": "user", "assistant": "assistant"}
_REASONS = {"thinking": "reasoning", "tool_use": "tool", "tool_result": "tool"}


def recognises(entry: object) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("chat_messages"), list)


def title_of(entry: object) -> str:
    return fields.text(entry, "name")


def read(entry: object) -> ImportedConversation:
    """Return one chat. A message that names no parent follows the message before."""
    left_out: Counter[str] = Counter()
    messages: list[ImportedMessage] = []
    listed = fields.items(entry, "chat_messages")
    uids = {fields.text(message, "uuid") for message in listed}
    for index, message in enumerate(listed):
        text = _text(message, left_out)
        role = _ROLES.get(fields.text(message, "sender"))
        if role is None or not text.strip():
            left_out["empty"] += 1
            continue
        named = fields.text(message, "parent_message_uuid")
        previous = messages[-1].uid if messages else None
        uid = fields.text(message, "uuid") or derived_uid(previous, index, text)
        parent = named if named in uids else (None if named else previous)
        messages.append(imported_message(uid, parent, role, text, fields.time(message, "created_at")))
    passed_over = {
        fields.text(message, "uuid"): fields.text(message, "parent_message_uuid") or None for message in listed
    }
    identity = fields.text(entry, "uuid") or f"{fields.text(entry, 'created_at')}-{title_of(entry)}"
    return fit(
        ImportedConversation(
            origin=f"claude:{identity}",
            title=title_of(entry),
            messages=tuple(messages),
            created_at=fields.time(entry, "created_at"),
            updated_at=fields.time(entry, "updated_at"),
            selected=fields.text(entry, "current_leaf_message_uuid") or (messages[-1].uid if messages else None),
            left_out=left_out,
        ),
        passed_over,
    )


def _text(message: object, left_out: Counter[str]) -> str:
    """Return the typed parts' text, or the plain text of older exports. Attached files are counted."""
    left_out["file"] += len(fields.items(message, "files")) + len(fields.items(message, "attachments"))
    texts = []
    for part in fields.items(message, "content"):
        kind = fields.text(part, "type")
        if kind == "text":
            texts.append(fields.text(part, "text"))
        else:
            left_out[_REASONS.get(kind, "file")] += 1
    return "\n\n".join(part for part in texts if part) or fields.text(message, "text")
