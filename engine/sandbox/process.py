"""A sandbox: a process that is killed and replaced when a task takes too long or too much memory.

Each package that reads what comes from strangers has one, which is started when it is first needed.
"""

from __future__ import annotations

import atexit
import logging
import math
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial

import psutil

from engine.errors import EngineClosed
from engine.sandbox.errors import LimitExceeded, SandboxCrashed, SandboxError, TaskFailed
from engine.sandbox.tasks import REPLIES, Done, Reply, Result, TaskRequest, TooLarge, name_of, types_of
from engine.wire.child import Child
from engine.wire.messages import ChannelClosed, MessageTooLarge, pack, unpack

log = logging.getLogger(__name__)

# Limits are seconds of the process's own computing, so that a busy machine only makes tasks wait. Only this one is
# seconds of wall time without any computing, after which a process counts as hung.
STALL_S = 60.0
# Seconds without a task after which a process ends: a large vocabulary takes 400 MB.
IDLE_S = 15 * 60.0
MEMORY_BYTES = 3 * 2**30
_POLL_S = 0.02
# Attempts at a task whose process ends: in want of memory, macOS kills some of them in a row.
_ATTEMPTS = 3
# Seconds in which a process has to end after it closed its connection, and the most bytes that it may leave unread.
_ENDING_S, _MOST_UNREAD = 1.0, 2**30
# Variables that keep the libraries quiet, offline and on one thread.
_ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
}


class _ProcessEnded(Exception):
    """The process ended without exceeding a limit: something else killed it, it crashed, or it hung."""


class _Turns:
    """A fair (FIFO) lock."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[object] = deque()

    def __enter__(self) -> None:
        turn = object()
        with self._changed:
            self._waiting.append(turn)
            try:
                self._changed.wait_for(lambda: self._waiting[0] is turn)
            except BaseException:
                # A person may interrupt the main thread.
                self._waiting.remove(turn)
                self._changed.notify_all()
                raise

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._waiting.popleft()
            self._changed.notify_all()


class Sandbox:
    """A process that runs the tasks declared in `modules`, and its limits.

    Thread-safe; tasks run one at a time, in their order.
    """

    def __init__(self, *modules: str) -> None:
        self._modules = modules
        self._turns = _Turns()
        self._child: Child[Reply] | None = None
        self._usage: psutil.Process | None = None
        # The most bytes of memory that the process had during the latest task.
        self._most_held = 0
        atexit.register(self.end)

    def start(self) -> None:
        """Start the process if it does not run, so that the next task need not wait for that. Waits."""
        with self._turns:
            try:
                self._ensure_running(threading.Event())
            except (OSError, SandboxError, _ProcessEnded) as error:
                log.info("a sandbox cannot be started: %s", error)

    def run(
        self,
        task: partial[Result],
        seconds: float,
        abandoned: threading.Event | None = None,
        *,
        after: tuple[partial[None], float] | None = None,
    ) -> Result:
        """Return the result of a task, given as a function with its arguments in order. It may compute for `seconds`.

        Waits. The same process first does the task `after`, within its own seconds. Raises `SandboxError`, and
        `EngineClosed` when `abandoned`.
        """
        given_up = abandoned or threading.Event()

        def work() -> Result:
            self._ensure_running(given_up)
            if after is not None:
                self._ask(*after, given_up)
            return self._ask(task, seconds, given_up)

        with self._turns:
            return self._with_retries(work)

    def end(self) -> None:
        """End the process; the next task starts another."""
        if self._child is not None:
            self._child.end()
        self._child = None

    def release(self) -> None:
        """End the process once it has no task, so that it takes no memory; the next task starts another."""
        with self._turns:
            self.end()

    @property
    def pid(self) -> int | None:
        """The id of the process, None before it was started."""
        return self._child.process.pid if self._child is not None else None

    @property
    def _runs(self) -> bool:
        return self._child is not None and self._child.process.poll() is None

    def _with_retries(self, work: Callable[[], Result]) -> Result:
        """Do `work`, and again with a new process if this one ends meanwhile."""
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return work()
            # A system that wants memory may also start no process.
            except (_ProcessEnded, OSError) as error:
                log.info("a sandbox ended (%s) in attempt %d", error, attempt)
                ended = error
        raise SandboxCrashed(str(ended)) from ended

    def _ensure_running(self, abandoned: threading.Event) -> None:
        if abandoned.is_set():
            raise EngineClosed
        if self._runs:
            return
        self.end()
        self._child = Child(
            "engine.sandbox.worker",
            "--sandbox",
            [str(IDLE_S), *self._modules],
            REPLIES,
            environment=_ENVIRONMENT,
            most_unsent=_MOST_UNREAD,
        )
        self._usage = None
        self._wait(None, abandoned)

    def _ask(self, task: partial[Result], seconds: float, abandoned: threading.Event) -> Result:
        """Return the result of a task, or end the process if it exceeds a limit.

        Raises `_ProcessEnded`, `LimitExceeded` and `TaskFailed`.
        """
        assert self._child is not None
        try:
            self._child.channel.send(TaskRequest(math.ceil(seconds), name_of(task.func), pack(task.args)))
            reply = self._wait(seconds, abandoned)
            if isinstance(reply, Done):
                result: Result = unpack(reply.result, types_of(task.func)[1])
                return result
        except ChannelClosed as error:
            raise self._ended(error, seconds) from error
        # The text has half of a surrogate pair.
        except UnicodeEncodeError as error:
            raise TaskFailed(str(error)) from error
        raise LimitExceeded("too-large") if isinstance(reply, TooLarge) else TaskFailed(reply.message)

    def _wait(self, seconds: float | None, abandoned: threading.Event) -> Reply:
        """Return the process's next message, for which it may compute `seconds` seconds (None: any number)."""
        assert self._child is not None
        used_before, self._most_held = self._used()
        latest_use, latest_progress = used_before, time.monotonic()
        while True:
            try:
                if (reply := self._child.channel.receive(_POLL_S)) is not None:
                    return reply
            except MessageTooLarge as error:
                raise self._over("too-large") from error
            except ChannelClosed as error:
                raise self._ended(error, seconds) from error
            if abandoned.is_set():
                self.end()
                raise EngineClosed
            used, held = self._used()
            if seconds is not None and used - used_before > seconds:
                raise self._over("too-slow", seconds)
            if used > latest_use:
                latest_use, latest_progress = used, time.monotonic()
            elif time.monotonic() - latest_progress > STALL_S:
                self.end()
                raise _ProcessEnded(f"it did nothing for {STALL_S:g} seconds")
            self._most_held = max(self._most_held, held)
            if self._most_held > MEMORY_BYTES:
                raise self._over("too-large")

    def _used(self) -> tuple[float, int]:
        """Return the process's seconds of computing so far and its bytes of memory; zeros if it has ended."""
        assert self._child is not None
        try:
            self._usage = self._usage or psutil.Process(self._child.process.pid)
            times = self._usage.cpu_times()
            return float(times.user + times.system), int(self._usage.memory_info().rss)
        # Besides psutil's own errors, what the system calls of a new macOS raise; the wall clock still limits it.
        except Exception as error:
            log.debug("the use of a sandbox is unknown: %s", error)
            return 0.0, 0

    def _over(self, reason: str, limit: float = 0) -> LimitExceeded:
        self.end()
        error = LimitExceeded(reason, limit)
        log.info("a sandbox is replaced: %s", error)
        return error

    def _ended(self, error: ChannelClosed, seconds: float | None) -> LimitExceeded | _ProcessEnded:
        assert self._child is not None
        try:
            code = self._child.process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            # The process lives, but sent something that is no reply.
            self.end()
            return _ProcessEnded(str(error))
        if code == -signal.SIGXCPU:
            return self._over("too-slow", seconds or 0)
        # Rust aborts when it gets no memory, and some systems kill the process that uses most of it.
        if code == -signal.SIGABRT or (code == -signal.SIGKILL and self._most_held > MEMORY_BYTES // 2):
            return self._over("too-large")
        self.end()
        return _ProcessEnded(f"exit code {code}")
