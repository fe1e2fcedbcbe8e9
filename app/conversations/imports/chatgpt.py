"""Reads ChatGPT's data export: conversations.json, a list of chats, each with a "mapping" of nodes.

A node has "parent", "children" and a "message" (null at the root) with author.role, content.content_type and
content.parts; "current_node" is the leaf that was shown. Thoughts are messages of their own. Citations are marked by
characters of private use, for which metadata.content_references has Markdown. Times are seconds since 1970.
"""

from __future__ import annotations

import re
from typing import Any

from app.conversations.imports import fields
from app.conversations.imports.imported import ChatBuilder, ImportedConversation, Reader, replaced, with_thoughts
from app.conversations.imports.pictures import Files
from app.conversations.records import Attachment
from app.text.fences import fenced

# ChatGPT writes citations and links between these marks, with its own separators inside.
_OPENS, _CLOSES, _SEPARATES = "\ue200", "\ue201", "\ue202"
_OTHER_MARKS = re.compile("[\ue200-\ue2ff]")


def _read(entry: Any, files: Files) -> ImportedConversation:
    """Return one chat. Calls of tools and their results are left out and counted."""
    chat = ChatBuilder(files)
    for uid, node in fields.mapping(entry, "mapping").items():
        parent = fields.text(node, "parent") or None
        _add(chat, uid, parent, fields.mapping(node, "message"))
    identity = fields.text(entry, "conversation_id") or fields.text(entry, "id")
    # Older exports have no ids: identify a chat by its start.
    identity = identity or f"{fields.time(entry, 'create_time')}-{fields.text(entry, 'title')}"
    return chat.chat(
        "chatgpt",
        identity,
        fields.text(entry, "current_node") or None,
        created_at=fields.time(entry, "create_time"),
        updated_at=fields.time(entry, "update_time"),
        archived=fields.flag(entry, "is_archived"),
    )


CHATGPT = Reader(
    lambda entry: isinstance(entry, dict) and isinstance(entry.get("mapping"), dict),
    lambda entry: fields.text(entry, "title"),
    _read,
)


def _add(chat: ChatBuilder, uid: str, parent: str | None, message: Any) -> None:
    role = fields.text(fields.mapping(message, "author"), "role")
    content = fields.mapping(message, "content")
    kind = fields.text(content, "content_type")
    is_call = role == "tool" or fields.text(message, "recipient") not in ("", "all")
    # System nodes and hidden ones were never shown, and a recap only says how long the thoughts took.
    shown = role in ("user", "assistant", "tool") and message.get("weight") != 0
    if not shown or is_call or kind == "reasoning_recap":
        chat.left_out["tool"] += shown and is_call
        chat.skip_message(uid, parent)
        return
    metadata = fields.mapping(message, "metadata")
    parts = fields.items(content, "parts")
    pictures = _pictures(chat, parts, metadata) if role == "user" else []
    text, without_text = fields.parts_text(parts)
    without_text -= len(pictures)
    chat.left_out["file"] += without_text
    text = _without_citations(text or fields.text(content, "text"), fields.items(metadata, "content_references"))
    if kind == "code" and text:
        text = fenced(text)
    if kind == "thoughts":
        thoughts = fields.items(content, "thoughts")
        text = with_thoughts((fields.text(one, "content") or fields.text(one, "summary") for one in thoughts), "")
    if not text.strip() and not pictures and (without_text or kind == "thoughts"):
        chat.left_out["reasoning"] += not without_text
        chat.skip_message(uid, parent)
        return
    written_at, model = fields.time(message, "create_time"), fields.text(metadata, "model_slug")
    chat.add(uid, parent, role, text, written_at, model, pictures)


def _pictures(chat: ChatBuilder, parts: list[Any], metadata: Any) -> list[Attachment]:
    """Return the pictures that the export has: their files' names begin with the ids in "asset_pointer"."""
    names = {fields.text(one, "id"): fields.text(one, "name") for one in fields.items(metadata, "attachments")}
    identities = (fields.text(part, "asset_pointer").rpartition("//")[2] for part in parts)
    found = [(one, content) for one in identities if one and (content := chat.files(one)) is not None]
    return [picture for one, content in found for picture in chat.picture(names.get(one) or one, content)]


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
