"""Decides how much of a prompt to read at a time, so that running answers barely slow down and commands do not wait.

One pass reads a chunk of tokens. A part of a pass is a group of layers that are evaluated at a time.
"""

from __future__ import annotations

from collections import deque
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
# so does a layer, which cannot be divided.
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
        # Seconds of a prompt token; None before a pass was timed.
        self.token_s: float | None = None
        # The layers of the passes that were evaluated in parts.
        self._layers = 0

    def reset(self) -> None:
        """Drop the timings, because another model will be used."""
        self._steps_s.clear()
        self.token_s = None
        self._layers = 0

    def took(self, tokens: int, seconds: float, layers: int = 0) -> None:
        """Learn from a pass over `tokens` prompt tokens that took `seconds`, in parts if it has `layers`."""
        measured = seconds / tokens
        known = self.token_s
        self.token_s = measured if known is None else known + tokens / (tokens + _REMEMBERED) * (measured - known)
        self._layers = layers or self._layers

    def chunk_size(self, *, streaming: bool, in_parts: bool = False) -> int:
        """Return how many prompt tokens to read in one pass, a power of two.

        They are read within ALONE_S if SMALLEST_ALONE can be, or faster while answers are `streaming`. If the pass can
        be evaluated `in_parts`, this holds for each part, and the whole takes at most CHUNK_S; then fewer tokens than
        SMALLEST_ALONE are read if a single layer of these would take longer than a part.
        """
        if self.token_s is None or (streaming and not self._steps_s):
            return FIRST_BESIDE if streaming else FIRST_ALONE
        seconds = self.part_s(streaming=True) if streaming else ALONE_S
        layer_s = _of_layer(self.token_s, self._layers) if in_parts and self._layers else 0.0
        if layer_s:
            tokens_of_layer = min(UNSURE_S, self.part_s(streaming=streaming)) / layer_s
            seconds = max(seconds, min(CHUNK_S, tokens_of_layer * self.token_s))
        least = SMALLEST_CHUNK if streaming else SMALLEST_ALONE
        size = SMALLEST_CHUNK
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


class PassParts:
    """Decides how far to evaluate a pass over `tokens` at a time, by the figures of `pacer` and of its own parts."""

    def __init__(self, pacer: PrefillPacer, tokens: int) -> None:
        self._pacer = pacer
        self._tokens = tokens
        self._done = 0
        self._spent_s = 0.0

    def until(self, layers: int, most_s: float) -> int:
        """Return how many of a pass's `layers` shall be done after its next part of about `most_s` seconds."""
        pass_s = self._tokens * (self._pacer.token_s or 0.0)
        if not self._done:
            at_once = 0.0 < pass_s <= min(UNSURE_S, most_s)
            # Two, because the first takes next to no time (see `_of_layer`): the second one's time sizes the next part.
            return layers if at_once else min(2, layers)
        # A pass that begins faster than expected may slow down again.
        layer_s = max(_of_layer(self._spent_s, self._done), _of_layer(pass_s, layers))
        return min(layers, self._done + max(1, int(most_s / layer_s) if layer_s else layers))

    def took(self, until: int, layers: int, seconds: float) -> None:
        """Note that the part up to `until` took `seconds`; after the last one, the pacer learns from the pass."""
        self._done = until
        self._spent_s = self._spent_s + seconds
        if until >= layers:
            self._pacer.took(self._tokens, self._spent_s, layers)


def _of_layer(seconds: float, layers: int) -> float:
    """Return the seconds of a layer of `layers`, evaluated in `seconds`.

    Evaluating a layer's cache computes the layers before it, so the first one takes next to no time.
    """
    return seconds / max(1, layers - 1)
