"""Finds rounds during which the process was stopped, so that nothing is learned from them."""

from __future__ import annotations

# No world stops the process: these three are for a computer that sleeps (tests/engine/decoders/test_round_clock.py).
# A round is a pause if it takes this many times as long as usual: no round has so many more rows or so much more text
# than those before.
LONG_PAUSE_FACTOR = 20.0
# The least seconds of a pause: even a busy computer gives each process a turn within a second.
LEAST_PAUSE_S = 1.0
# The rounds that decide what is usual.
USUAL_ROUNDS = 8.0


class Pauses:
    """Watches the rounds of one main model. A computer that sleeps stops the clock, too."""

    def __init__(self) -> None:
        self.usual: float | None = None

    def found(self, seconds: float) -> float:
        """Return how much of a round of `seconds` was a pause, 0 for nearly every round, and learn what is usual."""
        usual = self.usual
        if pause := self.within(seconds):
            return pause
        self.usual = seconds if usual is None else usual + (seconds - usual) / USUAL_ROUNDS
        return 0.0

    def within(self, seconds: float) -> float:
        """Return how much of a round, or of a piece of catch-up, which takes some rounds, of `seconds` was a pause."""
        usual = self.usual
        return seconds - usual if usual is not None and seconds > max(LEAST_PAUSE_S, LONG_PAUSE_FACTOR * usual) else 0.0
