"""Whether a draft runner is worth what it costs: rounds with it are compared with rounds while it rests.

A runner on this computer takes a core and a share of the memory's bandwidth from every pass of the main model, whatever
that pass verifies. The costs of rounds cannot show this, because all of them grow. So the runner works and rests by
turns: most of the time it does what was faster, and now and then, shortly, the other.
"""

from __future__ import annotations

from math import log
from statistics import fmean

# The percentages are changes of an answer's speed, in the worlds of tests/engine/ahead/worlds.py (40 seeds, or 10 where
# that decides), if the constant is set as told: the largest loss and the largest gain.

# The rounds that tell how fast one way is. With three, the noise of rounds decides: -1.2 % where the runner takes a
# core from the main model, but +1.4 % where it begins to help.
TRIAL_ROUNDS = 8
# The rounds that are enough if the way that is tried is slower by more than CLEAR_DIFFERENCE. Without them -1.1 %.
CLEAR_TRIAL_ROUNDS = 3
# A difference of logarithms of durations beyond which it is no noise. Without it -4.2 % where a runner begins to help.
CLEAR_DIFFERENCE = 0.1
# The rounds that are not counted after a change: the runner has to read what it has missed. Where it has nothing to
# read, as in the worlds, -0.4 % without them where the text changes, +1.1 % where the runner begins to help.
SETTLING_ROUNDS = 2
# The rounds for which the faster way is used before the other one is tried again. With eight, -7.7 %; if the other one
# is never tried again, -7.8 % where the runner begins to help, and +1.2 % where nothing changes.
STRETCH_ROUNDS = 96
# The changes from one way to the other that the difference is averaged over. With the latest alone, -0.2 % where the
# runner takes a core from the main model (160 seeds).
AVERAGED_CHANGES = 8


class Worth:
    """Says whether the runner `works` in the next round, and learns from the rounds of all answers.

    Not thread-safe.
    """

    def __init__(self) -> None:
        self.works = True
        # The rounds until the next change, and whether they are a trial of the slower way.
        self._remaining = SETTLING_ROUNDS + TRIAL_ROUNDS
        self._is_trial = True
        # The logarithms of the seconds a token in the latest rounds, and their mean in the stretch before.
        self._rounds: list[float] = []
        self._before: float | None = None
        # How much longer a token takes while the runner works, as a logarithm, and over how many changes that was seen.
        self._longer = 0.0
        self._changes = 0

    @property
    def pays(self) -> bool:
        """Whether rounds are not longer while the runner works, as far as is known."""
        return self._longer <= 0.0

    def observe(self, seconds: float, tokens: float) -> None:
        """Learn from a round that took `seconds`, and of which `tokens` tokens were expected.

        What was expected is less noisy than what was committed, and neither way changes what is accepted.
        """
        if seconds <= 0.0:
            return
        self._remaining -= 1
        self._rounds = [*self._rounds[1 - SETTLING_ROUNDS - TRIAL_ROUNDS :], log(seconds / tokens)]
        if self._remaining <= 0 or self._is_clear:
            self._change()

    @property
    def _is_clear(self) -> bool:
        """Whether the way that is tried is so much slower than the one before that few rounds tell."""
        counted = self._rounds[SETTLING_ROUNDS:]
        if not self._is_trial or self._before is None or len(counted) < CLEAR_TRIAL_ROUNDS:
            return False
        return _typical(counted) > self._before + CLEAR_DIFFERENCE

    def _change(self) -> None:
        """End a stretch of rounds, and begin the next."""
        level = _typical(self._rounds[SETTLING_ROUNDS:] if self._is_trial else self._rounds)
        if self._before is not None:
            longer = level - self._before if self.works else self._before - level
            # A difference that is quite another one is news, not noise.
            is_news = self._changes > 0 and abs(longer - self._longer) > CLEAR_DIFFERENCE
            self._changes = 1 if is_news else min(AVERAGED_CHANGES, self._changes + 1)
            self._longer += (longer - self._longer) / self._changes
        self._before = level
        self._rounds = []
        self.works = not self.works
        self._is_trial = not self._changes or self.works != self.pays
        self._remaining = SETTLING_ROUNDS + (TRIAL_ROUNDS if self._is_trial else STRETCH_ROUNDS)


def _typical(rounds: list[float]) -> float:
    """Return the mean without the longest round, which may have been disturbed: hits and misses differ in length."""
    return fmean(sorted(rounds)[:-1])
