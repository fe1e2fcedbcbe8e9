"""Starts processes of Tandem, here or over ssh, and talks to them: a rank, or a short command. Imports no MLX."""

from __future__ import annotations

import json
import logging
import os
import queue
import shlex
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from engine.cluster.errors import ClusterError
from engine.cluster.hosts import Machine
from engine.cluster.messages import from_plain
from engine.cluster.rank import BEAT_S, ENDING_S, SILENT_S, own_command
from engine.machine.local_network import is_denied

log = logging.getLogger(__name__)

# ssh uses keys only, so that it asks no question, and gives up on a machine that does not answer.
SSH = ("ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=8", "-o", "ServerAliveInterval=2",
       "-o", "ServerAliveCountMax=3")  # fmt: skip


def command_on(machine: Machine, *arguments: str) -> list[str]:
    """Return the command that runs `tandem ARGUMENTS` on a machine."""
    return [*SSH, machine.name, shlex.join(["tandem", *arguments])]


class Process:
    """A process that exchanges JSON objects, one a line. Raises `ClusterError` ("unreachable") if it cannot start.

    A command on another machine ends with its input, so it ends even if this process is killed.
    """

    def __init__(self, label: str, command: Sequence[str]) -> None:
        self.label = label
        self._lock = threading.Lock()
        # The last line that it wrote to its standard error.
        self._words = ""
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            raise ClusterError("unreachable", label, str(error)) from error
        self._log = threading.Thread(target=self._collect, name=f"rank-log-{label}", daemon=True)
        self._log.start()

    def tell(self, message: dict[str, Any]) -> None:
        """Write a message; if the process is gone, only `messages` ends."""
        try:
            with self._lock:
                assert self._process.stdin is not None
                self._process.stdin.write(json.dumps(message).encode() + b"\n")
                self._process.stdin.flush()
        except (OSError, ValueError):
            log.info("%s does not listen", self.label)

    def messages(self) -> Iterator[dict[str, Any]]:
        """Yield its messages until it ends, without lines that are no objects."""
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                try:
                    message = json.loads(line)
                except ValueError:
                    continue
                if isinstance(message, dict):
                    yield message

    def failure(self, reason: str) -> ClusterError:
        """Return why it ended early: no connection to the machine, no Tandem there, or else `reason`."""
        code: int | None = None
        with suppress(subprocess.TimeoutExpired):
            # It may have closed its output before it ends.
            code = self._process.wait(timeout=1.0)
        self._log.join(timeout=1.0)
        if code in (126, 127) or "invalid choice" in self._words:
            return ClusterError("no-tandem", self.label, self._words)
        if code == 255 and is_denied(self._words):
            return ClusterError("network-denied", self.label)
        return ClusterError("unreachable" if code == 255 else reason, self.label, self._words or f"exit code {code}")

    def kill(self) -> None:
        """End the process, and wait until it has ended. May be called twice."""
        with self._lock:
            if self._process.stdin is not None and not self._process.stdin.closed:
                # On another machine, the end of its input ends it.
                with suppress(OSError):
                    self._process.stdin.close()
        try:
            self._process.wait(timeout=ENDING_S + 2.0)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, 9)
            self._process.wait()
        self._log.join()

    def _collect(self) -> None:
        """Read its standard error, so that it never has to wait."""
        assert self._process.stderr is not None
        with self._process.stderr as lines:
            for raw in lines:
                if line := raw.decode("utf-8", "replace").strip():
                    self._words = line[:200]
                    log.debug("%s: %s", self.label, line)


class RankProcess(Process):
    """The process of one rank. `on_lost(error)` is called once, on any thread, when it has ended or is silent."""

    def __init__(self, machine: Machine, label: str, on_lost: Callable[[ClusterError], None]) -> None:
        self.machine = machine
        self._on_lost = on_lost
        self._said: queue.Queue[dict[str, Any]] = queue.Queue()
        self._heard = time.monotonic()
        self._stopping = False
        # A rank sends no signs of life until it has joined, because MLX holds Python's lock meanwhile.
        self.joined = False
        super().__init__(label, own_command() if machine.is_local else command_on(machine, "cluster", "rank"))
        self._threads = [
            threading.Thread(target=work, name=f"{name}-{label}", daemon=True)
            for name, work in (("rank-out", self._listen), ("rank-watch", self._watch))
        ]
        for thread in self._threads:
            thread.start()

    def wait_for(self, what: str, seconds: float) -> Any:
        """Return the value of `what` in the next message that has it. Raises `ClusterError` if none comes in time."""
        until = time.monotonic() + seconds
        while True:
            try:
                message = self._said.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                raise ClusterError("slow-start", self.label, f"{seconds:.0f}") from None
            if "error" in message:
                raise message["error"]
            if what in message:
                return message[what]

    @property
    def killed(self) -> ClusterError | None:
        """The error of a rank that was killed or cut off; None for one that runs or ended by itself."""
        code = self._process.poll()
        return None if code is None or 0 <= code < 128 else self._ended(code)

    def kill(self) -> None:
        self._stopping = True
        super().kill()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join()

    def _listen(self) -> None:
        """Read the rank's messages on a thread until it ends; signs of life are noted, and losses reported."""
        for message in self.messages():
            self._heard = time.monotonic()
            if "lost" in message:
                self._report(from_plain(message["lost"], ClusterError))
            elif "failed" in message:
                self._report(ClusterError("ended", self.label, str(message["failed"])))
            elif "beat" not in message:
                self._said.put(message)
        self._report(self._ended(self._process.wait()))

    def _ended(self, code: int) -> ClusterError:
        if not self.machine.is_local and code in (126, 127, 255):
            return self.failure("ended")
        return ClusterError("ended", self.label, f"exit code {code}")

    def _watch(self) -> None:
        """Send signs of life, and report a rank that sends none."""
        while not self._stopping and self._process.poll() is None:
            self.tell({"beat": 1})
            time.sleep(BEAT_S / 2)
            if self.joined and time.monotonic() - self._heard > SILENT_S and not self._stopping:
                self._report(ClusterError("silent", self.label, f"{SILENT_S:.0f}"))
                return

    def _report(self, error: ClusterError) -> None:
        with self._lock:
            reported, self._stopping = self._stopping, True
        if not reported:
            self._said.put({"error": error})
            self._on_lost(error)
