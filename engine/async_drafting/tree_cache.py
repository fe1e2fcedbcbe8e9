"""The likely outcomes of a round that is being verified, and the tree cache of the tokens drafted for them.

Speculative speculative decoding (Kumar, Dao, May, arXiv:2603.03251): an outcome is (accepted length, bonus token). The
paper calls the bonus token of a round with rejections its recovery token.
Its geometric fan-out minimises the chance of a miss if that falls with a power of the candidates at a length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

# The power with which more candidates at a length make misses rarer. It is high because the drafter knows the noise of
# the main model's draws, so few candidates suffice.
MISS_POWER = 2.0
# The most candidates at one length; more are not worth their rows.
MOST_CANDIDATES = 4


def fan_out(acceptance: float, depth: int, budget: int) -> list[int]:
    """Return the numbers of bonus tokens to prepare for accepted lengths 0 to `depth`, at most `budget` in all.

    `acceptance` is the rate at which a draft token is accepted. A length may get none.
    """
    a = min(max(acceptance, 0.01), 0.99)
    shares = [a ** (length / (1 + MISS_POWER)) for length in range(depth + 1)]
    # The last length ends without a rejection: its chance is a^K instead of a^K (1 - a).
    shares[depth] *= (1 - a) ** (-1 / (1 + MISS_POWER))
    counts = [0] * (depth + 1)
    for _ in range(min(budget, MOST_CANDIDATES * (depth + 1))):
        # Sainte-Lague's method of apportionment gives each next row to the length with the largest quotient.
        free = [length for length in range(depth + 1) if counts[length] < MOST_CANDIDATES]
        best = max(free, key=lambda length: shares[length] / (counts[length] + 0.5))
        counts[best] += 1
    return counts


@dataclass(slots=True)
class Branch:
    """The `tokens` drafted to follow `recovery` after `accepted` draft tokens; they grow during drafting."""

    accepted: int
    recovery: int
    tokens: list[int] = field(default_factory=list)


class TreeCache:
    """The branches for outcomes of the proposal `proposed`, which was made for a text of `position` tokens."""

    def __init__(self, position: int = 0, proposed: Sequence[int] = ()) -> None:
        self.position = position
        self.proposed = list(proposed)
        self._branches: dict[tuple[int, int], Branch] = {}

    def add(self, branches: Sequence[Branch]) -> None:
        """Add branches, one for each outcome."""
        self._branches |= {(branch.accepted, branch.recovery): branch for branch in branches}

    def find(self, position: int, tokens: Sequence[int]) -> list[int]:
        """Return what was drafted for a round that committed `tokens` to a text of `position` tokens; [] for nothing.

        If the round verified only part of the proposal and its bonus token equals the next one, the rest follows.
        """
        accepted, recovery = len(tokens) - 1, tokens[-1]
        if position != self.position or list(tokens[:-1]) != self.proposed[:accepted]:
            return []
        if self.proposed[accepted : accepted + 1] == [recovery]:
            return self.proposed[accepted + 1 :]
        branch = self._branches.get((accepted, recovery))
        return [] if branch is None else branch.tokens


class RowBudget:
    """The number of branches that the drafter has time for: it grows while they are finished in time, else shrinks."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._rows: dict[int, float] = {}

    def rows(self, depth: int) -> int:
        """Return the number for a proposal of `depth` tokens; at first one for each accepted length."""
        return max(1, min(self._most, int(self._rows.get(depth, depth + 1))))

    def observe(self, depth: int, *, finished: bool) -> None:
        """Learn whether the branches were `finished` when the verdict came."""
        step = 0.25 if finished else -1.0
        self._rows[depth] = max(1.0, min(float(self._most), self._rows.get(depth, depth + 1.0) + step))
