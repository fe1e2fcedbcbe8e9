"""A sandbox: a process that is killed and replaced when a task takes too long or too much memory.

Each package that reads what comes from strangers has one, which is started when it is first needed.
"""

from __future__ import annotations

import atexit
import logging
import math
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, TypeVar

import msgspec
import psutil

from engine.errors import EngineClosed, without_frames
from engine.sandbox.errors import LimitExceeded, SandboxCrashed, SandboxError
from engine.sandbox.tasks import (
    REPLIES,
    Done,
    Failure,
    Progress,
    Reply,
    Result,
    TaskOutcome,
    TaskRequest,
    TooLarge,
    error_of,
    request_for,
    types_of,
)
from engine.wire.child import Child
from engine.wire.messages import ChannelClosed, MessageTooLarge, unpack

log = logging.getLogger(__name__)

# Seconds of wall time without any computing after which a process counts as hung. All other limits are seconds of the
# process's own computing, so that a busy machine only makes tasks wait.
STALL_S = 60.0
# Seconds without a task after which a process ends: a large vocabulary takes 400 MB.
IDLE_S = 15 * 60.0
# The most resident memory of a process.
RESIDENT_BYTES = 3 * 2**30
_POLL_S = 0.02
# The most seconds between two looks at the process that count: more have passed only if this process did not run.
_LONGEST_LOOK_S = 1.0
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


_Got = TypeVar("_Got")


def _show_nothing(_: Progress) -> None:
    """Show no progress."""


class _Turns:
    """A fair lock: those that wait get it in their order."""

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

    Its tasks reach what `access` says. They may have tasks run by `other`, which may reach more
    (`tasks.run_elsewhere`). With `has_folder`, they may write files in one of their own, which is deleted with the
    process. Thread-safe; tasks run one at a time, in their order.
    """

    def __init__(self, *modules: str, other: Sandbox | None = None, has_folder: bool = False) -> None:
        self._modules = modules
        self._has_folder = has_folder
        self._other = other
        self._turns = _Turns()
        # None before it is started, and after it has ended.
        self._child: Child[Reply] | None = None
        # The only folder in which the process may write files; "" before it is started, and after it has ended.
        self._folder = ""
        # The most bytes of memory that the process had during the latest task.
        self._most_memory = 0
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
        show: Callable[[Progress], object] = _show_nothing,
    ) -> Result:
        """Return the result of a task, given as a function with its arguments in order. It may compute for `seconds`.

        Waits. The same process first does the task `after`, within its own seconds. `show` gets the progress that the
        task reports, on the thread that waits.

        Raises the `EngineError` of the task; `LimitExceeded`, `TaskFailed` if it raised anything else, `SandboxCrashed`
        if the process ended in each attempt, which are `SandboxError`s; and `EngineClosed` when `abandoned`.
        """
        given_up = abandoned or threading.Event()

        def ask(child: Child[Reply]) -> Result:
            if after is not None:
                self._ask(child, *after, given_up, show)
            return self._ask(child, task, seconds, given_up, show)

        return self._with_process(ask, given_up)

    def outcome_of(self, request: TaskRequest, abandoned: threading.Event) -> TaskOutcome:
        """Return what comes of a task for which another sandbox asks. Waits. Raises `EngineClosed` when `abandoned`."""

        def pass_on(child: Child[Reply]) -> TaskOutcome:
            reply = self._exchange(child, request, msgspec.Raw, request.seconds, abandoned, _show_nothing)
            return reply if isinstance(reply, Failure | TooLarge) else Done(reply)

        try:
            return self._with_process(pass_on, abandoned)
        except SandboxError as error:
            return Failure.of(error)

    def _with_process(self, use: Callable[[Child[Reply]], _Got], abandoned: threading.Event) -> _Got:
        """Return what `use` does with the process, in its turn; it is tried again if the process ends. Waits.

        Raises `SandboxCrashed` if it ended in each attempt, `EngineClosed` when `abandoned`, and what `use` raises.
        """
        with self._turns:
            for attempt in range(1, _ATTEMPTS + 1):
                try:
                    return use(self._running(abandoned))
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
        if self._folder:
            # A program that the process started may still write into it.
            shutil.rmtree(self._folder, ignore_errors=True)
        self._folder = ""

    def release(self) -> None:
        """End the process once it has no task, so that it takes no memory; the next task starts another."""
        with self._turns:
            self.end()

    @property
    def pid(self) -> int | None:
        """The id of the process, None before it was started."""
        return self._child.process.pid if self._child is not None else None

    def _running(self, abandoned: threading.Event) -> Child[Reply]:
        """Return the process, and start one if none runs. Raises `EngineClosed` when `abandoned`."""
        if abandoned.is_set():
            raise EngineClosed
        if self._child is not None and self._child.process.poll() is None:
            return self._child
        self.end()
        # An engine that is killed deletes none: most tasks need none. On a full disk, the others do without, too.
        if self._has_folder:
            with suppress(OSError):
                self._folder = tempfile.mkdtemp(prefix="tandem-")
        folder = self._folder or os.devnull
        child = Child(
            "engine.sandbox.worker",
            "--sandbox",
            [str(IDLE_S), folder, *self._modules],
            REPLIES,
            environment=_ENVIRONMENT | ({"TMPDIR": folder} if self._folder else {}),
            most_unsent=_MOST_UNREAD,
        )
        self._child = child
        # Its first message says that it has imported its modules.
        self._exchange(child, None, None, math.inf, abandoned, _show_nothing)
        return child

    def _ask(
        self,
        child: Child[Reply],
        task: partial[Result],
        seconds: float,
        abandoned: threading.Event,
        show: Callable[[Progress], object],
    ) -> Result:
        """Make the process do a task, and return its result. Raises as `run` and `_exchange` do."""
        request = request_for(task, seconds)
        result_type = types_of(task.func).result
        reply = self._exchange(child, request, result_type, seconds, abandoned, show)
        if isinstance(reply, Failure | TooLarge):
            raise error_of(reply)
        result: Result = reply
        return result

    def _exchange(
        self,
        child: Child[Reply],
        request: TaskRequest | None,
        kind: Any,
        seconds: float,
        abandoned: threading.Event,
        show: Callable[[Progress], object],
    ) -> Any:
        """Send a request, if any, and return the task's result, of type `kind`, or another reply.

        Ends the process at any error, also if a person interrupts: a late reply would count as the next task's. Raises
        `LimitExceeded`, `EngineClosed`, `ChannelClosed` for a process that ended, and `TimeoutError` for one that hung.
        """
        try:
            if request is not None:
                child.channel.send(request)
            reply = self._wait(child, seconds, abandoned, show)
            return unpack(reply.result, kind) if isinstance(reply, Done) else reply
        except ChannelClosed as error:
            raise self._cause(child, error, seconds) from error
        except BaseException as error:
            log.info("a sandbox is ended: %s", error)
            self.end()
            raise

    def _wait(
        self, child: Child[Reply], cpu_limit_s: float, abandoned: threading.Event, show: Callable[[Progress], object]
    ) -> TaskOutcome:
        """Wait for the task's outcome: its result, or why it has none. `show` gets the messages of its progress.

        The task may compute for `cpu_limit_s`, which counts from this call on. Runs what the task asks of another
        sandbox. Raises as `_exchange` does.
        """
        before = _use_of(child)
        self._most_memory = before.memory
        latest_cpu_s = before.cpu_s
        wall_idle_s = 0.0
        looked_at = time.monotonic()
        while True:
            reply = child.channel.receive(_POLL_S)
            if isinstance(reply, Progress):
                # Another program that the task runs may compute instead of it.
                wall_idle_s = 0.0
                show(reply)
            elif isinstance(reply, TaskRequest):
                child.channel.send(self._outcome_elsewhere(reply, abandoned))
                wall_idle_s = 0.0
            elif reply is not None:
                return reply
            if abandoned.is_set():
                raise EngineClosed
            use = _use_of(child)
            self._most_memory = max(self._most_memory, use.memory)
            if use.cpu_s - before.cpu_s > cpu_limit_s:
                raise LimitExceeded("too-slow", cpu_limit_s)
            if self._most_memory > RESIDENT_BYTES:
                raise LimitExceeded("too-large")
            now = time.monotonic()
            if use.cpu_s > latest_cpu_s:
                wall_idle_s = 0.0
            else:
                # If more has passed, this process itself was stopped, as by Ctrl+Z, and usually the other one, too.
                wall_idle_s += min(now - looked_at, _LONGEST_LOOK_S)
            # `_use_of` returns zeros if it fails.
            latest_cpu_s = max(latest_cpu_s, use.cpu_s)
            looked_at = now
            if wall_idle_s > STALL_S:
                raise TimeoutError(f"it did nothing for {STALL_S:g} seconds")

    def _outcome_elsewhere(self, request: TaskRequest, abandoned: threading.Event) -> TaskOutcome:
        """Run a task for which the process asks in the other sandbox, and return its outcome."""
        if self._other is None:
            return Failure("there is no other sandbox", "", {})
        return self._other.outcome_of(request, abandoned)

    def _cause(self, child: Child[Reply], error: ChannelClosed, seconds: float) -> LimitExceeded | ChannelClosed:
        """End a process after an error of its connection; return the limit that it exceeded, else the error."""
        try:
            code = child.process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            # The process lives. It sent something that is no reply.
            code = 0
        self.end()
        if code == -signal.SIGXCPU:
            return LimitExceeded("too-slow", seconds)
        # Rust aborts when it gets no memory, and some systems kill the process that uses most of it.
        killed = code == -signal.SIGKILL and self._most_memory > RESIDENT_BYTES // 2
        if killed or code == -signal.SIGABRT or isinstance(error, MessageTooLarge):
            return LimitExceeded("too-large")
        return ChannelClosed(f"{error}; exit code {code}")


class _Use(NamedTuple):
    """What a process uses."""

    # Seconds of computing since it began.
    cpu_s: float
    # Bytes of resident memory now.
    memory: int


def _use_of(child: Child[Reply]) -> _Use:
    """Return what a process has used; zeros if it has ended."""
    try:
        process = psutil.Process(child.process.pid)
        times = process.cpu_times()
        return _Use(float(times.user + times.system), int(process.memory_info().rss))
    # Besides psutil's own errors, what the system calls of a new macOS raise; the wall clock still limits it.
    except Exception as error:
        log.debug("the use of a sandbox is unknown: %s", error)
        return _Use(0.0, 0)
