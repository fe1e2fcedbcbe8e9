"""The rate at which bytes arrive, over a short window, so that it falls to zero when none arrive."""

from __future__ import annotations

import threading
import time
from collections import deque

_SHORT_S = 3.0
_LONG_S = 20.0
_SLOT_S = 0.1


class RateMeter:
    """Bytes a second over the last three seconds, and over the last twenty for the time left. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._slots: deque[tuple[float, int]] = deque()
        self._started = time.monotonic()

    def add(self, count: int) -> None:
        """Count bytes that have just arrived."""
        with self._lock:
            now = time.monotonic()
            if self._slots and now - self._slots[-1][0] < _SLOT_S:
                at, before = self._slots[-1]
                self._slots[-1] = (at, before + count)
            else:
                self._slots.append((now, count))
            while self._slots and now - self._slots[0][0] > _LONG_S:
                self._slots.popleft()

    def bytes_per_second(self) -> float:
        return self._over(_SHORT_S)

    def seconds_left(self, remaining: int) -> float | None:
        """Return the seconds until `remaining` bytes have arrived, or None while nothing arrives."""
        if self.bytes_per_second() <= 0.0:
            return None
        speed = self._over(_LONG_S)
        return remaining / speed if speed > 0.0 else None

    def _over(self, window: float) -> float:
        with self._lock:
            now = time.monotonic()
            total = sum(count for at, count in self._slots if now - at <= window)
            return total / max(min(window, now - self._started), _SLOT_S)
