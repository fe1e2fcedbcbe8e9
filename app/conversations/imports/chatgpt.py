"""Reads ChatGPT's data export: conversations.json, a list of chats, each with a "mapping" of nodes.

A node has "parent", "children" and a "message" (null at the root) with author.role, content.content_type and
content.parts; "current_node" is the leaf that was shown. Thoughts are messages of their own. Citations are marked by
characters of private use, for which metadata.content_references has Markdown. Times are seconds since 1970.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from app.conversations.imports import fields
from app.conversations.imports.imported import (
    ImportedConversation,
    ImportedMessage,
    fit,
    imported_message,
    replaced,
    with_thoughts,
)
from app.text.fences import fenced

# ChatGPT writes citations and links between these marks, with its own separators inside.
_OPENS, _CLOSES, _SEPARATES = "\ue200", "\ue201", "\ue202"
_OTHER_MARKS = re.compile("[\ue200-\ue2ff]")


def recognises(entry: object) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("mapping"), dict)


def title_of(entry: object) -> str:
    return fields.text(entry, "title")


def read(entry: object) -> ImportedConversation:
    """Return one chat. Calls of tools and their results are left out and counted."""
    left_out: Counter[str] = Counter()
    messages: list[ImportedMessage] = []
    passed_over: dict[str, str | None] = {}
    for uid, node in fields.mapping(entry, "mapping").items():
        parent = fields.text(node, "parent") or None
        message = _message(uid, parent, fields.mapping(node, "message"), left_out)
        if message is None:
            passed_over[uid] = parent
        else:
            messages.append(message)
    identity = fields.text(entry, "conversation_id") or fields.text(entry, "id")
    # Older exports have no ids: identify a chat by its start.
    identity = identity or f"{fields.time(entry, 'create_time')}-{title_of(entry)}"
    return fit(
        ImportedConversation(
            origin=f"chatgpt:{identity}",
            title=title_of(entry),
            messages=tuple(messages),
            created_at=fields.time(entry, "create_time"),
            updated_at=fields.time(entry, "update_time"),
            selected=fields.text(entry, "current_node") or None,
            archived=fields.flag(entry, "is_archived"),
            left_out=left_out,
        ),
        passed_over,
    )


def _message(uid: str, parent: str | None, message: Any, left_out: Counter[str]) -> ImportedMessage | None:
    role = fields.text(fields.mapping(message, "author"), "role")
    content = fields.mapping(message, "content")
    kind = fields.text(content, "content_type")
    # System nodes and hidden ones were never shown, so they are not counted.
    if role not in ("user", "assistant", "tool") or message.get("weight") == 0:
        return None
    if role == "tool" or fields.text(message, "recipient") not in ("", "all"):
        left_out["tool"] += 1
        return None
    if kind == "reasoning_recap":
        # It says how long the thoughts took, which have a message of their own.
        return None
    metadata = fields.mapping(message, "metadata")
    text, without_text = fields.parts_text(fields.items(content, "parts"))
    left_out["file"] += without_text
    text = _without_citations(text or fields.text(content, "text"), fields.items(metadata, "content_references"))
    if kind == "code" and text:
        text = fenced(text)
    if kind == "thoughts":
        thoughts = fields.items(content, "thoughts")
        text = with_thoughts((fields.text(one, "content") or fields.text(one, "summary") for one in thoughts), "")
    if not text.strip():
        left_out["reasoning" if kind == "thoughts" else "empty"] += not without_text
        return None
    model = fields.text(metadata, "model_slug")
    return imported_message(uid, parent, role, text, fields.time(message, "create_time"), model)


def _without_citations(text: str, references: list[Any]) -> str:
    """Replace the marks of citations by the Markdown that the export has for them, or drop them."""
    if not _OTHER_MARKS.search(text):
        return text
    known = {fields.text(one, "matched_text"): fields.text(one, "alt") for one in references}

    def shown(inside: str) -> str:
        if alternative := known.get(_OPENS + inside + _CLOSES):
            return alternative
        kind, *arguments = inside.split(_SEPARATES)
        if kind == "url" and len(arguments) == 2:
            return f"[{arguments[0]}]({arguments[1]})"
        return ""

    return _OTHER_MARKS.sub("", replaced(text, _OPENS, _CLOSES, shown))
