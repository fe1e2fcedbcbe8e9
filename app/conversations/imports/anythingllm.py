"""Reads AnythingLLM's export of chats as JSON: a list of questions with their answers, of all workspaces.

An entry has "workspace", "prompt", "response", "sent_at" in ISO 8601, and pictures in "attachments". The export does
not say to which thread an entry belongs, so each workspace becomes one chat. Its export as JSONL is one of plain
messages.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from app.conversations.imports import fields
from app.conversations.imports.imported import ChatBuilder, ImportedConversation, Reader, derived_uid
from app.conversations.imports.pictures import Files


def _recognises(document: object) -> bool:
    if not isinstance(document, Iterable) or isinstance(document, dict | str):
        return False
    return any(
        isinstance(entry, dict) and {"workspace", "prompt", "response", "sent_at"} <= entry.keys()
        for entry in islice(document, 1)
    )


def _entries(document: Any) -> Iterable[Any]:
    workspaces: dict[str, list[Any]] = {}
    for entry in document:
        workspaces.setdefault(fields.text(entry, "workspace"), []).append(entry)
    for name, asked in workspaces.items():
        yield {"workspace": name, "asked": asked}


def _read(entry: Any, files: Files) -> ImportedConversation:
    chat, name = ChatBuilder(files), entry["workspace"]
    for asked in entry["asked"]:
        chat.left_out["file"] += len(fields.items(asked, "attachments"))
        sent = fields.time(asked, "sent_at")
        for role, text in (("user", fields.text(asked, "prompt")), ("assistant", fields.text(asked, "response"))):
            chat.add(derived_uid(name, asked.get("id"), role), chat.last, role, text, sent)
    return chat.chat("anythingllm", name, chat.last)


ANYTHINGLLM = Reader(_recognises, lambda entry: str(entry["workspace"]), _read, _entries)
