"""The batch controller: how many tokens each request of a batch proposes, to commit the most tokens a second.

One pass verifies all requests, as wide as the longest proposal: its cost depends on the requests times the width, and
shorter proposals are padded. So a width is chosen for all; within it, each request proposes what it expects to keep.
Drafting with a model takes as many steps as the width allows, whoever takes part; a lookup takes nothing. Plain
decoding, width 1, is always a candidate, and is measured again now and then.

After BASS (arXiv:2404.15778), with measured costs in place of a cost model.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from engine.speculation.accept_rates import AcceptForecast
from engine.speculation.controllers import Controllers
from engine.speculation.depth import Choice
from engine.speculation.proposers.registry import sources_without_drafter

# Durations that a figure is the middle of.
WINDOW = 9
# Plain rounds that are measured in a row, of which the first is never pipelined, and rounds until they are repeated.
PLAIN_ROUNDS = 3
REMEASURE = 128
# By which factor another width than the last, any width than plain decoding, or one that was never measured here, has
# to appear faster.
MARGIN = 1.02
PLAIN_MARGIN = 1.05
EXPLORE_MARGIN = 1.05
# What trying widths may cost: plain rounds at the start, and a share of all time.
BUDGET_ROUNDS = 4.0
BUDGET_SHARE = 0.015
# Widths that are considered, because each has its own kernels and graphs.
WIDTHS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 17)
# Rounds for which the decision to decode plainly holds.
PLAIN_STRETCH = 8
# Of a proposer that was never timed in a batch, what each request adds to the drafting of one.
UNKNOWN_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class Offer:
    """What one request can propose.

    `decided` is what its round does where that is not the controller's choice. Else `expected` maps each source that
    has proposals to what is expected of them, and `drafted` names those whose drafting takes time.
    """

    decided: Choice | None = None
    expected: Mapping[str, AcceptForecast] = field(default_factory=dict)
    drafted: frozenset[str] = frozenset()
    buckets: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BatchRound:
    """A round to learn from: a pass of `width` tokens for each of `requests`, which took `seconds` with its drafting.

    `drafting` is (source, requests, depth) for the drafting with a model, if there was any; `draft_seconds` of the
    time went into it, None where that was not timed apart.
    """

    requests: int
    width: int
    tokens: int
    seconds: float
    drafting: tuple[str, int, int] | None = None
    draft_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class _Plan:
    """Depths for all, with what is expected of the round."""

    choices: list[Choice]
    width: int
    tokens: float
    seconds: float

    @property
    def speed(self) -> float:
        return self.tokens / self.seconds


class BatchController:
    """Chooses and learns for the batches of one main model; `solo` know the costs of its rounds for one request."""

    def __init__(self, solo: Controllers) -> None:
        self._solo = solo
        self._passes: dict[tuple[int, int, int], deque[float]] = {}
        self._drafting: dict[tuple[str, int], dict[int, deque[float]]] = {}
        # Middles of these figures since the last observation: every width asks for them.
        self._pass_curves: dict[tuple[int, int], dict[int, float]] = {}
        self._drafting_curves: dict[tuple[str, int], dict[int, float]] = {}
        self._bucket = 0
        self._width = 1
        self._measuring = 0
        self._since_plain = 0
        self._total_s = self._lost_s = 0.0
        self._expected_speed = 0.0
        self._plain_left = 0
        self._costs_more = Choice(None, 0, "costs-more")

    def choose(self, offers: Sequence[Offer], bucket: int) -> list[Choice]:
        """What each request does in the next round; the longest text is in the context bucket `bucket`."""
        if bucket != self._bucket:
            self._bucket, self._plain_left = bucket, 0
        requests = len(offers)
        fixed = max((offer.decided.depth for offer in offers if offer.decided is not None), default=0)
        if all(offer.decided is not None or not offer.expected for offer in offers):
            return _plain(offers, Choice(None, 0))
        if fixed == 0 and self._must_measure(requests):
            return _plain(offers, Choice(None, 0, "measuring"))
        if self._plain_left > 0 and fixed == 0:
            self._plain_left -= 1
            return _plain(offers, self._costs_more)
        plans = [plan for width in WIDTHS if width > fixed and (plan := self._plan(offers, width)) is not None]
        if not plans:
            # No pass of so many requests was timed yet: those meant to be were interrupted by other work.
            return _plain(offers, Choice(None, 0, "measuring"))
        return self._best(plans, offers, requests).choices

    def observe(self, measured: BatchRound) -> None:
        """Learn from a round whose duration is typical of its kind."""
        requests, width, seconds = measured.requests, measured.width, measured.seconds
        drafted = 0.0
        if measured.drafting is not None:
            source, drafting, depth = measured.drafting
            drafted = self.drafting_s(source, drafting, depth) or 0.0
            if measured.draft_seconds is not None:
                drafted = min(measured.draft_seconds, seconds)
                curve = self._drafting.setdefault((source, drafting), {})
                curve.setdefault(depth, deque(maxlen=WINDOW)).append(drafted)
        known = self._passes.setdefault((self._bucket, requests, width), deque(maxlen=WINDOW))
        if width > 1 and len(known) < 2 and self._expected_speed:
            self._lost_s += max(0.0, seconds - measured.tokens / self._expected_speed)
        known.append(max(seconds - drafted, 0.1 * seconds))
        self._total_s += seconds
        self._pass_curves.clear()
        self._drafting_curves.clear()

    def drafting_s(self, source: str, requests: int, depth: int) -> float | None:
        """Seconds that `source` takes to draft `depth` tokens for each of `requests`; None where never timed."""
        measured = self._drafting.get((source, requests))
        if not measured:
            return None
        curve = self._drafting_curves.get((source, requests))
        if curve is None:
            curve = {0: 0.0} | {known: median(values) for known, values in measured.items()}
            self._drafting_curves[source, requests] = curve
        return _between(curve, depth)

    def pass_s(self, requests: int, width: float) -> float | None:
        """Seconds of a pass; between measured widths, or extended as passes for one request grow with their rows."""
        points = self._pass_curves.get((self._bucket, requests))
        if points is None:
            points = self._pass_curves[self._bucket, requests] = {
                known: median(values)
                for (bucket, count, known), values in self._passes.items()
                if bucket == self._bucket and count == requests
            }
        if not points:
            return None
        widest = max(points)
        if width <= widest:
            return _between(points, width)
        solo = self._solo.current.costs
        if solo.plain() is None:
            return points[widest]
        grown = solo.forecast(sources_without_drafter("auto")[0])
        before, after = (grown.expected(0, round(requests * at)) for at in (widest, width))
        return points[widest] * max(1.0, after / before)

    def _must_measure(self, requests: int) -> bool:
        """Whether this round has to be plain to be measured."""
        self._since_plain += 1
        known = len(self._passes.get((self._bucket, requests, 1), ()))
        if self._measuring == 0 and (known < 2 or self._since_plain >= REMEASURE):
            self._measuring = PLAIN_ROUNDS
        if self._measuring:
            self._measuring -= 1
            self._since_plain = 0
        return self._measuring > 0

    def _plan(self, offers: Sequence[Offer], width: int) -> _Plan | None:
        """The best proposals for passes of this width; None where nobody can fill it."""
        requests, most = len(offers), width - 1
        free = [_best_source(offer, most, offer.expected.keys() - offer.drafted) for offer in offers]
        drafted = [_best_source(offer, most, offer.drafted) for offer in offers]
        gains = [
            (with_model.kept - without.kept, row)
            for row, (with_model, without) in enumerate(zip(drafted, free, strict=True))
            if with_model.kept > without.kept
        ]
        gains.sort(reverse=True)
        order = [row for _, row in gains]
        shorter = _chances_of_shorter(free, drafted, order, most)
        best: _Plan | None = None
        chosen = list(free)
        for count in range(len(gains) + 1):
            if count:
                chosen[order[count - 1]] = drafted[order[count - 1]]
            seconds = self._seconds(offers, chosen, count, width, shorter[count])
            if seconds is None:
                continue
            tokens = requests + sum(option.kept for option in chosen)
            if best is None or tokens / seconds > best.speed:
                choices = [offer.decided or option.choice for offer, option in zip(offers, chosen, strict=True)]
                best = _Plan(choices, width, tokens, seconds)
        return best

    def _seconds(
        self, offers: Sequence[Offer], chosen: Sequence[_Option], drafting: int, width: int, shorter: Sequence[float]
    ) -> float | None:
        """Seconds of a round with these proposals, `drafting` of which a model drafts; None where none is that wide.

        `shorter[k]` is the chance that all of them end before their k-th token.
        """
        requests, most = len(offers), width - 1
        fixed = max((offer.decided.depth for offer in offers if offer.decided is not None), default=0)
        if max(fixed, *(option.choice.depth for option in chosen)) < most:
            return None
        # A proposal may end early; the pass is as wide as the longest of them.
        expected = max(1.0 + sum(1.0 - chance for chance in shorter[1:]), 1.0 + fixed)
        seconds = self.pass_s(requests, expected)
        if seconds is None or not drafting:
            return seconds
        source = next(option.choice.source for option in chosen if option.drafted)
        known = self.drafting_s(source or "", drafting, most)
        if known is None:
            known = self._solo.current.costs.drafting(source or "", most) * (1.0 + UNKNOWN_SHARE * (drafting - 1))
        return seconds + known * (expected - 1.0) / most

    def _best(self, plans: Sequence[_Plan], offers: Sequence[Offer], requests: int) -> _Plan:
        known = [plan for plan in plans if self._known(requests, plan.width)]
        best = max(known or plans, key=lambda plan: plan.speed)
        current = next((plan for plan in known if plan.width == self._width), best)
        if best.speed <= (PLAIN_MARGIN if current.width == 1 else MARGIN) * current.speed:
            best = current
        plain = next((plan for plan in known if plan.width == 1), best)
        if best.speed <= plain.speed:
            best = plain
        self._expected_speed = best.speed
        budget = BUDGET_ROUNDS * plans[0].seconds + BUDGET_SHARE * self._total_s
        if self._lost_s < budget:
            untried = max(plans, key=lambda plan: plan.speed)
            if untried.speed > EXPLORE_MARGIN * best.speed:
                best = untried
        self._width = best.width
        if best.width == 1:
            self._plain_left = PLAIN_STRETCH - 1
            rest = [plan for plan in plans if plan.width > 1]
            fastest = max(rest, key=lambda plan: plan.speed, default=best)
            self._costs_more = _costs_more(best, fastest, requests)
            return _Plan(_plain(offers, self._costs_more), 1, best.tokens, best.seconds)
        return best

    def _known(self, requests: int, width: int) -> bool:
        return len(self._passes.get((self._bucket, requests, width), ())) >= 2


@dataclass(frozen=True, slots=True)
class _Option:
    """One request's part in a plan."""

    choice: Choice
    kept: float
    expected: AcceptForecast | None = None
    drafted: bool = False

    def shorter(self, most: int) -> list[float]:
        """The chance that the proposal has less than 0, 1, ... `most` tokens."""
        depth = self.choice.depth
        made = self.expected.made[: depth + 1] if self.expected is not None else [1.0]
        return [*(1.0 - chance for chance in made), *[1.0] * (most + 1 - len(made))][: most + 1]


_NOTHING = _Option(Choice(None, 0), 0.0)


def _best_source(offer: Offer, most: int, sources: frozenset[str] | set[str]) -> _Option:
    if offer.decided is not None:
        return _NOTHING
    best = _NOTHING
    for source in sources:
        expected = offer.expected.get(source)
        if expected is None:
            continue
        depth = min(most, len(expected.kept) - 1)
        if depth and expected.kept[depth] > best.kept:
            choice = Choice(source, depth, bucket=offer.buckets.get(source, ""))
            best = _Option(choice, expected.kept[depth], expected, source in offer.drafted)
    return best


def _chances_of_shorter(
    free: Sequence[_Option], drafted: Sequence[_Option], order: Sequence[int], most: int
) -> list[list[float]]:
    """By how many of `order` draft with a model: the chances that no proposal has 0, 1, ... `most` tokens."""

    def times(one: list[float], option: _Option) -> list[float]:
        return [left * right for left, right in zip(one, option.shorter(most), strict=True)]

    rest = [1.0] * (most + 1)
    for row, option in enumerate(free):
        if row not in order:
            rest = times(rest, option)
    behind = [rest]
    for row in reversed(order):
        behind.append(times(behind[-1], free[row]))
    before, chances = [1.0] * (most + 1), []
    for count in range(len(order) + 1):
        if count:
            before = times(before, drafted[order[count - 1]])
        following = behind[len(order) - count]
        chances.append([left * right for left, right in zip(before, following, strict=True)])
    return chances


def _plain(offers: Sequence[Offer], plain: Choice) -> list[Choice]:
    return [offer.decided if offer.decided is not None else plain for offer in offers]


def _costs_more(plain: _Plan, best: _Plan, requests: int) -> Choice:
    arguments = (
        ("plain_ms", 1e3 * plain.seconds),
        ("round_ms", 1e3 * best.seconds),
        ("tokens_per_round", best.tokens / requests),
    )
    return Choice(None, 0, "costs-more", arguments)


def _between(points: Mapping[int, float], at: float) -> float:
    """Piecewise linear between known points; past the last one in proportion to it."""
    known = sorted(points)
    below = max((point for point in known if point <= at), default=known[0])
    above = min((point for point in known if point >= at), default=None)
    if above is None:
        return points[below] * at / below if below else points[below]
    if above <= below:
        return points[above]
    return points[below] + (at - below) / (above - below) * (points[above] - points[below])
