"""Reads the chats of Ollama's app from its database, db.sqlite, in ~/Library/Application Support/Ollama.

The table "chats" has "id", "title" and "created_at"; "messages" has "chat_id", "role", "content", "thinking",
"model_name" and "created_at"; "attachments" and "tool_calls" have a "message_id".
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from app.conversations.imports.forms import ChatForm
from app.conversations.imports.imported import ChatReader

_TABLES = ("chats", "messages", "attachments", "tool_calls")


def _entries(paths: Iterable[Path]) -> Iterator[Any]:
    """Yield the chats with their messages. Raises sqlite3.DatabaseError, also for another program's database."""
    [path] = paths
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
        database.row_factory = sqlite3.Row
        # A view could be endless, or call functions.
        database.execute("PRAGMA trusted_schema = OFF")
        named = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN (?, ?, ?, ?)"
        if database.execute(named, _TABLES).fetchone()[0] < len(_TABLES):
            raise sqlite3.DatabaseError("another program's database")
        rows = database.cursor().execute
        for chat in database.execute("SELECT id, title, created_at FROM chats ORDER BY created_at, id"):
            entries = [
                {
                    **dict(message),
                    "attachments": [
                        {"name": name, "data": data, "content": _text_of(data)}
                        for name, data in rows(
                            "SELECT filename, data FROM attachments WHERE message_id = ? ORDER BY id", (message["id"],)
                        )
                    ],
                    "calls": rows("SELECT id FROM tool_calls WHERE message_id = ?", (message["id"],)).fetchall(),
                }
                for message in database.execute(
                    "SELECT id, role, content, thinking, model_name, created_at FROM messages"
                    " WHERE chat_id = ? ORDER BY id",
                    (chat["id"],),
                ).fetchall()
            ]
            yield {"chat": dict(chat), "messages": entries}


def _text_of(data: bytes) -> str:
    """Return the text of a file, "" for a file of another kind."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    return "" if "\0" in text else text


OLLAMA_APP = ChatReader(
    lambda document: isinstance(document, Path), "chat.title", ChatForm(app="ollama", chat=("chat",)).read, _entries
)
