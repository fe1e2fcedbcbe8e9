"""How events cross from the engine's thread to the loop: neither keeps the other from what cannot wait."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from starlette.types import Message

from app.api.activity import Activity
from app.api.answering import Answering, EventStream
from app.api.errors import ApiError
from app.api.replies import KEEP_ALIVE
from engine.client import RequestStream
from engine.events import Event, Finished, PrefillProgress, TokensCommitted
from engine.requests import ChatRequest
from engine.stats import RequestStats, RoundRecord
from tests.patience import PATIENCE_S

REQUEST = ChatRequest(messages=[{"role": "user", "content": "Hi"}])
ROUND = RoundRecord(1, "", drafted=0, accepted=0, committed=1, rows=1, at_s=0.0, draft_s=0.0, verify_s=0.0, host_s=0.0)
TOKENS = TokensCommitted("Hello", (), ROUND, RequestStats(generated_tokens=1))
WORDLESS = replace(TOKENS, text="")
FINISHED = Finished("stop", "Hello", (1,), RequestStats(generated_tokens=1))


class HandEngine:
    """Its thread is the test."""

    def __init__(self) -> None:
        self.streams: list[RequestStream] = []

    def submit(self, request: ChatRequest, on_event: Callable[[Event], None] | None = None) -> RequestStream:
        self.streams.append(RequestStream(request, on_event))
        return self.streams[-1]

    def deliver(self, *events: Event) -> None:
        for event in events:
            self.streams[0].deliver(event)


async def silent() -> Message:
    """A client that stays."""
    await asyncio.Event().wait()
    raise AssertionError


def answering_of(engine: Any, *, streaming: bool = False) -> Answering:
    return Answering(engine, [REQUEST], "call", Activity(), streaming=streaming)


def test_an_answer_has_begun_although_its_start_woke_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.api.answering.QUIET_S", 0.05)

    async def begin() -> int:
        engine = HandEngine()
        answering = answering_of(engine)
        beginning = asyncio.ensure_future(answering.begin(silent))
        await asyncio.sleep(0)
        engine.deliver(PrefillProgress(3, 7, 0))
        await asyncio.sleep(0)
        assert not beginning.done()
        await asyncio.wait_for(beginning, PATIENCE_S)
        answering.close()
        return answering.prompt_tokens

    assert asyncio.run(begin()) == 7


def test_a_turn_that_does_not_come_while_it_is_quiet_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.api.answering.MOST_WAITING_S", 0.05)

    async def begin() -> None:
        await answering_of(HandEngine()).begin(silent)

    with pytest.raises(ApiError, match="queue"):
        asyncio.run(begin())


def test_the_progress_of_a_prompt_wakes_nobody_once_it_is_being_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.api.answering.QUIET_S", 0.0)

    async def batches() -> list[list[Event]]:
        engine, found = HandEngine(), []
        answering = answering_of(engine, streaming=False)
        engine.deliver(PrefillProgress(0, 7, 0))
        await answering.begin(silent)
        events = answering.events()
        found.append([event for _, event in await anext(events)])
        following = asyncio.ensure_future(anext(events))
        await asyncio.sleep(0)
        engine.deliver(PrefillProgress(3, 7, 0), PrefillProgress(7, 7, 0))
        await asyncio.sleep(0.01)
        assert not following.done()
        engine.deliver(TOKENS)
        found.append([event for _, event in await asyncio.wait_for(following, PATIENCE_S)])
        answering.close()
        return found

    assert asyncio.run(batches()) == [[PrefillProgress(0, 7, 0)], [TOKENS]]


def test_signs_of_life_come_until_the_text_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.api.answering.KEEP_ALIVE_S", 0.005)
    bodies: list[bytes] = []

    async def stream() -> None:
        engine = HandEngine()
        answering = answering_of(engine)
        engine.deliver(PrefillProgress(0, 7, 0))
        await answering.begin(silent)

        async def send(message: Message) -> None:
            bodies.append(message.get("body", b"head"))
            if bodies.count(KEEP_ALIVE) == 3:
                engine.deliver(FINISHED)

        response = EventStream(answering, lambda _: b"", lambda: b"end", lambda: None)
        await asyncio.wait_for(response({}, silent, send), PATIENCE_S)
        await asyncio.sleep(0.02)

    asyncio.run(stream())
    assert bodies == [b"head", *[KEEP_ALIVE] * 3, b"end"]


def stream_to(send: Callable[[Message, threading.Event], Any]) -> bool:
    """Streams an answer; `send` gets each message, and what says that the engine's thread went on after its text.

    Returns whether it did.
    """
    engine, went_on = HandEngine(), threading.Event()

    def play() -> None:
        # The first token of an answer may be no text yet.
        engine.deliver(WORDLESS, TOKENS)
        went_on.set()
        engine.deliver(TOKENS, FINISHED)

    async def stream() -> None:
        answering = answering_of(engine, streaming=True)
        beginning = asyncio.ensure_future(answering.begin(silent))
        engine.deliver(PrefillProgress(7, 7, 0))
        await asyncio.wait_for(beginning, PATIENCE_S)
        thread = threading.Thread(target=play)
        thread.start()
        response = EventStream(
            answering, lambda batch: b"text" if TOKENS in dict(batch).values() else b"", lambda: b"end", lambda: None
        )
        await response({}, silent, lambda message: send(message, went_on))
        await asyncio.to_thread(thread.join, PATIENCE_S)

    asyncio.run(stream())
    return went_on.is_set()


def test_the_first_text_is_sent_before_the_engine_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.api.answering.MOST_HELD_S", PATIENCE_S)
    sent_first: list[bool] = []

    async def send(message: Message, went_on: threading.Event) -> None:
        if message.get("body") == b"text":
            await asyncio.sleep(0.02)
            sent_first.append(not went_on.is_set())

    assert stream_to(send)
    assert sent_first[0]


def test_a_client_that_does_not_read_holds_the_engine_for_a_moment_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.api.answering.MOST_HELD_S", 0.01)

    async def send(message: Message, went_on: threading.Event) -> None:
        if message.get("body") == b"text":
            assert await asyncio.to_thread(went_on.wait, PATIENCE_S)

    assert stream_to(send)
