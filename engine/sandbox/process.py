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
from functools import partial
from typing import Any

import psutil

from engine.errors import EngineClosed, without_frames
from engine.sandbox.errors import LimitExceeded, SandboxCrashed, SandboxError, TaskFailed
from engine.sandbox.tasks import REPLIES, Done, Failure, Reply, Result, TaskRequest, TooLarge, name_of, types_of
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
_ENDING_S = 1.0
_MOST_UNREAD = 2**30
# Variables that keep the libraries quiet, offline and on one thread.
_ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
}


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
    """A process with limits that runs the tasks declared in `modules`, one at a time, in their order. Thread-safe."""

    def __init__(self, *modules: str) -> None:
        self._modules = modules
        self._turns = _Turns()
        self._child: Child[Reply] | None = None
        # The most bytes of memory that the process had during the latest task.
        self._most_held = 0
        atexit.register(self.end)

    def start(self) -> None:
        """Start the process if it does not run, so that the next task need not wait for that. Waits."""
        with self._turns:
            try:
                self._running(threading.Event())
            except (OSError, SandboxError) as error:
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

        Waits. The same process first does the task `after`, within its own seconds. Raises the `EngineError` of the
        task, `SandboxError`, and `EngineClosed` when `abandoned`.
        """
        given_up = abandoned or threading.Event()
        with self._turns:
            for attempt in range(1, _ATTEMPTS + 1):
                try:
                    child = self._running(given_up)
                    if after is not None:
                        self._ask(child, *after, given_up)
                    return self._ask(child, task, seconds, given_up)
                # The process has ended, or a system that wants memory starts none.
                except OSError as error:
                    log.info("a sandbox ended (%s) in attempt %d", error, attempt)
                    # Its frames would keep this one, whose task may hold a model, until the garbage collector runs.
                    without_frames(error)
                    ended = error
        raise SandboxCrashed(str(ended)) from ended

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

    def _running(self, abandoned: threading.Event) -> Child[Reply]:
        """Return the process, started anew if it has ended."""
        if abandoned.is_set():
            raise EngineClosed
        if self._child is not None and self._child.process.poll() is None:
            return self._child
        self.end()
        child = self._child = Child(
            "engine.sandbox.worker",
            "--sandbox",
            [str(IDLE_S), *self._modules],
            REPLIES,
            environment=_ENVIRONMENT,
            most_unsent=_MOST_UNREAD,
        )
        self._exchange(child, None, None, math.inf, abandoned)
        return child

    def _ask(self, child: Child[Reply], task: partial[Result], seconds: float, abandoned: threading.Event) -> Result:
        try:
            request = TaskRequest(math.ceil(seconds), name_of(task.func), pack(task.args))
        # The text has half of a surrogate pair.
        except UnicodeEncodeError as error:
            raise TaskFailed(str(error)) from error
        found = self._exchange(child, request, types_of(task.func)[1], seconds, abandoned)
        if isinstance(found, TooLarge):
            raise LimitExceeded("too-large")
        if isinstance(found, Failure):
            raise found.error()
        result: Result = found
        return result

    def _exchange(
        self, child: Child[Reply], request: TaskRequest | None, kind: Any, seconds: float, abandoned: threading.Event
    ) -> Any:
        """Send a request, if any, and return the result, of type `kind`, or another reply. End the process if anything
        else happens, also if a person interrupts: a late reply would count as the next task's. Raises `LimitExceeded`,
        and `OSError` for a process that ended or hung.
        """
        try:
            if request is not None:
                child.channel.send(request)
            reply = self._wait(child, seconds, abandoned)
            return unpack(reply.result, kind) if isinstance(reply, Done) else reply
        except ChannelClosed as error:
            raise self._cause(child, error, seconds) from error
        except BaseException as error:
            log.info("a sandbox is ended: %s", error)
            self.end()
            raise

    def _wait(self, child: Child[Reply], seconds: float, abandoned: threading.Event) -> Reply:
        """Return the process's next message, for which it may compute `seconds` seconds."""
        used_before, self._most_held = _use_of(child)
        latest_use = used_before
        latest_progress = time.monotonic()
        while True:
            if (reply := child.channel.receive(_POLL_S)) is not None:
                return reply
            if abandoned.is_set():
                raise EngineClosed
            used, held = _use_of(child)
            self._most_held = max(self._most_held, held)
            if used - used_before > seconds:
                raise LimitExceeded("too-slow", seconds)
            if self._most_held > MEMORY_BYTES:
                raise LimitExceeded("too-large")
            if used > latest_use:
                latest_use = used
                latest_progress = time.monotonic()
            elif time.monotonic() - latest_progress > STALL_S:
                raise TimeoutError(f"it did nothing for {STALL_S:g} seconds")

    def _cause(self, child: Child[Reply], error: ChannelClosed, seconds: float) -> LimitExceeded | ChannelClosed:
        """End a process whose connection is of no further use, and return why that is."""
        try:
            code = child.process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            # The process lives, but sent something that is no reply.
            code = 0
        self.end()
        if code == -signal.SIGXCPU:
            return LimitExceeded("too-slow", seconds)
        # Rust aborts when it gets no memory, and some systems kill the process that uses most of it.
        killed = code == -signal.SIGKILL and self._most_held > MEMORY_BYTES // 2
        if killed or code == -signal.SIGABRT or isinstance(error, MessageTooLarge):
            return LimitExceeded("too-large")
        return ChannelClosed(f"{error}; exit code {code}")


def _use_of(child: Child[Reply]) -> tuple[float, int]:
    """Return a process's seconds of computing so far and its bytes of memory; zeros if it has ended."""
    try:
        process = psutil.Process(child.process.pid)
        times = process.cpu_times()
        return float(times.user + times.system), int(process.memory_info().rss)
    # Besides psutil's own errors, what the system calls of a new macOS raise; the wall clock still limits it.
    except Exception as error:
        log.debug("the use of a sandbox is unknown: %s", error)
        return 0.0, 0
