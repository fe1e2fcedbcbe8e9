"""How events cross from the engine's thread to the loop."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.types import Message

from app.api.activity import Activity
from app.api.answering import Answering
from app.api.queued_answers import QueuedAnswers
from app.api.requests.errors import KEEP_ALIVE
from app.api.response_writers import EventStream
from engine.requests import ChatRequest
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.patience import PATIENCE_S

REQUEST = ChatRequest(messages=[{"role": "user", "content": "Hi"}])


async def silent() -> Message:
    """A client that stays."""
    await asyncio.Event().wait()
    raise AssertionError


def answering_of(engine: Any) -> Answering:
    activity = Activity()
    return Answering(QueuedAnswers(engine, [REQUEST], "call", activity), activity)


def test_signs_of_life_come_until_the_text_does(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("answering", "response_writers"):
        monkeypatch.setattr(f"app.api.{module}.KEEP_ALIVE_S", 0.005)
    bodies: list[bytes] = []

    async def stream() -> None:
        engine = ScriptedEngine([Script("Hello")], by_hand=True)
        answering = answering_of(engine)
        engine.go_on(1)
        await answering.begin(silent)

        async def send(message: Message) -> None:
            bodies.append(message.get("body", b"head"))
            if bodies.count(KEEP_ALIVE) == 3:
                engine.go_on(3)

        writer: Any = SimpleNamespace(headers={}, finish=lambda: b"end")
        writer.write, writer.keep_alive = (lambda _: b""), (lambda: KEEP_ALIVE)
        response = EventStream(answering, writer, {})
        await asyncio.wait_for(response({}, silent, send), PATIENCE_S)
        await asyncio.sleep(0.02)
        engine.close()

    asyncio.run(stream())
    assert bodies == [b"head", *[KEEP_ALIVE] * 3, b"end"]
