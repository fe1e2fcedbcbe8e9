"""Starts the processes of ranks, here or over ssh, and watches them. Imports no MLX."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from engine.cluster.messages import from_plain
from engine.cluster.rank import own_command
from engine.computers.errors import ClusterError
from engine.computers.hosts import Machine
from engine.computers.keeper import BEAT_S, SILENT_S
from engine.computers.processes import Process, command_on


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
