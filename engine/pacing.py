"""How much of a prompt to read between two steps of those who stream, so that they hardly notice."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from engine.speculation.sequence import PREFILL_CHUNK

SMALLEST_PIECE = 32
# A piece may take as long as this many decode steps.
STEPS_A_PIECE = 3.0
_WEIGHT = 0.3


class PrefillPace:
    """Measured seconds of a decode step and of a prompt token, and the piece of a prompt that follows from them."""

    def __init__(self) -> None:
        self._step_s: float | None = None
        self._token_s: float | None = None

    def forget(self) -> None:
        """Another model: what was timed says nothing about it."""
        self._step_s = self._token_s = None

    def piece(self, *, streaming: bool) -> int:
        """Tokens to read at once: a full chunk while nobody is `streaming`, else few enough to be quick."""
        if not streaming:
            return PREFILL_CHUNK
        if self._step_s is None or not self._token_s:
            return 2 * SMALLEST_PIECE
        affordable = STEPS_A_PIECE * self._step_s / self._token_s
        piece = SMALLEST_PIECE
        while 2 * piece <= min(affordable, PREFILL_CHUNK):
            piece *= 2
        return piece

    @contextmanager
    def reading(self, tokens: int) -> Iterator[None]:
        """Times the reading of about `tokens` prompt tokens."""
        started = time.perf_counter()
        yield
        if tokens > 0:
            self._token_s = _smoothed(self._token_s, (time.perf_counter() - started) / tokens)

    @contextmanager
    def decoding(self) -> Iterator[None]:
        """Times a decode step."""
        started = time.perf_counter()
        yield
        self._step_s = _smoothed(self._step_s, time.perf_counter() - started)


def _smoothed(value: float | None, sample: float) -> float:
    return sample if value is None else value + _WEIGHT * (sample - value)
