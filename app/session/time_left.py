"""How long something with a known share still takes, from the rate at which the share has grown."""

from __future__ import annotations

import time
from collections.abc import Callable

# An estimate needs so many steps forward, and so many seconds from the first to the latest.
_LEAST_STEPS = 2
_LEAST_S = 5.0


class TimeLeft:
    """Estimates the time left; `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._total = 0
        # (seconds, amount) of the first look and of the latest step forward.
        self._first = self._latest = (0.0, 0)
        self._steps = 0

    def note(self, done: int, total: int) -> float | None:
        """Record that `done` of `total` is done. Return the seconds left, None until the rate is known."""
        now = self._clock()
        if total != self._total or done < self._latest[1]:
            self._total = total
            self._steps = 0
            self._first = self._latest = (now, done)
        elif done > self._latest[1]:
            self._latest = (now, done)
            self._steps += 1
        elapsed = self._latest[0] - self._first[0]
        if self._steps < _LEAST_STEPS or elapsed < _LEAST_S:
            return None
        rate = (self._latest[1] - self._first[1]) / elapsed
        return max((total - self._latest[1]) / rate - (now - self._latest[0]), 0.0)
