"""Finds rounds during which the computer slept or the process was stopped, so that nothing is learned from them."""

from __future__ import annotations

import sys
import time

# A round is a pause if it takes this many times as long as usual, and this many seconds: even a busy computer gives
# each process a turn within a second, and no round has so many more rows or so much more text than those before.
FAR, LEAST_S = 20.0, 1.0
# The rounds that decide what is usual.
RECENT = 8.0


class Pauses:
    """Watches the rounds of one main model."""

    def __init__(self) -> None:
        self._usual: float | None = None
        self._slept = slept_s()

    def found(self, seconds: float) -> float | None:
        """Return how much of a round of `seconds` was a pause; None if nothing was, as in nearly every round."""
        usual, before, self._slept = self._usual, self._slept, slept_s()
        far = usual is not None and seconds > max(LEAST_S, FAR * usual)
        if far or self._slept - before > LEAST_S:
            return max(0.0, seconds - usual) if usual is not None and far else 0.0
        self._usual = seconds if usual is None else usual + (seconds - usual) / RECENT
        return None


def slept_s() -> float:
    """Return for how long the computer has slept since it was started, 0 if the system has no clocks for that."""
    if sys.platform == "darwin":
        return time.clock_gettime(time.CLOCK_MONOTONIC) - time.clock_gettime(time.CLOCK_UPTIME_RAW)
    if sys.platform == "linux":
        return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)
    return 0.0
