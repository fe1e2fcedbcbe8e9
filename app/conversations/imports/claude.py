"""Reads Claude's data export: conversations.json, a list of chats with "uuid", "name" and a flat "chat_messages".

A message has "uuid", "sender" ("human" or "assistant"), "text" and, in newer exports, "parent_message_uuid" and a
"content" list of typed parts. "attachments" have the text of files in "extracted_content"; "files" have none. Artifacts
are calls of the tool "artifacts", or tags in the text of older exports. Times are ISO 8601.
"""

from __future__ import annotations

import re
from typing import Any

from app.conversations.imports import fields
from app.conversations.imports.forms import ChatForm, MessageParts
from app.conversations.imports.imported import ChatReader, replaced
from app.text.fences import fenced

# Fences' languages of artifacts that name none.
_LANGUAGES = {
    "text/html": "html",
    "text/markdown": "markdown",
    "image/svg+xml": "svg",
    "application/vnd.ant.react": "jsx",
    "application/vnd.ant.mermaid": "mermaid",
}
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')


def _read_call(parts: MessageParts, part: Any) -> None:
    """Read the artifact that a call changes, and count other calls, such as one that only looks at an artifact."""
    if fields.text(part, "name") != "artifacts" or fields.text(part, "input.command") == "view":
        parts.chat.left_out["tool"] += 1
    elif fields.text(part, "type") == "tool_use":
        parts.texts.append(_artifact(fields.mapping(part, "input"), parts.chat.remembered))


def _count_thought(parts: MessageParts, _part: Any) -> None:
    """Count a thought whose text is encrypted."""
    parts.chat.left_out["reasoning"] += 1


def _finished(parts: MessageParts, _message: Any, text: str) -> str:
    """Replace the tags of thoughts and artifacts in older exports."""

    def tagged(inside: str) -> str:
        attributes, _, content = inside.partition(">")
        return _block(dict(_ATTRIBUTE.findall(attributes)), content.strip("\n"))

    text = parts.take_thoughts(text, "<antThinking>", "</antThinking>")
    return replaced(text, "<antArtifact ", "</antArtifact>", tagged)


def _artifact(call: Any, artifacts: dict[str, str]) -> str:
    """Return the whole artifact after a call, which creates it, rewrites it or replaces a part of it."""
    identity = fields.text(call, "id")
    content = fields.text(call, "content")
    if not content:
        old = fields.text(call, "old_str")
        new = fields.text(call, "new_str")
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


CLAUDE = ChatReader(
    fields.has("chat_messages"),
    "name",
    ChatForm(
        app="claude",
        messages=lambda entry, _chat: fields.items(entry, "chat_messages"),
        kinds={"tool_use": _read_call, "tool_result": _read_call, "redacted_thinking": _count_thought},
        finish=_finished,
    ).read,
)
