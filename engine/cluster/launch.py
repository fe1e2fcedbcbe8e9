"""Starts the process of a rank, here or over ssh, and hears from it. Imports no MLX."""

from __future__ import annotations

import json
import logging
import os
import queue
import shlex
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from engine.cluster.errors import ClusterError
from engine.cluster.hosts import Machine
from engine.cluster.messages import from_plain
from engine.cluster.rank import BEAT_S, SILENT_S, own_command

log = logging.getLogger(__name__)

# Keys only: ssh must not ask for anything, and gives up on a machine that does not answer.
SSH = ("ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=8", "-o", "ServerAliveInterval=2",
       "-o", "ServerAliveCountMax=3")  # fmt: skip
# Lines of a rank's log that are kept to say why it ended.
_KEPT_LINES = 20


def command_on(machine: Machine, *arguments: str) -> list[str]:
    """The command that runs `tandem ARGUMENTS` on a machine."""
    return [*SSH, machine.name, shlex.join([*machine.command, *arguments])]


def start_on(machine: Machine, label: str, *arguments: str) -> subprocess.Popen[bytes]:
    """`tandem ARGUMENTS` on another machine, with pipes. Raises `ClusterError` ("unreachable") where none can start."""
    return _start(command_on(machine, *arguments), label)


def _start(command: Sequence[str], label: str) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
    except OSError as error:
        raise ClusterError("unreachable", label, str(error)) from error


class RankProcess:
    """The process of one rank. `on_lost(error)` is called once, on a thread, when it has ended or is silent.

    Whatever becomes of this process, the rank ends: it does when its input does.
    """

    def __init__(self, machine: Machine, label: str, on_lost: Callable[[ClusterError], None]) -> None:
        self.machine, self.label = machine, label
        self._on_lost = on_lost
        self._said: queue.Queue[dict[str, Any]] = queue.Queue()
        self._lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self._heard = time.monotonic()
        self._stopping = False
        # A rank that joins the others cannot beat: MLX keeps Python waiting until they are there.
        self.joined = False
        self._lock = threading.Lock()
        command = own_command() if machine.is_local else command_on(machine, "cluster", "rank")
        self._process = _start(command, label)
        self._threads = [
            threading.Thread(target=work, name=f"{name}-{label}", daemon=True)
            for name, work in (("rank-out", self._listen), ("rank-log", self._collect), ("rank-watch", self._watch))
        ]
        for thread in self._threads:
            thread.start()

    def tell(self, message: dict[str, Any]) -> None:
        """Write a line to the rank; one that is gone is reported by the thread that hears it."""
        try:
            with self._lock:
                assert self._process.stdin is not None
                self._process.stdin.write(json.dumps(message).encode() + b"\n")
                self._process.stdin.flush()
        except (OSError, ValueError):
            log.info("%s does not listen", self.label)

    def wait_for(self, what: str, seconds: float) -> Any:
        """The value of the next message with `what` in it. Raises `ClusterError` where none comes."""
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
        """That the rank was killed or cut off, if it was: it did not end by itself."""
        code = self._process.poll()
        return None if code is None or 0 <= code < 128 else self._ended(code)

    def kill(self) -> None:
        """End the rank, and wait for what was started here. May be called twice."""
        self._stopping = True
        with self._lock:
            if self._process.stdin is not None and not self._process.stdin.closed:
                # On the other machine, the end of its input ends the rank.
                with suppress(OSError):
                    self._process.stdin.close()
        try:
            self._process.wait(timeout=2.0)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, 9)
            self._process.wait()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._heard = time.monotonic()
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if "lost" in message or "failed" in message:
                self._report(self._lost_of(message))
            elif "beat" not in message:
                self._said.put(message)
        self._process.stdout.close()
        code = self._process.wait()
        self._report(self._ended(code))

    def _lost_of(self, message: dict[str, Any]) -> ClusterError:
        if "lost" in message:
            return from_plain(message["lost"], ClusterError)
        return ClusterError("ended", self.label, str(message["failed"]))

    def _ended(self, code: int) -> ClusterError:
        said = self._lines[-1] if self._lines else ""
        if not self.machine.is_local and code == 255:
            return ClusterError("unreachable", self.label, said or "ssh")
        if not self.machine.is_local and code in (126, 127):
            return ClusterError("no-tandem", self.label, said)
        return ClusterError("ended", self.label, f"exit code {code}")

    def _collect(self) -> None:
        assert self._process.stderr is not None
        for raw in self._process.stderr:
            line = raw.decode("utf-8", "replace").strip()
            if line:
                self._lines.append(line[:300])
                log.debug("%s: %s", self.label, line)
        self._process.stderr.close()

    def _watch(self) -> None:
        """Signs of life, both ways."""
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
