"""The batch controller: how many tokens each request of a batch proposes, to commit the most tokens a second.

One pass verifies all requests, as wide as the longest proposal: its cost depends on the requests times the width, and
shorter proposals are padded. So a width is chosen for all; within it, each request proposes what it expects to keep.
Drafting with a model takes as many steps as the width allows, whoever takes part; a lookup takes nothing. Plain
decoding, width 1, is always a candidate, and is measured again now and then.

After BASS (arXiv:2404.15778), with measured costs in place of a cost model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt

from engine.speculation.accept_rates import AcceptForecast
from engine.speculation.batch_costs import BatchCosts, BatchRound
from engine.speculation.controllers import Controllers
from engine.speculation.depth import Choice
from engine.speculation.exploring import Retries
from engine.speculation.proposers.registry import PROPOSERS
from engine.speculation.round_cost import ENOUGH

# Plain rounds in a row of which those between two others are measured, and rounds until they are repeated.
PLAIN_ROUNDS = 4
REMEASURE = 128
# By which factor another width than the last, any width than plain decoding, or one that was never measured here, has
# to appear faster.
MARGIN = 1.02
PLAIN_MARGIN = 1.05
EXPLORE_MARGIN = 1.05
# Passes of a kind until its figure is trusted. Before, it may rest on stalls or on passes of another shape: where one
# that takes less by DOUBT would pay, it is tried.
TRUSTED = 5
DOUBT = 0.1
# What trying widths may cost: plain rounds at the start, and a share of all time.
BUDGET_ROUNDS = 4.0
BUDGET_SHARE = 0.015
# Widths that are considered, because each has its own kernels and graphs.
WIDTHS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 17)
# A pass may be so many times as wide as the widest that was measured, and a little more.
GROWTH = 2
# Rounds for which the decision to decode plainly holds.
PLAIN_STRETCH = 8
# Of a proposer that was never timed in a batch, what each request adds to the drafting of one, where a pass drafts for
# all.
JOINT_SHARE = 0.05


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
        self.costs = BatchCosts(solo)
        self._solo = solo
        self._width = 1
        self._measuring = 0
        self._since_plain = 0
        self._total_s = self._lost_s = 0.0
        self._expected_speed = 0.0
        self._retries = Retries()
        # Whether a retry is under way: drafters may have to read before its pass. Whether plain decoding is fastest.
        self._retrying, self._plain_best = False, True
        self._requests = 0
        self._plain_left = 0
        self._costs_more = Choice(None, 0, "costs-more")

    def choose(self, offers: Sequence[Offer], bucket: int) -> list[Choice]:
        """What each request does in the next round; the longest text is in the context bucket `bucket`."""
        if bucket != self.costs.bucket:
            self.costs.bucket, self._plain_left = bucket, 0
        requests = len(offers)
        if requests > self._requests:
            # An answer joins: its text may be easier.
            self._retries.begin()
            self._retrying = False
        self._requests = requests
        fixed = max((offer.decided.depth for offer in offers if offer.decided is not None), default=0)
        if all(offer.decided is not None or not offer.expected for offer in offers):
            return _plain(offers, Choice(None, 0))
        if fixed == 0 and self._must_measure(requests):
            return _plain(offers, Choice(None, 0, "measuring"))
        if self._plain_left > 0 and fixed == 0:
            self._plain_left -= 1
            return _plain(offers, self._costs_more)
        plans = [plan for width in self._widths(fixed) if (plan := self._plan(offers, width)) is not None]
        if not plans:
            # No pass of so many requests was timed yet: those meant to be were interrupted by other work.
            return _plain(offers, Choice(None, 0, "measuring"))
        return self._best(plans, offers, requests).choices

    def observe(self, measured: BatchRound) -> None:
        """Learn from a round whose duration is typical of its kind."""
        requests, width = measured.requests, measured.width
        if width > 1 and (self._retrying or self.costs.samples(requests, width) < TRUSTED):
            self._count_loss(measured.tokens, measured.seconds)
        self._retrying = self._retrying and width == 1
        self._retries.count(plain=self._plain_best)
        self.costs.observe(measured)
        self._total_s += measured.seconds

    def pass_over(self, rounds: int, seconds: float) -> None:
        """Plain rounds passed that took `seconds` and of which no costs are learned."""
        self._retries.count(plain=self._plain_best, rounds=rounds)
        self._total_s += seconds

    def observe_preparation(self, tokens: int, seconds: float) -> None:
        """A round took long because drafters read what they had missed; it committed `tokens`."""
        self._count_loss(tokens, seconds)
        self._total_s += seconds

    def _count_loss(self, tokens: int, seconds: float) -> None:
        if self._expected_speed:
            self._lost_s += max(0.0, seconds - tokens / self._expected_speed)

    def _widths(self, fixed: int) -> list[int]:
        """The widths to weigh, where somebody proposes `fixed` tokens in any case."""
        possible = [width for width in WIDTHS if width > fixed]
        widest = GROWTH * self.costs.widest() + 2
        return [width for width in possible if width <= widest] or possible[:1]

    def _must_measure(self, requests: int) -> bool:
        """Whether this round has to be plain to be measured."""
        self._since_plain += 1
        if self._measuring == 0 and (not self._known(requests, 1) or self._since_plain >= REMEASURE):
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
        best: _Plan | None = None
        # Where a pass drafts for all, it costs much the same for a few: between nobody and all little is to be gained.
        together = all(PROPOSERS[drafted[row].choice.source or ""].joint for row in order)
        for count in sorted({0, len(order)}) if together else range(len(order) + 1):
            chosen = list(free)
            for row in order[:count]:
                chosen[row] = drafted[row]
            seconds = self._seconds(offers, chosen, count, width)
            if seconds is None:
                continue
            tokens = requests + sum(option.kept for option in chosen)
            if best is None or tokens / seconds > best.speed:
                choices = [offer.decided or option.choice for offer, option in zip(offers, chosen, strict=True)]
                best = _Plan(choices, width, tokens, seconds)
        return best

    def _seconds(self, offers: Sequence[Offer], chosen: Sequence[_Option], drafting: int, width: int) -> float | None:
        """Seconds of a round with these proposals, `drafting` of which a model drafts; None where none is that wide."""
        requests, most = len(offers), width - 1
        fixed = max((offer.decided.depth for offer in offers if offer.decided is not None), default=0)
        if max(fixed, *(option.choice.depth for option in chosen)) < most:
            return None
        # A proposal may end early; the pass is as wide as the longest of them.
        expected = max(1.0 + _expected_longest(chosen), 1.0 + fixed)
        seconds = self.costs.pass_s(requests, expected)
        if seconds is None or not drafting:
            return seconds
        source = next(option.choice.source for option in chosen if option.drafted)
        known = self.costs.drafting_s(source or "", drafting, most)
        if known is None:
            share = JOINT_SHARE if PROPOSERS[source or ""].joint else 1.0
            known = self._solo.current.costs.drafting(source or "", most) * (1.0 + share * (drafting - 1))
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
        self._expected_speed, self._plain_best = best.speed, best.width == 1
        budget = BUDGET_ROUNDS * plans[0].seconds + BUDGET_SHARE * self._total_s
        if self._lost_s < budget:
            hopeful = max(plans, key=lambda plan: self._hoped(plan, requests))
            if hopeful is not best and self._hoped(hopeful, requests) > EXPLORE_MARGIN * best.speed:
                best = hopeful
        if best.width == 1:
            best = self._retried(plans, best) or best
        self._width = best.width
        if best.width == 1:
            self._plain_left = PLAIN_STRETCH - 1
            rest = [plan for plan in plans if plan.width > 1]
            fastest = max(rest, key=lambda plan: plan.speed, default=best)
            self._costs_more = _costs_more(best, fastest, requests)
            return _Plan(_plain(offers, self._costs_more), 1, best.tokens, best.seconds)
        return best

    def _retried(self, plans: Sequence[_Plan], plain: _Plan) -> _Plan | None:
        """What is tried in place of plain decoding although it is not expected to be faster; None for nothing."""
        rest = [plan for plan in plans if plan.width > 1]
        if not self._retrying:
            left_s = BUDGET_SHARE * self._total_s - self._lost_s
            rest = [plan for plan in rest if plan.seconds - plain.seconds <= left_s]
            if not self._retries.due or not rest:
                return None
            self._retries.retry()
            self._retrying = True
        return max(rest, key=lambda plan: plan.speed, default=None)

    def _hoped(self, plan: _Plan, requests: int) -> float:
        """The speed of a plan, or what it may be in truth where its passes were measured a few times only, or never."""
        samples = self.costs.samples(requests, plan.width)
        if plan.width == 1 or samples >= TRUSTED:
            return plan.speed
        return plan.speed / (1.0 - DOUBT / sqrt(max(1, samples)))

    def _known(self, requests: int, width: int) -> bool:
        return self.costs.samples(requests, width) >= ENOUGH or self.costs.reaches(requests, width)


@dataclass(frozen=True, slots=True)
class _Option:
    """One request's part in a plan."""

    choice: Choice
    kept: float
    expected: AcceptForecast | None = None
    drafted: bool = False


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


def _expected_longest(chosen: Sequence[_Option]) -> float:
    """How many tokens the longest of these proposals is expected to have: each may end early."""
    # The chance that none has a k-th token, from the first on.
    shorter: list[float] = []
    for option in chosen:
        if option.expected is None:
            continue
        for index, made in enumerate(option.expected.made[1 : option.choice.depth + 1]):
            if index < len(shorter):
                shorter[index] *= 1.0 - made
            else:
                shorter.append(1.0 - made)
    return len(shorter) - sum(shorter)


def _plain(offers: Sequence[Offer], plain: Choice) -> list[Choice]:
    return [offer.decided if offer.decided is not None else plain for offer in offers]


def _costs_more(plain: _Plan, best: _Plan, requests: int) -> Choice:
    arguments = (
        ("plain_ms", 1e3 * plain.seconds),
        ("round_ms", 1e3 * best.seconds),
        ("tokens_per_round", best.tokens / requests),
    )
    return Choice(None, 0, "costs-more", arguments)
