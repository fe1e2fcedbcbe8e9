"""Reads LM Studio's *.conversation.json: one chat a file, a list of messages with their "versions".

A user's version is "singleStep" with a "content" list; an answer's is "multiStep" with "steps" whose "contentBlock"s
hold the text, some of them in the style "thinking". "createdAt" is in milliseconds. The format is not documented; this
follows what readers of versions 0.3 and 0.4 describe.
"""

from __future__ import annotations

from collections import Counter

from app.conversations.imports import fields
from app.conversations.imports.imported import (
    ImportedConversation,
    ImportedMessage,
    derived_uid,
    first_uid,
    fit,
    imported_message,
    with_thoughts,
)
from app.conversations.records import ROLES


def recognises(entry: object) -> bool:
    return any(fields.items(message, "versions") for message in fields.items(entry, "messages"))


def title_of(entry: object) -> str:
    return fields.text(entry, "name")


def read(entry: object) -> ImportedConversation:
    """Return the chat. Versions are siblings, and the messages after them follow the selected version."""
    left_out: Counter[str] = Counter()
    messages: list[ImportedMessage] = []
    model = fields.text(fields.mapping(entry, "lastUsedModel"), "identifier")
    parent: str | None = None
    for position in fields.items(entry, "messages"):
        versions = fields.items(position, "versions")
        chosen = position.get("currentlySelected")
        chosen = chosen if isinstance(chosen, int) and 0 <= chosen < len(versions) else 0
        follows = parent
        for index, version in enumerate(versions):
            role, text = fields.text(version, "role"), _text(version, left_out)
            if role not in ROLES or not text.strip():
                left_out["empty"] += 1
                continue
            uid = derived_uid(follows, index, role, text)
            sender = fields.text(fields.mapping(version, "senderInfo"), "senderName") or model
            messages.append(imported_message(uid, follows, role, text, None, sender))
            if index == chosen:
                parent = uid
    created = fields.time(entry, "createdAt")
    return fit(
        ImportedConversation(
            origin=f"lm-studio:{created or first_uid(messages)}",
            title=title_of(entry),
            messages=tuple(messages),
            created_at=created,
            updated_at=fields.time(entry, "assistantLastMessagedAt") or fields.time(entry, "userLastMessagedAt"),
            selected=parent,
            system_prompt=fields.text(entry, "systemPrompt"),
            left_out=left_out,
        ),
        {},
    )


def _text(version: object, left_out: Counter[str]) -> str:
    if fields.text(version, "type") != "multiStep":
        text, without_text = fields.parts_text(fields.items(version, "content"))
        left_out["file"] += without_text
        return text or fields.text(version, "content")
    texts: list[str] = []
    thoughts: list[str] = []
    for step in fields.items(version, "steps"):
        if fields.text(step, "type") != "contentBlock":
            continue
        text, without_text = fields.parts_text(fields.items(step, "content"))
        left_out["tool"] += without_text
        thinks = fields.text(fields.mapping(step, "style"), "type") == "thinking"
        (thoughts if thinks else texts).append(text)
    return with_thoughts(thoughts, "\n\n".join(text for text in texts if text))
