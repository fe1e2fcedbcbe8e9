"""How much of a prompt to prefill between two decode steps, so that running answers barely slow down."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from engine.speculation.sequence import PREFILL_CHUNK

SMALLEST_CHUNK = 32
# A chunk may take as long as this many decode steps.
STEPS_PER_CHUNK = 3.0
_SMOOTHING = 0.3


class PrefillPacer:
    """Measured seconds of a decode step and of a prompt token, and the chunk size that follows from them."""

    def __init__(self) -> None:
        self._step_s: float | None = None
        self._token_s: float | None = None

    def reset(self) -> None:
        """Drop the timings, because another model will be used."""
        self._step_s = self._token_s = None

    def chunk_size(self, *, streaming: bool) -> int:
        """Prompt tokens to prefill at once: PREFILL_CHUNK, or few enough to be quick while answers are `streaming`."""
        if not streaming:
            return PREFILL_CHUNK
        if self._step_s is None or not self._token_s:
            return 2 * SMALLEST_CHUNK
        affordable = STEPS_PER_CHUNK * self._step_s / self._token_s
        size = SMALLEST_CHUNK
        while 2 * size <= min(affordable, PREFILL_CHUNK):
            size *= 2
        return size

    @contextmanager
    def time_prefill(self, tokens: int) -> Iterator[None]:
        """Time the prefill of about `tokens` prompt tokens."""
        started = time.perf_counter()
        yield
        if tokens > 0:
            self._token_s = _smoothed(self._token_s, (time.perf_counter() - started) / tokens)

    @contextmanager
    def time_decode_step(self) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self._step_s = _smoothed(self._step_s, time.perf_counter() - started)


def _smoothed(value: float | None, sample: float) -> float:
    return sample if value is None else value + _SMOOTHING * (sample - value)
