"""The client of rank 0 blames the machine that the watch over the ranks names."""

from __future__ import annotations

import threading
from typing import Any, cast

from engine.cluster.client import RemoteEngine
from engine.cluster.errors import ClusterError
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
