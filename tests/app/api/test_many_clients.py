"""Many, slow and hostile clients: the queue is bounded, none delays others, no answer runs for a client that left."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest

from app.api.activity import ApiCall
from app.api.server import MOST_CONNECTIONS
from engine.documents.reading import DOCUMENTS
from engine.errors import NoModel, NotEnoughMemory, QueueFull
from engine.status import LoadedPair
from tests.app.api.conftest import Serve
from tests.app.api.serving import UNENCRYPTED, Served, accepted_connections
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import STORY, Script
from tests.benchmarks.fake_engine import SteadyEngine
from tests.patience import PATIENCE_S

_HEAD = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
STREAMED = _HEAD + b"Content-Length: %d\r\n\r\n%s"
BODY = b'{"messages": [{"role": "user", "content": "Hi"}], "stream": true}'


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def ask_in_background(served: Served, body: dict[str, Any]) -> tuple[threading.Thread, list[httpx2.Response]]:
    answers: list[httpx2.Response] = []
    # A client is not for several threads.
    address = f"{served.address}/v1/chat/completions"
    thread = threading.Thread(
        target=lambda: answers.append(httpx2.post(address, json=body, timeout=PATIENCE_S, **UNENCRYPTED))
    )
    thread.start()
    return thread, answers


def test_more_answers_than_the_queue_holds_are_told_when_to_try_again(
    serve: Serve, question: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.api.calls.MOST_ANSWERS", 1)
    gate = threading.Semaphore(0)
    served = serve(ScriptedEngine(gate=gate))
    thread, answers = ask_in_background(served, question)
    until(lambda: served.api.status.under_way)
    refused = served.post("/v1/chat/completions", question)
    assert (refused.status_code, refused.json()["error"]["type"]) == (429, "rate_limit_error")
    assert int(refused.headers["retry-after"]) >= 1
    assert served.get("/health").status_code == 200
    gate.release(99)
    thread.join()
    assert answers[0].status_code == 200
    assert served.post("/v1/chat/completions", question).status_code == 200


@pytest.mark.parametrize("who", ["the clients leave", "the server ends"])
def test_files_that_take_long_to_read_delay_no_other_client_and_are_given_up(serve: Serve, who: str) -> None:
    """A process that is stopped reads no document."""
    served = serve()
    DOCUMENTS.quick.start()
    stopped = DOCUMENTS.quick.pid
    assert stopped is not None
    os.kill(stopped, signal.SIGSTOP)
    with ExitStack() as leaving:
        for number in range((os.cpu_count() or 1) + 6):
            data = b64encode(b"<p>%d" % number).decode()
            part = {"type": "file", "file": {"filename": "a.html", "file_data": data}}
            body = json.dumps({"messages": [{"role": "user", "content": [part]}]}).encode()
            leaving.enter_context(served.connect()).sendall(STREAMED % (len(body), body))
        until(lambda: sum(thread.name.startswith("api-body") for thread in threading.enumerate()) > number)
        assert served.get("/v1/models").status_code == 200
        long = {"messages": [{"role": "user", "content": "Hi " * 2**17}]}
        assert served.chat(long)["choices"][0]["message"]["content"]
        if who == "the server ends":
            served.close()
    until(lambda: not any(thread.name.startswith("api-body") for thread in threading.enumerate()))
    assert not psutil.pid_exists(stopped)


def test_waiting_for_a_turn_ends_in_time(
    serve: Serve, question: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.api.answering.MOST_WAITING_S", 0.05)
    served = serve(ScriptedEngine(gate=threading.Semaphore(0)))
    refused = served.post("/v1/chat/completions", question)
    assert (refused.status_code, "retry-after" in refused.headers) == (429, True)
    assert served.api.status.under_way == ()


@pytest.mark.parametrize(("error", "status"), [(QueueFull(3), 429), (NotEnoughMemory("m", 9, 5, 4096, 0), 503)])
def test_what_the_engine_refuses_has_a_status(serve: Serve, question: dict[str, Any], error: Any, status: int) -> None:
    served = serve(ScriptedEngine([Script("", error=error)]))
    for body in (question, question | {"stream": True}):
        assert served.post("/v1/chat/completions", body).status_code == status
    assert [call.state for call in served.api.ended] == ["failed", "failed"]


def test_a_client_that_leaves_while_it_waits_is_forgotten(serve: Serve) -> None:
    gate = threading.Semaphore(0)
    served = serve(ScriptedEngine(gate=gate))
    with served.connect() as connection:
        connection.sendall(STREAMED % (len(BODY), BODY))
        until(lambda: served.api.status.under_way)
    until(lambda: served.api.ended)
    assert served.api.ended[0].state == "cancelled"


@contextmanager
def long_answers() -> Iterator[Served]:
    """Answers of more text than all buffers between server and client hold: 2,000 tokens of 4 KB."""
    engine = SteadyEngine(1e4, 2000, text="x" * 2**14, letters=2**12)
    served = Served(engine)
    try:
        yield served
    finally:
        served.close()
        engine.close()


def test_a_client_that_does_not_read_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.api.server.UNREAD_S", 0.1)
    with long_answers() as served, served.connect() as connection:
        connection.sendall(STREAMED % (len(BODY), BODY))
        until(lambda: served.api.ended)
        assert served.api.ended[0].state == "cancelled"
        assert served.get("/health").status_code == 200


def ask_for_health(connection: socket.socket) -> None:
    connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
    received = b""
    while not received.endswith(b"}"):
        received += connection.recv(4096)
    assert received.startswith(b"HTTP/1.1 200")


def test_a_request_that_never_ends_is_closed(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.api.server.HEADERS_S", 0.1)
    monkeypatch.setattr("app.api.requests.bodies.BODY_S", 0.1)
    served = serve()
    with served.connect() as silent, served.connect() as half, served.connect() as slow:
        half.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: loc")
        slow.sendall((STREAMED % (len(BODY), BODY))[:-9])
        assert silent.recv(99) == half.recv(99) == b""
        assert slow.recv(99).startswith(b"HTTP/1.1 408")
    # Half a request after whole ones.
    with served.connect() as connection:
        for _ in range(2):
            ask_for_health(connection)
        connection.sendall(b"GET /hea")
        assert connection.recv(99) == b""


def test_an_answer_takes_as_long_as_it_takes_although_headers_may_not(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.api.server.HEADERS_S", 0.2)
    gate = threading.Semaphore(0)
    served = serve(ScriptedEngine(gate=gate))
    with served.connect() as connection:
        ask_for_health(connection)
        connection.sendall(STREAMED % (len(BODY), BODY))
        time.sleep(0.3)
        gate.release(10_000)
        received = b""
        while not received.endswith(b"0\r\n\r\n"):
            received += connection.recv(65536)
        assert b"[DONE]" in received


def test_a_connection_that_nobody_reads_from_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.api.server.UNREAD_S", 0.1)
    with long_answers() as served, served.connect() as streamed, served.connect() as whole:
        for connection, body in ((streamed, BODY), (whole, BODY.replace(b"true", b"false"))):
            connection.sendall(STREAMED % (len(body), body))
        until(lambda: len(served.api.ended) == 2)
        until(lambda: not {streamed.getsockname(), whole.getsockname()} & accepted_connections().keys())


def test_connections_beyond_the_limit_are_closed(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.api.server.MOST_CONNECTIONS", 3)
    monkeypatch.setattr("app.api.server.HEADERS_S", 10 * PATIENCE_S)
    served = serve()
    with ExitStack() as opened:
        silent = [opened.enter_context(served.connect()) for _ in range(3)]
        with pytest.raises((ConnectionError, AssertionError)):
            assert opened.enter_context(served.connect()).recv(99)
        silent.pop().close()

        def answers() -> bool:
            try:
                return served.get("/health").status_code == 200
            except httpx2.TransportError:
                return False

        until(answers)


@pytest.mark.parametrize("said", [b"", b"GET /hea", b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n"])
def test_three_hundred_connections_without_the_key_keep_nobody_out_who_has_it(serve: Serve, said: bytes) -> None:
    served = serve(key="secret")
    headers = {"authorization": "Bearer secret"}
    assert served.get("/v1/models", headers=headers).status_code == 200
    with ExitStack() as opened:
        for _ in range(300):
            opened.enter_context(served.connect()).sendall(said)
        # A new connection, and the one from before, on which the key came.
        assert httpx2.get(f"{served.address}/v1/models", headers=headers, **UNENCRYPTED).status_code == 200
        assert served.get("/v1/models", headers=headers).status_code == 200
        assert len(accepted_connections()) < 2 * MOST_CONNECTIONS + 2


def test_headers_have_a_limit(told: Served) -> None:
    with told.connect() as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 2**16)
        assert connection.recv(99).startswith(b"HTTP/1.1 400")


@pytest.mark.full
def test_sixty_four_clients_at_once_are_answered_or_told_to_wait(told: Served, question: dict[str, Any]) -> None:
    async def ask() -> list[int]:
        limits = httpx2.Limits(max_connections=64)
        async with httpx2.AsyncClient(
            base_url=told.address, timeout=PATIENCE_S, limits=limits, **UNENCRYPTED
        ) as client:
            asked = (client.post("/v1/chat/completions", json=question) for _ in range(64))
            return [answer.status_code for answer in await asyncio.gather(*asked)]

    statuses = asyncio.run(ask())
    assert set(statuses) <= {200, 429}
    assert statuses.count(200) >= 24
    assert told.api.status.under_way == ()


def test_forty_megabytes_do_not_hold_others_up(told: Served, question: dict[str, Any]) -> None:
    large = question | {"messages": [{"role": "user", "content": "x" * 40_000_000}]}
    thread, answers = ask_in_background(told, large)
    assert told.chat(question)["choices"][0]["message"]["content"]
    thread.join()
    assert answers[0].status_code == 413


def test_turns_of_a_conversation_share_the_prefix_cache(starter: Served, question: dict[str, Any]) -> None:
    first = starter.chat(question)
    turns = [*question["messages"], first["choices"][0]["message"], {"role": "user", "content": "And then?"}]
    usage = starter.chat(question | {"messages": turns})["usage"]
    assert usage["prompt_tokens_details"]["cached_tokens"] > first["usage"]["prompt_tokens"]


@pytest.mark.full
def test_ten_alternating_calls_load_the_second_model_once(
    starter: Served, question: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    load = starter.engine.load_additional
    monkeypatch.setattr(starter.engine, "load_additional", lambda *models: asked.append(models[0]) or load(*models))
    short = question | {"max_tokens": 4}
    replies = [starter.chat(short | {"model": f"starter/{name}"}) for name in ("main", "draft") * 5]
    assert [reply["model"] for reply in replies] == ["starter/main", "starter/draft"] * 5
    assert len(asked) == 1
    # The host's own model stays, with its drafter and its finished turns.
    assert replies[-2]["usage"]["speculation"]["draft"] == "starter/draft"
    assert replies[-2]["usage"]["prompt_tokens_details"]["cached_tokens"] > 0
    assert starter.host.pair.main is not None
    assert starter.host.pair.main.name == "starter/main"
    loaded = [model["id"] for model in starter.get("/v1/models").json()["data"] if model["loaded"]]
    assert set(loaded) == {"starter/main", "starter/draft"}


def test_another_model_is_loaded_by_name_and_answers_once_the_one_before_has(
    starter: Served, question: dict[str, Any]
) -> None:
    thread, answers = ask_in_background(starter, question | {"max_tokens": 200})
    until(lambda: starter.api.status.under_way)
    other = starter.chat(question | {"model": "starter/draft"})
    thread.join()
    assert answers[0].json()["choices"][0]["finish_reason"] in ("stop", "length")
    assert other["model"] == "starter/draft"
    assert starter.get("/v1/models/starter/draft").json()["loaded"]
    assert starter.chat(question | {"model": "starter/main"})["usage"]["speculation"]["draft"] == "starter/draft"
    # A head drafts and cannot answer.
    refused = starter.post("/v1/chat/completions", question | {"model": "starter/head"})
    assert refused.status_code == 404
    assert "No installed model named 'starter/head' can answer" in refused.json()["error"]["message"]


def test_a_model_that_is_being_loaded_says_how_far_it_is(serve: Serve, question: dict[str, Any]) -> None:
    engine = ScriptedEngine()
    served = serve(engine)
    engine.load_gate, engine.loading_progress = threading.Event(), (3, 12)
    assert "loading" not in served.get("/v1/models/starter/draft").json()
    thread, answers = ask_in_background(served, question | {"model": "starter/draft"})
    until(lambda: served.get("/v1/models/starter/draft").json().get("loading"))
    assert served.get("/v1/models/starter/draft").json()["loading"] == {"loaded_bytes": 3, "total_bytes": 12}
    assert "loading" not in served.get("/v1/models/starter/main").json()
    engine.load_gate.set()
    thread.join()
    assert answers[0].status_code == 200
    assert "loading" not in served.get("/v1/models/starter/draft").json()


def test_a_window_hears_of_every_change_and_reads_the_figures(question: dict[str, Any]) -> None:
    changes: list[ApiCall] = []
    engine = ScriptedEngine([Script(STORY)])
    served = Served(engine, on_change=changes.append)
    answer = served.chat(question)
    assert [call.state for call in changes] == ["waiting", "prefilling", "answering", "finished"]
    [call] = served.api.ended
    assert (call.endpoint, call.model, call.ended) == ("/v1/chat/completions", Path("main").name, True)
    assert call.figures.accept_rate == answer["usage"]["speculation"]["accept_rate"]
    assert served.api.status.served == 1
    served.close()
    engine.close()
    assert not served.api.status.serving


def test_calls_are_logged_by_counts_alone(
    serve: Serve, question: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    served = serve(ScriptedEngine([Script("My secret answer.")]))
    with caplog.at_level("INFO"):
        served.chat(question | {"messages": [{"role": "user", "content": "My secret question."}]})
        until(lambda: served.api.ended)
    assert "/v1/chat/completions finished" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.expects_log
def test_an_unexpected_failure_is_logged_and_answered_in_a_sentence(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    served = serve()
    monkeypatch.setattr(served.host, "installed", lambda: 1 / 0)
    answered = served.get("/v1/models")
    assert (answered.status_code, answered.json()["error"]["code"]) == (500, "internal")
    assert "a call to /v1/models failed" in caplog.text
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.parametrize(
    ("script", "code"),
    [
        (Script("Half an", reason="cancelled"), "cancelled"),
        (Script("", error=NoModel()), "no-model"),
        (None, "no-model"),
    ],
    ids=["it has begun", "its model was just unloaded", "none is loaded yet"],
)
def test_an_answer_that_ends_because_the_models_are_exchanged_may_be_asked_for_again(
    serve: Serve, question: dict[str, Any], script: Script | None, code: str
) -> None:
    served = serve(ScriptedEngine([script or Script("Never.")]))
    if script is None:
        served.host.use(served.host.engine, LoadedPair(None, None))
    refused = served.post("/v1/chat/completions", question)
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, code)
    assert int(refused.headers["retry-after"]) >= 1


def test_stopping_the_server_ends_the_calls_under_way(serve: Serve) -> None:
    gate = threading.Semaphore(4)
    served = serve(ScriptedEngine([Script(STORY)], gate=gate))
    with served.connect() as connection:
        connection.sendall(STREAMED % (len(BODY), BODY))
        assert connection.recv(99).startswith(b"HTTP/1.1 200")
        served.api.stop()
    assert [call.state for call in served.api.ended] == ["cancelled"]
    assert not served.api.status.serving
