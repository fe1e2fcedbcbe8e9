"""Answers whose client has left while they were written, for the same request that may come again.

Agents leave a stream that was quiet for too long, and send their request again, often without a stream. A call of a
tool that took minutes would be written again from its first token. Other answers are cancelled when their client
leaves: a person who stops one wants no more of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from app.api.answering import Answering, ClientGone
from engine.requests import ChatRequest

# Seconds for which an answer goes on, and is kept, without its client.
LEFT_S = 60.0
# The most that are kept, whoever left them: half of what the engine decodes together, so that others find a place.
# Each has at most `MOST_REPLAYED` events.
MOST_LEFT = 4


class LeftAnswers:
    """The answers that go on. Used on the server's loop only; what is left when that ends is cancelled."""

    def __init__(self) -> None:
        self._tasks: dict[Answering, asyncio.Task[None]] = {}

    def keep(self, answering: Answering) -> None:
        """Let an answer go on, for LEFT_S at most; of more than MOST_LEFT, the oldest ends."""
        while len(self._tasks) >= MOST_LEFT:
            self._drop(next(iter(self._tasks)))
        self._tasks[answering] = asyncio.create_task(self._finish(answering))

    def take(self, requests: Sequence[ChatRequest]) -> Answering | None:
        """Return the answers to the same requests of the same caller if they were kept, and keep them no longer.

        A caller that goes on with the same conversation has stopped what was left, so that ends. Other requests of the
        caller do not end it: all programs of a computer that name no user are one caller.
        """
        taken: Answering | None = None
        for answering in list(self._tasks):
            is_same = list(answering.requests) == list(requests)
            if is_same and answering.sound and taken is None:
                self._tasks.pop(answering).cancel()
                taken = answering
            elif is_same or _goes_on(requests[0], answering.requests[0]):
                self._drop(answering)
        return taken

    def _drop(self, answering: Answering) -> None:
        self._tasks.pop(answering).cancel()
        answering.cancel()

    async def _finish(self, answering: Answering) -> None:
        try:
            async with asyncio.timeout(LEFT_S):
                await answering.collect()
                # What has finished is kept for the rest of the time.
                await asyncio.Event().wait()
        except (TimeoutError, ClientGone):
            pass
        finally:
            if self._tasks.pop(answering, None) is not None:
                answering.cancel()


def _goes_on(request: ChatRequest, left: ChatRequest) -> bool:
    """Whether a request has the whole conversation of one that was left, of the same caller, and more."""
    said = list(left.messages)
    begin = list(request.messages[: len(said)])
    return request.caller == left.caller and len(request.messages) > len(said) and begin == said
