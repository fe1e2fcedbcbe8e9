"""Inserts messages with a few statements for all; one by one, an import's 20,000 would take ten seconds."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from app.conversations.database import Database, storable
from app.conversations.encoding import attachments_to_json, error_to_json, stats_to_json, to_json
from app.conversations.records import NewMessage

_COLUMNS = (
    "id, uid, conversation_id, parent_id, selected_child, position, time_key, role, content, state, created_at, "
    "attachments, main_model, draft_model, method, settings, seed, stats, finish_reason, error"
)
# How far, in microseconds, a message may be moved on to a free time.
_FURTHEST = 86_400_000_000


def next_message_id(database: Database) -> int:
    """The id that the next message gets; those of deleted messages are not given again."""
    return 1 + max(
        database.scalar("SELECT max(id) FROM messages") or 0,
        database.scalar("SELECT seq FROM sqlite_sequence WHERE name = 'messages'") or 0,
    )


def insert_messages(
    database: Database,
    conversation_id: int,
    messages: Sequence[NewMessage],
    parents: Sequence[int | None],
    times: Sequence[float],
) -> None:
    """Add messages, parents before children, each last among its siblings and selected.

    Their ids count up from `next_message_id`; `parents` are ids, also of these, or None for a first message. `times`
    are in seconds.
    """
    with database.write() as changes:
        first = next_message_id(database)
        ids = range(first, first + len(messages))
        # The last child of each is the selected one.
        selected = dict(zip(parents, ids, strict=True))
        positions = _positions(database, conversation_id, parents, first)
        keys = free_time_keys(database, times)
        rows = (
            (
                id_,
                message.uid or str(uuid.uuid4()),
                conversation_id,
                parent,
                selected.get(id_),
                position,
                key,
                *_values(message, created_at),
            )
            for id_, message, parent, position, key, created_at in zip(
                ids, messages, parents, positions, keys, times, strict=True
            )
        )
        marks = ", ".join("?" * len(_COLUMNS.split(",")))
        database.connection.executemany(
            f"INSERT INTO messages ({_COLUMNS}) VALUES ({marks})", (tuple(map(storable, row)) for row in rows)
        )
        for parent, child in selected.items():
            if parent is None:
                database.execute("UPDATE conversations SET selected_root = ? WHERE id = ?", (child, conversation_id))
            elif parent < first:
                database.execute("UPDATE messages SET selected_child = ? WHERE id = ?", (child, parent))
        changes.conversations.add(conversation_id)
        changes.messages.update(ids)
        changes.paths.add(conversation_id)


def _values(message: NewMessage, created_at: float) -> tuple[Any, ...]:
    source = message.source
    return (
        message.role,
        message.content,
        message.state,
        created_at,
        attachments_to_json(message.attachments),
        source.main_model,
        source.draft_model,
        source.method,
        to_json(source.settings),
        None if source.seed is None else str(source.seed),
        stats_to_json(message.stats),
        message.finish_reason,
        error_to_json(message.error),
    )


def _positions(database: Database, conversation_id: int, parents: Sequence[int | None], first: int) -> list[int]:
    """Each message's position among its siblings; ids from `first` on are of messages that are being added."""
    following: dict[int | None, int] = {}
    positions = []
    for parent in parents:
        if parent not in following:
            last = None
            if parent is None or parent < first:
                last = database.scalar(
                    "SELECT max(position) FROM messages WHERE conversation_id = ? AND parent_id IS ?",
                    (conversation_id, parent),
                )
            following[parent] = 0 if last is None else last + 1
        positions.append(following[parent])
        following[parent] += 1
    return positions


def free_time_keys(database: Database, times: Sequence[float]) -> list[int]:
    """The times in microseconds, each moved on to a number that no message has."""
    wanted = [int(created_at * 1_000_000) for created_at in times]
    if not wanted:
        return []
    taken = {
        row[0]
        for row in database.rows(
            # Past the last time too, where messages may be moved on to.
            "SELECT time_key FROM messages WHERE time_key BETWEEN ? AND ?",
            (min(wanted), max(wanted) + _FURTHEST),
        )
    }
    following: dict[int, int] = {}
    keys = []
    for key in wanted:
        start = key
        # Skip at once what was given for the same time: thousands of messages may share one.
        key = following.get(key, key)
        while key in taken:
            key += 1
        following[start] = key + 1
        taken.add(key)
        keys.append(key)
    return keys
