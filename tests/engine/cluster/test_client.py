"""The client of rank 0 blames the machine that the watch over the ranks names."""

from __future__ import annotations

import queue
import threading
from pathlib import Path
from typing import Any, cast

import pytest

from engine.cluster.client import RemoteEngine
from engine.cluster.codec import encode
from engine.cluster.errors import ClusterError
from engine.errors import EngineError, InternalFailure, ModelNotUsable
from engine.events import Failed
from engine.requests import ChatRequest
from engine.settings import EngineSettings
from tests.patience import PATIENCE_S


class LostConnection:
    """Nothing can be sent; who receives learns of it when it is closed."""

    def __init__(self) -> None:
        self._closed = threading.Event()

    def send(self, _message: dict[str, Any]) -> None:
        raise BrokenPipeError

    def receive(self) -> dict[str, Any]:
        self._closed.wait(PATIENCE_S)
        raise ConnectionError

    def close(self) -> None:
        self._closed.set()


def test_what_could_not_be_sent_ends_with_the_machine_that_is_to_blame() -> None:
    engine = RemoteEngine(cast("Any", LostConnection()), EngineSettings(), "127.0.0.1")
    asked = engine.status()
    engine.fail(ClusterError("ended", "studio", "exit code -9"))
    error = asked.exception(PATIENCE_S)
    assert isinstance(error, ClusterError)
    assert error.host == "studio"
    engine.close()


class ToldConnection(LostConnection):
    """Rank 0 says what it is given to say."""

    def __init__(self) -> None:
        super().__init__()
        self.said: queue.Queue[dict[str, Any]] = queue.Queue()

    def send(self, _message: dict[str, Any]) -> None:
        pass

    def receive(self) -> dict[str, Any]:
        return self.said.get(timeout=PATIENCE_S)

    def close(self) -> None:
        # The thread that receives ends with what is no message.
        self.said.put({"event": "none"})


@pytest.mark.parametrize(
    "error",
    [
        InternalFailure("RuntimeError: [ring] connection to a peer was lost"),
        ModelNotUsable(Path("main"), "wrong-tensors", "[ring] connection to a peer was lost"),
    ],
)
def test_what_rank_0_fails_at_without_another_rank_is_blamed_on_that_one(error: EngineError) -> None:
    connection = ToldConnection()
    engine = RemoteEngine(cast("Any", connection), EngineSettings(), "127.0.0.1")
    stream = engine.submit(ChatRequest([{"role": "user", "content": "x"}]))
    failed = Failed(error, "", None)
    connection.said.put({"event": 1, "value": encode(failed)})
    threading.Timer(0.1, engine.fail, [ClusterError("ended", "studio", "exit code -9")]).start()
    *_, event = stream
    assert isinstance(event, Failed)
    assert isinstance(event.error, ClusterError)
    engine.close()
