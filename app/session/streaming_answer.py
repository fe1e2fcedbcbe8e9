"""One answer on its way: its turn is stored, the engine generates it, its events are shown and written to disk.

The steps stand here in the order in which they happen. No Qt in here: `store` goes to the store's thread and `start`
to the engine's; what comes back arrives on the Qt thread, events once a frame.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Any

from app.conversations.answer_format import grammar_of
from app.conversations.answer_writer import AnswerWriter
from app.conversations.chat_settings import Generation
from app.conversations.records import Message
from app.conversations.store import ConversationStore
from app.session import prompt_variables
from app.session.chat_service import ChatService
from app.session.chats import Chat, Turn, node_of
from app.session.model_service import ModelService
from app.session.store_client import StoreClient
from engine.errors import EngineError
from engine.events import Event, Failed, Finished
from engine.requests import ChatRequest

# Writes a turn; returns the ids of its question, which imported answers may lack, and of its answer.
WriteTurn = Callable[[ConversationStore], tuple[int | None, int]]


@dataclass(frozen=True)
class Services:
    """What an answer passes through."""

    models: ModelService
    chats: ChatService
    store: StoreClient


@dataclass(frozen=True)
class Listeners:
    """What is called as an answer proceeds; each gets the answer.

    `stored` once the turn is on disk, `arrived` after every frame with new events, the last of them with the answer's
    end, and `end_not_stored` if the store could not write that end; `finish` may then be called again.
    """

    stored: Callable[[StreamingAnswer], object]
    arrived: Callable[[StreamingAnswer], object]
    end_not_stored: Callable[[StreamingAnswer], object]


@dataclass(frozen=True)
class _StoredTurn:
    """A turn as it is on disk. `path` holds the ids of the messages that its chat shows by then."""

    question: Message | None
    answer: Message
    path: list[int]


class StreamingAnswer:
    """One request of one turn, from `store` to the answer's end on disk."""

    def __init__(
        self, chat: Chat, turn: Turn, generation: Generation, services: Services, listeners: Listeners
    ) -> None:
        self.chat, self.turn, self.generation = chat, turn, generation
        self._services, self._listeners = services, listeners
        self._writer: AnswerWriter | None = None
        self._stream: Any = None
        self._cancelled = False
        self._trouble_reported = False
        self._written = len(turn.answer.before)
        self._finish_reason = ""

    def cancel(self) -> None:
        """Stop within one round, or before the request is submitted."""
        self._cancelled = True
        if self._stream is not None:
            self._stream.cancel()

    def store(self, write: WriteTurn, not_stored: Callable[[], object]) -> None:
        """Write the turn, then submit its request. The engine gets nothing that is not on disk."""
        self._services.store.run(partial(_write_turn, write), self._turn_stored, lambda _error: not_stored())

    def _turn_stored(self, stored: _StoredTurn) -> None:
        self.turn.question_node, self.turn.answer_node = node_of(stored.question), node_of(stored.answer)
        self._writer = self._services.store.writer(stored.answer.id)
        self._services.chats.note_written(self.chat)
        self._listeners.stored(self)
        if stored.path == self.chat.stored_ids:
            self._submit()
        else:
            # Another branch was chosen while this was on its way to the store.
            self._services.chats.show_branch_of(self.chat, stored.answer.id, self._submit)

    def _submit(self) -> None:
        if self._cancelled:
            self._receive([Finished("cancelled", "", (), self.turn.answer.stats)])
            return
        try:
            request = chat_request(self.chat, self.turn, self.generation, self._services)
            self._stream = self._services.models.submit(request, self._receive)
        except EngineError as error:
            self._receive([Failed(error, "")])

    def _receive(self, events: list[Event]) -> None:
        """Show the events of one frame in the answer and pass what they added on to the disk."""
        answer = self.turn.answer
        tokens, rounds = len(answer.tokens), len(answer.rounds)
        answer.apply(events)
        self._write_new(tokens, rounds)
        if isinstance(events[-1], Finished):
            self._finish_reason = events[-1].reason
        if answer.ended:
            self.finish()
        self._listeners.arrived(self)

    def _write_new(self, tokens: int, rounds: int) -> None:
        """Hand the writer the text, and what follows that many tokens and rounds, that it does not have yet."""
        answer = self.turn.answer
        assert self._writer is not None
        if len(answer.tokens) > tokens or len(answer.text) > self._written:
            self._writer.append(answer.text[self._written :], answer.tokens[tokens:], answer.rounds[rounds:])
            self._written = len(answer.text)
        if not answer.ended and self._writer.trouble is not None and not self._trouble_reported:
            self._trouble_reported = True
            self._services.store.failed.emit(self._writer.trouble)

    def finish(self) -> None:
        """Write the end and learn how that went; the list of chats follows."""
        self._services.store.watch_end(self.write_end(), partial(self._listeners.end_not_stored, self))

    def write_end(self) -> Future[None]:
        """Write the rest of the ended answer with its figures, or with its error."""
        assert self._writer is not None
        answer = self.turn.answer
        if answer.error is not None:
            return self._writer.fail(answer.error.code, answer.error.arguments, answer.stats)
        return self._writer.finish(self._finish_reason, answer.stats)


def chat_request(chat: Chat, turn: Turn, generation: Generation, services: Services) -> ChatRequest:
    """What the engine is asked for a turn. Raises `BadRequest` and `GrammarNotUsable`."""
    return ChatRequest(
        chat.messages(turn, prompt_variables.values(services.models.pair)),
        generation.sampling,
        generation.speculation,
        max_tokens=generation.max_tokens,
        overflow=generation.overflow,
        template_options=services.models.pair.thinking.options(generation.thinking),
        conversation=chat.uid if services.store.persistent and chat.uid else None,
        grammar=grammar_of(generation.answer_format),
    )


def _write_turn(write: WriteTurn, store: ConversationStore) -> _StoredTurn:
    """On the store's thread."""
    question_id, answer_id = write(store)
    answer = store.messages.get(answer_id)
    # A chat that is continued in the trash must survive its emptying.
    store.conversations.restore(answer.conversation_id)
    path = store.messages.path_ids(answer.conversation_id)
    return _StoredTurn(None if question_id is None else store.messages.get(question_id), answer, path)
