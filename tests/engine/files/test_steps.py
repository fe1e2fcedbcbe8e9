"""Work in steps: the caller may wait for the futures that it yields, or run it to its end at once."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from engine.files.steps import Steps, result_of, run_to_completion
from tests.patience import PATIENCE_S


def test_running_to_completion_waits_for_what_a_step_needs() -> None:
    go_on = threading.Event()

    def steps(future: Future[bool]) -> Steps[str]:
        yield None
        go_on.set()
        return "done" if (yield from result_of(future)) else "too late"

    with ThreadPoolExecutor(1) as pool:
        assert run_to_completion(steps(pool.submit(go_on.wait, PATIENCE_S))) == "done"


def test_a_result_is_waited_for_as_often_as_it_is_not_there() -> None:
    future: Future[int] = Future()
    steps = result_of(future)
    assert next(steps) is future
    assert next(steps) is future
    future.set_result(3)
    with pytest.raises(StopIteration) as end:
        next(steps)
    assert end.value.value == 3


def test_an_exception_of_the_work_reaches_whoever_runs_it() -> None:
    future: Future[int] = Future()
    future.set_exception(OSError("no disk"))
    with pytest.raises(OSError, match="no disk"):
        run_to_completion(result_of(future))
