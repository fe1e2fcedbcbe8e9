"""Answers on disk: started, streamed in chunks, then finished, failed, or found interrupted at the next start.

The calls of tools that answers ask for are written in the same way; their text is the result.

A streaming answer is appended as rows, so that the cost of a write does not grow with the answer. Its end folds the
rows into the message, which only then becomes searchable.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from app.conversations.conversation_list import ConversationList
from app.conversations.database.database import Database
from app.conversations.database.encoding import (
    error_to_json,
    join_packed,
    pack_rounds,
    pack_tokens,
    source_values,
    to_json,
)
from app.conversations.database.errors import NotFound, WrongState
from app.conversations.database.records import (
    COMPLETE,
    FAILED,
    GIVEN_BEFORE,
    INTERRUPTED,
    REPEATING,
    STOPPED_REPEATING,
    STREAMING,
    TOOL,
    AnswerSource,
    Attachment,
    Error,
    NewMessage,
    ToolUse,
)
from app.conversations.database.search_tokens import index_text
from app.conversations.inserting import note_pictures
from app.conversations.message_tree import MessageTree
from engine.events import Token
from engine.stats import NO_SPEEDUP, RequestStats, RoundRecord

# The first words of a text, within its first characters, by which the index looks up answers that may be equal to it.
# The whole texts of those are compared.
_LOOKED_UP_CHARACTERS = 400
_LOOKED_UP_WORDS = 16


class Answers:
    """Operations on answers.

    They raise NotFound if the message does not exist (any more), and WrongState if its state does not fit the
    operation.
    """

    def __init__(self, database: Database, messages: MessageTree, conversations: ConversationList) -> None:
        self._database = database
        self._messages = messages
        self._conversations = conversations

    def start(self, parent_id: int, source: AnswerSource) -> int:
        """Add an empty streaming answer below that message, select it and return its id. Raises NotFound."""
        parent = self._messages.get(parent_id)
        return self._messages.add(
            parent.conversation_id, parent_id, NewMessage("assistant", "", state=STREAMING, source=source)
        )

    def regenerate(self, message_id: int, source: AnswerSource) -> int:
        """Add a streaming sibling of that answer, select it and return its id.

        Raises NotFound, or WrongState if the message is no answer to another message.
        """
        message = self._messages.get(message_id)
        if message.parent_id is None or message.role != "assistant":
            raise WrongState(message_id, f"a {message.role}'s", "an answer to something")
        return self.start(message.parent_id, source)

    def resume(self, message_id: int, source: AnswerSource) -> None:
        """Continue an ended answer: it streams again from where it stopped.

        Raises NotFound, or WrongState if the message is no answer or is streaming.
        """
        message = self._messages.get(message_id)
        if message.role != "assistant" or message.state == STREAMING:
            raise WrongState(message_id, message.state, "an ended answer")
        with self._database.write() as changes:
            self._database.execute(
                """
                UPDATE messages SET state = ?, finish_reason = NULL, error = NULL,
                    main_model = ?, draft_model = ?, method = ?, settings = ?, seed = ?
                WHERE id = ?""",
                (STREAMING, *source_values(source), message_id),
            )
            changes.conversations.add(message.conversation_id)

    def append(
        self, message_id: int, text: str, tokens: Sequence[Token] = (), rounds: Sequence[RoundRecord] = ()
    ) -> None:
        """Add streamed text, its tokens and its rounds; they are on disk when this returns.

        Raises NotFound, or WrongState if the answer is not streaming.
        """
        with self._database.write():
            self._require_streaming(message_id)
            self._database.execute(
                """
                INSERT INTO chunks (message_id, number, text, tokens, rounds)
                SELECT ?1, coalesce(max(number), -1) + 1, ?2, ?3, ?4 FROM chunks WHERE message_id = ?1""",
                (message_id, text, pack_tokens(tokens), pack_rounds(rounds)),
            )

    def finish(
        self,
        message_id: int,
        reason: str | None = None,
        stats: RequestStats | None = None,
        text: str = "",
        tokens: Sequence[Token] = (),
        rounds: Sequence[RoundRecord] = (),
        error: Error | None = None,
        interrupted: bool = False,
        compare: bool = False,
    ) -> None:
        """End a streaming answer or call with the engine's `reason`, or with its `error`; the written text stays.

        `text`, `tokens` and `rounds` are its last part, which is not written yet. With `stats`, the figures of an
        answer enter the history. One that is `interrupted` (found at the start of the app) does not count as a use of
        the chat. With `compare`, the reason of an answer that has the text of another one becomes GIVEN_BEFORE, and its
        speed-up unknown: drafts may have been copied from that other one.

        Raises NotFound, or WrongState if the message is not streaming.
        """
        if error is not None:
            error = error[0], {name: str(value) for name, value in error[1].items()}
        state = COMPLETE if error is None else FAILED
        if interrupted:
            state = INTERRUPTED
        self._require_streaming(message_id)
        message = self._messages.get(message_id)
        now = self._database.clock()
        content = message.content + text
        if compare and stats is not None and self._has_twin(message_id, content):
            reason = GIVEN_BEFORE
            stats = replace(stats, **NO_SPEEDUP)
        with self._database.write() as changes:
            self._fold(message_id, content, tokens, rounds)
            self._database.update("messages", message_id, state=state, finish_reason=reason, error=error_to_json(error))
            if stats is not None:
                self._keep_figures(message_id, now, reason or state, stats)
            if not interrupted:
                self._database.update("conversations", message.conversation_id, updated_at=now)
            # The first answer of a chat gives it its title.
            if message.parent_id is not None and self._messages.get(message.parent_id).parent_id is None:
                self._conversations.title_automatically(message.conversation_id)
            changes.conversations.add(message.conversation_id)

    def _keep_figures(self, message_id: int, finished_at: float, reason: str, stats: RequestStats) -> None:
        """Store an answer's figures with it and in the history."""
        self._database.update("messages", message_id, stats=to_json(stats))
        self._database.execute(
            """
            INSERT INTO requests
                (message_id, finished_at, main_model, draft_model, method, finish_reason, stats)
            SELECT id, ?, main_model, draft_model, method, ?, ? FROM messages WHERE id = ?""",
            (finished_at, reason, to_json(stats), message_id),
        )

    def is_given_before(self, message_id: int) -> bool:
        """Return whether an answer that ended has the text of another one, in any chat. Raises NotFound."""
        return self._messages.get(message_id).finish_reason == GIVEN_BEFORE

    def _has_twin(self, message_id: int, content: str) -> bool:
        """Return whether another answer has exactly this text. The index finds those that begin with the same words."""
        words = index_text(content[:_LOOKED_UP_CHARACTERS]).split()[:_LOOKED_UP_WORDS]
        if not words:
            return False
        twin = self._database.scalar(
            """
            SELECT 1 FROM search CROSS JOIN messages ON messages.time_key = search.rowid
            WHERE search MATCH ? AND role = 'assistant' AND content = ? AND messages.id <> ? LIMIT 1""",
            (f'text : "{" ".join(words)}"', content, message_id),
        )
        return twin is not None

    def stop_repeating(self, message_id: int) -> None:
        """Mark an answer that was paused because it repeats itself as stopped by the person."""
        with self._database.write():
            self._database.execute(
                "UPDATE messages SET finish_reason = ? WHERE id = ? AND finish_reason = ?",
                (STOPPED_REPEATING, message_id, REPEATING),
            )

    def start_calls(self, answer_id: int, calls: Sequence[ToolUse]) -> list[int]:
        """Add the calls that an ended answer asked for, each below the one before it, and return their ids."""
        ids = list[int]()
        parent = self._messages.get(answer_id)
        with self._database.write():
            for call in calls:
                message = NewMessage(TOOL, "", state=STREAMING, tool_use=call)
                ids.append(self._messages.add(parent.conversation_id, ids[-1] if ids else answer_id, message))
        return ids

    def end_call(
        self, message_id: int, tool_use: ToolUse, text: str, error: Error | None, pictures: Sequence[Attachment] = ()
    ) -> None:
        """End a call with its result, or with the code and arguments of the `error` because of which it has none.

        Raises NotFound, or WrongState if the call has ended.
        """
        with self._database.write():
            self.finish(message_id, text=text, error=error)
            self._database.update("messages", message_id, tool_use=to_json(tool_use), attachments=to_json(pictures))
        note_pictures(self._database, pictures)

    def mark_interrupted(self) -> None:
        """End every streaming answer and running call as interrupted, with the text so far."""
        streaming_ids = self._database.ids("SELECT id FROM messages WHERE state = ? ORDER BY id", (STREAMING,))
        with self._database.write():
            for message_id in streaming_ids:
                self.finish(message_id, interrupted=True)

    def _fold(
        self, message_id: int, content: str, last_tokens: Sequence[Token], last_rounds: Sequence[RoundRecord]
    ) -> None:
        """Move the chunks, the last tokens and the last rounds into the message itself."""
        packed = self._messages.packed(message_id)
        if last_tokens or last_rounds:
            packed.append((pack_tokens(last_tokens), pack_rounds(last_rounds)))
        self._database.update("messages", message_id, content=content)
        if packed:
            tokens, rounds = map(join_packed, zip(*packed, strict=True))
            self._database.execute(
                "INSERT OR REPLACE INTO token_views (message_id, tokens, rounds) VALUES (?, ?, ?)",
                (message_id, tokens, rounds),
            )
        self._database.execute("DELETE FROM chunks WHERE message_id = ?", (message_id,))

    def _require_streaming(self, message_id: int) -> None:
        """Raise NotFound if there is no such message, WrongState if it is not streaming."""
        state = self._database.scalar("SELECT state FROM messages WHERE id = ?", (message_id,))
        if state is None:
            raise NotFound("message", message_id)
        if state != STREAMING:
            raise WrongState(message_id, state, STREAMING)
