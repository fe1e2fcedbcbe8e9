"""One answer in progress: its turn is stored, the engine generates it, its events are shown and written to disk.

The methods stand in the order of these steps. No Qt in here: the store and the engine work on their own threads; their
results arrive on the Qt thread, events once a frame.
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

# Writes a turn; returns the ids of its question, None for some imported answers, and of its answer.
WriteTurn = Callable[[ConversationStore], tuple[int | None, int]]


@dataclass(frozen=True)
class Services:
    """The services that an answer uses."""

    models: ModelService
    chats: ChatService
    store: StoreClient


@dataclass(frozen=True)
class Listeners:
    """Callbacks that get the answer as it proceeds.

    `stored` is called once the turn is on disk, `arrived` after every frame with new events, `end_not_stored` if the
    store could not write the answer's end; `finish` may then be called again.
    """

    stored: Callable[[StreamingAnswer], object]
    arrived: Callable[[StreamingAnswer], object]
    end_not_stored: Callable[[StreamingAnswer], object]


@dataclass(frozen=True)
class _StoredTurn:
    """A turn on disk. `path` has the ids of the messages that its chat showed when it was stored."""

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
        """Stop the answer within one round, or before its request is submitted."""
        self._cancelled = True
        if self._stream is not None:
            self._stream.cancel()

    def store(self, write: WriteTurn, not_stored: Callable[[], object]) -> None:
        """Write the turn, then submit its request: the engine gets no question that is not on disk."""
        self._services.store.run(partial(_write_turn, write), self._turn_stored, lambda _error: not_stored())

    def _turn_stored(self, stored: _StoredTurn) -> None:
        self.turn.question_node, self.turn.answer_node = node_of(stored.question), node_of(stored.answer)
        self._writer = self._services.store.writer(stored.answer.id)
        self._services.chats.note_written(self.chat)
        self._listeners.stored(self)
        if stored.path == self.chat.stored_ids:
            self._submit()
        else:
            # The user chose another branch meanwhile.
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
        """Apply the events of one frame to the answer and write what they added."""
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
        """Pass new text to the writer, with the tokens and rounds after the first `tokens` and `rounds`."""
        answer = self.turn.answer
        assert self._writer is not None
        if len(answer.tokens) > tokens or len(answer.text) > self._written:
            self._writer.append(answer.text[self._written :], answer.tokens[tokens:], answer.rounds[rounds:])
            self._written = len(answer.text)
        if not answer.ended and self._writer.trouble is not None and not self._trouble_reported:
            self._trouble_reported = True
            self._services.store.failed.emit(self._writer.trouble)

    def finish(self) -> None:
        """Write the end, then update the list of chats or report that the store could not write it."""
        self._services.store.watch_end(self.write_end(), partial(self._listeners.end_not_stored, self))

    def write_end(self) -> Future[None]:
        """Write the rest of the ended answer with its figures and its error, if any."""
        assert self._writer is not None
        answer = self.turn.answer
        if answer.error is not None:
            return self._writer.fail(answer.error.code, answer.error.arguments, answer.stats)
        return self._writer.finish(self._finish_reason, answer.stats)


def chat_request(chat: Chat, turn: Turn, generation: Generation, services: Services) -> ChatRequest:
    """Return the engine's request for a turn. Raises `BadRequest` and `GrammarNotUsable`."""
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
    """Write a turn and read it back. Runs on the store's thread."""
    question_id, answer_id = write(store)
    answer = store.messages.get(answer_id)
    # A chat that is continued leaves the trash.
    store.conversations.restore(answer.conversation_id)
    path = store.messages.path_ids(answer.conversation_id)
    return _StoredTurn(None if question_id is None else store.messages.get(question_id), answer, path)
