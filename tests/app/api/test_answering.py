"""How events cross from the engine's thread to the loop."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.types import Message

from app.api.activity import Activity
from app.api.answering import Answering, all_of
from app.api.dialects.chat import ChatBody, ChatWriter
from app.api.queued_answers import QueuedAnswers
from app.api.requests.errors import KEEP_ALIVE, ApiError
from app.api.response_writers import EventStream
from app.text.answer_parts import AnswerParts
from engine.errors import GrammarNotUsable
from engine.events import Failed
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


def test_a_format_that_fails_later_is_blamed_on_its_field() -> None:
    failing = Script("Hello there.", error=GrammarNotUsable("too-complex"), fail_after=1)

    async def read_all(engine: ScriptedEngine) -> None:
        activity = Activity()
        answers = QueuedAnswers(engine, [REQUEST], "call", activity)
        answering = Answering(answers, activity, format_field="response_format")
        engine.go_on(1)
        await answering.begin(silent)
        engine.go_on(9)
        try:
            await all_of(answering)
        finally:
            answering.close()
            engine.close()

    with pytest.raises(ApiError) as refused:
        asyncio.run(read_all(ScriptedEngine([failing], by_hand=True)))
    assert refused.value.param == "response_format"


def test_a_stream_blames_a_format_on_its_field() -> None:
    writer = ChatWriter("m", [AnswerParts()], ChatBody(messages=[]))
    writer.format_field = "response_format"
    written = writer.write([(0, Failed(GrammarNotUsable("too-complex"), ""))])
    assert b'"param":"response_format"' in written
