"""Which branches the next pass deepens: those whose expected gain is largest for what the pass costs.

The gain of one more draft token in a branch is the probability that it is accepted: that the round's outcome is the
branch, times the acceptance of each draft token up to this one. So the likely branches reach their full depth first,
and the others follow while the main model still verifies. Kumar, Dao, May (arXiv:2603.03251) spread the branches over
the cuts for the same reason (geometric fan-out): likelier cuts have more recovery tokens, all as deep. Here each cut
has several, and the depths differ.

Where further rows of a pass cost nothing, every pass takes all branches. Where a row costs nearly as much as a pass, as
it does on a processor, most passes take one or two.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import accumulate
from statistics import median

# The passes that tell how long passes with as many rows take: their median leaves out those that were disturbed. With
# the latest alone, 7 % fewer prepared tokens are accepted on a processor, and 27 % fewer a pass where rows are free
# (tests/engine/ahead/worlds.py).
REMEMBERED_PASSES = 7
# The accepted tokens that the time of a pass with one row has to be expected to gain. Without it, a device drafts at
# full power what is hardly ever used: 19 % fewer tokens are accepted a pass where recovery tokens are sure.
LEAST_GAIN = 1e-4


class PassCosts:
    """Learns what each further row of a pass costs from the passes themselves."""

    def __init__(self) -> None:
        self._seconds: dict[int, deque[float]] = {}

    def observe(self, rows: int, seconds: float) -> None:
        self._seconds.setdefault(rows, deque(maxlen=REMEMBERED_PASSES)).append(seconds)

    @property
    def row(self) -> float:
        """The cost of a further row in passes of one row, from 0 to 1; 0 before passes of two widths were seen.

        So the first passes are wide, and tell it.
        """
        if len(self._seconds) < 2:
            return 0.0
        narrow = min(self._seconds)
        wide = max(self._seconds)
        narrow_s = median(self._seconds[narrow])
        row_s = (median(self._seconds[wide]) - narrow_s) / (wide - narrow)
        if row_s <= 0.0:
            return 0.0
        first_row_s = narrow_s - row_s * (narrow - 1)
        # By noise, further rows may seem to cost more than the first.
        return row_s / max(row_s, first_row_s)


def cut_chances(acceptance: Sequence[float], count: int) -> list[float]:
    """Return the probability that so many of `count` draft tokens are accepted, for 0 to `count`.

    `acceptance` are the rates as in `messages.RoundOutcome`.
    """
    reached = [1.0, *_joint(acceptance, count)]
    return [before - after for before, after in zip(reached, [*reached[1:], 0.0], strict=True)]


def branches_to_deepen(
    chances: Sequence[float], depths: Sequence[int], depth: int, acceptance: Sequence[float], row: float
) -> list[int]:
    """Return the branches of the next pass, in order of their index; [] if no pass is worth it.

    Branch b has the probability `chances[b]` and `depths[b]` of its at most `depth` draft tokens; `row` is the cost of
    a further row in passes of one row.
    """
    joint = _joint(acceptance, depth)
    gains = {branch: chances[branch] * joint[reached] for branch, reached in enumerate(depths) if reached < depth}
    # A longer branch first among equals: it is nearer to its end.
    ordered = sorted(gains, key=lambda branch: (gains[branch], depths[branch]), reverse=True)
    worth = [
        total / (1.0 + row * others) for others, total in enumerate(accumulate(gains[branch] for branch in ordered))
    ]
    best = max(worth, default=0.0)
    if best < LEAST_GAIN:
        return []
    # Of two widths that are worth the same, the wider one.
    widest = max(index for index, each in enumerate(worth) if each == best)
    return sorted(ordered[: widest + 1])


def _joint(acceptance: Sequence[float], depth: int) -> list[float]:
    """Return the probability that the first d draft tokens are accepted, for d from 1 to `depth`."""
    rates = [acceptance[min(index, len(acceptance) - 1)] for index in range(depth)]
    return list(accumulate(rates, lambda before, rate: before * rate))
