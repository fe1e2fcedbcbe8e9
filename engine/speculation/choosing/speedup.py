"""The speed-up of answers over plain decoding, measured by runs of plain rounds among their own rounds.

Load slows all rounds alike, so each run is compared with the speculative rounds right before and after it. That tells
what a kind of round costs in plain steps, and from it follows how long a plain step took at the time of each round.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import astuple
from math import exp, inf, log, sqrt
from statistics import fmean, median
from typing import Any

from engine.stats import EXACT, MeasuredSpeedup
from engine.tuning import SpeedupTotals

# Plain rounds interleaved at once: the first and the last wait for the host, and one of the three others may stall.
RUN = 5
# Rounds on either side of a run that are compared with it: more than a run has, but near enough for the same load.
NEIGHBOURS = 8
# Rounds that tell how noisy rounds are, and answers after which a comparison is one of another time: enough for a
# steady estimate, and few enough to follow a load that changes.
MEMORY = 64
# The standard deviation (natural log) of what was not compared: what is seen at another time, or on one side of a run.
UNSURE = 0.1

# The source and the rows of a round.
Kind = tuple[str, int]
PLAIN: Kind = ("main", 1)
# What a kind of round costs, as the natural logarithm of plain steps: mean and variance.
Cost = tuple[float, float]


class SpeedupMeter:
    """Measures one pair of models. `begin` starts an answer, `end` adds it to the totals of the pair.

    `totals` are those of all answers, by context bucket; `fastest` is the shortest plain step known there.
    """

    def __init__(self) -> None:
        self.totals: dict[int, SpeedupTotals] = {}
        self.fastest: dict[int, float] = {}
        self._costs: dict[Kind, Cost] = {}
        # By how much (natural log) rounds differed from the one before.
        self._deviations = deque([UNSURE] * NEIGHBOURS, maxlen=MEMORY)
        # Whether the last answer was constrained; None where that was in an earlier run of the program.
        self._constrained: bool | None = False
        self.begin(0)

    def begin(self, bucket: int, *, constrained: bool = False) -> None:
        """An answer starts at this context bucket, `constrained` by a grammar or not."""
        if constrained is not self._constrained:
            self.costs_may_differ()
        self._constrained = constrained
        self._bucket, self._seconds, self._tokens = bucket, 0.0, 0
        # Of an answer's typical rounds of each kind: the tokens, tokens x seconds, and their number.
        self._shares: dict[Kind, tuple[int, float, int]] = {}
        # Typical rounds since those of the last comparison, with the natural logarithm of their seconds.
        self._near: list[tuple[Kind, float]] = []
        # Rounds since the last plain one, and those that are to be plain.
        self._behind_plain = self._plain_wanted = 0

    def end(self) -> None:
        """The answer has ended."""
        self._compare()
        if (found := self.measured()) is not None and found.known:
            self.totals[self._bucket] = self.totals.get(self._bucket, SpeedupTotals()).with_answer(found)
        self.costs_may_differ(UNSURE**2 / MEMORY)
        self.begin(self._bucket, constrained=self._constrained is True)

    def interrupted(self) -> None:
        """Other requests had the device between two rounds, so those before are not compared with those after."""
        self._compare()
        self._near, self._behind_plain, self._plain_wanted = [], 0, 0

    def costs_may_differ(self, by: float = UNSURE**2) -> None:
        """What follows is another time, in which costs differ by this variance: after a calibration, for example."""
        self._compare()
        self._costs = {kind: (mean, variance + by) for kind, (mean, variance) in self._costs.items()}

    def sample_cost(self, plain_s: float) -> float | None:
        """Seconds that RUN plain rounds now would lose; None while they would show nothing new, or all is known."""
        kinds = [kind for kind, _ in self._near]
        if self._plain_wanted or not kinds or PLAIN in kinds:
            return None
        known = map(self._cost, kinds)
        if 2.0 * sqrt(median(inf if cost is None else cost[1] for cost in known)) <= EXACT:
            return None
        # One step more is lost where the next pass is not launched before the last one is read.
        return max(0.0, (RUN + 1) * plain_s - RUN * self._seconds / max(1, self._tokens))

    def take_sample(self) -> None:
        """The next RUN rounds are to be plain."""
        self._plain_wanted = RUN

    def take_plain_round(self) -> bool:
        """Whether the next round is to be plain for a sample; if so, it is counted."""
        self._plain_wanted -= (wanted := self._plain_wanted > 0)
        return wanted

    def observe(self, source: str | None, rows: int, committed: int, seconds: float, *, typical: bool) -> None:
        """A round of `source` (None: plain) with `rows` committed so many tokens in `seconds`.

        A round that is not `typical` held other work too; a plain one is the first or the last of a run.
        """
        if source is None and self._behind_plain:
            self._compare()
        self._behind_plain = 0 if source is None else self._behind_plain + 1
        self._seconds += seconds
        self._tokens += committed
        # The first round behind plain ones takes longer.
        if not typical or self._behind_plain == 1:
            return
        kind = PLAIN if source is None else (source, rows)
        if self._near and self._near[-1][0] == kind:
            self._deviations.append(abs(log(seconds) - self._near[-1][1]))
        self._near.append((kind, log(seconds)))
        tokens, token_s, rounds = self._shares.get(kind, (0, 0.0, 0))
        self._shares[kind] = tokens + committed, token_s + committed * seconds, rounds + 1
        if self._behind_plain > NEIGHBOURS:
            self._compare()

    def measured(self) -> MeasuredSpeedup | None:
        """The answer's speed-up so far; None where nothing is known of its rounds."""
        plain_s, error, known, count = 0.0, 0.0, 0, 0
        for kind, (tokens, token_s, rounds) in self._shares.items():
            if (cost := self._cost(kind)) is not None:
                plain_s += token_s / exp(cost[0])
                error += token_s / exp(cost[0]) * sqrt(cost[1])
                known, count = known + tokens, count + rounds
        if not known:
            return None
        # The load of other rounds was about that of these.
        share = known / self._tokens
        error = 2.0 * sqrt((share * error / plain_s) ** 2 + ((1.0 - share) * UNSURE) ** 2 + self._noise2() / count)
        step_s = plain_s / known
        load = step_s / self.fastest.get(self._bucket, step_s)
        return MeasuredSpeedup(step_s * self._tokens, self._seconds, self._tokens, error, load)

    def export(self) -> dict[str, object]:
        """What outlives the program, as plain data."""
        return {
            "totals": [[bucket, *astuple(one)] for bucket, one in self.totals.items()],
            "fastest": [list(item) for item in self.fastest.items()],
            "costs": [[*kind, *cost] for kind, cost in self._costs.items()],
        }

    def load(self, data: Mapping[str, Any]) -> None:
        """Replace that by the result of `export`. Raises TypeError or ValueError for other data."""
        totals = {int(bucket): SpeedupTotals(*map(_number, sums)) for bucket, *sums in data.get("totals", ())}
        self.fastest = {int(bucket): _number(seconds, 1e-9) for bucket, seconds in data.get("fastest", ())}
        self.totals = {bucket: one for bucket, one in totals.items() if one.plain_s and one.decode_s}
        self._costs = {
            (str(source), int(rows)): (_number(mean, -99.0, 99.0), _number(variance))
            for source, rows, mean, variance in data.get("costs", ())
        }
        self._constrained = None

    def _cost(self, kind: Kind) -> Cost | None:
        """What a kind of round costs: as the most similar one known, and in proportion to its rows at most."""
        if kind == PLAIN:
            return 0.0, 0.0
        alike = [other for other in self._costs if other[0] == kind[0]]
        if not alike:
            return None
        nearest = min(alike, key=lambda other: abs(other[1] - kind[1]))
        mean, variance = self._costs[nearest]
        return mean, variance + log(kind[1] / nearest[1]) ** 2

    def _compare(self) -> None:
        """Learn from the latest run of plain rounds, if there is one that was not compared yet."""
        near, places = self._near, [place for place, (kind, _) in enumerate(self._near) if kind == PLAIN]
        self._near = after = near[places[-1] + 1 if places else 0 :][-NEIGHBOURS:]
        if not places:
            return
        before, plain = near[: places[0]][-NEIGHBOURS:], [near[place][1] for place in places]
        runs = median(plain[:NEIGHBOURS]), median(plain[-NEIGHBOURS:])
        self.fastest[self._bucket] = min(exp(runs[1]), self.fastest.get(self._bucket, inf))
        for kind in dict.fromkeys(kind for kind, _ in (*before, *after)):
            sides = [[duration for other, duration in side if other == kind] for side in (before, after)]
            costs = [median(side) - run for side, run in zip(sides, runs, strict=True) if side]
            # The load changed by as much as the two sides differ.
            change = (costs[0] - costs[1]) / 2.0 if len(costs) == 2 else UNSURE
            noise2 = self._noise2() * (1.0 / len([*sides[0], *sides[1]]) + 1.0 / min(len(plain), NEIGHBOURS))
            mean, variance = fmean(costs), noise2 + change**2
            known, doubt = self._costs.get(kind, (mean, inf))
            if 0.0 < (both := doubt + variance) < inf:
                off = mean - known
                # Figures that contradict each other are less certain than either claims.
                mean, variance = known + off * doubt / both, doubt * variance / both * max(1.0, off**2 / both)
            self._costs[kind] = mean, variance

    def _noise2(self) -> float:
        """The variance of a round (natural log): the median difference of two is about one standard deviation."""
        return median(self._deviations) ** 2


def _number(value: object, least: float = 0.0, most: float = 1e9) -> float:
    if not isinstance(value, float | int) or not least <= value < most:
        raise ValueError("not a figure")
    return float(value)
