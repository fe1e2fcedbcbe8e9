"""Reads what llama.cpp's web UI exports: {"conv": ..., "messages": [...]}, or a list of them.

A message has "id", "parent", "role", "content", a "timestamp" in milliseconds, thoughts in "reasoningContent" (formerly
"thinking"), and files in "extra", with the text of texts and PDFs in "content". The root of the tree is a message of
the type "root". conv.currNode is the message that was shown.
"""

from __future__ import annotations

from collections import Counter

from app.conversations.imports import fields
from app.conversations.imports.imported import (
    ImportedConversation,
    ImportedMessage,
    first_uid,
    fit,
    imported_message,
    with_thoughts,
)
from app.conversations.records import ROLES, Attachment


def recognises(entry: object) -> bool:
    return bool(fields.mapping(entry, "conv") and fields.items(entry, "messages"))


def title_of(entry: object) -> str:
    return fields.text(fields.mapping(entry, "conv"), "name")


def read(entry: object) -> ImportedConversation:
    """Return one chat with all its branches."""
    conversation = fields.mapping(entry, "conv")
    left_out: Counter[str] = Counter()
    messages: list[ImportedMessage] = []
    passed_over: dict[str, str | None] = {}
    system_prompt = ""
    for message in fields.items(entry, "messages"):
        uid, parent = _identity(message, "id"), _identity(message, "parent") or None
        role, text = fields.text(message, "role"), fields.text(message, "content")
        if role == "system":
            system_prompt = system_prompt or text
            passed_over[uid] = parent
            continue
        extra = fields.items(message, "extra")
        attachments = [
            Attachment(fields.text(file, "name"), "text/plain", fields.text(file, "content"))
            for file in extra
            if fields.text(file, "content")
        ]
        left_out["file"] += len(extra) - len(attachments)
        left_out["tool"] += bool(fields.text(message, "toolCalls")) or role == "tool"
        thoughts = [fields.text(message, "reasoningContent") or fields.text(message, "thinking")]
        text = with_thoughts(thoughts, text)
        if role not in ROLES or not (text.strip() or attachments):
            left_out["empty"] += role in ROLES
            passed_over[uid] = parent
            continue
        written_at, model = fields.time(message, "timestamp"), fields.text(message, "model")
        messages.append(imported_message(uid, parent, role, text, written_at, model, attachments))
    return fit(
        ImportedConversation(
            origin=f"llama.cpp:{fields.text(conversation, 'id') or first_uid(messages)}",
            title=title_of(entry),
            messages=tuple(messages),
            updated_at=fields.time(conversation, "lastModified"),
            selected=_identity(conversation, "currNode") or None,
            system_prompt=system_prompt,
            left_out=left_out,
        ),
        passed_over,
    )


def _identity(container: object, key: str) -> str:
    """Return an id, which older versions wrote as a number."""
    value = container.get(key) if isinstance(container, dict) else None
    return str(value) if isinstance(value, int) and value >= 0 else fields.text(container, key)
