"""Answers whose client has gone while they were written, for the same request that may come again.

Agents close a stream that was quiet for too long, and send their request again, often without a stream. A call of a
tool that took minutes would be written again from its first token. Other answers are cancelled when their client goes:
a person who stops one wants no more of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from msgspec import structs

from app.api.activity import Activity
from app.api.answering import failure
from app.api.queued_answers import ClientGone, IndexedEvent, QueuedAnswers, ended_in
from engine.client import EngineClient
from engine.events import Event, Finished, TokensCommitted
from engine.requests import ChatRequest

# Seconds for which an answer goes on, and is kept, without its client.
KEPT_ANSWERS_S = 60.0
# The most calls whose answers are kept, whoever made them: half of what the engine decodes together, so that others
# find a place.
MOST_KEPT_ANSWERS = 4
# Events that are kept of a call, so that they can be sent again.
MOST_REPEATED_EVENTS = 8192


class RepeatableAnswers(QueuedAnswers):
    """Answers that may call tools, and all of their events, which `repeat` gives to the client of another call.

    If its first client goes away while they are written, `keep` gets them, and they go on.
    """

    def __init__(
        self,
        engine: EngineClient,
        requests: Sequence[ChatRequest],
        call_id: str,
        activity: Activity,
        keep: Callable[[RepeatableAnswers], object],
    ) -> None:
        super().__init__(engine, requests, call_id, activity)
        self._keep = keep
        # The events that a client has taken, None if they were too many.
        self._taken: list[IndexedEvent] | None = []
        self._is_repeated = False

    def take(self) -> list[IndexedEvent]:
        """Return the events since the last call, and remember them. Raises `ClientGone`."""
        events = super().take()
        if self._is_repeated:
            events = [(index, _without_reading(event)) for index, event in events]
        if self._taken is not None:
            self._taken += events
            if len(self._taken) > MOST_REPEATED_EVENTS:
                self._taken = None
        return events

    def put_back(self, events: Sequence[IndexedEvent]) -> None:
        super().put_back(events)
        if self._taken is not None:
            del self._taken[len(self._taken) - len(events) :]

    def keep_for_retry(self) -> bool:
        may_be_kept = self._taken is not None and self._is_written
        if may_be_kept:
            self._keep(self)
        return may_be_kept

    @property
    def _events(self) -> list[Event]:
        """The events so far that a client has taken or can take."""
        return [event for _, event in (*(self._taken or ()), *self._pending)]

    @property
    def _is_written(self) -> bool:
        """Whether an answer has begun to be written, and none has failed."""
        return self.are_sound and any(isinstance(event, TokensCommitted) for event in self._events)

    @property
    def are_sound(self) -> bool:
        """Whether no answer has failed, or was cancelled."""
        return not any(failure(event) for event in self._events)

    async def collect(self) -> None:
        """Take events without a client, until all answers have ended. Raises `ClientGone` if they are too many."""
        self._client_gone = False
        unfinished = set(range(len(self.requests))) - ended_in(self._taken or ())
        while unfinished:
            await self.wait()
            events = self.take()
            if self._taken is None:
                raise ClientGone
            unfinished -= ended_in(events)

    def cancel_all(self) -> None:
        """Cancel all of the answers, which does nothing to those that have ended."""
        self.cancel(range(len(self.requests)))

    def repeat(self, call_id: str) -> None:
        """Give all events again, from the first one on, to the client of another call."""
        self.call_id = call_id
        self._client_gone = False
        self._is_repeated = True
        self.put_back(list(self._taken or ()))


def _without_reading(event: Event) -> Event:
    """Return an event as it is for the client of another call, for which nothing of the prompt was read."""
    if not isinstance(event, Finished):
        return event
    return replace(event, stats=structs.replace(event.stats, cached_tokens=event.stats.prompt_tokens))


class KeptAnswers:
    """The answers that go on without a client. Used on the server's loop only; they are cancelled when that ends."""

    def __init__(self) -> None:
        self._tasks: dict[RepeatableAnswers, asyncio.Task[None]] = {}

    def keep(self, answers: RepeatableAnswers) -> None:
        """Keep answers, which go on, for KEPT_ANSWERS_S. Of more than MOST_KEPT_ANSWERS, the oldest are cancelled."""
        while len(self._tasks) >= MOST_KEPT_ANSWERS:
            self._drop(next(iter(self._tasks)))
        self._tasks[answers] = asyncio.create_task(self._finish(answers))

    def take(self, requests: Sequence[ChatRequest]) -> RepeatableAnswers | None:
        """Return the answers to the same requests of the same caller if they were kept, and keep them no longer.

        A caller that continues the same conversation has stopped its kept answers, so they are cancelled. Other
        requests of the caller do not cancel them: all programs of a computer that name no user are one caller.
        """
        taken: RepeatableAnswers | None = None
        for answers in list(self._tasks):
            is_same = list(answers.requests) == list(requests)
            if is_same and answers.are_sound and taken is None:
                self._tasks.pop(answers).cancel()
                taken = answers
            elif is_same or _continues(requests[0], answers.requests[0]):
                self._drop(answers)
        return taken

    def _drop(self, answers: RepeatableAnswers) -> None:
        self._tasks.pop(answers).cancel()
        answers.cancel_all()

    async def _finish(self, answers: RepeatableAnswers) -> None:
        try:
            async with asyncio.timeout(KEPT_ANSWERS_S):
                await answers.collect()
                # Whole answers are kept for the rest of the time.
                await asyncio.Event().wait()
        except (TimeoutError, ClientGone):
            pass
        finally:
            if self._tasks.pop(answers, None) is not None:
                answers.cancel_all()


def _continues(request: ChatRequest, earlier: ChatRequest) -> bool:
    """Whether a request has the whole conversation of an earlier one, of the same caller, and more messages."""
    messages = list(earlier.messages)
    is_longer = len(request.messages) > len(messages)
    return request.caller == earlier.caller and is_longer and list(request.messages[: len(messages)]) == messages
