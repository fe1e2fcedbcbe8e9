"""/v1/speculation: the default draft model, method and depth of calls, and the rounds of all calls, live."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from msgspec import UNSET, UnsetType
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from app.api.activity import Activity
from app.api.answering import KEEP_ALIVE_S
from app.api.calls import Api
from app.api.requests.errors import EVENT_HEADERS, KEEP_ALIVE, JsonReply, sse
from app.api.requests.request_settings import Speculation
from app.settings.declarations import declared_in
from engine.requests import SpeculationSettings
from engine.stats import RequestStats, RoundRecord

# Rounds that may wait for a listener; older ones are dropped and counted.
_MOST_BEHIND = 1024


async def show(request: Request) -> Response:
    """Draft model, method and depth in use, and the calls under way."""
    return JsonReply(_state(request.app.state.api))


class SpeculationBody(Speculation, kw_only=True):
    """Change draft model, method, depth, acceptance rule, or whether the text is always the same."""

    draft_model: str | UnsetType | None = UNSET


async def change(request: Request, body: SpeculationBody) -> Response:
    """Set the given defaults, also for calls under way, from their next round on."""
    api: Api = request.app.state.api
    if body.draft_model is not UNSET:
        await api.models.set_draft(None if body.draft_model in (None, "", "none") else body.draft_model)
    api.speculate(body.changed(api.speculation))
    return JsonReply(_state(api))


async def clear(request: Request) -> Response:
    """Drop the draft model; choose method and depth automatically."""
    api: Api = request.app.state.api
    await api.models.set_draft(None)
    api.speculate(SpeculationSettings(same_text=api.speculation.same_text))
    return JsonReply(_state(api))


async def events(request: Request) -> Response:
    """The rounds of all calls, as server-sent events."""
    return round_stream(request.app.state.api.activity)


def round_stream(activity: Activity) -> StreamingResponse:
    """Return a reply with every round of every call, until the client leaves."""
    return StreamingResponse(_UnreadRounds().read(activity), headers=EVENT_HEADERS)


def _state(api: Api) -> dict[str, Any]:
    pair = api.models.host.pair
    settings = api.speculation
    return {
        "object": "speculation",
        "model": api.models.name_of(pair.main) or None,
        "draft_model": api.models.name_of(pair.draft) or None,
        **{name: getattr(settings, name) for name in declared_in(SpeculationSettings)},
        "calls": [
            {
                "id": call.id,
                "state": call.state,
                "tokens": figures.generated_tokens,
                "drafted": figures.drafted,
                "accepted": figures.accepted,
                "accept_rate": figures.accept_rate,
            }
            for call in api.activity.under_way
            for figures in (call.figures,)
        ],
    }


class _UnreadRounds:
    """The rounds that a client of the events has not read yet, as server-sent events."""

    def __init__(self) -> None:
        self._rounds: deque[bytes] = deque(maxlen=_MOST_BEHIND)
        self._left_out = 0
        self._wake_event = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    async def read(self, activity: Activity) -> AsyncIterator[bytes]:
        end = activity.listen(self._take)
        try:
            yield KEEP_ALIVE
            while True:
                yield await self._next()
        finally:
            end()

    async def _next(self) -> bytes:
        with suppress(TimeoutError):
            async with asyncio.timeout(KEEP_ALIVE_S):
                await self._wake_event.wait()
        self._wake_event.clear()
        rounds = b"".join(self._rounds.popleft() for _ in range(len(self._rounds)))
        if self._left_out:
            rounds = sse({"left_out": self._left_out}, "behind") + rounds
            self._left_out = 0
        return rounds or KEEP_ALIVE

    def _take(self, call_id: str, record: RoundRecord, stats: RequestStats) -> None:
        """Runs on the engine's thread."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._add, call_id, record, stats)

    def _add(self, call_id: str, record: RoundRecord, stats: RequestStats) -> None:
        if len(self._rounds) == _MOST_BEHIND:
            self._left_out += 1
        figures = asdict(record) | {"accept_rate": stats.accept_rate, "tokens_per_round": stats.tokens_per_round}
        # A text of the call, which another program may have made.
        del figures["rejected"]
        self._rounds.append(sse({"id": call_id, **figures}, "round"))
        self._wake_event.set()
