"""Measures how long the Qt thread stays away from its event loop, in processor time, independent of other load."""

from __future__ import annotations

import time

from PySide6.QtCore import QCoreApplication, QObject, QTimer


class Heartbeat(QObject):
    """Beats in every round of the event loop. `stalls` are the seconds of processor time between beats."""

    def __init__(self) -> None:
        super().__init__()
        self.stalls: list[float] = []
        self._last = time.thread_time()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._beat)
        self._timer.start(0)

    def _beat(self) -> None:
        now = time.thread_time()
        self.stalls.append(now - self._last)
        self._last = time.thread_time()

    def rest(self, is_info: int, patience_s: float) -> None:
        """Run the event loop until it was idle for `is_info` rounds, at most `patience_s` seconds."""
        deadline, quiet = time.monotonic() + patience_s, 0
        while quiet < is_info and time.monotonic() < deadline:
            seen = len(self.stalls)
            QCoreApplication.processEvents()
            quiet = quiet + 1 if all(stall < 0.002 for stall in self.stalls[seen:]) else 0
            time.sleep(0.0005)

    @property
    def longest(self) -> float:
        return max(self.stalls, default=0.0)

    def take(self) -> float:
        """Return the longest stall since the last call."""
        longest = self.longest
        self.stalls.clear()
        return longest

    def stop(self) -> None:
        self._timer.stop()
