"""Reads Open WebUI's export: a list of records whose "chat" holds history.messages (by id) and history.currentId.

A message has "parentId", "childrenIds", "role", "content", "model", a "timestamp" in seconds and "files", whose text is
in file.data.content. Its content has thoughts and calls as <details type="...">, escaped for HTML. A single chat may be
the inner object alone.
"""

from __future__ import annotations

import html
from collections import Counter
from typing import Any

from app.conversations.imports import fields
from app.conversations.imports.imported import (
    ImportedConversation,
    ImportedMessage,
    first_uid,
    fit,
    imported_message,
    replaced,
    with_thoughts,
)
from app.conversations.records import ROLES, Attachment


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
        text = _with_details(text or fields.text(message, "content"), left_out)
        files = fields.items(message, "files")
        attachments = [found for file in files if (found := _attachment(file)) is not None]
        left_out["file"] += without_text + len(files) - len(attachments)
        if role not in ROLES or not (text.strip() or attachments):
            left_out["empty"] += 1
            passed_over[uid] = parent
            continue
        written_at, model = fields.time(message, "timestamp"), fields.text(message, "model")
        messages.append(imported_message(uid, parent, role, text, written_at, model, attachments))
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


def _with_details(text: str, left_out: Counter[str]) -> str:
    """Return a text with the thoughts in its details as thoughts, and without calls of tools, which are counted."""
    thoughts: list[str] = []

    def convert(inside: str) -> str:
        attributes, _, body = inside.partition(">")
        _, _, body = body.rpartition("</summary>")
        if attributes.startswith('reasoning"'):
            quoted = html.unescape(body).strip().splitlines()
            thoughts.append("\n".join(line.removeprefix(">").removeprefix(" ") for line in quoted))
            return ""
        if attributes.startswith('code_interpreter"'):
            return body
        left_out["tool"] += 1
        return ""

    reply = replaced(text, '<details type="', "</details>", convert)
    return with_thoughts(thoughts, reply.strip()) if reply != text else text


def _attachment(file: object) -> Attachment | None:
    """Return a file with its text, None for an image or another file without text."""
    stored = fields.mapping(file, "file")
    text = fields.text(fields.mapping(stored, "data"), "content")
    name = fields.text(file, "name") or fields.text(stored, "filename")
    return Attachment(name, fields.text(fields.mapping(stored, "meta"), "content_type"), text) if text else None
