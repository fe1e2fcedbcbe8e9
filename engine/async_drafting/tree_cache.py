"""Which verdicts to prepare for: outcomes of a round that is being verified, and the tree cache of what follows them.

Speculative speculative decoding (Kumar, Dao, May, arXiv:2603.03251): an outcome is (accepted length, recovery token).
Its geometric fan-out minimises the chance of a miss where that falls with a power of the candidates at a length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

# The power with which misses at a length become rarer with its candidates. The main model draws with noise that the
# drafter knows, so that its runner-up is nearly as good a candidate as all that come behind it.
MISS_POWER = 2.0
# More candidates at one length have not been worth their rows.
MOST_CANDIDATES = 4


def fan_out(acceptance: float, depth: int, budget: int, power: float = MISS_POWER) -> list[int]:
    """How many recovery tokens to prepare for each accepted length from 0 to `depth`: `budget` in all, or less.

    `acceptance` is the rate at which a draft token is accepted. A length may get none.
    """
    a = min(max(acceptance, 0.01), 0.99)
    shares = [a ** (length / (1 + power)) for length in range(depth + 1)]
    # All accepted is not followed by a rejection: its chance is a^K instead of a^K (1 - a).
    shares[depth] *= (1 - a) ** (-1 / (1 + power))
    counts = [0] * (depth + 1)
    for _ in range(min(budget, MOST_CANDIDATES * (depth + 1))):
        # Sainte-Lague's division: each next row goes where it is missing most.
        free = [length for length in range(depth + 1) if counts[length] < MOST_CANDIDATES]
        best = max(free, key=lambda length: shares[length] / (counts[length] + 0.5))
        counts[best] += 1
    return counts


@dataclass(slots=True)
class Branch:
    """What would follow `recovery` after `accepted` draft tokens; it grows while it is being drafted."""

    accepted: int
    recovery: int
    tokens: list[int] = field(default_factory=list)
    probabilities: list[float] = field(default_factory=list)


class TreeCache:
    """What follows each prepared outcome of the proposal `proposed`, which was made for a text of `position` tokens."""

    def __init__(self, position: int = 0, proposed: Sequence[int] = (), probabilities: Sequence[float] = ()) -> None:
        self.position = position
        self.proposed = list(proposed)
        self.probabilities = list(probabilities)
        self._branches: dict[tuple[int, int], Branch] = {}

    def __len__(self) -> int:
        return len(self._branches)

    def add(self, branches: Sequence[Branch]) -> None:
        """Prepare for these outcomes."""
        self._branches |= {(branch.accepted, branch.recovery): branch for branch in branches}

    def find(self, position: int, tokens: Sequence[int]) -> Branch | None:
        """What follows a round that committed `tokens` to a text of `position` tokens; None where it was not prepared.

        A round that verified fewer tokens than were proposed, or none, may have gone on as proposed.
        """
        accepted, recovery = len(tokens) - 1, tokens[-1]
        if position != self.position or list(tokens[:-1]) != self.proposed[:accepted]:
            return None
        if self.proposed[accepted : accepted + 1] == [recovery]:
            rest = slice(accepted + 1, None)
            return Branch(accepted, recovery, self.proposed[rest], self.probabilities[rest])
        branch = self._branches.get((accepted, recovery))
        return branch if branch is not None and branch.tokens else None


class RowBudget:
    """How many branches the drafter's own speed affords: one more while all were finished in time, one less if not."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._rows: dict[int, float] = {}

    def rows(self, depth: int) -> int:
        """Branches for a proposal of `depth` tokens; at first one for each accepted length."""
        return max(1, min(self._most, int(self._rows.get(depth, depth + 1))))

    def observe(self, depth: int, *, finished: bool) -> None:
        """The branches were `finished` when the verdict came, or not."""
        step = 0.25 if finished else -1.0
        self._rows[depth] = max(1.0, min(float(self._most), self._rows.get(depth, depth + 1.0) + step))
