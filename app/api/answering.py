"""Passes the answers of a call from the engine's thread to the server's loop, within limits of time and memory.

The engine's thread only appends to a queue and wakes the loop once for all events in it. A client that goes away or
does not read cancels its answers; it never delays the engine, other clients or the window.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from msgspec import structs
from starlette.types import Receive

from app.api.activity import CANCELLED, Activity, outcome
from app.api.requests import errors
from app.api.requests.errors import ApiError
from app.api.requests.schema_check import checked
from engine.client import EngineClient, RequestStream
from engine.events import Event, Failed, Finished, PrefillProgress, PromptToken, Token, TokensCommitted
from engine.requests import ChatRequest, SpeculationSettings

# Seconds that a call may wait for its turn.
MOST_WAITING_S = 60.0
# Seconds without an event after which a stream sends a sign of life.
KEEP_ALIVE_S = 10.0
# Events that may wait for a slow reader; far more than the socket's buffers hold.
MOST_PENDING = 4096
# Events that are kept of a call, so that they can be sent again.
MOST_REPLAYED = 8192

IndexedEvent = tuple[int, Event]


class ClientGone(Exception):
    """The client closed the connection, or does not read what it asked for."""


class Answering:
    """The answers of one call. Everything but `_deliver` runs on the server's loop.

    `prompt_tokens` is the length of the first answer's prompt, 0 until it has begun. `form` names the field of the body
    that holds the format of the answers; "" if they are free. `leave` gets the call, instead of its answers being
    cancelled, if the client leaves while they are written and may call tools.
    """

    def __init__(
        self,
        engine: EngineClient,
        requests: Sequence[ChatRequest],
        call_id: str,
        activity: Activity,
        *,
        form: str = "",
        leave: Callable[[Answering], object] | None = None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._woken = self._gone = False
        self._watch: asyncio.Task[None] | None = None
        self._pending: deque[IndexedEvent] = deque()
        self._call_id, self._activity = call_id, activity
        self._open = set(range(len(requests)))
        calls = any(request.grammar is not None and request.grammar.kind == "calls" for request in requests)
        self._form = "tools" if calls else form
        self.requests = requests
        self._leave = leave if all(request.tools for request in requests) else None
        # All events so far, and how many of those that are pending were sent to another client before.
        self._events: list[IndexedEvent] = []
        self._replayed = 0
        self._resumed = False
        self._last: list[Event] = []
        self.prompt_tokens = 0
        self._streams: list[RequestStream] = [
            engine.submit(request, partial(self._deliver, index)) for index, request in enumerate(requests)
        ]

    async def begin(self, receive: Receive) -> None:
        """Wait until every answer has begun. From now on a client that goes away ends its answers.

        Raises `ApiError` if the engine refuses one or they get no turn in time, and `ClientGone`.
        """
        self._watch = self._loop.create_task(self._leave_with_client(receive))
        try:
            await self._begin()
        except BaseException:
            self.close()
            raise

    async def _begin(self) -> None:
        waiting = set(self._open)
        begun = list[IndexedEvent]()
        deadline = self._loop.time() + MOST_WAITING_S
        while waiting:
            try:
                async with asyncio.timeout_at(deadline):
                    await self._news()
            except TimeoutError as error:
                sentence = "The queue did not move in time. Try again later."
                raise errors.too_busy(sentence) from error
            batch = self._take()
            for index, event in batch:
                if isinstance(event, Failed):
                    self._last.append(event)
                    raise errors.of_engine(event.error, self._form)
                if isinstance(event, PrefillProgress) and index == 0:
                    self.prompt_tokens = event.total
                waiting.discard(index)
            begun += batch
        self._replay(begun)

    async def events(self) -> AsyncIterator[list[IndexedEvent]]:
        """Yield all events in batches, and an empty batch after KEEP_ALIVE_S without one. Raises `ClientGone`."""
        while self._open:
            with suppress(TimeoutError):
                async with asyncio.timeout(KEEP_ALIVE_S):
                    await self._news()
            taken = self._take()
            self._record(taken)
            batch = [(index, await self._checked(index, event)) for index, event in taken]
            ends = {index: event for index, event in batch if isinstance(event, Finished | Failed)}
            self._last += ends.values()
            yield batch
            # After the yield: an answer whose end the client does not read has not finished.
            self._open -= ends.keys()

    async def _checked(self, index: int, event: Event) -> Event:
        if not isinstance(event, Finished):
            return event
        if self._resumed:
            # Nothing was read for this client.
            event = replace(event, stats=structs.replace(event.stats, cached_tokens=event.stats.prompt_tokens))
        return await asyncio.to_thread(checked, event, self.requests[index]) if event.stats.unchecked else event

    def _record(self, events: Sequence[IndexedEvent]) -> None:
        """Keep events for a client that comes back; with too many of them, none are kept any more."""
        if self._leave is None:
            return
        self._events += events
        if len(self._events) > MOST_REPLAYED:
            self._leave = None
            self._events.clear()

    def _replay(self, events: Sequence[IndexedEvent]) -> None:
        """Put events back before those that are pending."""
        self._pending.extendleft(reversed(events))
        self._replayed = len(events)

    async def _news(self) -> None:
        """Wait for an event, or the client to leave."""
        while not (self._pending or self._gone):
            self._wake.clear()
            await self._wake.wait()

    def _take(self) -> list[IndexedEvent]:
        """Return the events since the last call. Raises `ClientGone`."""
        if self._gone or len(self._pending) > MOST_PENDING + self._replayed:
            raise ClientGone
        self._replayed = 0
        return [self._pending.popleft() for _ in range(len(self._pending))]

    def speculate(self, settings: SpeculationSettings) -> None:
        """Use `settings` from the next round of each answer on."""
        for stream in self._streams:
            stream.speculate(settings)

    async def _leave_with_client(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._gone = True
        self._wake.set()

    def close(self) -> None:
        """Cancel the answers that have not ended, or leave them, and record the end of the call."""
        if self._watch is not None:
            self._watch.cancel()
        left = self._gone and bool(self._open) and self._leave is not None and self._is_written
        if not left:
            self.cancel()
        self._end_call()
        if left:
            assert self._leave is not None
            self._leave(self)

    def cancel(self) -> None:
        """Cancel the answers that have not ended."""
        for index in self._open:
            self._streams[index].cancel()

    @property
    def _is_written(self) -> bool:
        """Whether an answer has begun to be written, and none has failed."""
        events = [event for _, event in (*self._events, *self._pending)]
        return self.sound and any(isinstance(event, TokensCommitted) for event in events)

    @property
    def sound(self) -> bool:
        """Whether no answer has failed, or was cancelled."""
        return not any(failure(event) for _, event in (*self._events, *self._pending))

    async def collect(self) -> None:
        """Take what comes without a client, until all answers have ended. Raises `ClientGone` if it is too much."""
        self._gone = False
        ended = {index for index, event in self._events if isinstance(event, Finished | Failed)}
        while len(ended) < len(self.requests):
            await self._news()
            taken = self._take()
            self._record(taken)
            if self._leave is None:
                raise ClientGone
            ended |= {index for index, event in taken if isinstance(event, Finished | Failed)}

    def resume(self, call_id: str) -> None:
        """Send all events again, from the first one, to the client of another call. Then call `begin`."""
        self._call_id = call_id
        self._open = set(range(len(self.requests)))
        self._gone = False
        self._resumed = True
        self._last = []
        events = self._events
        self._events = []
        self._replay(events)

    def _end_call(self) -> None:
        failed = any(isinstance(event, Failed) for event in self._last)
        self._activity.end(self._call_id, CANCELLED if self._open and not failed else outcome(self._last))

    def _deliver(self, index: int, event: Event) -> None:
        """Queue an event. Runs on the engine's thread."""
        self._activity.note(self._call_id, index, event)
        self._pending.append((index, event))
        if not self._woken:
            self._woken = True
            # The loop is closed if the server has stopped.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._wake_up)

    def _wake_up(self) -> None:
        self._woken = False
        self._wake.set()


@dataclass
class CompleteAnswer:
    """A whole answer and all of its tokens; `prompt` are those of its prompt, if the request asks for them."""

    finished: Finished
    tokens: list[Token]
    prompt: list[PromptToken]


async def all_of(answering: Answering) -> list[CompleteAnswer]:
    """Wait for all answers and return them in order. Raises `ApiError` and `ClientGone`."""
    prompts: defaultdict[int, list[PromptToken]] = defaultdict(list)
    tokens: defaultdict[int, list[Token]] = defaultdict(list)
    answers: dict[int, CompleteAnswer] = {}
    async for batch in answering.events():
        for index, event in batch:
            if (error := failure(event)) is not None:
                raise error
            if isinstance(event, PrefillProgress):
                prompts[index] += event.read
            elif isinstance(event, TokensCommitted):
                tokens[index] += event.tokens
            elif isinstance(event, Finished):
                answers[index] = CompleteAnswer(event, tokens[index], prompts[index])
    return [answers[index] for index in sorted(answers)]


def failure(event: Event) -> ApiError | None:
    """Return the error that ended an answer early, or None."""
    if isinstance(event, Failed):
        return errors.of_engine(event.error)
    if isinstance(event, Finished) and event.reason == "cancelled":
        sentence = "The answer was stopped, because the model was changed."
        return ApiError(503, sentence, code="cancelled", retry_after=errors.RETRY_S)
    return None
