"""Open WebUI's chat export: a list of records whose "chat" holds history.messages (by id) and
history.currentId.

A message has "parentId", "childrenIds", "role", "content", "model" and a "timestamp" in seconds. A single
chat may be the bare inner object.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from app.conversations.imports import fields
from app.conversations.imports.imported import ImportedConversation, ImportedMessage, derived_uid, fit
from app.conversations.records import ROLES, AnswerSource


def recognises(data: object) -> bool:
    entries = data if isinstance(data, list) else [data]
    return any(fields.mapping(fields.mapping(_chat(entry), "history"), "messages") for entry in entries)


def entries(data: Any) -> list[Any]:
    return data if isinstance(data, list) else [data]


def title_of(entry: object) -> str:
    return fields.text(entry, "title") or fields.text(_chat(entry), "title")


def read(entry: object) -> ImportedConversation:
    """One chat with all its branches."""
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
        model = fields.text(message, "model") if role == "assistant" else ""
        messages.append(
            ImportedMessage(
                uid=uid,
                parent=parent,
                role=role,
                content=text,
                created_at=fields.time(message, "timestamp"),
                source=AnswerSource(main_model=model),
            )
        )
    identity = fields.text(entry, "id") or derived_uid(*(message.uid for message in messages[:1]))
    return fit(
        ImportedConversation(
            uid=None,
            origin=f"open-webui:{identity}",
            title=title_of(entry),
            messages=tuple(messages),
            created_at=fields.time(entry, "created_at") or fields.time(chat, "timestamp"),
            updated_at=fields.time(entry, "updated_at"),
            selected=fields.text(history, "currentId") or None,
            system_prompt=fields.text(fields.mapping(chat, "params"), "system"),
            archived=isinstance(entry, dict) and entry.get("archived") is True,
            pinned=isinstance(entry, dict) and entry.get("pinned") is True,
            left_out=left_out,
        ),
        passed_over,
    )


def _chat(entry: object) -> Any:
    return fields.mapping(entry, "chat") or entry
