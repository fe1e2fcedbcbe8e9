"""Writers of replies, which endpoints share: answers as server-sent events while they grow, or whole."""

from __future__ import annotations

import secrets
import time
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar

from starlette.types import Receive, Scope, Send

from app.api.answering import KEEP_ALIVE_S, Answering, CompleteAnswer, failure
from app.api.queued_answers import ClientGone, IndexedEvent
from app.api.requests.errors import DONE, EVENT_HEADERS, KEEP_ALIVE, ApiError, sse
from app.api.requests.usage import lengths_of, openai_usage, reasoning_tokens, speculation, timings
from app.text.answer_parts import AnswerParts
from app.text.answer_pieces import Delta
from app.text.growing_calls import CallPiece
from engine.events import Event, Finished, PrefillProgress, Token, TokensCommitted
from engine.stats import RequestStats

# The field of events that says how much of the prompt has been read, where the API has none for that.
PROGRESS = "x-prompt-progress"


class ResponseWriter(ABC):
    """Writes the answers of one call in the form of its endpoint, as a stream or whole.

    headers: those of a stream
    load_s: the seconds that the call waited for its model, set before anything is written
    format_field: the field of the body to blame if the format of the answers is refused, set before anything is written
    """

    headers: ClassVar[Mapping[str, str]] = EVENT_HEADERS
    load_s = 0.0
    format_field = ""
    # How far the prompt has been read; None before, and once it has been.
    reading: PrefillProgress | None = None

    @property
    def answers(self) -> Sequence[AnswerParts]:
        """The parts of each answer so far, if it has such."""
        return ()

    def keep_alive(self) -> bytes:
        """Return what a stream sends when nothing happens for a while, after its first `write`.

        Programs leave that see only comments, so it is an event wherever the form has one that changes nothing.
        """
        return KEEP_ALIVE

    @property
    def progress(self) -> dict[str, Any]:
        """How much of the prompt has been read, under the names of llama.cpp; nothing once it has been."""
        reading = self.reading
        if reading is None:
            return {}
        return {"total": reading.total, "cache": reading.cached, "processed": reading.done}

    def write(self, batch: list[IndexedEvent]) -> bytes:
        """Return a batch of events as server-sent events."""
        written: list[bytes] = []
        for index, event in batch:
            self.reading = event if isinstance(event, PrefillProgress) else None
            error = failure(event, self.format_field)
            written += self.events(index, event) if error is None else [self.failed(error)]
        return b"".join(written)

    def finish(self) -> bytes:
        """Return the end of the stream."""
        return b""

    @abstractmethod
    def whole(self, answers: Sequence[CompleteAnswer]) -> dict[str, Any]:
        """Return all answers at once."""

    @abstractmethod
    def events(self, index: int, event: Event) -> list[bytes]:
        """Return the stream's bytes for one event of the answer `index`."""

    @abstractmethod
    def failed(self, error: ApiError) -> bytes:
        """Return the event that says why an answer ended early."""


class EventStream:
    """An ASGI response that streams the answers as `writer` writes them, with `more` headers.

    It calls `on_end` when all have ended.
    """

    def __init__(
        self,
        answering: Answering,
        writer: ResponseWriter,
        more: Mapping[str, str],
        on_end: Callable[[], object] = lambda: None,
    ) -> None:
        self._answering = answering
        self._writer = writer
        self._more = more
        self._on_end = on_end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        try:
            with suppress(ClientGone):
                await self._send_all(send)
        finally:
            self._answering.close()

    async def _send_all(self, send: Send) -> None:
        headers = [(name.encode(), value.encode()) for name, value in {**self._writer.headers, **self._more}.items()]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        sent = time.monotonic()
        async for batch in self._answering.events():
            silent = time.monotonic() - sent >= KEEP_ALIVE_S
            if body := self._writer.write(batch) or (self._writer.keep_alive() if silent else b""):
                await send({"type": "http.response.body", "body": body, "more_body": True})
                sent = time.monotonic()
        await send({"type": "http.response.body", "body": self._writer.finish(), "more_body": False})
        self._on_end()


class ChoicesWriter(ResponseWriter):
    """Answers as the numbered choices of an OpenAI completion."""

    id_kind: ClassVar[str]
    whole_object: ClassVar[str]
    chunk_object: ClassVar[str]

    def __init__(self, model: str, *, with_usage: bool, logprobs: bool) -> None:
        self._frame = {"id": new_id(self.id_kind), "created": now(), "model": model}
        self._with_usage = with_usage
        self._logprobs = logprobs
        self._stats: dict[int, RequestStats] = {}
        # The lengths of the tokens of each answer that streams, and how many tokens of the ended ones are thoughts.
        self._token_lengths: defaultdict[int, list[int]] = defaultdict(list)
        self._reasoning = 0

    def write(self, batch: list[IndexedEvent]) -> bytes:
        for index, event in batch:
            if isinstance(event, TokensCommitted):
                self._token_lengths[index] += lengths_of(event.tokens)
        return super().write(batch)

    def keep_alive(self) -> bytes:
        """Return a chunk that adds nothing to the first answer."""
        return self.chunk(self.empty_choice(0), **self.prompt_progress)

    @property
    def prompt_progress(self) -> dict[str, Any]:
        """The field of a chunk that says how much of the prompt has been read, if it is being read."""
        return {"prompt_progress": self.progress} if self.progress else {}

    @abstractmethod
    def empty_choice(self, index: int) -> dict[str, Any]:
        """Return the choice of a chunk that adds nothing to the answer `index`."""

    def finish(self) -> bytes:
        if not self._with_usage or not self._stats:
            return DONE
        return self.chunk(None, **_figures(list(self._stats.values()), self._reasoning)) + DONE

    def whole(self, answers: Sequence[CompleteAnswer]) -> dict[str, Any]:
        choices = [self.choice(index, answer) for index, answer in enumerate(answers)]
        thoughts = sum(reasoning_tokens(lengths_of(answer.tokens), answer.finished) for answer in answers)
        figures = _figures([answer.finished.stats for answer in answers], thoughts)
        return {**self._frame, "object": self.whole_object, "choices": choices, **figures}

    @abstractmethod
    def choice(self, index: int, answer: CompleteAnswer) -> dict[str, Any]:
        """Return a whole answer as a choice."""

    def failed(self, error: ApiError) -> bytes:
        return sse(error.openai())

    def chunk(self, choice: dict[str, Any] | None, **more: Any) -> bytes:
        choices = [] if choice is None else [choice]
        return sse({**self._frame, "object": self.chunk_object, "choices": choices, **more})

    def last_chunk(self, index: int, event: Finished, choice: dict[str, Any]) -> bytes:
        """Return the chunk that ends the answer `index`, with its figures."""
        stats = self._stats[index] = event.stats
        self._reasoning += reasoning_tokens(self._token_lengths[index], event)
        return self.chunk(choice, timings=timings(stats), speculation=speculation([stats]))


class ItemsWriter(ResponseWriter):
    """One answer as a list of items that grows: thoughts, texts and calls, under the names in `kinds`."""

    kinds: ClassVar[tuple[str, str]]

    def __init__(self, parts: AnswerParts) -> None:
        self._parts = parts
        # Whether calls are written while they grow. A whole answer has none that did not become whole.
        self._in_pieces = True

    @property
    def answers(self) -> Sequence[AnswerParts]:
        return (self._parts,)

    def events(self, index: int, event: Event) -> list[bytes]:
        del index
        if isinstance(event, TokensCommitted):
            return self.add(event.text, event.tokens, event.stats.opening)
        return [*self._end_items(event), *self.end(event)] if isinstance(event, Finished) else []

    def whole(self, answers: Sequence[CompleteAnswer]) -> dict[str, Any]:
        [answer] = answers
        self._in_pieces = False
        self.add(answer.finished.text, answer.tokens, answer.finished.stats.opening)
        self._end_items(answer.finished)
        return self.result(answer.finished)

    def add(self, text: str, tokens: Sequence[Token], opening: str) -> list[bytes]:
        """Add the next text of the answer, whose tokens are `tokens`, and return its events."""
        del tokens
        return self.grow(self._parts.add(text, opening))

    def grow(self, delta: Delta) -> list[bytes]:
        resumed = delta.resumed if self._in_pieces else None
        events = [] if resumed is None else self.grow_call(resumed)
        for kind, text in zip(self.kinds, (delta.reasoning, delta.content), strict=True):
            if text:
                events += self.grow_item(kind, text)
        for call in delta.untold_calls if self._in_pieces else delta.calls:
            whole = CallPiece(call.name, call.arguments, "whole")
            events += [*self.end_item(), *self.begin_call(call.name), *self.grow_call(whole)]
        if delta.begun is not None and self._in_pieces:
            events += [*self.end_item(), *self.begin_call(delta.begun.name), *self.grow_call(delta.begun)]
        return events

    def _end_items(self, event: Finished) -> list[bytes]:
        grown = self.grow(self._parts.add("", ended=True, cut=event.cut))
        whole = reason_of(event, self._parts) == "stop" and not self._parts.thinking
        return [*grown, *self.end_item("completed" if whole else "incomplete")]

    @abstractmethod
    def grow_item(self, kind: str, text: str) -> list[bytes]:
        """Add `text` to the open item, or to a new one if that is of another kind."""

    @abstractmethod
    def end_item(self, status: str = "completed") -> list[bytes]:
        """End the open item, if there is one."""

    @abstractmethod
    def begin_call(self, name: str) -> list[bytes]:
        """Add a call as an item, to which `grow_call` adds the arguments. No other item is open."""

    @abstractmethod
    def grow_call(self, piece: CallPiece) -> list[bytes]:
        """Add a piece to the open call, and end its item with the last one."""

    @abstractmethod
    def end(self, event: Finished) -> list[bytes]:
        """Return the events that end the answer."""

    @abstractmethod
    def result(self, event: Finished) -> dict[str, Any]:
        """Return the whole answer."""


def reason_of(event: Finished, parts: AnswerParts) -> str:
    """Return why an answer ended; "length" also for one that ended by itself within a call."""
    return "length" if parts.broken and event.stopped_by is None else event.reason


def _figures(stats: Sequence[RequestStats], reasoning: int) -> dict[str, Any]:
    return {"usage": openai_usage(stats, reasoning), "timings": timings(stats[0])}


def new_id(kind: str) -> str:
    """Return a name for something in an answer, such as `chatcmpl-…`."""
    return f"{kind}-{secrets.token_hex(12)}"


def now() -> int:
    """Return the seconds since 1970, as the API's `created` fields have them."""
    return int(time.time())
