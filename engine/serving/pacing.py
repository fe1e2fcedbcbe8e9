"""Decides how much of a prompt to read at a time, so that running answers barely slow down and commands do not wait.

One pass reads a chunk of tokens. A part of a pass is a group of layers that are evaluated at a time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from statistics import median

SMALLEST_CHUNK = 32
# A chunk that is evaluated at once, or a part of one, may take as long as this many decode steps.
STEPS_PER_CHUNK = 3.0
# Without other work: the longest time that a cancelled prompt continues, and the bounds of the tokens read in it.
# mlx-lm reads 2,048 tokens at once; passes over fewer than 128 do not use a GPU fully.
ALONE_S = 0.25
SMALLEST_ALONE = 128
LARGEST_CHUNK = 2048
# The intended time of a part, so that few of them take ALONE_S. A chunk that takes at most UNSURE_S has one part, and
# so does the slowest layer, which cannot be divided.
PART_S = 0.2
UNSURE_S = 0.1
# The time that a chunk in parts may take: the progress of a prompt is shown once for each.
CHUNK_S = 1.0
# Prompts that can be read within this time are read before the answers to others that wait with them begin.
TOGETHER_S = 0.5
# Tokens to read before anything was timed.
FIRST_ALONE = 512
FIRST_BESIDE = 64
# The number of decode steps whose median is the duration of one.
_STEPS = 9
# A pass over this many tokens counts as much as all earlier ones, so that a prompt's short last piece hardly counts.
_REMEMBERED = 300


class PrefillPacer:
    """Measures the seconds of a decode step and of a prompt token, and sizes chunks and parts by them.

    `decode_step_took(seconds)` has to be called after each decode step.
    """

    def __init__(self) -> None:
        self._steps_s: deque[float] = deque(maxlen=_STEPS)
        # A built-in method, because it is called for every token.
        self.decode_step_took = self._steps_s.append
        # Seconds of a token in each layer; only their proportions count until a pass was timed.
        self._layers_s: list[float] = []
        self._timed = False

    def reset(self) -> None:
        """Drop the timings, because another model will be used."""
        self._steps_s.clear()
        self._layers_s, self._timed = [], False

    @property
    def token_s(self) -> float | None:
        """Seconds of a prompt token; None before a pass was timed."""
        return sum(self._layers_s) if self._timed else None

    def layers_s(self, layers: int) -> list[float]:
        """Return the seconds of a token in each layer; only their proportions count until a pass was timed."""
        if len(self._layers_s) != layers:
            whole = sum(self._layers_s) if self._timed else 1.0
            # Evaluating a layer's cache computes the layers before it, so the first one costs next to nothing.
            self._layers_s = [0.0] + [whole / (layers - 1)] * (layers - 1) if layers > 1 else [whole]
        return self._layers_s

    def took(self, tokens: int, seconds: float) -> None:
        """Learn from a pass over `tokens` prompt tokens, evaluated at once, that took `seconds`."""
        self.took_parts(tokens, [(0, len(self._layers_s) or 1, seconds)])

    def took_parts(self, tokens: int, parts: Sequence[tuple[int, int, float]]) -> None:
        """Learn from a pass over `tokens` prompt tokens in `parts`: (first layer, end, seconds) each."""
        layers_s = self.layers_s(parts[-1][1])
        weight = tokens / (tokens + _REMEMBERED) if self._timed else 1.0
        for first, end, seconds in parts:
            known = sum(layers_s[first:end])
            for layer in range(first, end):
                share = layers_s[layer] / known if known else 1 / (end - first)
                layers_s[layer] += weight * (share * seconds / tokens - layers_s[layer])
        self._timed = True

    def chunk_size(self, *, streaming: bool, in_parts: bool = False) -> int:
        """Return how many prompt tokens to read in one pass, a power of two.

        They are read within ALONE_S if SMALLEST_ALONE can be, or faster while answers are `streaming`. If the pass can
        be evaluated `in_parts`, this holds for each part, and the whole takes at most CHUNK_S; then fewer tokens than
        SMALLEST_ALONE are read if a single layer of these would take longer than a part.
        """
        if self.token_s is None or (streaming and not self._steps_s):
            return FIRST_BESIDE if streaming else FIRST_ALONE
        seconds = self.part_s(streaming=True) if streaming else ALONE_S
        layer_s = max(self._layers_s) if in_parts else 0.0
        if layer_s:
            tokens_of_layer = min(UNSURE_S, self.part_s(streaming=streaming)) / layer_s
            seconds = max(seconds, min(CHUNK_S, tokens_of_layer * self.token_s))
        least, size = SMALLEST_CHUNK if streaming else SMALLEST_ALONE, SMALLEST_CHUNK
        while size < LARGEST_CHUNK and (
            2 * size * self.token_s <= seconds or (size < least and 2 * size * layer_s <= PART_S)
        ):
            size *= 2
        return size

    def starts_together(self, tokens: int) -> bool:
        """Whether answers that have not begun wait until `tokens` prompt tokens of others are prefilled, too."""
        return tokens <= FIRST_ALONE if self.token_s is None else tokens * self.token_s <= TOGETHER_S

    def part_s(self, *, streaming: bool) -> float:
        """Return the intended time of a part in seconds."""
        return min(PART_S, STEPS_PER_CHUNK * median(self._steps_s)) if streaming and self._steps_s else PART_S


class Parts:
    """Decides how far to evaluate a pass over `tokens` at a time, by the figures of `pacer` and of its own parts."""

    def __init__(self, pacer: PrefillPacer, tokens: int) -> None:
        self._pacer, self._tokens = pacer, tokens
        self._taken: list[tuple[int, int, float]] = []

    def until(self, layers: int, most_s: float) -> int:
        """Return how many of the pass's `layers` are to be done after the next part, which takes about `most_s`
        seconds.
        """
        if not layers:
            return 0
        token_s = self._pacer.token_s
        if not self._taken:
            at_once = token_s is not None and self._tokens * token_s <= min(UNSURE_S, most_s)
            # The first layer's keys and values take next to no time. The time of the second layer sizes the next part.
            return layers if at_once else min(2, layers)
        done, layers_s = self._taken[-1][1], self._pacer.layers_s(layers)
        spent_s, known = sum(seconds for _, _, seconds in self._taken), sum(layers_s[:done])
        # A layer takes this multiple of its `layers_s`. A pass that begins faster than expected may slow down again.
        scale = max(0 if token_s is None else self._tokens, spent_s / known if known else 0)
        end, left_s = done + 1, most_s - scale * layers_s[done]
        while end < layers and (left_s := left_s - scale * layers_s[end]) >= 0:
            end += 1
        return end

    def took(self, until: int, layers: int, seconds: float) -> None:
        """Note that the part up to `until` took `seconds`; after the last one, the pacer learns from the pass."""
        if not layers:
            self._pacer.took(self._tokens, seconds)
            return
        self._taken.append((self._taken[-1][1] if self._taken else 0, until, seconds))
        if until >= layers:
            self._pacer.took_parts(self._tokens, self._taken)
