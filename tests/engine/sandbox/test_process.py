"""A sandbox keeps its limits, is replaced when it exceeds them, and runs no tasks but those of its modules."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import count
from types import SimpleNamespace

import psutil
import pytest

from engine.grammars.checks import check_answer
from engine.grammars.compiling import trial
from engine.sandbox.errors import LimitExceeded, SandboxCrashed, TaskFailed
from engine.sandbox.process import Sandbox
from engine.tokenizers.tasks import count_tokens
from tests.patience import PATIENCE_S

TASK = partial(trial, 'start: "a"')


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    sandbox = Sandbox("engine.grammars.checks", "engine.grammars.compiling")
    yield sandbox
    sandbox.end()


def started(sandbox: Sandbox) -> int:
    """Start the process and return its id."""
    sandbox.start()
    assert sandbox.pid is not None
    return sandbox.pid


@pytest.mark.parametrize(("kills", "reason"), [(2, ""), (3, "crashed")])
def test_a_task_whose_process_is_killed_is_tried_three_times(sandbox: Sandbox, kills: int, reason: str) -> None:
    os.kill(started(sandbox), signal.SIGKILL)
    assert sandbox.run(TASK, PATIENCE_S) == ""
    # A stopped process cannot answer before it is killed.
    os.kill(started(sandbox), signal.SIGSTOP)
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(sandbox.run, TASK, PATIENCE_S)
        with pytest.raises(TimeoutError):
            call.result(0.1)
        killed = set[int]()
        while not call.done() and len(killed) < kills:
            if (pid := sandbox.pid) is not None and pid not in killed:
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)
            time.sleep(0.01)
        error = call.exception(PATIENCE_S)
    assert (error.reason if isinstance(error, SandboxCrashed) else error or call.result()) == reason


@pytest.mark.first
def test_a_process_is_told_nothing_that_it_does_not_need(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_PAT", "DATABASE_URL", "HTTPS_PROXY", "SSH_AUTH_SOCK", "HF_TOKEN"):
        monkeypatch.setenv(name, "http://name:zanzibar@host")
    told = psutil.Process(started(sandbox)).environ()
    assert "zanzibar" not in str(told)
    assert told["PATH"] == os.environ["PATH"]


def test_a_process_that_hangs_is_replaced_by_another(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    os.kill(pid := started(sandbox), signal.SIGSTOP)
    monkeypatch.setattr("engine.sandbox.process.STALL_S", 1)
    # The task is larger than a pipe.
    assert sandbox.run(partial(trial, TASK.args[0] + " " * 500_000), PATIENCE_S) == ""
    assert not psutil.pid_exists(pid)


@pytest.mark.full
def test_an_idle_process_ends_and_the_next_task_starts_another(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.sandbox.process.IDLE_S", 0.01)
    first = started(sandbox)
    assert sandbox.run(TASK, PATIENCE_S) == ""
    with suppress(psutil.NoSuchProcess):
        psutil.Process(first).wait(PATIENCE_S)
    assert sandbox.run(TASK, PATIENCE_S) == ""


@pytest.mark.full
def test_a_task_of_a_busy_machine_only_waits(sandbox: Sandbox) -> None:
    """The limits are seconds of the process's own computing, not of the clock."""
    os.kill(pid := started(sandbox), signal.SIGSTOP)
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(sandbox.run, TASK, 0.2)
        with pytest.raises(TimeoutError):
            call.result(0.7)
        os.kill(pid, signal.SIGCONT)
        assert call.result(PATIENCE_S) == ""
    assert sandbox.pid == pid


@pytest.mark.parametrize("waits", [True, False])
def test_a_person_may_interrupt_a_task_or_the_wait_for_its_turn(sandbox: Sandbox, waits: bool) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    os.kill(pid := started(sandbox), signal.SIGSTOP)
    before = signal.signal(signal.SIGALRM, interrupt)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(sandbox.run, TASK, PATIENCE_S) if waits else None
        with suppress(TimeoutError):
            assert first is None or first.result(0.2)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            with pytest.raises(KeyboardInterrupt):
                sandbox.run(TASK, PATIENCE_S)
        finally:
            signal.signal(signal.SIGALRM, before)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
        assert first is None or first.result(PATIENCE_S) == ""
    # It does not get the result of the task that was interrupted.
    assert sandbox.run(partial(trial, "none"), PATIENCE_S) != ""


def test_a_process_with_too_much_memory_is_stopped(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    os.kill(pid := started(sandbox), signal.SIGSTOP)
    monkeypatch.setattr("engine.sandbox.process.RESIDENT_BYTES", 2**20)
    with pytest.raises(LimitExceeded) as caught:
        sandbox.run(TASK, PATIENCE_S)
    assert caught.value.reason == "too-large"
    assert not psutil.pid_exists(pid)


@pytest.mark.parametrize("task", [partial(count_tokens, "a", "b", None), partial(trial, "\ud83d")])
def test_a_task_that_is_not_on_the_list_or_is_no_text_fails_and_ends_nothing(
    sandbox: Sandbox, task: partial[object]
) -> None:
    pid = started(sandbox)
    with pytest.raises(TaskFailed):
        sandbox.run(task, PATIENCE_S)
    assert sandbox.run(partial(check_answer, "{}", "1"), PATIENCE_S) == []
    assert sandbox.pid == pid


@pytest.mark.full
def test_tasks_of_several_importers_take_turns(sandbox: Sandbox) -> None:
    os.kill(pid := started(sandbox), signal.SIGSTOP)
    order = list[str]()

    def work(name: str, times: int) -> None:
        for _ in range(times):
            sandbox.run(TASK, PATIENCE_S)
            order.append(name)

    with ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(work, "many", 4), pool.submit(work, "one", 1)]
        # Both have asked before the first task is done.
        time.sleep(0.2)
        os.kill(pid, signal.SIGCONT)
        for call in calls:
            call.result(PATIENCE_S)
    assert "one" in order[:2]


def test_the_time_in_which_the_app_itself_was_stopped_is_no_stall(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl+Z stops both processes; afterwards the app may run first."""
    os.kill(pid := started(sandbox), signal.SIGSTOP)
    looks = count()

    def jumping() -> float:
        # An hour passes before the fifth look. The other process goes on then, but has not computed yet.
        if (look := next(looks)) == 5:
            os.kill(pid, signal.SIGCONT)
        return time.monotonic() + 3600.0 * (look >= 5)

    monkeypatch.setattr("engine.sandbox.process.time", SimpleNamespace(monotonic=jumping))
    assert sandbox.run(TASK, PATIENCE_S) == ""
    assert sandbox.pid == pid
