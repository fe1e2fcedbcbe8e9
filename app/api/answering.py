"""Waits for the answers of a call on behalf of its client, within limits of time and memory.

A client that goes away or does not read cancels its answers, unless they are kept for a retry.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass

from starlette.types import Receive

from app.api.activity import CANCELLED, Activity, outcome
from app.api.queued_answers import IndexedEvent, QueuedAnswers, ended_in
from app.api.requests import errors
from app.api.requests.errors import ApiError
from app.api.requests.schema_check import checked
from engine.events import Event, Failed, Finished, PrefillProgress, PromptToken, Token, TokensCommitted

# Seconds that a call may wait for its turn.
MOST_WAITING_S = 60.0
# Seconds without an event after which a stream sends a sign of life.
KEEP_ALIVE_S = 10.0


class Answering:
    """One client's wait for the answers to its call: `begin`, then `events`, then `close`. Used on the server's loop.

    `prompt_tokens` is the length of the first answer's prompt, 0 until it has begun. `format_field` names the field of
    the body to blame if the format of the answers is refused; "" if they are free.
    """

    def __init__(self, answers: QueuedAnswers, activity: Activity, *, format_field: str = "") -> None:
        self._answers = answers
        self._activity = activity
        self._call_id = answers.call_id
        requests = answers.requests
        calls = any(request.grammar is not None and request.grammar.kind == "calls" for request in requests)
        self.format_field = "tools" if calls else format_field
        # The indices of the answers whose ends the client has not read.
        self._unfinished = set(range(len(requests)))
        # The ends received so far.
        self._ends: list[Event] = []
        self._disconnection: asyncio.Task[None] | None = None
        self.prompt_tokens = 0

    async def begin(self, receive: Receive) -> None:
        """Wait until every answer has begun. From now on a client that goes away ends the call.

        Raises `ApiError` if the engine refuses one or they get no turn in time, and `queued_answers.ClientGone`.
        """
        self._disconnection = asyncio.create_task(self._wait_for_disconnection(receive))
        try:
            await self._begin()
        except BaseException:
            self.close()
            raise

    async def _begin(self) -> None:
        waiting = set(self._unfinished)
        begun = list[IndexedEvent]()
        deadline = asyncio.get_running_loop().time() + MOST_WAITING_S
        while waiting:
            try:
                async with asyncio.timeout_at(deadline):
                    await self._answers.wait()
            except TimeoutError as error:
                sentence = "The queue did not move in time. Try again later."
                raise errors.too_busy(sentence) from error
            batch = self._answers.take()
            for index, event in batch:
                if isinstance(event, Failed):
                    self._ends.append(event)
                    raise errors.of_engine(event.error, self.format_field)
                if isinstance(event, PrefillProgress) and index == 0:
                    self.prompt_tokens = event.total
                waiting.discard(index)
            begun += batch
        self._answers.put_back(begun)

    async def events(self) -> AsyncIterator[list[IndexedEvent]]:
        """Yield all events in batches, and an empty batch after KEEP_ALIVE_S without one.

        Raises `queued_answers.ClientGone`.
        """
        while self._unfinished:
            with suppress(TimeoutError):
                async with asyncio.timeout(KEEP_ALIVE_S):
                    await self._answers.wait()
            batch = [(index, await self._checked(index, event)) for index, event in self._answers.take()]
            ended = ended_in(batch)
            self._ends += [event for _, event in batch if isinstance(event, Finished | Failed)]
            yield batch
            # After the yield: an answer whose end the client does not read has not finished.
            self._unfinished -= ended

    async def _checked(self, index: int, event: Event) -> Event:
        """Return the event; if it ends an answer that the engine did not check, with the answer's faults added.

        The faults are found by the schema of the answer's format, on another thread.
        """
        if not isinstance(event, Finished) or not event.stats.unchecked:
            return event
        return await asyncio.to_thread(checked, event, self._answers.requests[index])

    async def _wait_for_disconnection(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._answers.let_client_go()

    def close(self) -> None:
        """Cancel the answers that have not ended, unless they are kept for a retry, and record the end of the call."""
        if self._disconnection is not None:
            self._disconnection.cancel()
        is_unread = self._answers.client_gone and bool(self._unfinished)
        is_kept = is_unread and self._answers.keep_for_retry()
        if not is_kept:
            self._answers.cancel(self._unfinished)
        failed = any(isinstance(event, Failed) for event in self._ends)
        self._activity.end(self._call_id, CANCELLED if self._unfinished and not failed else outcome(self._ends))


@dataclass
class CompleteAnswer:
    """A whole answer and all of its tokens; `prompt` are those of its prompt, if the request asks for them."""

    finished: Finished
    tokens: list[Token]
    prompt: list[PromptToken]


async def all_of(answering: Answering) -> list[CompleteAnswer]:
    """Wait for all answers and return them in order. Raises `ApiError` and `queued_answers.ClientGone`."""
    prompts: defaultdict[int, list[PromptToken]] = defaultdict(list)
    tokens: defaultdict[int, list[Token]] = defaultdict(list)
    answers: dict[int, CompleteAnswer] = {}
    async for batch in answering.events():
        for index, event in batch:
            if (error := failure(event, answering.format_field)) is not None:
                raise error
            if isinstance(event, PrefillProgress):
                prompts[index] += event.read
            elif isinstance(event, TokensCommitted):
                tokens[index] += event.tokens
            elif isinstance(event, Finished):
                answers[index] = CompleteAnswer(event, tokens[index], prompts[index])
    return [answers[index] for index in sorted(answers)]


def failure(event: Event, format_field: str = "") -> ApiError | None:
    """Return the error that ended an answer early, or None; `format_field` as in `Answering`."""
    if isinstance(event, Failed):
        return errors.of_engine(event.error, format_field)
    if isinstance(event, Finished) and event.reason == "cancelled":
        sentence = "The answer was stopped, because the model was changed."
        return ApiError(503, sentence, code="cancelled", retry_after=errors.RETRY_S)
    return None
