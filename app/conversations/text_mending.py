"""Replaces the damaged bytes of texts that are not UTF-8 any more.

Reading replaces such bytes (`database.readable`), but SQLite passes columns to `index_text` unchanged, where Python
refuses them: such a row could be read, but neither renamed nor deleted.
"""

from __future__ import annotations

from app.conversations.database import Database, readable

_TABLES = ("folders", "presets", "conversations", "messages", "chunks")


def mend_texts(database: Database) -> None:
    """Replace damaged bytes in every text, in one transaction. Rebuild the search indexes afterwards."""
    with database.write():
        triggers = database.rows("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        # The triggers would read the damaged text and fail.
        for trigger in triggers:
            database.execute(f"DROP TRIGGER {trigger['name']}")
        for table in _TABLES:
            _mend_table(database, table)
        for trigger in triggers:
            database.execute(trigger["sql"])


def _mend_table(database: Database, table: str) -> None:
    keys = ("message_id", "number") if table == "chunks" else ("rowid",)
    found = database.rows(f"PRAGMA table_info({table})")
    for column in [row["name"] for row in found if row["type"] == "TEXT"]:
        rows = database.execute(
            f"SELECT CAST({column} AS BLOB), {', '.join(keys)} FROM {table} WHERE typeof({column}) = 'text'"
        )
        damaged = [tuple(row) for row in rows if not _is_utf8(row[0])]
        match = " AND ".join(f"{key} = ?" for key in keys)
        for raw, *key in damaged:
            # A text that would equal another one in a unique column stays as it is.
            database.execute(f"UPDATE OR IGNORE {table} SET {column} = ? WHERE {match}", (readable(raw), *key))


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True
