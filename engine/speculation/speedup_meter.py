"""The speed-up of answers over plain decoding, measured by plain rounds among their own rounds.

Load slows plain and speculative rounds alike. So each run of plain rounds is compared with the speculative rounds right
before and after it. That gives the cost of a kind of round in plain steps, whatever the load, and from it follows how
long a plain step would have taken at the time of each round.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import exp, log, sqrt
from statistics import median
from time import monotonic
from typing import Any

from engine.speculation.round_cost import ASSUMED_SPREAD
from engine.stats import MeasuredSpeedup
from engine.tuning import SpeedupTotals

# Plain rounds interleaved at once: the first and the last have no plain round on one side, so they are no samples.
RUN = 4
# The cost of entering and leaving plain decoding, in plain steps.
SWITCH_STEPS = 0.4
# How many times their share samples may cost until some kind of round has so many of them: nothing is shown before.
EARLY, ENOUGH = 2.5, 2
# By which factor (natural log) the rounds before and after may differ: beyond, the load has changed in between.
MOST_CHANGE = 0.15
# Speculative rounds on either side of a run of plain ones that are compared with it.
NEIGHBOURS = 8
# Of a long run, the first samples are compared with the rounds before it and the last ones with those after it.
WINDOW = 6
# Samples of a round's cost that count, and seconds after which they no longer do.
SAMPLES, FRESH_S = 16, 600.0
# The number of samples that the spread assumed before two were seen counts for.
ASSUMED_COUNT = 2.0
# The relative error of rounds whose cost is not known, and the least error of a speed-up.
UNKNOWN_ERROR, LEAST_ERROR = 0.3, 0.02
# No speed-up is reported below as many tokens, or where the cost of less than this share of the time is known.
LEAST_TOKENS, LEAST_SHARE = 24, 0.5
# The tokens that the totals of a pair stand for at most; older answers are scaled down.
MOST_TOKENS = 20_000.0
# The factor by which each run raises the shortest known duration of a plain step, so that an old one is forgotten.
CREEP = 1.002

# The source and the rows of a round; plain rounds that begin a run are of the kind ("main", 1).
Kind = tuple[str, int]
FIRST_OF_RUN: Kind = ("main", 1)


@dataclass(slots=True)
class _Total:
    """Rounds of one kind in an answer: tokens x seconds of each, seconds, tokens, and seconds of typical rounds."""

    token_seconds: float = 0.0
    seconds: float = 0.0
    tokens: int = 0
    rounds: int = 0
    typical_s: float = 0.0


@dataclass(slots=True)
class _Costs:
    """Samples of the cost of one kind of round: (when, natural log of plain steps), and their `middle`."""

    samples: deque[tuple[float, float]] = field(default_factory=lambda: deque(maxlen=SAMPLES))
    middle: float = 0.0

    def settle(self) -> None:
        self.middle = median(cost for _, cost in self.samples) if self.samples else 0.0


@dataclass(slots=True)
class _Reference:
    """A plain step that took `plain_s`, and the rounds around it: their kinds and seconds."""

    plain_s: float
    before: list[tuple[Kind, float]]
    after: list[tuple[Kind, float]] = field(default_factory=list)
    steady: bool = True

    def costs(self) -> dict[Kind, float]:
        """The cost of each kind of round (natural log of plain steps); none where the load changed meanwhile."""
        found: dict[Kind, float] = {}
        for kind in {kind for kind, _ in (*self.before, *self.after)}:
            sides = [[s for other, s in side if other == kind] for side in (self.before, self.after)]
            middles = [log(median(side)) for side in sides if side]
            if max(middles) - min(middles) > MOST_CHANGE:
                return {}
            found[kind] = sum(middles) / len(middles) - log(self.plain_s)
        return found if self.steady else {}


class SpeedupMeter:
    """Measures one pair of models. `begin` starts an answer, `end` adds it to the totals of the pair.

    `totals` are those of all answers, by context bucket; `fastest` is the shortest plain step known there.
    """

    def __init__(self) -> None:
        self.totals: dict[int, SpeedupTotals] = {}
        self.fastest: dict[int, float] = {}
        self._costs: dict[Kind, _Costs] = {}
        self._carried_s = self._run_loss_s = 0.0
        self.begin(0)

    def begin(self, bucket: int) -> None:
        """An answer starts at this context bucket. What was measured minutes ago is dropped."""
        self._bucket = bucket
        oldest = monotonic() - FRESH_S
        for costs in self._costs.values():
            while costs.samples and costs.samples[0][0] < oldest:
                costs.samples.popleft()
            costs.settle()
        self._costs = {kind: costs for kind, costs in self._costs.items() if costs.samples}
        self._kinds: dict[Kind, _Total] = {}
        self._plain = _Total()
        self._run: deque[float] = deque(maxlen=WINDOW)
        self._run_rounds = 0
        self._before: deque[tuple[Kind, float]] = deque(maxlen=NEIGHBOURS)
        self._reference: _Reference | None = None
        self._last: tuple[Kind, float] | None = None
        self._unpaced = 0
        self._step_s = 0.0
        self._entered = True
        self._wanted = 0
        self._spent_s = self._allowed_s = 0.0
        self._accepted = False

    def forget_costs(self) -> None:
        """Rounds of the next answer cost something else than those so far."""
        self._costs.clear()

    def end(self) -> None:
        """The answer has ended."""
        self._close_reference()
        # Answers that each are too short to afford a sample pay for one together, and never for two at once.
        self._carried_s = min(self._run_loss_s, max(0.0, self._allowed_s - self._spent_s))
        found = self.measured()
        if found is not None:
            known = self.totals.get(self._bucket, SpeedupTotals())
            self.totals[self._bucket] = known.with_answer(found, MOST_TOKENS)
        self.begin(self._bucket)

    def wants_plain(self, plain_s: float | None, share: float) -> bool:
        """Whether the next round, for which speculation was chosen, is to be plain, as a sample.

        Samples cost at most `share` of the time of the answers so far, the first ones `EARLY` times that, and the less
        the better the speed-up is known. `plain_s` is what a plain step takes; None stands for at most what the
        answer's rounds took, of which every one is a pass of the main model.
        """
        if self._wanted == 0 and self._reference is not None:
            # The rounds since the last plain ones are still being compared with those.
            return False
        if self._wanted == 0 and share > 0.0 and self._run_rounds == 0:
            seconds, tokens = self._sums()
            plain_s = self._step_s or plain_s or self._mean_round_s()
            # A run of plain rounds takes longer than speculation takes for as many tokens.
            self._run_loss_s = SWITCH_STEPS * plain_s + RUN * max(0.0, plain_s - seconds / max(1, tokens))
            if all(len(costs.samples) < ENOUGH for costs in self._costs.values()):
                share *= EARLY
            share *= min(1.0, ENOUGH * self._variance())
            self._allowed_s = self._carried_s + share * seconds
            if tokens >= LEAST_TOKENS and self._spent_s + self._run_loss_s <= self._allowed_s:
                self._spent_s += self._run_loss_s
                self._wanted = RUN
        self._wanted = max(0, self._wanted - 1) if (wanted := self._wanted > 0) else 0
        return wanted

    def observe(
        self, source: str | None, rows: int, committed: int, accepted: int, seconds: float, *, typical: bool
    ) -> None:
        """A round of `source` (None: plain) with `rows` committed so many tokens in `seconds`.

        A round that is not `typical` held other work too; a plain one is the first or the last of a run.
        """
        self._accepted = self._accepted or accepted > 0
        if source is None:
            self._observe_plain(committed, seconds, typical)
            return
        self._end_run()
        typical = typical and not self._entered
        self._entered = False
        kind = (source, rows)
        if typical:
            self._last = kind, seconds
            self._before.append(self._last)
            self._collect(self._last)
        self._add(kind if typical or self._last is None else self._last[0], committed, seconds, typical)

    def export(self) -> dict[str, object]:
        """What outlives the program, as plain data: the totals and the fastest plain step of each context bucket."""
        totals = [[bucket, one.plain_s, one.decode_s, one.tokens, one.error_s] for bucket, one in self.totals.items()]
        return {"totals": totals, "fastest": [list(item) for item in self.fastest.items()]}

    def load(self, data: Mapping[str, Any]) -> None:
        """Replace that by the result of `export`. Raises TypeError or ValueError for other data."""
        totals = {int(bucket): SpeedupTotals(*map(_duration, sums)) for bucket, *sums in data.get("totals", ())}
        self.fastest = {int(bucket): _duration(seconds) for bucket, seconds in data.get("fastest", ())}
        self.totals = {bucket: one for bucket, one in totals.items() if one.plain_s and one.decode_s}

    def _add(self, kind: Kind, committed: int, seconds: float, typical: bool) -> None:
        """Count a round; where it is not typical, the last typical one stands for the load at its time."""
        total = self._kinds.setdefault(kind, _Total())
        total.seconds += seconds
        total.tokens += committed
        if not typical and self._last is None:
            self._unpaced += committed
            return
        pace = seconds if typical or self._last is None else self._last[1]
        total.token_seconds += (committed + self._unpaced) * pace
        total.typical_s += pace
        total.rounds += 1
        self._unpaced = 0

    def interrupted(self) -> None:
        """Other requests had the device between two rounds, so the rounds before and after are not compared."""
        self._close_reference()
        self._run.clear()
        self._run_rounds = self._wanted = 0
        self._before.clear()
        self._entered = True

    def _observe_plain(self, committed: int, seconds: float, typical: bool) -> None:
        if self._run_rounds == 0:
            self._close_reference()
        self._run_rounds += 1
        self._entered = True
        if not typical and not self._run:
            self._last = FIRST_OF_RUN, seconds
            self._before.append(self._last)
            self._add(FIRST_OF_RUN, committed, seconds, True)
            return
        self._plain.seconds += seconds
        self._plain.tokens += committed
        self._plain.rounds += 1
        # The last of a run may have been computed while the one before was waited for.
        self._plain.typical_s += seconds if typical else median(self._run)
        if not typical:
            return
        self._run.append(seconds)
        if len(self._run) == WINDOW and self._before:
            # A long run: its end has other neighbours than its beginning.
            self._refer()
            self._close_reference()

    def _end_run(self) -> None:
        if len(self._run) >= 2:
            self._refer()
        if self._run_rounds:
            self._run.clear()
            self._before.clear()
        self._run_rounds = 0

    def _refer(self) -> None:
        plain_s = median(self._run)
        steady = log(max(self._run) / min(self._run)) <= 2.0 * MOST_CHANGE
        self._reference = _Reference(plain_s, list(self._before), steady=steady)
        self._before.clear()
        fastest = self.fastest.get(self._bucket, plain_s) * CREEP
        self.fastest[self._bucket] = min(fastest, plain_s)

    def _collect(self, neighbour: tuple[Kind, float]) -> None:
        reference = self._reference
        if reference is not None:
            reference.after.append(neighbour)
            if len(reference.after) == NEIGHBOURS:
                self._close_reference()

    def _close_reference(self) -> None:
        """Learn the cost of each kind of round beside the plain ones."""
        reference, self._reference = self._reference, None
        if reference is None:
            return
        now = monotonic()
        for kind, cost in reference.costs().items():
            costs = self._costs.setdefault(kind, _Costs())
            costs.samples.append((now, cost))
            costs.settle()

    def _sums(self) -> tuple[float, int]:
        totals = [self._plain, *self._kinds.values()]
        return sum(total.seconds for total in totals), sum(total.tokens for total in totals)

    def _variance(self) -> float:
        """That of the answer's speed-up, in those of one sample: of each kind of round, by its share of the time."""
        speculative_s = sum(total.seconds for total in self._kinds.values())
        known = {kind: len(costs.samples) for kind, costs in self._costs.items()}
        parts = sum(total.seconds / max(1, known.get(kind, 0)) for kind, total in self._kinds.items())
        return parts / speculative_s if speculative_s else 1.0

    def _mean_round_s(self) -> float:
        """Seconds of a typical speculative round; 0 before the first."""
        rounds = sum(total.rounds for total in self._kinds.values())
        return sum(total.typical_s for total in self._kinds.values()) / max(1, rounds)

    def _spread(self) -> float:
        """The relative spread of one sample."""
        squares, count = ASSUMED_COUNT * ASSUMED_SPREAD**2, ASSUMED_COUNT
        for costs in self._costs.values():
            squares += sum((cost - costs.middle) ** 2 for _, cost in costs.samples)
            count += len(costs.samples) - 1
        return sqrt(squares / count)

    def measured(self) -> MeasuredSpeedup | None:
        """The answer's speed-up so far; None while too little is known, and where speculation yielded nothing."""
        if not self._accepted:
            return None
        seconds, tokens = self._sums()
        if tokens < LEAST_TOKENS:
            return None
        spread = self._spread()
        plain_s, steps_s, error = self._plain.typical_s, self._plain.typical_s, 0.0
        rounds, known_s, samples = self._plain.rounds, self._plain.seconds, self._plain.rounds
        unknown_tokens = 0
        for kind, total in self._kinds.items():
            costs = self._costs.get(kind)
            if costs is None or not total.rounds:
                unknown_tokens += total.tokens
                error += total.seconds * UNKNOWN_ERROR
                continue
            steps = exp(costs.middle)
            plain_s += total.token_seconds / steps
            steps_s += total.typical_s / steps
            rounds += total.rounds
            known_s += total.seconds
            samples = max(samples, (RUN - 2) * len(costs.samples))
            error += total.seconds * spread / sqrt(len(costs.samples))
        if not rounds or known_s < LEAST_SHARE * seconds:
            return None
        plain_s += unknown_tokens * steps_s / rounds
        self._step_s = plain_s / tokens
        fastest = self.fastest.get(self._bucket)
        load = self._step_s / fastest if fastest else None
        return MeasuredSpeedup(plain_s, seconds, tokens, max(LEAST_ERROR, 2.0 * error / seconds), samples, load)


def _duration(value: object) -> float:
    if not isinstance(value, float | int) or not 0.0 <= value < 1e9:
        raise ValueError(f"not a duration: {value!r}")
    return float(value)
