"""Copies the readable rows of a damaged store into a sound one."""

from __future__ import annotations

import difflib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from app.conversations.records import ROLES, STATES, TOOL
from app.conversations.schema import LATEST, migrate

# Parents before children, so that a lost parent is known when its children come.
_TABLES = ("folders", "presets", "conversations", "messages", "chunks", "token_views", "requests")
_HIGHEST_KEY = 2**62
# The highest id that is tried where the last row cannot be read.
_LIKELY_KEY = 2**20
# A table whose root page is lost fails for every range of ids: stop after this many failures.
_MOST_FAILURES = 5000


@dataclass(frozen=True, slots=True)
class Salvage:
    """How many chats and messages were read, and whether that was all."""

    conversations: int = 0
    messages: int = 0
    complete: bool = True


def salvage(source: sqlite3.Connection, target: sqlite3.Connection) -> Salvage:
    """Copy every readable row of `source` into the empty `target` and migrate that to the latest version.

    Messages that lost their chat get a new one without a title. A message that lost its parent goes below the parent's
    parent, or becomes a first message.
    """
    migrate(target, to=_version_of_tables(source))
    target.execute("PRAGMA foreign_keys = OFF")
    target.execute("BEGIN IMMEDIATE")
    complete = True
    for table in _TABLES:
        if columns := _columns(target, table):
            complete &= _copy_table(source, target, table, columns)
    _mend_references(target)
    target.execute("COMMIT")
    target.execute("PRAGMA foreign_keys = ON")
    migrate(target)
    return Salvage(
        conversations=target.execute("SELECT count(*) FROM conversations").fetchone()[0],
        messages=target.execute("SELECT count(*) FROM messages").fetchone()[0],
        complete=complete,
    )


def _version_of_tables(source: sqlite3.Connection) -> int:
    """Return the latest version whose tables the file has: the number in its header may be damaged."""
    for version in range(LATEST, 0, -1):
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as pattern:
            pattern.row_factory = sqlite3.Row
            migrate(pattern, to=version)
            try:
                if all(set(_columns(pattern, table)) <= set(_columns(source, table)) for table in _TABLES):
                    return version
            except (sqlite3.Error, UnicodeDecodeError):
                return LATEST
    return LATEST


def _columns(target: sqlite3.Connection, table: str) -> list[str]:
    """Return the columns that can be inserted, without generated ones."""
    return [row["name"] for row in target.execute(f"PRAGMA table_info({table})")]


def _copy_table(source: sqlite3.Connection, target: sqlite3.Connection, table: str, columns: list[str]) -> bool:
    """Copy the readable rows of a table; return whether that was all of them."""
    key = "message_id" if table == "chunks" else "rowid"
    complete = True
    for row in _readable_rows(source, f"SELECT {key}, {', '.join(columns)} FROM {table}", key):
        if row is None or not _insert(target, table, dict(zip(columns, tuple(row)[1:], strict=True))):
            complete = False
    return complete


def _insert(target: sqlite3.Connection, table: str, values: dict[str, Any]) -> bool:
    """Insert a row, with `_mended` values if need be; return whether the table has it now."""
    for row in (values, _mended(target, table, values)):
        statement = f"INSERT OR IGNORE INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})"
        try:
            if target.execute(statement, tuple(row.values())).rowcount:
                return True
        except (sqlite3.Error, OverflowError, UnicodeError):
            continue
    return table != "chunks" and bool(
        target.execute(f"SELECT 1 FROM {table} WHERE rowid = ?", (next(iter(values.values())),)).fetchone()
    )


def _mended(target: sqlite3.Connection, table: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return the row with defaults where a column may not be null, and with a uid and a time key of its own."""
    mended = dict(values)
    for column in target.execute(f"PRAGMA table_info({table})"):
        name, default = column["name"], column["dflt_value"]
        if column["notnull"] and mended.get(name) is None:
            mended[name] = 0 if default is None else str(default).strip("'")
    identity = values.get("id")
    if "uid" in mended:
        mended["uid"] = f"recovered-{identity}"
    if table == "conversations":
        mended["origin"] = None
    elif table == "messages" and isinstance(identity, int):
        mended["time_key"] = -identity
        mended["role"] = _nearest(mended["role"], (*ROLES, TOOL))
        mended["state"] = _nearest(mended["state"], STATES)
    return mended


def _nearest(word: Any, known: tuple[str, ...]) -> str:
    """Return the known word that resembles a damaged one most."""
    return difflib.get_close_matches(str(word), known, n=1, cutoff=0.0)[0]


def _readable_rows(source: sqlite3.Connection, select: str, key: str) -> Iterator[sqlite3.Row | None]:
    """Yield the readable rows, found from both ends and by halving the range between; None for each failure."""
    if not _scan(source, f"{select} LIMIT 0")[1]:
        # The schema cannot be read, or has no such table.
        yield None
        return
    ranges = [(0, _HIGHEST_KEY)]
    failures = 0
    while ranges and failures < _MOST_FAILURES:
        low, high = ranges.pop()
        rows, all_read = _scan(source, f"{select} WHERE {key} BETWEEN {low} AND {high} ORDER BY {key}")
        yield from rows
        if all_read:
            continue
        failures += 1
        yield None
        low = max([low, *(row[0] + 1 for row in rows[-1:])])
        rows, _ = _scan(source, f"{select} WHERE {key} BETWEEN {low} AND {high} ORDER BY {key} DESC")
        yield from rows
        high = min([high, *(row[0] - 1 for row in rows[-1:])])
        if high == _HIGHEST_KEY:
            high = _LIKELY_KEY
        if low < high:
            middle = (low + high) // 2
            ranges += [(middle + 1, high), (low, middle)]


def _scan(source: sqlite3.Connection, query: str) -> tuple[list[sqlite3.Row], bool]:
    """Return the rows up to the first unreadable one, and whether all were readable."""
    rows: list[sqlite3.Row] = []
    try:
        for row in source.execute(query):
            rows.append(row)  # noqa: PERF402  (keep the rows before a failure)
    except (sqlite3.Error, UnicodeDecodeError, OverflowError):
        return rows, False
    return rows, True


def _mend_references(target: sqlite3.Connection) -> None:
    for statement in (
        """
        INSERT INTO conversations (id, uid, created_at, updated_at)
        SELECT conversation_id, 'recovered-' || conversation_id, min(created_at), max(created_at)
        FROM messages
        WHERE conversation_id NOT IN (SELECT id FROM conversations) GROUP BY conversation_id""",
        # Move messages below the parent of their lost parent, where that is known.
        """
        CREATE TEMP TABLE above AS SELECT selected_child, max(id) AS id FROM messages
        WHERE selected_child NOT IN (SELECT id FROM messages) GROUP BY selected_child""",
        """
        UPDATE messages SET parent_id = (SELECT above.id FROM temp.above WHERE above.selected_child = parent_id)
        WHERE parent_id NOT IN (SELECT id FROM messages)""",
        "DROP TABLE temp.above",
        """
        CREATE TEMP TABLE positions AS SELECT id, row_number() OVER (
            PARTITION BY conversation_id, parent_id ORDER BY position, id
        ) - 1 AS position FROM messages""",
        "CREATE INDEX temp.positions_by_id ON positions (id)",
        "UPDATE messages SET position = (SELECT positions.position FROM positions WHERE positions.id = messages.id)",
        "DROP TABLE positions",
        """
        UPDATE messages SET selected_child = (
            SELECT child.id FROM messages AS child WHERE child.parent_id = messages.id
            ORDER BY child.position DESC LIMIT 1
        )
        WHERE selected_child IS NULL OR selected_child NOT IN (SELECT id FROM messages)""",
        """
        UPDATE conversations SET selected_root = (
            SELECT id FROM messages WHERE conversation_id = conversations.id AND parent_id IS NULL
            ORDER BY position DESC, id DESC LIMIT 1
        )
        WHERE selected_root IS NULL OR selected_root NOT IN (SELECT id FROM messages)""",
        "UPDATE conversations SET folder_id = NULL WHERE folder_id NOT IN (SELECT id FROM folders)",
        "DELETE FROM chunks WHERE message_id NOT IN (SELECT id FROM messages)",
        "DELETE FROM token_views WHERE message_id NOT IN (SELECT id FROM messages)",
    ):
        target.execute(statement)
    if _columns(target, "requests"):
        target.execute("DELETE FROM requests WHERE message_id NOT IN (SELECT id FROM messages)")
