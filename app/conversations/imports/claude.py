"""Reads Claude's data export: conversations.json, a list of chats with "uuid", "name" and a flat "chat_messages".

A message has "uuid", "sender" ("human" or "assistant"), "text" and, in newer exports, "parent_message_uuid" and a
"content" list of typed parts. "attachments" have the text of files in "extracted_content"; "files" have none. Artifacts
are calls of the tool "artifacts", or tags in the text of older exports. Times are ISO 8601.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from app.conversations.imports import fields
from app.conversations.imports.imported import (
    ChatBuilder,
    ImportedConversation,
    Reader,
    derived_uid,
    replaced,
    with_thoughts,
)
from app.conversations.imports.pictures import Files
from app.conversations.records import Attachment
from app.text.fences import fenced

_ROLES = {"human": "user", "assistant": "assistant"}
_TOOLS = ("tool_use", "tool_result")
# Fences' languages of artifacts that name none.
_LANGUAGES = {
    "text/html": "html",
    "text/markdown": "markdown",
    "image/svg+xml": "svg",
    "application/vnd.ant.react": "jsx",
    "application/vnd.ant.mermaid": "mermaid",
}
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')


def _read(entry: Any, files: Files) -> ImportedConversation:
    """Return one chat. A message that names no parent follows the message before."""
    chat = ChatBuilder(files)
    artifacts: dict[str, str] = {}
    listed = fields.items(entry, "chat_messages")
    uids = {fields.text(message, "uuid") for message in listed}
    for index, message in enumerate(listed):
        text = _text(message, artifacts, chat.left_out)
        named = fields.text(message, "parent_message_uuid")
        parent = named if named in uids else (None if named else chat.last)
        chat.add(
            fields.text(message, "uuid") or derived_uid(chat.last, index, text),
            parent,
            _ROLES.get(fields.text(message, "sender"), ""),
            text,
            fields.time(message, "created_at"),
            attachments=_attachments(message, chat),
        )
    return chat.chat(
        "claude",
        fields.text(entry, "uuid") or f"{fields.text(entry, 'created_at')}-{fields.text(entry, 'name')}",
        fields.text(entry, "current_leaf_message_uuid") or chat.last,
        created_at=fields.time(entry, "created_at"),
        updated_at=fields.time(entry, "updated_at"),
    )


CLAUDE = Reader(
    lambda entry: isinstance(entry, dict) and isinstance(entry.get("chat_messages"), list),
    lambda entry: fields.text(entry, "name"),
    _read,
)


def _attachments(message: object, chat: ChatBuilder) -> list[Attachment]:
    """Return the files whose text the export has, and the pictures beside it; the others are counted."""
    found = []
    for file in fields.items(message, "attachments"):
        if text := fields.text(file, "extracted_content"):
            found.append(Attachment(fields.text(file, "file_name"), fields.text(file, "file_type"), text))
        else:
            chat.left_out["file"] += 1
    for file in fields.items(message, "files"):
        name = fields.text(file, "file_name")
        found += chat.picture(name, chat.files(fields.text(file, "file_uuid")) or chat.files(name))
    return found


def _text(message: object, artifacts: dict[str, str], left_out: Counter[str]) -> str:
    """Return the typed parts' text, or the plain text of older exports, with thoughts and artifacts.

    `artifacts` are the chat's so far, by their ids.
    """
    texts, thoughts = [], []
    for part in fields.items(message, "content"):
        kind = fields.text(part, "type")
        if kind == "text":
            texts.append(fields.text(part, "text"))
        elif kind == "thinking":
            thoughts.append(fields.text(part, "thinking"))
        elif kind == "tool_use" and fields.text(part, "name") == "artifacts":
            texts.append(_artifact(fields.mapping(part, "input"), artifacts))
        elif kind != "tool_result" or fields.text(part, "name") != "artifacts":
            left_out["tool" if kind in _TOOLS else "file"] += 1
    text = "\n\n".join(part for part in texts if part) or fields.text(message, "text")

    def tagged(inside: str) -> str:
        attributes, _, content = inside.partition(">")
        return _block(dict(_ATTRIBUTE.findall(attributes)), content.strip("\n"))

    def thought(inside: str) -> str:
        thoughts.append(inside)
        return ""

    text = replaced(text, "<antThinking>", "</antThinking>", thought)
    return with_thoughts(thoughts, replaced(text, "<antArtifact ", "</antArtifact>", tagged))


def _artifact(call: Any, artifacts: dict[str, str]) -> str:
    """Return the whole artifact after a call, which creates it, rewrites it or replaces a part of it."""
    identity, content = fields.text(call, "id"), fields.text(call, "content")
    if not content:
        old, new = fields.text(call, "old_str"), fields.text(call, "new_str")
        before = artifacts.get(identity, "")
        # A part of an artifact that another branch of the chat made stands alone.
        content = before.replace(old, new, 1) if old and old in before else new
    artifacts[identity] = content
    return _block(call, content)


def _block(description: Any, content: str) -> str:
    """Return an artifact as a code block under its title."""
    language = fields.text(description, "language") or _LANGUAGES.get(fields.text(description, "type"), "")
    title = " ".join(fields.text(description, "title").split())
    block = fenced(content, language if language.isalnum() else "")
    return f"**{title}**\n\n{block}" if title else block
