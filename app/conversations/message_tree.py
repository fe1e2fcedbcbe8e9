"""A chat's messages as a tree: edits and regenerated answers are siblings, and no message is overwritten.

A chat shows the chain of selected children that begins at its selected first message. Every new message is selected.
"""

from __future__ import annotations

import itertools
import sqlite3
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from app.conversations.chat_settings import without_permissions
from app.conversations.conversation_list import ConversationList
from app.conversations.database.database import Database
from app.conversations.database.encoding import (
    attachments_from_json,
    number_of,
    object_from_json,
    stats_from_json,
    text_of,
    tool_use_of,
    unpack_rounds,
    unpack_tokens,
)
from app.conversations.database.errors import NotFound
from app.conversations.database.records import (
    INTERRUPTED,
    STREAMING,
    TOOL,
    AnswerSource,
    Attachment,
    Message,
    NewMessage,
)
from app.conversations.inserting import free_time_keys, has_parent, insert_messages, next_message_id
from engine.events import Token
from engine.stats import RoundRecord

_SELECT_MESSAGE = """
    SELECT m.*,
        CASE WHEN m.parent_id IS NULL
            THEN (
                SELECT count(*) FROM messages AS s
                WHERE s.conversation_id = m.conversation_id AND s.parent_id IS NULL
            )
            ELSE (SELECT count(*) FROM messages AS s WHERE s.parent_id = m.parent_id)
        END AS sibling_count,
        CASE WHEN m.state = 'streaming' THEN (
            SELECT group_concat(text, '')
            FROM (SELECT text FROM chunks WHERE message_id = m.id ORDER BY number)
        ) END AS streamed"""
# A damaged selection falls back to the last sibling. The path starts at a message without a parent, and each step goes
# to a child, so that no damaged reference closes a circle.
_PATH = """
    WITH RECURSIVE path (id, depth) AS (
        SELECT * FROM (
            SELECT messages.id, 0 FROM messages JOIN conversations ON conversations.id = conversation_id
            WHERE conversation_id = ? AND parent_id IS NULL
            ORDER BY messages.id = selected_root DESC, position DESC LIMIT 1
        )
        UNION ALL
        SELECT coalesce(
            (SELECT c.id FROM messages AS c WHERE c.id = above.selected_child AND c.parent_id = above.id),
            (SELECT c.id FROM messages AS c WHERE c.parent_id = above.id ORDER BY c.position DESC LIMIT 1)
        ), depth + 1
        FROM path JOIN messages AS above ON above.id = path.id
    )"""


class MessageTree:
    """Operations on the messages of one chat. They raise NotFound for ids that do not exist."""

    def __init__(self, database: Database, conversations: ConversationList) -> None:
        self._database = database
        self._conversations = conversations

    def get(self, message_id: int) -> Message:
        """Return a message, with the text so far if it is streaming. Raises NotFound."""
        row = self._database.row(f"{_SELECT_MESSAGE} FROM messages AS m WHERE m.id = ?", (message_id,))
        if row is None:
            raise NotFound("message", message_id)
        return _message(row)

    def path(self, conversation_id: int) -> list[Message]:
        """Return the messages that the chat shows, first message first."""
        rows = self._database.rows(
            f"{_PATH} {_SELECT_MESSAGE} FROM path JOIN messages AS m ON m.id = path.id ORDER BY depth",
            (conversation_id,),
        )
        return [_message(row) for row in rows]

    def path_ids(self, conversation_id: int) -> list[int]:
        """Return the ids of the messages that the chat shows, without instructions, first message first."""
        return self._database.ids(
            f"{_PATH} SELECT m.id FROM path JOIN messages AS m USING (id) WHERE role <> 'system' ORDER BY depth",
            (conversation_id,),
        )

    def all(self, conversation_id: int) -> list[Message]:
        """Return every message of the chat, parents before children."""
        rows = self._database.rows(
            f"{_SELECT_MESSAGE} FROM messages AS m WHERE m.conversation_id = ? ORDER BY m.id", (conversation_id,)
        )
        return [_message(row) for row in rows]

    def active_leaf(self, conversation_id: int) -> int | None:
        """Return the id of the last message that the chat shows; None for a chat without messages."""
        leaf: int | None = self._database.scalar(
            f"{_PATH} SELECT id FROM path WHERE id IS NOT NULL ORDER BY depth DESC LIMIT 1", (conversation_id,)
        )
        return leaf

    def siblings(self, message_id: int) -> list[int]:
        """Return the ids of the messages with this one's parent, this one included, in their order."""
        message = self.row(message_id)
        return self.children(message["conversation_id"], message["parent_id"])

    def children(self, conversation_id: int, parent_id: int | None) -> list[int]:
        """Return the ids of the messages under `parent_id` (None: the first messages), in their order."""
        return self._database.ids(
            f"""
            SELECT id FROM messages WHERE conversation_id = ? AND {has_parent(parent_id)}
            ORDER BY position, id""",
            (conversation_id,),
        )

    def answer_path(self, message_id: int) -> list[Message]:
        """Return an answer, then the calls and answers that were last shown below it, up to the next question."""
        path = [self.get(message_id)]
        while below := self.children(path[0].conversation_id, path[-1].id):
            selected = self.row(path[-1].id)["selected_child"]
            child = self.get(selected if selected in below else below[-1])
            # Damaged references may close a circle.
            if child.role == "user" or child in path:
                break
            path.append(child)
        return path

    def tokens(self, message_id: int) -> list[Token]:
        """Return the tokens of an answer, streaming or not; empty where none were recorded."""
        return [token for packed, _ in self.packed(message_id) for token in unpack_tokens(packed)]

    def rounds(self, message_id: int) -> list[RoundRecord]:
        """Return the rounds of an answer, streaming or not; empty where none were recorded."""
        return [record for _, packed in self.packed(message_id) for record in unpack_rounds(packed)]

    def packed(self, message_id: int) -> list[tuple[bytes, bytes]]:
        """Return the packed tokens and rounds of an answer: of earlier requests first, then of each chunk, in order."""
        rows = self._database.rows(
            """
            SELECT tokens, rounds FROM (
                SELECT -1 AS number, tokens, rounds FROM token_views WHERE message_id = ?1
                UNION ALL SELECT number, tokens, rounds FROM chunks WHERE message_id = ?1
            ) ORDER BY number""",
            (message_id,),
        )
        return [(row["tokens"], row["rounds"]) for row in rows]

    def add_user_turn(self, conversation_id: int, text: str, attachments: Iterable[Attachment] = ()) -> int:
        """Add a question at the end of the visible path, clear the unsent message, and return the question's id.

        The first question of a chat also gives it its title.
        """
        with self._database.write():
            self._conversations.set_unsent(conversation_id, "")
            parent = self.active_leaf(conversation_id)
            message_id = self.add(conversation_id, parent, NewMessage("user", text, attachments=tuple(attachments)))
            if parent is None:
                self._conversations.title_automatically(conversation_id)
        return message_id

    def edit(self, message_id: int, text: str) -> int:
        """Add a sibling with another text, select it and return its id.

        What followed the old message stays under the old one. An edited answer has neither a model nor statistics.
        """
        original = self.get(message_id)
        with self._database.write():
            edited = "edited" if original.role == "assistant" else None
            message = NewMessage(original.role, text, attachments=original.attachments, finish_reason=edited)
            sibling = self.add(original.conversation_id, original.parent_id, message)
            if original.parent_id is None:
                self._conversations.title_automatically(original.conversation_id)
        return sibling

    def select(self, message_id: int) -> None:
        """Make its chat show the message, between its parents and the messages that were last shown below it."""
        with self._database.write():
            chain = self._upwards(message_id)
            for message, parent in itertools.pairwise(chain):
                self._database.update("messages", parent["id"], selected_child=message["id"])
            self._database.update("conversations", chain[0]["conversation_id"], selected_root=chain[-1]["id"])

    def branch(self, message_id: int, title: str | None = None) -> int:
        """Copy the messages from the first one to this one into a new chat, and return that chat's id.

        Their siblings are not copied. Without a `title`, the copy has the title of the original.
        """
        chain = self._upwards(message_id)
        with self._database.write():
            # The copies have no siblings.
            rows = [dict(row) | {"position": 0} for row in reversed(chain)]
            copy_id, copies = self._copy_conversation(chain[0]["conversation_id"], rows, title)
            self.select(copies[message_id])
        return copy_id

    def duplicate(self, conversation_id: int, title: str | None = None) -> int:
        """Copy all messages, every sibling included, into a new chat, and return that chat's id."""
        rows = self._database.rows("SELECT * FROM messages WHERE conversation_id = ? ORDER BY id", (conversation_id,))
        return self._copy_conversation(conversation_id, rows, title)[0]

    def add(self, conversation_id: int, parent_id: int | None, message: NewMessage) -> int:
        """Insert a message as the last child of `parent_id` (None: as a first message), select it and return its id."""
        now = self._database.clock()
        with self._database.write():
            message_id = next_message_id(self._database)
            times = [now if message.created_at is None else message.created_at]
            insert_messages(self._database, conversation_id, [message], [parent_id], times)
            self._database.update("conversations", conversation_id, updated_at=now)
        return message_id

    def _copy_conversation(
        self, original_id: int, rows: Sequence[sqlite3.Row | dict[str, Any]], title: str | None
    ) -> tuple[int, dict[int, int]]:
        """Copy messages into a new chat; return its id, and the ids of the copies by the ids of the originals."""
        original = self._conversations.get(original_id)
        with self._database.write():
            copy_id = self._conversations.create(
                title=original.title if title is None else title,
                title_edited=original.title_edited if title is None else True,
                system_prompt=original.system_prompt,
                settings=without_permissions(original.settings),
                folder_id=original.folder_id,
            )
            keys = free_time_keys(self._database, [number_of(row["created_at"]) for row in rows])
            copies = {row["id"]: self._copy_message(row, copy_id, key) for row, key in zip(rows, keys, strict=True)}
            for row in rows:
                parent = copies.get(row["parent_id"])
                child = copies.get(row["selected_child"])
                self._database.update("messages", copies[row["id"]], parent_id=parent, selected_child=child)
            root = self._database.scalar("SELECT selected_root FROM conversations WHERE id = ?", (original_id,))
            self._database.update("conversations", copy_id, selected_root=copies.get(root))
        return copy_id, copies

    def _copy_message(self, row: sqlite3.Row | dict[str, Any], conversation_id: int, time_key: int) -> int:
        """Copy a message's row. The copy of a streaming message is interrupted and has the text so far."""
        shown = self.get(row["id"])
        values = dict(row) | {
            "id": None,
            "uid": str(uuid.uuid4()),
            "conversation_id": conversation_id,
            "parent_id": None,
            "selected_child": None,
            "time_key": time_key,
            "content": shown.content,
            "state": INTERRUPTED if shown.state == STREAMING else shown.state,
        }
        copy_id = self._database.insert("messages", **values)
        self._database.execute(
            """
            INSERT INTO token_views (message_id, tokens, rounds)
            SELECT ?, tokens, rounds FROM token_views WHERE message_id = ?""",
            (copy_id, row["id"]),
        )
        return copy_id

    def _upwards(self, message_id: int) -> list[sqlite3.Row]:
        """Return the rows of the message, its parent and so on. A circle, caused by damage, ends before it closes."""
        chain = {message_id: self.row(message_id)}
        while (parent := next(reversed(chain.values()))["parent_id"]) is not None and parent not in chain:
            chain[parent] = self.row(parent)
        return list(chain.values())

    def row(self, message_id: int) -> sqlite3.Row:
        """Return the message's row of the table. Raises NotFound."""
        row = self._database.row("SELECT * FROM messages WHERE id = ?", (message_id,))
        if row is None:
            raise NotFound("message", message_id)
        return row


def _message(row: sqlite3.Row) -> Message:
    """Return the message in a row of `_SELECT_MESSAGE`; what damage made unreadable becomes empty or None."""
    error = None if row["error"] is None else object_from_json(row["error"])
    seed = text_of(row["seed"])
    return Message(
        id=row["id"],
        conversation_id=row["conversation_id"],
        parent_id=row["parent_id"],
        position=row["position"],
        sibling_count=row["sibling_count"],
        role=row["role"],
        state=row["state"],
        finish_reason=row["finish_reason"],
        uid=text_of(row["uid"]),
        content=text_of(row["content"]) + text_of(row["streamed"]),
        created_at=number_of(row["created_at"]),
        attachments=attachments_from_json(row["attachments"]),
        source=AnswerSource(
            main_model=text_of(row["main_model"]),
            draft_model=text_of(row["draft_model"]),
            method=text_of(row["method"]),
            settings=object_from_json(row["settings"]),
            seed=int(seed) if seed.isdecimal() else None,
        ),
        stats=stats_from_json(row["stats"]),
        error=None if error is None else (str(error.get("code", "")), error.get("arguments") or {}),
        tool_use=tool_use_of(object_from_json(row["tool_use"])) if row["role"] == TOOL else None,
    )
