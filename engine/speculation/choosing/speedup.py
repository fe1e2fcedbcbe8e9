"""The speed-up of answers over plain decoding, measured by runs of plain rounds among their own rounds.

Load slows all rounds alike, so each run is compared with the speculative rounds right before and after it. The result
is the cost of a kind of round in plain steps, from which follows how long a plain step took at the time of each round.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, log, sqrt
from statistics import fmean, median
from typing import Annotated

from msgspec import Meta, Struct

from engine.speculation.choosing.costs import DISTURBED, MOST_LOG, ContextRange
from engine.stats import MeasuredSpeedup

# Rounds on each side of a comparison: enough that a stall does not move the median, few enough that load is constant.
RUN = 5
# The standard deviation (natural log) of a comparison, and of a round.
UNSURE = 0.1
# Costs with a smaller error (two standard deviations) are not measured again.
EXACT = 0.05
# The window of averages in answers; comparisons that old have become uncertain.
MEMORY = 64

# The source and the rows of a round; with a grammar, the source's name has a suffix.
Kind = tuple[str, int]
PLAIN: Kind = ("main", 1)
_GRAMMAR = "+grammar"
# Mean and variance of the natural logarithm of a round's duration in plain steps.
Cost = tuple[float, float]
_Seconds = Annotated[float, Meta(gt=0.0, le=1e9)]
_Cost = tuple[Annotated[float, Meta(ge=-MOST_LOG, le=MOST_LOG)], Annotated[float, Meta(ge=0.0, le=MOST_LOG**2)]]


class Comparisons(Struct):
    """What a meter keeps between runs.

    `totals` are, by range of context lengths, the seconds of answers, those that plain decoding would have taken, and
    the error of the latter; old answers fade. `fastest` is the shortest plain step known there. `costs` are, by source
    and rows, mean and variance of the natural logarithm of a round's duration in plain steps. `noise` is the variance
    of a round, and of a comparison: its medians vary less, but the load changes, too.
    """

    totals: dict[ContextRange, tuple[_Seconds, _Seconds, Annotated[float, Meta(ge=0.0, le=1e9)]]] = {}
    fastest: dict[ContextRange, _Seconds] = {}
    costs: dict[str, dict[int, _Cost]] = {}
    noise: Annotated[float, Meta(gt=0.0, le=MOST_LOG**2)] = UNSURE**2


class SpeedupMeter:
    """Measures one pair of models. `begin` starts an answer, `end` adds it to the totals of the pair."""

    def __init__(self, kept: Comparisons) -> None:
        self.kept = kept
        self.begin(0)

    def begin(self, bucket: int, *, constrained: bool = False) -> None:
        """Start an answer at this context range, `constrained` by a grammar or not."""
        self._bucket, self._suffix = bucket, _GRAMMAR if constrained else ""
        self._seconds, self._tokens = 0.0, 0
        # By kind of the answer's typical rounds: tokens, the sum of tokens x seconds, and rounds.
        self._shares: dict[Kind, tuple[int, float, int]] = {}
        self.interrupted()

    def interrupted(self) -> None:
        """Do not compare the rounds before with those after, because other requests ran in between."""
        # Typical rounds since the last comparison, with the natural logarithm of their seconds.
        self._near: list[tuple[Kind, float]] = []
        # Rounds since the last plain one, and the rounds that are still to be plain.
        self._behind_plain = self._plain_wanted = 0

    def end(self) -> None:
        """End the answer, and add it to the totals."""
        self.compare()
        if (found := self.measured()) is not None and found.known:
            decode_s, plain_s, error_s = (
                (1.0 - 1.0 / MEMORY) * seconds for seconds in self.kept.totals.get(self._bucket, (0.0, 0.0, 0.0))
            )
            error_s += found.error * found.plain_s
            self.kept.totals[self._bucket] = decode_s + found.decode_s, plain_s + found.plain_s, error_s
        for costs in self.kept.costs.values():
            for rows, (mean, variance) in costs.items():
                costs[rows] = mean, variance + UNSURE**2 / MEMORY
        self.begin(self._bucket)

    def sample_cost(self, plain_s: float) -> float | None:
        """Estimate the seconds that RUN plain rounds would lose now; None if they would not tell anything new."""
        if self._plain_wanted or not self._near or any(kind == PLAIN for kind, _ in self._near):
            return None
        known = self._cost(self._near[-1][0])
        if known is not None and 2.0 * sqrt(known[1]) <= EXACT:
            return None
        found = self.measured()
        token_s = plain_s / found.factor if found is not None else self._seconds / max(1, self._tokens)
        # One more step is lost because the next pass is not launched before the last one is read.
        return max(0.0, (RUN + 1) * plain_s - RUN * token_s)

    def take_sample(self) -> None:
        """Make the next RUN rounds plain."""
        self._plain_wanted = RUN

    def take_plain_round(self) -> bool:
        """Whether the next round is to be plain for a sample; if so, it is counted."""
        self._plain_wanted -= (wanted := self._plain_wanted > 0)
        return wanted

    def observe(self, source: str | None, rows: int, committed: int, seconds: float, *, typical: bool) -> None:
        """Learn from a round of `source` (None: plain) with `rows` rows that took `seconds`.

        A round that is not `typical` included other work, or is the first or the last plain one of a run.
        """
        if source is None and self._behind_plain:
            self.compare()
        self._behind_plain = 0 if source is None else self._behind_plain + 1
        self._seconds += seconds
        self._tokens += committed
        # The first round behind plain ones takes longer.
        if not typical or self._behind_plain == 1:
            return
        kind = PLAIN if source is None else (source + self._suffix, rows)
        tokens, token_s, rounds = self._shares.get(kind, (0, 0.0, 0))
        self._shares[kind] = tokens + committed, token_s + committed * seconds, rounds + 1
        if self._near and self._near[-1][0] == kind:
            differ2 = min((log(seconds) - self._near[-1][1]) ** 2 / 2.0, DISTURBED**2 * self.kept.noise)
            self.kept.noise += (differ2 - self.kept.noise) / MEMORY
        self._near.append((kind, log(seconds)))
        if self._behind_plain > RUN:
            self.compare()

    def measured(self, estimate: Callable[[str, int], Cost | None] = lambda *_: None) -> MeasuredSpeedup | None:
        """Return the answer's speed-up so far; None if the costs of its rounds are unknown.

        `estimate` returns the cost of rounds of a source as far as it is known without a comparison. It is used for
        rounds that are too unlike those that were compared.
        """
        plain_s, error, known, count = 0.0, 0.0, 0, 0
        for kind, (tokens, token_s, rounds) in self._shares.items():
            costs = [self._cost(kind), estimate(kind[0].removesuffix(_GRAMMAR), kind[1]) if kind != PLAIN else None]
            cost = min((known for known in costs if known is not None), key=lambda known: known[1], default=None)
            if cost is not None:
                plain_s += token_s / exp(cost[0])
                error += token_s / exp(cost[0]) * sqrt(cost[1])
                known, count = known + tokens, count + rounds
        if not known:
            return None
        # The load of other rounds was about that of these.
        share = known / self._tokens
        error = 2.0 * sqrt((share * error / plain_s) ** 2 + (UNSURE * (1.0 - share)) ** 2 + self.kept.noise / count)
        step_s = plain_s / known
        load = step_s / self.kept.fastest.get(self._bucket, step_s)
        return MeasuredSpeedup(step_s * self._tokens, self._seconds, self._tokens, error, load)

    def usual(self, bucket: int) -> tuple[float, float, float] | None:
        """Return (speed-up, lower bound, upper bound) of all answers in a range of context lengths; None if unknown."""
        if bucket not in self.kept.totals:
            return None
        decode_s, plain_s, error_s = self.kept.totals[bucket]
        factor, error = plain_s / decode_s, error_s / plain_s
        return factor, factor * (1.0 - error), factor * (1.0 + error)

    def _cost(self, kind: Kind) -> Cost | None:
        """Return mean and variance of a kind's cost, from the most informative known cost of its source."""
        if kind == PLAIN:
            return 0.0, 0.0
        known = self.kept.costs.get(kind[0], {}).items()
        alike = [(mean, variance + log(kind[1] / rows) ** 2) for rows, (mean, variance) in known]
        return min(alike, key=lambda cost: cost[1], default=None)

    def compare(self) -> None:
        """Learn from the latest run of plain rounds, unless it was compared already."""
        near, places = self._near, [place for place, (kind, _) in enumerate(self._near) if kind == PLAIN]
        self._near = after = near[places[-1] + 1 if places else 0 :][-RUN:]
        if not places:
            return
        before, step = near[: places[0]][-RUN:], median(near[place][1] for place in places)
        self.kept.fastest[self._bucket] = min(exp(step), self.kept.fastest.get(self._bucket, inf))
        for kind in dict.fromkeys(kind for kind, _ in (*before, *after)):
            sides = [[duration for other, duration in side if other == kind] for side in (before, after)]
            found = [median(side) - step for side in sides if side]
            # The difference of the two sides is the change of the load.
            change = (found[0] - found[1]) / 2.0 if len(found) == 2 else UNSURE
            mean, variance = fmean(found), self.kept.noise + change**2
            costs = self.kept.costs.setdefault(kind[0], {})
            known, doubt = costs.get(kind[1], (mean, inf))
            if (both := doubt + variance) < inf:
                off = mean - known
                # Figures that contradict each other are less certain than either claims.
                mean, variance = known + off * doubt / both, doubt * variance / both * max(1.0, off**2 / both)
            costs[kind[1]] = mean, variance
