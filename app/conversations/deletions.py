"""Deleting messages, and putting back what was deleted.

A deleted message is removed from the file at once, its text is overwritten, and it is gone from the search, the exports
and the request history. Its words leave the pages of the search index some seconds later, when the store's thread has
merged them. What can be put back is kept in memory only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from app.conversations.conversation_list import ConversationList
from app.conversations.database import ChangeSet, Database
from app.conversations.errors import NotFound
from app.conversations.inserting import free_time_keys
from app.conversations.message_tree import MessageTree

# UNION, not UNION ALL: a circle of parents, which only damage makes, ends.
_BELOW = """
    WITH RECURSIVE below (id) AS (
        VALUES (?) UNION SELECT messages.id FROM messages JOIN below ON parent_id = below.id
    ) SELECT id FROM below ORDER BY id"""
# What belongs to a message and goes with it. Generated columns are computed again.
_BELONGINGS = {
    "chunks": ("message_id", "number", "text", "tokens", "rounds"),
    "token_views": ("message_id", "tokens", "rounds"),
    "requests": (
        "id",
        "message_id",
        "finished_at",
        "main_model",
        "draft_model",
        "method",
        "finish_reason",
        "stats",
        "client",
        "endpoint",
    ),
}

_Values = dict[str, Any]


@dataclass(frozen=True)
class Deletion:
    """What `Deletions.restore` puts back: whole rows, and where the messages stood that have moved up.

    `top` is the deleted message that stood highest, `position` its index among its siblings, `moved` the parent and the
    position that each message had which took its place.
    """

    conversation_id: int
    top: int
    parent_id: int | None
    position: int
    messages: tuple[_Values, ...]
    belongings: tuple[tuple[str, _Values], ...]
    moved: tuple[tuple[int, int, int], ...]

    @property
    def count(self) -> int:
        return len(self.messages)


class Deletions:
    """Every method raises NotFound for a message or a chat that is not there (any more)."""

    def __init__(self, database: Database, messages: MessageTree, conversations: ConversationList) -> None:
        self._database, self._messages, self._conversations = database, messages, conversations

    def delete_question(self, message_id: int) -> Deletion:
        """Delete a question with all of its answers. What followed them takes its place in the chat."""
        question = self._row(message_id)
        children = self._database.rows(
            "SELECT id, role, selected_child FROM messages WHERE parent_id = ?", (message_id,)
        )
        answers = {row["id"]: row["selected_child"] for row in children if row["role"] == "assistant"}
        marks = ", ".join("?" * len(answers))
        moved = self._database.rows(
            f"""
            SELECT id, parent_id, position FROM messages
            WHERE (parent_id = ? AND role <> 'assistant') OR parent_id IN ({marks})
            ORDER BY parent_id, position, id""",
            (message_id, *answers),
        )
        shown = question["selected_child"]
        return self._delete([message_id, *answers], moved, answers.get(shown, shown))

    def delete_answer(self, message_id: int) -> Deletion:
        """Delete an answer and all that followed it; other answers to its question stay."""
        self._row(message_id)
        below = [row["id"] for row in self._database.rows(_BELOW, (message_id,))]
        return self._delete(below, [], None)

    def restore(self, deletion: Deletion) -> None:
        """Put the messages back where they were, and show them. What was written since stays beside them."""
        self._conversations.get(deletion.conversation_id)
        if deletion.parent_id is not None:
            self._row(deletion.parent_id)
        with self._database.write() as changes:
            keys = free_time_keys(self._database, [values["created_at"] for values in deletion.messages])
            for values, key in zip(deletion.messages, keys, strict=True):
                self._insert("messages", values | {"time_key": key})
            for table, values in deletion.belongings:
                self._insert(table, values)
            siblings = self._siblings(deletion.conversation_id, deletion.parent_id)
            siblings.remove(deletion.top)
            for identity, parent, position in deletion.moved:
                # One that was deleted since, or that moved on, is not followed.
                if identity in siblings:
                    siblings.remove(identity)
                    self._database.execute(
                        "UPDATE messages SET parent_id = ?, position = ? WHERE id = ?", (parent, position, identity)
                    )
            siblings.insert(deletion.position, deletion.top)
            self._number(siblings)
            self._drop_lost_selections(deletion)
            self._messages.select(deletion.top)
            self._note(changes, deletion, deletion.conversation_id)

    def _delete(self, identities: Sequence[int], moved: Sequence[sqlite3.Row], shown: int | None) -> Deletion:
        """Delete messages, the highest of them first; `moved` take its place, with `shown` selected if it is one."""
        rows = [dict(row) for row in self._rows("messages", "id", identities)]
        top = next(row for row in rows if row["id"] == identities[0])
        conversation_id, parent_id = top["conversation_id"], top["parent_id"]
        siblings = self._siblings(conversation_id, parent_id)
        position = siblings.index(top["id"])
        deletion = Deletion(
            conversation_id,
            top["id"],
            parent_id,
            position,
            tuple(rows),
            tuple(self._belongings(identities)),
            tuple((row["id"], row["parent_id"], row["position"]) for row in moved),
        )
        with self._database.write() as changes:
            was_shown = self._is_selected(conversation_id, parent_id, top["id"])
            for row in moved:
                self._database.execute("UPDATE messages SET parent_id = ? WHERE id = ?", (parent_id, row["id"]))
            siblings[position : position + 1] = [row["id"] for row in moved]
            self._number(siblings)
            self._unselect(identities)
            # Children first: a parent is only deleted when nothing refers to it any more.
            for identity in reversed(identities):
                self._database.execute("DELETE FROM messages WHERE id = ?", (identity,))
            if siblings and was_shown:
                nearest = siblings[min(position, len(siblings) - 1)]
                self._select(conversation_id, parent_id, shown if shown in siblings else nearest)
            self._note(changes, deletion, conversation_id)
        return deletion

    def _note(self, changes: ChangeSet, deletion: Deletion, conversation_id: int) -> None:
        if deletion.parent_id is None:
            self._conversations.title_automatically(conversation_id)
        changes.conversations.add(conversation_id)
        changes.paths.add(conversation_id)
        changes.messages.update(values["id"] for values in deletion.messages)
        # The prefixes that were cached of the chat hold what was deleted.
        changes.removed_uids.add(self._conversations.get(conversation_id).uid)

    def _siblings(self, conversation_id: int, parent_id: int | None) -> list[int]:
        rows = self._database.rows(
            "SELECT id FROM messages WHERE conversation_id = ? AND parent_id IS ? ORDER BY position, id",
            (conversation_id, parent_id),
        )
        return [row["id"] for row in rows]

    def _number(self, siblings: Sequence[int]) -> None:
        for position, identity in enumerate(siblings):
            self._database.execute("UPDATE messages SET position = ? WHERE id = ?", (position, identity))

    def _is_selected(self, conversation_id: int, parent_id: int | None, message_id: int) -> bool:
        """Whether it is the sibling that the chat shows; without a selection, which only damage leaves, any may be."""
        table, owner = ("messages", parent_id) if parent_id is not None else ("conversations", conversation_id)
        column = "selected_child" if parent_id is not None else "selected_root"
        selected = self._database.scalar(f"SELECT {column} FROM {table} WHERE id = ?", (owner,))
        return selected in (None, message_id)

    def _select(self, conversation_id: int, parent_id: int | None, message_id: int) -> None:
        if parent_id is None:
            statement, owner = "UPDATE conversations SET selected_root = ? WHERE id = ?", conversation_id
        else:
            statement, owner = "UPDATE messages SET selected_child = ? WHERE id = ?", parent_id
        self._database.execute(statement, (message_id, owner))

    def _unselect(self, identities: Iterable[int]) -> None:
        for identity in identities:
            self._database.execute("UPDATE messages SET selected_child = NULL WHERE selected_child = ?", (identity,))

    def _drop_lost_selections(self, deletion: Deletion) -> None:
        """A message that was selected below a restored one may be gone by now."""
        for values in deletion.messages:
            self._database.execute(
                """
                UPDATE messages SET selected_child = NULL
                WHERE id = ?1 AND selected_child NOT IN (SELECT id FROM messages WHERE parent_id = ?1)""",
                (values["id"],),
            )

    def _row(self, message_id: int) -> sqlite3.Row:
        row = self._database.row("SELECT * FROM messages WHERE id = ?", (message_id,))
        if row is None:
            raise NotFound("message", message_id)
        return row

    def _belongings(self, identities: Sequence[int]) -> Iterable[tuple[str, _Values]]:
        for table, columns in _BELONGINGS.items():
            for row in self._rows(table, "message_id", identities):
                yield table, {column: row[column] for column in columns}

    def _rows(self, table: str, column: str, identities: Sequence[int]) -> Iterable[sqlite3.Row]:
        """One by one: SQLite takes only so many values in one statement."""
        for identity in identities:
            yield from self._database.rows(f"SELECT * FROM {table} WHERE {column} = ? ORDER BY {column}", (identity,))

    def _insert(self, table: str, values: _Values) -> None:
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        self._database.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(values.values()))
