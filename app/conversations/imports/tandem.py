"""Reads Tandem's JSON, which `exports.json_format` writes, of every app with the same version of the format."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from app.conversations.chat_settings import TOOLS_ON, without_permissions
from app.conversations.database.encoding import round_from_row, stats_from_object, token_from_row, tool_use_of
from app.conversations.database.records import (
    COMPLETE,
    INTERRUPTED,
    ROLES,
    STATES,
    STREAMING,
    TOOL,
    AnswerSource,
    Attachment,
)
from app.conversations.exports.json_format import FORMAT, VERSION
from app.conversations.imports import fields, json_steps
from app.conversations.imports.imported import (
    ChatBuilder,
    ChatReader,
    ImportedConversation,
    ImportedMessage,
    derived_uid,
)
from app.conversations.imports.pictures import Files
from app.text.picture_data import picture_of_base64


def _recognises(document: object) -> bool:
    return isinstance(document, dict) and document.get("format") == FORMAT and document.get("version") == VERSION


def _entries(documents: Iterable[Any]) -> Iterator[Any]:
    """Yield the chats of all documents."""
    for document in documents:
        entries = document.get("conversations")
        yield from entries if isinstance(entries, list | json_steps.StreamedItems) else []


def _read(entry: Any, files: Files) -> ImportedConversation:
    """Return one chat. Raises ValueError, TypeError or KeyError for malformed figures."""
    chat = ChatBuilder(files)
    stored = fields.mapping(entry, "pictures")
    for message in fields.items(entry, "messages"):
        uid = fields.text(message, "uid")
        parent = fields.text(message, "parent") or None
        role = fields.text(message, "role")
        if role not in (*ROLES, TOOL) or not uid:
            chat.left_out["role" if role and uid else "empty"] += 1
            chat.skip_message(uid, parent)
            continue
        attached = [
            attachment
            for item in fields.items(message, "attachments")
            for attachment in _attachment(item, stored, chat)
        ]
        chat.messages.append(_message(uid, parent, message, tuple(attached)))
    conversation = chat.chat(
        "tandem",
        None,
        fields.text(entry, "selected") or None,
        uid=fields.text(entry, "uid") or derived_uid(*(message.uid for message in chat.messages[:1])),
        system_prompt=fields.text(entry, "system_prompt"),
        settings=_settings(entry),
        folder=fields.text(entry, "folder") or None,
        folder_start=fields.mapping(entry, "folder_start"),
        title_edited=fields.flag(entry, "title_edited"),
        archived=fields.flag(entry, "archived"),
        pinned=fields.flag(entry, "pinned"),
        created_at=fields.time(entry, "created_at"),
        updated_at=fields.time(entry, "updated_at"),
    )
    # A chat of another app that Tandem exported keeps its origin.
    return replace(conversation, origin=fields.text(entry, "origin") or None)


TANDEM = ChatReader(_recognises, "title", _read, _entries)


def _settings(entry: Any) -> dict[str, Any]:
    """Return a chat's settings; a file neither switches tools on nor allows any."""
    settings = without_permissions(fields.mapping(entry, "settings"))
    return {key: value for key, value in settings.items() if key != TOOLS_ON}


def _attachment(item: object, stored: Mapping[str, Any], chat: ChatBuilder) -> list[Attachment]:
    """Return an attachment; the file of a picture is one of `stored`, in base64. A lost one is counted instead."""
    name = fields.text(item, "name")
    digest = fields.text(item, "picture.digest")
    if digest:
        return chat.picture(name, picture_of_base64(fields.text(stored, digest)))
    inner = [picture for part in fields.items(item, "inner") for picture in _attachment(part, stored, chat)]
    media_type = fields.text(item, "media_type")
    return [Attachment(name, media_type, fields.text(item, "text"), inner=tuple(inner))]


def _message(uid: str, parent: str | None, message: Any, attachments: tuple[Attachment, ...]) -> ImportedMessage:
    """Return a message. Raises ValueError, TypeError or KeyError for malformed figures."""
    state = fields.text(message, "state")
    error = fields.mapping(message, "error")
    if state == STREAMING:
        state = INTERRUPTED
    elif state not in STATES:
        state = COMPLETE
    stats = fields.mapping(message, "stats")
    seed = message.get("seed")
    return ImportedMessage(
        uid=uid,
        parent=parent,
        role=fields.text(message, "role"),
        content=fields.text(message, "content"),
        created_at=fields.time(message, "created_at"),
        state=state,
        source=AnswerSource(
            main_model=fields.text(message, "main_model"),
            draft_model=fields.text(message, "draft_model"),
            method=fields.text(message, "method"),
            settings=fields.mapping(message, "settings"),
            seed=seed if isinstance(seed, int) and 0 <= seed < 2**64 else None,
        ),
        attachments=attachments,
        finish_reason=fields.text(message, "finish_reason") or None,
        error=(fields.text(error, "code"), fields.mapping(error, "arguments")) if error else None,
        # JSON and back, so that stored figures and these have the same types.
        stats=stats_from_object(json.loads(json.dumps(stats))) if stats else None,
        tokens=tuple(token_from_row(row) for row in fields.items(message, "tokens")),
        tool_use=tool_use_of(fields.mapping(message, "tool_use")) if message["role"] == TOOL else None,
        rounds=tuple(round_from_row(row) for row in fields.items(message, "rounds")),
    )
