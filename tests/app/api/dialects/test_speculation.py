"""/v1/speculation: draft model, method and depth change while the server runs, and rounds are streamed live."""

from __future__ import annotations

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.types import Message

from app.api.activity import Activity, ApiCall
from app.api.dialects.speculation import round_stream
from engine.events import TokensCommitted
from engine.stats import RequestStats, RoundRecord
from tests.app.api.conftest import Serve
from tests.app.api.serving import Served
from tests.app.scripted_engine import ScriptedEngine
from tests.patience import PATIENCE_S


def put(served: Served, **fields: Any) -> Any:
    return served.client.put("/v1/speculation", json=fields)


def test_what_was_set_holds_for_calls_that_say_nothing(starter: Served, question: dict[str, Any]) -> None:
    text = starter.chat(question)["choices"][0]["message"]
    assert put(starter, method="draft", depth=2).json()["depth"] == 2
    answer = starter.chat(question)
    found = answer["usage"]["speculation"]
    assert 0 < found["drafted"] <= 2 * found["rounds"]
    plain = starter.chat(question | {"speculation": "off"})
    assert plain["usage"]["speculation"]["drafted"] == 0
    assert put(starter, depth="auto").json()["depth"] is None
    assert answer["choices"][0]["message"] == plain["choices"][0]["message"] == text


def test_the_same_text_is_asked_for_by_default_or_by_one_call(serve: Serve, question: dict[str, Any]) -> None:
    served = serve(ScriptedEngine())
    assert put(served, same_text=True).json()["same_text"] is True
    # The other fields change without it, and it stays when these are cleared.
    put(served, depth=2)
    served.client.delete("/v1/speculation")
    found = served.chat(question)["usage"]["speculation"]
    assert {"rounding", "same_text_cost"} <= found.keys()
    served.chat(question | {"speculation": {"same_text": False}})
    assert [asked.speculation.same_text for asked in served.requests] == [True, False]


def test_calls_under_way_that_say_nothing_change_with_it(serve: Serve, question: dict[str, Any]) -> None:
    gate = threading.Semaphore(0)
    engine = ScriptedEngine(gate=gate)
    served = serve(engine)
    calls = [question, question | {"num_draft_tokens": 3}, question | {"speculation": "off"}]
    with ThreadPoolExecutor(len(calls)) as pool:
        answers = []
        for number, call in enumerate(calls, 1):
            answers.append(pool.submit(served.chat, call))
            while len(served.get("/v1/speculation").json()["calls"]) < number:
                pass
        put(served, method="ngram", depth=2)
        changed = [stream.speculation for stream in engine.streams]
        put(served, method="auto", depth="auto")
        changed_back = [stream.speculation for stream in engine.streams]
        gate.release(10_000)
        for answer in answers:
            answer.result(PATIENCE_S)
    assert [(one.method, one.depth) for one in changed] == [("ngram", 2), ("ngram", 3), ("off", 2)]
    assert [(one.method, one.depth) for one in changed_back] == [("auto", None), ("auto", 3), ("off", None)]


def test_the_draft_can_be_cleared_and_set_again(starter: Served, question: dict[str, Any]) -> None:
    cleared = starter.client.delete("/v1/speculation").json()
    assert (cleared["draft_model"], cleared["method"], cleared["depth"]) == (None, "auto", None)
    assert starter.host.pair.draft is None
    assert put(starter, draft_model="starter/head").json()["draft_model"] == "starter/head"
    answer = starter.chat(question | {"draft_model": "starter/draft"})
    assert answer["usage"]["speculation"]["draft"] == "starter/draft"
    assert starter.get("/v1/speculation").json()["draft_model"] == "starter/draft"


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"method": "magic"}, 400),
        ({"depth": 99}, 400),
        ({"acceptance": "always"}, 400),
        ({"draft_model": "no/such"}, 404),
        ({"draft_model": 5}, 400),
    ],
)
def test_what_cannot_be_set_changes_nothing(starter: Served, fields: dict[str, Any], status: int) -> None:
    before = starter.get("/v1/speculation").json()
    assert put(starter, **fields).status_code == status
    assert starter.get("/v1/speculation").json() == before


def test_rounds_are_streamed_live(starter: Served, question: dict[str, Any]) -> None:
    with starter.client.stream("GET", "/v1/speculation/events") as response:
        lines = response.iter_lines()
        assert next(lines).startswith(":")
        usage = starter.chat(question | {"num_draft_tokens": 4})["usage"]["speculation"]
        rounds: list[dict[str, Any]] = []
        while sum(one["committed"] for one in rounds) < 24:
            if (line := next(lines)).startswith("data: "):
                rounds.append(json.loads(line.removeprefix("data: ")))
    assert len({one["id"] for one in rounds}) == 1
    assert len(rounds) == usage["rounds"]
    assert sum(one["accepted"] for one in rounds) == usage["accepted"]
    assert rounds[-1]["accept_rate"] == usage["accept_rate"]
    # There is no text of the call, which another program may have made.
    assert {key for one in rounds for key, value in one.items() if isinstance(value, str)} == {"id", "source", "reason"}


def test_a_listener_that_falls_behind_hears_how_many_rounds_it_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.api.dialects.speculation._MOST_BEHIND", 3)
    record = RoundRecord(
        4, "", drafted=4, accepted=3, committed=4, rows=5, at_s=0.0, draft_s=0.0, verify_s=0.0, host_s=0.0
    )
    bodies: list[str] = []

    async def listen() -> None:
        activity, leaving = Activity(), asyncio.Event()
        activity.begin(ApiCall("call-1", "/v1/messages", "main", "agent", 0.0))

        async def receive() -> Message:
            await leaving.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            bodies.append(message.get("body", b"").decode())
            if len(bodies) == 2:
                for _ in range(5):
                    activity.note("call-1", 0, TokensCommitted("a", (), record, RequestStats(drafted=4, accepted=3)))
                await asyncio.sleep(0)
            elif len(bodies) == 3:
                leaving.set()

        await asyncio.wait_for(round_stream(activity)({"type": "http"}, receive, send), PATIENCE_S)

    asyncio.run(listen())
    events = [json.loads(line.removeprefix("data: ")) for line in bodies[2].splitlines() if line.startswith("data: ")]
    assert events[0] == {"left_out": 2}
    assert [one["id"] for one in events[1:]] == ["call-1"] * 3
