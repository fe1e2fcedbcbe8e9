"""Reads the chats of Ollama's app from its database, db.sqlite, in ~/Library/Application Support/Ollama.

The table "chats" has "id", "title" and "created_at"; "messages" has "chat_id", "role", "content", "thinking",
"model_name" and "created_at"; "attachments" and "tool_calls" have a "message_id".
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from app.conversations.imports import fields
from app.conversations.imports.imported import ChatBuilder, ImportedConversation, Reader, with_thoughts
from app.conversations.imports.pictures import Files
from app.conversations.records import Attachment

_TABLES = ("chats", "messages", "attachments", "tool_calls")


def _entries(path: Path) -> Iterator[Any]:
    """Yield the chats with their messages. Raises sqlite3.DatabaseError, also for another program's database."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
        database.row_factory = sqlite3.Row
        # A view could be endless, or call functions.
        database.execute("PRAGMA trusted_schema = OFF")
        named = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN (?, ?, ?, ?)"
        if database.execute(named, _TABLES).fetchone()[0] < len(_TABLES):
            raise sqlite3.DatabaseError("another program's database")
        messages = database.cursor().execute
        for chat in database.execute("SELECT id, title, created_at FROM chats ORDER BY created_at, id"):
            found = [
                {
                    **dict(message),
                    "attachments": messages(
                        "SELECT filename, data FROM attachments WHERE message_id = ? ORDER BY id", (message["id"],)
                    ).fetchall(),
                    "calls": messages(
                        "SELECT count(*) FROM tool_calls WHERE message_id = ?", (message["id"],)
                    ).fetchone()[0],
                }
                for message in database.execute(
                    "SELECT id, role, content, thinking, model_name, created_at FROM messages"
                    " WHERE chat_id = ? ORDER BY id",
                    (chat["id"],),
                ).fetchall()
            ]
            yield {"chat": dict(chat), "messages": found}


def _read(entry: Any, files: Files) -> ImportedConversation:
    chat, system = ChatBuilder(files), ""
    for message in entry["messages"]:
        role, text = fields.text(message, "role"), fields.text(message, "content")
        if role == "system":
            system = system or text
            continue
        attachments = list[Attachment]()
        for name, data in message["attachments"]:
            text_file = _attachment(name, data)
            attachments += chat.picture(name, data) if text_file is None else [text_file]
        chat.left_out["tool"] += message["calls"]
        text, model = with_thoughts([fields.text(message, "thinking")], text), fields.text(message, "model_name")
        written_at = fields.time(message, "created_at")
        chat.add(str(message["id"]), chat.last, role, text, written_at, model, attachments)
    identity, created_at = entry["chat"]["id"], fields.time(entry["chat"], "created_at")
    return chat.chat("ollama", identity, chat.last, created_at=created_at, system_prompt=system)


def _attachment(name: str, data: bytes) -> Attachment | None:
    """Return a file if it is a text."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return Attachment(name, "text/plain", text) if text and "\0" not in text else None


# The document is the path of the database.
OLLAMA_APP = Reader(
    lambda document: isinstance(document, Path), lambda entry: fields.text(entry["chat"], "title"), _read, _entries
)
