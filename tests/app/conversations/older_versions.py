"""Writes stores with older versions of the schema."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from app.conversations.database.database import connect
from app.conversations.database.encoding import optional_json
from app.conversations.database.schema import migrate
from engine.stats import RequestStats

if TYPE_CHECKING:
    from pathlib import Path


STATS = RequestStats(generated_tokens=9, drafted=8, accepted=6, accept_rate=0.75, decode_tps=30.0)


def write_version(path: Path, version: int, answers: int = 2) -> None:
    """Write a store of that version with one chat: a question and `answers` sibling answers."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(connect(path)) as connection:
        migrate(connection, to=version)
        connection.execute(
            "INSERT INTO conversations (id, uid, title, created_at, updated_at) VALUES (1, 'c', '옛 대화', 1, 2)"
        )
        add = """
            INSERT INTO messages
                (id, uid, conversation_id, parent_id, position, time_key, role, content, state, created_at,
                 main_model, draft_model, method, stats, finish_reason)
            VALUES (?, ?, 1, ?, ?, ?, ?, ?, 'complete', ?, ?, ?, 'auto', ?, ?)"""
        connection.execute("BEGIN")
        connection.execute(add, (1, "m1", None, 0, 1, "user", "초안은?", 1.0, "", "", None, None))
        for number in range(2, answers + 2):
            values = (number, f"m{number}", 1, number - 2, number, "assistant", f"대답 {number}", number * 1.0)
            connection.execute(add, (*values, "org/main", "org/draft", optional_json(STATS), "stop"))
        connection.execute("UPDATE conversations SET selected_root = 1")
        connection.execute("UPDATE messages SET selected_child = 2 WHERE id = 1")
        connection.execute("COMMIT")
