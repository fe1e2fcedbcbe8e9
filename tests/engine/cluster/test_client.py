"""The client of rank 0 reports the machine that the watch names, and rank 0 answers every call."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, cast

import pytest

from engine.cluster.client import RemoteEngine
from engine.cluster.messages import TO_CLIENT, TO_ENGINE, Call, EngineReply, ToEngine, enc_hook
from engine.cluster.server import serve
from engine.computers.errors import ClusterError
from engine.errors import EngineError, InternalFailure, ModelCannotSee, ModelNotUsable
from engine.events import Failed
from engine.requests import ChatRequest
from engine.settings import EngineSettings
from engine.wire.channel import Channel
from engine.wire.messages import WireMessage, pack
from tests.patience import PATIENCE_S

REQUEST = ChatRequest([{"role": "user", "content": "x"}])
LOST = ClusterError("ended", "studio", "exit code -9")


class Ends:
    """A connection between a client and rank 0."""

    def __init__(self) -> None:
        here, there = socket.socketpair()
        self.client: Channel[EngineReply] = Channel(here, TO_CLIENT)
        self.rank: Channel[ToEngine] = Channel(there, TO_ENGINE)


@pytest.fixture
def ends() -> Iterator[Ends]:
    ends = Ends()
    yield ends
    ends.client.close()
    ends.rank.close()


@pytest.fixture
def engine(ends: Ends) -> Iterator[RemoteEngine]:
    engine = RemoteEngine(ends.client, EngineSettings(), "127.0.0.1")
    yield engine
    engine.close()


def test_what_could_not_be_sent_ends_with_the_machine_that_is_to_blame(ends: Ends, engine: RemoteEngine) -> None:
    ends.rank.close()
    asked = engine.status()
    engine.fail(LOST)
    error = asked.exception(PATIENCE_S)
    assert isinstance(error, ClusterError)
    assert error.host == "studio"


@pytest.mark.parametrize(
    "error",
    [
        InternalFailure("RuntimeError: [ring] connection to a peer was lost"),
        ModelNotUsable(Path("main"), "wrong-tensors", "[ring] connection to a peer was lost"),
    ],
)
def test_what_rank_0_fails_at_without_another_rank_is_blamed_on_that_one(
    ends: Ends, engine: RemoteEngine, error: EngineError
) -> None:
    stream = engine.submit(REQUEST)
    ends.rank.send(EngineReply(1, "Failed", pack(Failed(error, "", None), enc_hook)))
    threading.Timer(0.1, engine.fail, [LOST]).start()
    *_, event = stream
    assert isinstance(event, Failed)
    assert isinstance(event.error, ClusterError)


@pytest.mark.parametrize(
    "said",
    [
        EngineReply(1, "result", pack("no status")),
        EngineReply(2, "Failed", pack(3)),
        EngineReply(2, "os", pack(None)),
        Call(1, "", pack(0)),
    ],
)
def test_what_is_no_answer_ends_everything(
    ends: Ends, engine: RemoteEngine, said: WireMessage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.cluster.client.ROOT_CAUSE_WAIT_S", 0.0)
    asked, stream = engine.status(), engine.submit(REQUEST)
    ends.rank.send(said)
    assert isinstance(asked.exception(PATIENCE_S), ClusterError)
    *_, event = stream
    assert isinstance(event, Failed)


def test_an_engine_that_answers_nothing_during_a_request_is_reported(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.cluster.client.QUIET_S", 0.02)
    told = threading.Event()
    engine = RemoteEngine(ends.client, EngineSettings(), "127.0.0.1", silent=told.set)
    assert not told.wait(0.1)
    engine.submit(REQUEST)
    assert told.wait(PATIENCE_S)
    engine.close()


def test_a_request_with_pictures_is_refused(engine: RemoteEngine) -> None:
    content = [{"type": "image", "digest": "0f"}]
    [event] = engine.submit(ChatRequest([{"role": "user", "content": content}], pictures={"0f": b"PNG"}))
    assert isinstance(event, Failed)
    assert isinstance(event.error, ModelCannotSee)
    assert event.error.arguments["reason"] == "cluster"


def test_a_request_that_is_no_text_fails_by_itself(engine: RemoteEngine) -> None:
    [event] = engine.submit(ChatRequest([{"role": "user", "content": "\ud800"}]))
    assert isinstance(event, Failed)
    assert event.error.code == "template-failed"


class UnspeakableEngine:
    """An engine whose status cannot be sent to the client."""

    def __init__(self) -> None:
        self.closed = False
        self.loading_progress = 0, 0

    def status(self) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(object())
        return done

    def on_failure(self, _report: object) -> None:
        pass

    def close(self) -> None:
        self.closed = True


def test_an_answer_that_cannot_be_told_is_a_failure_of_the_rank(ends: Ends) -> None:
    errors: list[Exception] = []

    def fail(error: Exception) -> None:
        errors.append(error)
        ends.client.close()

    engine = UnspeakableEngine()
    ends.client.send(Call(1, "status", pack(())))
    serve(cast("Any", engine), ends.rank, fail)
    assert isinstance(errors[0], TypeError)
    assert engine.closed


@pytest.mark.parametrize("call", [Call(1, "close", pack(())), Call(1, "load", pack((3,)))])
def test_calls_that_a_client_may_not_make_end_the_connection(ends: Ends, call: Call) -> None:
    engine = UnspeakableEngine()
    ends.client.send(call)
    serve(cast("Any", engine), ends.rank, lambda _error: None)
    assert engine.closed
