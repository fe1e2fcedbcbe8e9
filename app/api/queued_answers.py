"""The answers to a call, whose events wait in a queue between the engine's thread and the server's loop.

The engine's thread only appends to the queue, and wakes the loop once for all events in it. A client that goes away or
does not read never delays the engine, other clients or the window.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial

from app.api.activity import Activity
from engine.client import EngineClient, RequestStream
from engine.events import Event, Failed, Finished
from engine.requests import ChatRequest, SpeculationSettings

# Events that may wait for a slow reader; far more than the socket's buffers hold.
MOST_PENDING = 4096

IndexedEvent = tuple[int, Event]


class ClientGone(Exception):
    """The client closed the connection, or does not read what it asked for."""


class QueuedAnswers:
    """Answers that the engine writes, and their events that wait for a client. An event has its answer's index.

    Everything but `_put` runs on the server's loop. `activity` gets every event for the call `call_id`.
    """

    def __init__(self, engine: EngineClient, requests: Sequence[ChatRequest], call_id: str, activity: Activity) -> None:
        self.requests = requests
        self.call_id = call_id
        self._activity = activity
        self._loop = asyncio.get_running_loop()
        self._wake_event = asyncio.Event()
        # Whether the loop has been asked to set `_wake_event`, and has not done so yet.
        self._is_waking = False
        self._client_gone = False
        self._pending: deque[IndexedEvent] = deque()
        # How many of the pending events were taken before: they do not show that the client is slow.
        self._put_back = 0
        self._streams: list[RequestStream] = [
            engine.submit(request, partial(self._put, index)) for index, request in enumerate(requests)
        ]

    async def wait(self) -> None:
        """Wait for an event, or for the client to go away."""
        while not (self._pending or self._client_gone):
            self._wake_event.clear()
            await self._wake_event.wait()

    def take(self) -> list[IndexedEvent]:
        """Return the events since the last call. Raises `ClientGone`."""
        if self._client_gone or len(self._pending) > MOST_PENDING + self._put_back:
            raise ClientGone
        self._put_back = 0
        return [self._pending.popleft() for _ in range(len(self._pending))]

    def put_back(self, events: Sequence[IndexedEvent]) -> None:
        """Put the latest events that were taken back, before those that are pending."""
        self._pending.extendleft(reversed(events))
        self._put_back = len(events)

    @property
    def client_gone(self) -> bool:
        """Whether the client has closed its connection."""
        return self._client_gone

    def let_client_go(self) -> None:
        """Make `wait` return and `take` raise `ClientGone`, because the client closed its connection."""
        self._client_gone = True
        self._wake_event.set()

    def keep_for_retry(self) -> bool:
        """Keep the answers after the client has gone, if they can be kept, and return whether they are."""
        return False

    def speculate(self, settings: SpeculationSettings) -> None:
        """Use `settings` from the next round of each answer on."""
        for stream in self._streams:
            stream.speculate(settings)

    def cancel(self, indices: Iterable[int]) -> None:
        """Cancel the answers with these indices."""
        for index in indices:
            self._streams[index].cancel()

    def _put(self, index: int, event: Event) -> None:
        """Queue an event. Runs on the engine's thread."""
        self._activity.note(self.call_id, index, event)
        self._pending.append((index, event))
        if not self._is_waking:
            self._is_waking = True
            # The loop is closed if the server has stopped.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._wake_up)

    def _wake_up(self) -> None:
        self._is_waking = False
        self._wake_event.set()


def ended_in(events: Iterable[IndexedEvent]) -> set[int]:
    """Return the indices of the answers that end with one of `events`."""
    return {index for index, event in events if isinstance(event, Finished | Failed)}
