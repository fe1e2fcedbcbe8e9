"""The speed-up of answers over plain decoding, measured by runs of plain rounds among their own rounds.

Load slows all rounds by the same factor, so each run is compared with the speculative rounds right before and after it.
The result is the cost of a kind of round in plain steps. The speed-up of an answer is its tokens over the plain steps
that its rounds cost. A round costs at least one, so it is never more than the tokens a round, whatever the clock says.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from math import exp, inf, log, sqrt
from statistics import fmean, median
from typing import Annotated

from msgspec import Meta, Struct

from engine.speculation.choosing.costs import DISTURBED_DEVIATIONS, MOST_LOG
from engine.stats import MeasuredSpeedup

# Rounds on each side of a comparison: enough that a stall does not move the median, few enough that load is constant.
# With 3, 7 % fewer answers show a speed-up, and 3 % more of the intervals that are shown are untrue.
RUN = 5
# The rounds of a run that are between two other plain ones, so that their durations tell something.
TYPICAL = RUN - 2
# The standard deviation (natural log) of a comparison, and of a round. With 0.02, the speed-ups that are shown are
# 2.8 % further from the truth.
COMPARISON_NOISE = 0.1
# Plain rounds this many times as slow as the fastest known ones were disturbed: usual load changes less within a run.
# The worlds lose nothing without it; it is for first plain rounds that stalled, as in test_stalls.py.
DISTURBED_PLAIN_FACTOR = 2.0
# Costs with a smaller error (two standard deviations) are not measured again. The worlds lose nothing without it; an
# answer whose draft tokens are all rejected then shows 0.75 in place of less than 0.7 (test_speedup.py).
KNOWN_COST_ERROR = 0.05
# The answers after which comparisons have become uncertain, and a machine that stays slow is the usual one. The worlds,
# whose machines do not stay slow, lose nothing without it; test_stalls.py has one that does.
FADING_ANSWERS = 64
# The rounds over which the noise of comparisons is averaged: load comes and goes. If it is not learned, the worlds lose
# nothing, but lower bounds are untrue while other programs compute in bursts (test_speedup.py).
NOISE_ROUNDS = 16

# The context lengths beyond which plain steps are compared apart: attention takes twice as long at each.
CONTEXT_EDGES = (2048, 4096, 8192, 16384, 32768, 65536, 131072)
# The index of a range of context lengths.
ContextRange = Annotated[int, Meta(ge=0, le=len(CONTEXT_EDGES))]
# The source and the rows of a round; with a grammar, the source's name has a suffix.
RoundKind = tuple[str, int]
PLAIN: RoundKind = ("main", 1)
_GRAMMAR = "+grammar"
# Mean and variance of the natural logarithm of a round's duration in plain steps.
Cost = tuple[float, float]
_Seconds = Annotated[float, Meta(gt=0.0, le=1e9)]
_KeptCost = tuple[Annotated[float, Meta(ge=-MOST_LOG, le=MOST_LOG)], Annotated[float, Meta(ge=0.0, le=MOST_LOG**2)]]


class Comparisons(Struct):
    """What a meter keeps between runs.

    `fastest` is the shortest plain step known, by range of context lengths. `costs` are, by source and rows, mean and
    variance of the natural logarithm of a round's duration in plain steps. `noise` is the variance of a round and of a
    comparison, with what other programs add to it: load makes bounds wider.
    """

    fastest: dict[ContextRange, _Seconds] = {}
    costs: dict[str, dict[int, _KeptCost]] = {}
    noise: Annotated[float, Meta(gt=0.0, le=MOST_LOG**2)] = COMPARISON_NOISE**2


class SpeedupMeter:
    """Measures the speed-up of one pair of models. `begin` starts an answer, `end` ends it.

    The load of a machine changes while an answer is written, so plain rounds of one minute cannot be compared with
    speculative rounds of another. The meter asks for a short run of plain rounds now and then (`take_sample`), and
    compares it with the rounds right before and after it, under the same load.

    For example, rounds of four rows take 32 ms before and 34 ms after a run whose plain rounds take 22 ms. A round
    costs exp((log(32 / 22) + log(34 / 22)) / 2) = 1.5 plain steps. If such rounds committed 3 tokens on average, the
    answer was written 3 / 1.5 = 2.0 times as fast. What two sides of a run differ by goes into the bounds.
    """

    def __init__(self, comparisons: Comparisons) -> None:
        self.comparisons = comparisons
        # Plain rounds that were compared since as many as a sample has.
        self._compared = 0
        self.begin(0)

    def begin(self, prompt_tokens: int, *, constrained: bool = False) -> None:
        """Start an answer to a prompt of `prompt_tokens` tokens, `constrained` by a grammar or not."""
        self._bucket = bisect_right(CONTEXT_EDGES, prompt_tokens)
        self._suffix = _GRAMMAR if constrained else ""
        self._seconds = 0.0
        self._tokens = 0
        self._rounds = 0
        # Typical rounds and their seconds by kind.
        self._typical: dict[RoundKind, tuple[int, float]] = {}
        self.interrupted()

    def interrupted(self) -> None:
        """Do not compare the rounds before with those after, because other requests ran in between."""
        # Typical rounds since the last comparison, with the natural logarithm of their seconds.
        self._near: list[tuple[RoundKind, float]] = []
        # Rounds since the last plain one, and the rounds that are still to be plain.
        self._behind_plain = self._plain_wanted = 0

    def end(self) -> None:
        self.compare()
        for costs in self.comparisons.costs.values():
            for rows, (mean, variance) in costs.items():
                costs[rows] = mean, variance + COMPARISON_NOISE**2 / FADING_ANSWERS
        self.begin(0)

    def sample_cost(self, plain_s: float) -> float | None:
        """Estimate the seconds that RUN plain rounds would lose now; None if they would not tell anything new."""
        if self._plain_wanted or not self._near or any(kind == PLAIN for kind, _ in self._near):
            return None
        known = self._cost(self._near[-1][0])
        if known is not None and 2.0 * sqrt(known[1]) <= KNOWN_COST_ERROR:
            return None
        speedup = self.measured()
        token_s = plain_s / speedup.factor if speedup is not None else self._seconds / max(1, self._tokens)
        # One more step is lost because the next pass is not launched before the last one is read.
        return max(0.0, (RUN + 1) * plain_s - RUN * token_s)

    def disproves(self, plain_s: float) -> bool:
        """Whether a plain step cannot take `plain_s` seconds, because all of the latest rounds were far shorter."""
        latest = self._near[-RUN:]
        return len(latest) == RUN and log(plain_s / DISTURBED_PLAIN_FACTOR) > max(duration for _, duration in latest)

    def take_sample(self) -> None:
        """Make the next RUN rounds plain."""
        self._plain_wanted = RUN

    def pop_sample(self) -> bool:
        """Whether as many plain rounds as a sample has were compared; if so, they are counted anew.

        Some need no sample, such as those behind an edit of a copy, where nothing can be proposed.
        """
        if self._compared < TYPICAL:
            return False
        self._compared = 0
        return True

    def take_plain_round(self) -> bool:
        """Whether the next round is to be plain for a sample; if so, it is counted."""
        if not self._plain_wanted:
            return False
        self._plain_wanted -= 1
        return True

    def observe(self, source: str | None, rows: int, committed: int, seconds: float, *, typical: bool) -> None:
        """Learn from a round of `source` (None: plain) with `rows` rows that took `seconds`.

        A round that is not `typical` included other work, or is the first or the last plain one of a run.
        """
        if source is None and self._behind_plain:
            self.compare()
        self._behind_plain = 0 if source is None else self._behind_plain + 1
        self._seconds += seconds
        self._tokens += committed
        self._rounds += 1
        # The first round behind plain ones takes longer.
        if not typical or self._behind_plain == 1:
            return
        kind = PLAIN if source is None else (source + self._suffix, rows)
        rounds, before_s = self._typical.get(kind, (0, 0.0))
        self._typical[kind] = rounds + 1, before_s + seconds
        # Over as many rounds as a comparison, so that it includes how the load changes meanwhile.
        if (before := next((taken for other, taken in self._near[-RUN:] if other == kind), None)) is not None:
            self.comparisons.noise += ((log(seconds) - before) ** 2 / 2.0 - self.comparisons.noise) / NOISE_ROUNDS
        self._near.append((kind, log(seconds)))
        if self._behind_plain > RUN:
            self.compare()

    def measured(self, estimate: Callable[[str, int], Cost | None] = lambda *_: None) -> MeasuredSpeedup | None:
        """Return the answer's speed-up so far; None if the costs of its rounds are unknown.

        `estimate` returns the cost of rounds of a source as far as it is known without a comparison. It is used for
        rounds that are too unlike those that were compared.
        """
        steps = 0.0
        error = 0.0
        typical_s = 0.0
        count = 0
        for kind, (rounds, seconds) in self._typical.items():
            guess = estimate(kind[0].removesuffix(_GRAMMAR), kind[1]) if kind != PLAIN else None
            known = [cost for cost in (self._cost(kind), _possible(guess, kind[1])) if cost is not None]
            if known:
                mean, variance = min(known, key=lambda cost: cost[1])
                steps = steps + rounds * exp(mean)
                error = error + rounds * exp(mean) * sqrt(variance)
                typical_s = typical_s + seconds
                count = count + rounds
        if not count:
            return None
        # Other rounds cost at least a plain step each. If they took longer than these, perhaps they were disturbed.
        least = steps + self._rounds - count
        most = max(least, steps * self._seconds / typical_s)
        least = max(least, min(most, steps * self._rounds / count))
        total = sqrt(least * most)
        # Disturbed rounds come in rows, so they say less than as many independent ones.
        noise = DISTURBED_DEVIATIONS**2 * self.comparisons.noise / count
        error = 2.0 * sqrt((error / total) ** 2 + (COMPARISON_NOISE * (1.0 - steps / total)) ** 2 + noise)
        error += log(most / least) / 2.0
        step_s = self._seconds / total
        load = step_s / self.comparisons.fastest.get(self._bucket, step_s)
        return MeasuredSpeedup(step_s * self._tokens, self._seconds, self._tokens, error, load)

    def _cost(self, kind: RoundKind) -> Cost | None:
        """Return mean and variance of a kind's cost, from the most informative known cost of its source."""
        if kind == PLAIN:
            return 0.0, 0.0
        known = ((rows, _possible(cost, rows)) for rows, cost in self.comparisons.costs.get(kind[0], {}).items())
        alike = [(cost[0], cost[1] + log(kind[1] / rows) ** 2) for rows, cost in known if cost is not None]
        return min(alike, key=lambda cost: cost[1], default=None)

    def compare(self) -> None:
        """Learn from the latest run of plain rounds, unless it was compared already."""
        near = self._near
        places = [place for place, (kind, _) in enumerate(self._near) if kind == PLAIN]
        self._near = after = near[places[-1] + 1 if places else 0 :][-RUN:]
        if not places:
            return
        before = near[: places[0]][-RUN:]
        step = median(near[place][1] for place in places)
        beside = [*before, *after]
        if not self._is_basis(step) or not beside:
            return
        self._compared += len(places)
        for kind in dict.fromkeys(kind for kind, _ in beside):
            sides = [[duration for other, duration in side if other == kind] for side in (before, after)]
            differences = [median(side) - step for side in sides if side]
            # The difference of the two sides is the change of the load.
            change = (differences[0] - differences[1]) / 2.0 if len(differences) == 2 else COMPARISON_NOISE
            compared = _possible((fmean(differences), self.comparisons.noise + change**2), kind[1])
            if compared is None:
                continue
            mean, variance = compared
            costs = self.comparisons.costs.setdefault(kind[0], {})
            known, doubt = _possible(costs.get(kind[1]), kind[1]) or (mean, inf)
            if (both := doubt + variance) < inf:
                off = mean - known
                # Figures that contradict each other are less certain than either claims.
                mean = known + off * doubt / both
                variance = doubt * variance / both * max(1.0, off**2 / both)
            costs[kind[1]] = mean, variance

    def _is_basis(self, step: float) -> bool:
        """Whether plain rounds with the natural logarithm of seconds `step` can be compared; learns the fastest."""
        fastest = log(self.comparisons.fastest.get(self._bucket, exp(step)))
        if step < fastest - log(DISTURBED_PLAIN_FACTOR):
            # All earlier ones were disturbed, so nothing compared with them is known.
            self.comparisons.costs.clear()
        disturbed = step > fastest + log(DISTURBED_PLAIN_FACTOR)
        # A machine that stays slow becomes the usual one.
        fastest = fastest + (step - fastest) / FADING_ANSWERS if disturbed else min(step, fastest)
        self.comparisons.fastest[self._bucket] = exp(fastest)
        return not disturbed


def _possible(cost: Cost | None, rows: int) -> Cost | None:
    """Return the cost of a round with `rows` rows, without what noise made of it; None if it was disturbed.

    Its pass takes at least as long as one over a single row and at most as long as `rows` of these, and drafting takes
    no longer than that.
    """
    if cost is None:
        return None
    (mean, variance) = cost
    most = log(2.0 * rows)
    if mean < -sqrt(variance) or mean > most + sqrt(variance):
        return None
    return min(max(mean, 0.0), most), variance
