"""Deletes messages and restores them.

A deletion overwrites the message in the file at once, and removes it from search, exports and the request history. Its
words leave the pages of the search index some seconds later, when the store's thread has merged them. Only memory holds
what can be restored.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from app.conversations.conversation_list import ConversationList
from app.conversations.database.database import Database
from app.conversations.database.encoding import attachments_from_json
from app.conversations.database.records import StoreChanges, pictures_in
from app.conversations.inserting import free_time_keys, note_pictures
from app.conversations.message_tree import MessageTree
from app.conversations.pictures import Pictures

# UNION, not UNION ALL, so that a circle of parents, caused by damage, ends.
_BELOW = """
    WITH RECURSIVE below (id) AS (
        VALUES (?) UNION SELECT messages.id FROM messages JOIN below ON parent_id = below.id
    ) SELECT id FROM below ORDER BY id"""
# A question with its answers, and the calls that these make with the answers after them.
_ANSWERS = """
    WITH RECURSIVE answers (id) AS (
        VALUES (?) UNION SELECT messages.id FROM messages JOIN answers ON parent_id = answers.id
        WHERE role IN ('assistant', 'tool')
    ) SELECT id FROM answers ORDER BY id"""
# The tables whose rows belong to messages.
_DEPENDENT_TABLES = ("chunks", "token_views", "requests")

_Values = dict[str, Any]


@dataclass(frozen=True)
class Deletion:
    """What `Deletions.restore` restores: whole rows, and the former places of the messages that moved up.

    `top` is the highest deleted message, `parent_id` its parent (None: it was a first message) and `position` its index
    among its siblings. `messages` are the deleted rows, parents first, and `belongings` the rows of other tables that
    belonged to them, each with its table. `moved` holds the id, the former parent and the former position of each
    message that took its place, and `pictures` the contents of the files that nothing else has.
    """

    conversation_id: int
    top: int
    parent_id: int | None
    position: int
    messages: tuple[_Values, ...]
    belongings: tuple[tuple[str, _Values], ...]
    moved: tuple[tuple[int, int, int], ...]
    pictures: tuple[bytes, ...]


class Deletions:
    """Every method raises NotFound for a message or a chat that does not exist (any more)."""

    def __init__(
        self, database: Database, messages: MessageTree, conversations: ConversationList, pictures: Pictures
    ) -> None:
        self._database = database
        self._messages = messages
        self._conversations = conversations
        self._pictures = pictures

    def delete_question(self, message_id: int) -> Deletion:
        """Delete a question with all of its answers and their calls, and return what restores them.

        The messages that followed them take its place. Raises NotFound.
        """
        question = self._messages.row(message_id)
        answers = self._database.ids(_ANSWERS, (message_id,))
        marks = ", ".join("?" * len(answers))
        moved = self._database.rows(
            f"""
            SELECT id, parent_id, position FROM messages
            WHERE parent_id IN ({marks}) AND role NOT IN ('assistant', 'tool')
            ORDER BY parent_id, position, id""",
            tuple(answers),
        )
        shown = question["selected_child"]
        moved_ids = {row["id"] for row in moved}
        # The next message that the chat shows is below the last answer.
        for _ in answers:
            if shown not in moved_ids:
                shown = self._database.scalar("SELECT selected_child FROM messages WHERE id = ?", (shown,))
        return self._delete(answers, moved, shown)

    def delete_answer(self, message_id: int) -> Deletion:
        """Delete an answer and all that followed it, and return what restores them. Other answers stay.

        Raises NotFound.
        """
        self._messages.row(message_id)
        return self._delete(self._database.ids(_BELOW, (message_id,)), [], None)

    def restore(self, deletion: Deletion) -> None:
        """Put the messages back where they were, and show them. Messages that were added since stay next to them.

        Raises NotFound if the chat or the parent does not exist any more.
        """
        self._conversations.get(deletion.conversation_id)
        if deletion.parent_id is not None:
            self._messages.row(deletion.parent_id)
        for content in deletion.pictures:
            self._pictures.add(content)
        with self._database.write() as changes:
            keys = free_time_keys(self._database, [values["created_at"] for values in deletion.messages])
            for values, key in zip(deletion.messages, keys, strict=True):
                self._database.insert("messages", **values | {"time_key": key})
                note_pictures(self._database, attachments_from_json(values["attachments"]))
            for table, values in deletion.belongings:
                self._database.insert(table, **values)
            siblings = self._messages.children(deletion.conversation_id, deletion.parent_id)
            siblings.remove(deletion.top)
            for identity, parent, position in deletion.moved:
                # A message that was deleted or moved again since is not there.
                if identity in siblings:
                    siblings.remove(identity)
                    self._database.update("messages", identity, parent_id=parent, position=position)
            siblings.insert(deletion.position, deletion.top)
            self._number(siblings)
            # Unselect messages below the restored ones that do not exist any more.
            for values in deletion.messages:
                self._database.execute(
                    """
                    UPDATE messages SET selected_child = NULL
                    WHERE id = ?1 AND selected_child NOT IN (SELECT id FROM messages WHERE parent_id = ?1)""",
                    (values["id"],),
                )
            self._messages.select(deletion.top)
            self._note(changes, deletion, deletion.conversation_id)

    def _delete(self, identities: Sequence[int], moved: Sequence[sqlite3.Row], shown: int | None) -> Deletion:
        """Delete messages, the highest first. `moved` take its place, and `shown`, if one of them, is selected."""
        rows = [dict(row) for row in self._rows("messages", "id", identities)]
        top = next(row for row in rows if row["id"] == identities[0])
        conversation_id = top["conversation_id"]
        parent_id = top["parent_id"]
        siblings = self._messages.children(conversation_id, parent_id)
        position = siblings.index(top["id"])
        deletion = Deletion(
            conversation_id,
            top["id"],
            parent_id,
            position,
            tuple(rows),
            tuple(self._dependent_rows(identities)),
            tuple((row["id"], row["parent_id"], row["position"]) for row in moved),
            tuple(self._contents(rows)),
        )
        with self._database.write() as changes:
            table = "conversations"
            column = "selected_root"
            owner = conversation_id
            if parent_id is not None:
                table = "messages"
                column = "selected_child"
                owner = parent_id
            # Without a selection, after damage, it may be any sibling.
            selected = self._database.scalar(f"SELECT {column} FROM {table} WHERE id = ?", (owner,))
            was_shown = selected in (None, top["id"])
            for row in moved:
                self._database.update("messages", row["id"], parent_id=parent_id)
            siblings[position : position + 1] = [row["id"] for row in moved]
            self._number(siblings)
            for identity in identities:
                self._database.execute(
                    "UPDATE messages SET selected_child = NULL WHERE selected_child = ?", (identity,)
                )
            # Children first: nothing may refer to a message that is deleted.
            for identity in reversed(identities):
                self._database.execute("DELETE FROM messages WHERE id = ?", (identity,))
            if siblings and was_shown:
                nearest = siblings[min(position, len(siblings) - 1)]
                chosen = shown if shown in siblings else nearest
                self._database.update(table, owner, **{column: chosen})
            self._note(changes, deletion, conversation_id)
        return deletion

    def _note(self, changes: StoreChanges, deletion: Deletion, conversation_id: int) -> None:
        """Report the chat as changed, title it again if its first message changed, and let its cached prefixes go."""
        if deletion.parent_id is None:
            self._conversations.title_automatically(conversation_id)
        changes.conversations.add(conversation_id)
        # Cached prefixes of the chat hold the deleted text.
        changes.removed_uids.add(self._conversations.get(conversation_id).uid)

    def _number(self, siblings: Sequence[int]) -> None:
        """Set the positions of these messages to their order."""
        for position, identity in enumerate(siblings):
            self._database.update("messages", identity, position=position)

    def _contents(self, rows: Sequence[_Values]) -> Iterable[bytes]:
        """Yield the contents of the pictures of messages, before their files are removed."""
        attachments = (attachment for row in rows for attachment in attachments_from_json(row["attachments"]))
        for digest in {picture.digest for picture in pictures_in(attachments)}:
            content = self._pictures.get(digest)
            if content is not None:
                yield content

    def _dependent_rows(self, identities: Sequence[int]) -> Iterable[tuple[str, _Values]]:
        """Yield the rows that belong to messages, each with its table."""
        for table in _DEPENDENT_TABLES:
            # Generated columns are not among them.
            columns = [row["name"] for row in self._database.rows(f"PRAGMA table_info({table})")]
            for row in self._rows(table, "message_id", identities):
                yield table, {column: row[column] for column in columns}

    def _rows(self, table: str, column: str, identities: Sequence[int]) -> Iterable[sqlite3.Row]:
        """Yield the rows of a table whose `column` has one of these ids, read one by one.

        SQLite limits the number of values in one statement.
        """
        for identity in identities:
            yield from self._database.rows(f"SELECT * FROM {table} WHERE {column} = ? ORDER BY {column}", (identity,))
