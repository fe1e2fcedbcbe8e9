"""How much of a prompt to read at a time, so that running answers barely slow down and all else soon has its turn.

A chunk is what one pass reads; a part of it is as many of the pass's layers as are evaluated at a time.
"""

from __future__ import annotations

from collections import deque
from statistics import median

from engine.prefill_costs import PrefillCosts

SMALLEST_CHUNK = 32
# A chunk that is evaluated at once, or a part of one, may take as long as this many decode steps.
STEPS_PER_CHUNK = 3.0
# Beside nothing else: the longest that a cancelled prompt goes on, and the bounds of what is read in that time.
# mlx-lm reads 2,048 tokens at once; below 128 the products of a GPU are no longer busy.
ALONE_S = 0.25
SMALLEST_ALONE = 128
LARGEST_CHUNK = 2048
# What a part is meant to take, so that few of them take ALONE_S; the first one of a chunk, which shows what the others
# take, and a chunk's slowest layer, which cannot be divided, no more than UNSURE_S.
PART_S = 0.2
UNSURE_S = 0.1
# What a chunk in parts may take: the progress of a prompt is shown once in each.
CHUNK_S = 1.0
# Prompts that are read in this time are read before answers to others that wait with them begin.
TOGETHER_S = 0.5
# Before anything was timed.
FIRST_ALONE = 512
FIRST_BESIDE = 64
# Decode steps whose median is the duration of one.
_STEPS = 9


class PrefillPacer:
    """Measured seconds of a decode step and of a prompt token, and the size of chunks and parts that follows from them.

    `decode_step_took(seconds)` is told of each step of all that decodes, `costs` of each pass over prompts.
    """

    def __init__(self) -> None:
        self.costs = PrefillCosts()
        self._steps_s: deque[float] = deque(maxlen=_STEPS)
        # No function of Python: it is called for every token.
        self.decode_step_took = self._steps_s.append

    def reset(self) -> None:
        """Drop the timings, because another model will be used."""
        self._steps_s.clear()
        self.costs.reset()

    def chunk_size(self, *, streaming: bool, context: int = 0, in_parts: bool = False) -> int:
        """Prompt tokens to read in one pass behind `context` others, a power of two.

        They are read within ALONE_S if SMALLEST_ALONE are, or faster while answers are `streaming`. If the pass can be
        evaluated `in_parts`, that holds for each of these, and the whole takes at most CHUNK_S; fewer tokens are read
        then where a single layer of SMALLEST_ALONE takes longer than a part.
        """
        least, first = (SMALLEST_CHUNK, FIRST_BESIDE) if streaming else (SMALLEST_ALONE, FIRST_ALONE)
        token_s = self.costs.token_s(context)
        if token_s is None or (streaming and not self._steps_s):
            return first
        seconds = self.part_s(streaming=True) if streaming else ALONE_S
        if in_parts:
            layer_s = min(UNSURE_S, self.part_s(streaming=streaming))
            seconds = max(seconds, min(CHUNK_S, layer_s / self.costs.largest_share))
            while least > SMALLEST_CHUNK and least * token_s * self.costs.largest_share > PART_S:
                least //= 2
        size = least
        while 2 * size * token_s <= seconds and 2 * size <= LARGEST_CHUNK:
            size *= 2
        return size

    def starts_together(self, tokens: int, context: int = 0) -> bool:
        """Whether answers that have not begun wait until so many prompt tokens of others are prefilled, too."""
        token_s = self.costs.token_s(context)
        return tokens <= FIRST_ALONE if token_s is None else tokens * token_s <= TOGETHER_S

    def part_s(self, *, streaming: bool) -> float:
        """What a part is meant to take, in seconds."""
        return min(PART_S, STEPS_PER_CHUNK * median(self._steps_s)) if streaming and self._steps_s else PART_S


class Parts:
    """How far to evaluate a pass over `tokens` behind `context` others at a time, by what `costs` and its parts say."""

    def __init__(self, costs: PrefillCosts, tokens: int, context: int) -> None:
        self._costs, self._tokens, self._context = costs, tokens, context
        self._taken: list[tuple[int, int, float]] = []

    def until(self, layers: int, most_s: float) -> int:
        """How many of all `layers` are to be evaluated when all else has its next turn, in about `most_s` seconds."""
        done = self._taken[-1][1] if self._taken else 0
        shares = self._costs.shares(layers)
        whole_s = self._expected_s(sum(shares[:done]))
        # The first layer's keys and values are hardly a part.
        end = min(done + 1 if done else 2, layers)
        if whole_s is None:
            return end
        left_s = (most_s if done else min(UNSURE_S, most_s)) - whole_s * sum(shares[done:end])
        while end < layers and (left_s := left_s - whole_s * shares[end]) >= 0:
            end += 1
        return end

    def took(self, until: int, layers: int, seconds: float) -> None:
        """The part up to `until` took `seconds`; behind the last one, the costs of chunks know what this one took."""
        self._taken.append((self._taken[-1][1] if self._taken else 0, until, seconds))
        if until >= layers:
            self._costs.took(self._tokens, self._context, self._seconds)
            self._costs.spread(layers, self._taken)

    @property
    def _seconds(self) -> float:
        return sum(seconds for _, _, seconds in self._taken)

    def _expected_s(self, done: float) -> float | None:
        """Seconds of the whole pass, of which the share `done` is over; None where nothing is known."""
        if done > 0:
            return self._seconds / done
        token_s = self._costs.token_s(self._context)
        return None if token_s is None else self._tokens * token_s
