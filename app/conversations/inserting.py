"""Inserts messages with few statements: a large import would take long if it inserted them one by one."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.conversations.database.database import Database, storable
from app.conversations.database.encoding import error_to_json, optional_json, source_values, to_json
from app.conversations.database.records import Attachment, NewMessage, SourceFile, pictures_in

_MESSAGE_COLUMNS = (
    "id, uid, conversation_id, parent_id, selected_child, position, time_key, role, content, state, created_at, "
    "attachments, main_model, draft_model, method, settings, seed, stats, finish_reason, error, tool_use"
)
# How far, in microseconds, a message may be moved to a free time: far enough for any number of messages at one time,
# but near enough that few messages are read if a computer's clock was ahead.
_FURTHEST = 60_000_000


def next_message_id(database: Database) -> int:
    """Return the id that the next message gets. Ids of deleted messages are not used again.

    A caller that counts on from it, for `insert_messages`, does so in one transaction (`Database.write`).
    """
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
    """Add messages to a chat, with ids that count up from `next_message_id`.

    `parents` are ids, None for a first message. A message of this call may be a parent: the caller knows its id from
    `next_message_id`, as long as nothing else is inserted in between. New messages come after their siblings in the
    order of the list, and the last new child of each parent becomes its selected one. For example, with next id 7,
    parents [3, 7, 7] add 7 below 3, then 8 and 9 below 7; 3 now selects 7, and 7 selects 9.

    `times` are in seconds since 1970; where two are equal, the later message gets the next free microsecond as its key.

    One transaction, or a part of the open one: reports the chat as changed, raises StoreNotWritable if the system
    refuses the write, and ValueError if the three sequences differ in length.
    """
    with database.write() as changes:
        first = next_message_id(database)
        ids = range(first, first + len(messages))
        # The selected child of each parent: the last one overwrites the others. The key None is the chat itself.
        selected_child = dict(zip(parents, ids, strict=True))
        positions = _positions(database, conversation_id, parents, first)
        keys = free_time_keys(database, times)
        rows = (
            (
                id_,
                message.uid or str(uuid.uuid4()),
                conversation_id,
                parent,
                selected_child.get(id_),
                position,
                key,
                *_values(message, created_at),
            )
            for id_, message, parent, position, key, created_at in zip(
                ids, messages, parents, positions, keys, times, strict=True
            )
        )
        marks = ", ".join("?" * len(_MESSAGE_COLUMNS.split(",")))
        database.connection.executemany(
            f"INSERT INTO messages ({_MESSAGE_COLUMNS}) VALUES ({marks})", (tuple(map(storable, row)) for row in rows)
        )
        earlier = {parent: child for parent, child in selected_child.items() if parent is None or parent < first}
        _select(database, conversation_id, earlier)
        changes.conversations.add(conversation_id)
    note_pictures(database, [attachment for message in messages for attachment in message.attachments])


def _select(database: Database, conversation_id: int, selected_child: Mapping[int | None, int]) -> None:
    """Set the selected child of each parent that was stored before; the parent None is the chat itself."""
    for parent, child in selected_child.items():
        if parent is None:
            database.execute("UPDATE conversations SET selected_root = ? WHERE id = ?", (child, conversation_id))
        else:
            database.execute("UPDATE messages SET selected_child = ? WHERE id = ?", (child, parent))


def note_pictures(database: Database, attachments: Iterable[Attachment | SourceFile]) -> None:
    """Record that a row refers to these pictures now: they are no longer kept without a reference.

    Called after the row is written: until then they must not be removed as unreferenced.
    """
    database.unreferenced.difference_update(picture.digest for picture in pictures_in(attachments))


def _values(message: NewMessage, created_at: float) -> tuple[Any, ...]:
    """Return the values of the columns from "role" on, in the order of `_MESSAGE_COLUMNS`."""
    return (
        message.role,
        message.content,
        message.state,
        created_at,
        to_json(message.attachments),
        *source_values(message.source),
        optional_json(message.stats),
        message.finish_reason,
        error_to_json(message.error),
        optional_json(message.tool_use),
    )


def has_parent(parent_id: int | None) -> str:
    """Return SQL for the messages under `parent_id` (None: the first messages).

    For "parent_id IS ?" with NULL, SQLite would read the first messages of all chats.
    """
    return "parent_id IS NULL" if parent_id is None else f"parent_id = {int(parent_id)}"


def _positions(database: Database, conversation_id: int, parents: Sequence[int | None], first: int) -> list[int]:
    """Return each message's position among its siblings. Ids from `first` on belong to messages being added."""
    following: dict[int | None, int] = {}
    positions = []
    for parent in parents:
        if parent not in following:
            last = None
            if parent is None or parent < first:
                last = database.scalar(
                    f"SELECT max(position) FROM messages WHERE conversation_id = ? AND {has_parent(parent)}",
                    (conversation_id,),
                )
            following[parent] = 0 if last is None else last + 1
        positions.append(following[parent])
        following[parent] += 1
    return positions


def free_time_keys(database: Database, times: Sequence[float]) -> list[int]:
    """Return the times in microseconds, each moved to the next number that no message has."""
    wanted = [int(created_at * 1_000_000) for created_at in times]
    # Messages may be moved past the last time too.
    between = (min(wanted, default=0), max(wanted, default=0) + _FURTHEST)
    rows = database.rows("SELECT time_key FROM messages WHERE time_key BETWEEN ? AND ?", between)
    taken = {row[0] for row in rows}
    following: dict[int, int] = {}
    keys = []
    for start in wanted:
        # Skip at once the keys given for the same time, which thousands of messages may share.
        key = following.get(start, start)
        while key in taken:
            key += 1
        following[start] = key + 1
        taken.add(key)
        keys.append(key)
    return keys
