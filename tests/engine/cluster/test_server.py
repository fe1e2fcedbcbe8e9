"""Rank 0 serves its engine: what cannot be told to the client must not leave it waiting."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Any, cast

from engine.cluster.server import serve
from tests.patience import PATIENCE_S


class UnspeakableEngine:
    """Its status is nothing that crosses to the client."""

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


class AskingOnce:
    """A client that asks for the status, and closes once `failed` is set."""

    def __init__(self, failed: threading.Event) -> None:
        self._failed, self._asked = failed, False

    def receive(self) -> dict[str, Any]:
        if self._asked:
            assert self._failed.wait(PATIENCE_S)
            raise ConnectionError
        self._asked = True
        return {"number": 1, "call": "status", "arguments": [], "keywords": {"!": "map", "=": []}}

    def close(self) -> None:
        pass


def test_an_answer_that_cannot_be_told_is_a_failure_of_the_rank() -> None:
    errors: list[Exception] = []
    failed = threading.Event()

    def fail(error: Exception) -> None:
        errors.append(error)
        failed.set()

    engine = UnspeakableEngine()
    serve(cast("Any", engine), cast("Any", AskingOnce(failed)), fail)
    assert isinstance(errors[0], TypeError)
    assert engine.closed
