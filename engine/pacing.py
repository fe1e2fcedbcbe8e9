"""How much of a prompt to prefill between two decode steps, so that running answers barely slow down."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from statistics import median

SMALLEST_CHUNK = 32
# A chunk may take as long as this many decode steps.
STEPS_PER_CHUNK = 3.0
# Beside nothing else: the longest that a cancelled prompt goes on, and the bounds of what is read in that time.
# mlx-lm reads 2,048 tokens at once; below 128 the products of a GPU are no longer busy.
ALONE_S = 0.25
SMALLEST_ALONE = 128
LARGEST_CHUNK = 2048
# A chunk that takes longer all the same is evaluated in parts of this length, so that few of them take ALONE_S.
PART_S = 0.2
# Prompts that are read in this time are read before answers to others that wait with them begin.
TOGETHER_S = 0.5
# Before anything was timed.
FIRST_ALONE = 512
FIRST_BESIDE = 64
_SMOOTHING = 0.3
# Decode steps whose median is the duration of one.
_STEPS = 9


class PrefillPacer:
    """Measured seconds of a decode step and of a prompt token, and the chunk size that follows from them.

    `decode_step_took(seconds)` is told of each step of all that decodes.
    """

    def __init__(self) -> None:
        self._steps_s: deque[float] = deque(maxlen=_STEPS)
        self._token_s: float | None = None
        # No function of Python: it is called for every token.
        self.decode_step_took = self._steps_s.append

    def reset(self) -> None:
        """Drop the timings, because another model will be used."""
        self._steps_s.clear()
        self._token_s = None

    def chunk_size(self, *, streaming: bool) -> int:
        """Prompt tokens to prefill at once, a power of two: read within ALONE_S if SMALLEST_ALONE are, or faster while
        answers are `streaming`.
        """
        if not streaming:
            return self._tokens_in(ALONE_S, SMALLEST_ALONE) or FIRST_ALONE
        if not self._steps_s:
            return FIRST_BESIDE
        return self._tokens_in(STEPS_PER_CHUNK * median(self._steps_s), SMALLEST_CHUNK) or FIRST_BESIDE

    def parts(self, tokens: int) -> int:
        """The parts in which to evaluate a chunk of so many tokens, so that it can be cancelled within ALONE_S."""
        seconds = tokens * (self._token_s or 0.0)
        return ceil(seconds / PART_S) if seconds > ALONE_S else 1

    def starts_together(self, tokens: int) -> bool:
        """Whether answers that have not begun wait until so many prompt tokens of others are prefilled, too."""
        return tokens <= FIRST_ALONE if self._token_s is None else tokens * self._token_s <= TOGETHER_S

    def _tokens_in(self, seconds: float, least: int) -> int | None:
        """The largest power of two times `least` that takes `seconds`, or `least`; None before a token was timed."""
        if not self._token_s:
            return None
        size = least
        while 2 * size <= min(seconds / self._token_s, LARGEST_CHUNK):
            size *= 2
        return size

    @contextmanager
    def time_prefill(self, tokens: int) -> Iterator[None]:
        """Time the prefill of about `tokens` prompt tokens."""
        started = time.perf_counter()
        yield
        if tokens > 0:
            sample = (time.perf_counter() - started) / tokens
            known = sample if self._token_s is None else self._token_s
            self._token_s = known + _SMOOTHING * (sample - known)
