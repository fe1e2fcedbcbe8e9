"""How many tokens to guess next, and whose guesses: whatever commits the most tokens a second here and now.

Speed is expected tokens over measured seconds. Plain decoding is always a candidate. What has not been
measured is tried only when it could be clearly faster and when the worst that it could cost fits a small
budget, so finding out never makes an answer noticeably slower.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any

from engine.requests import MOST_GUESSES
from engine.speculation.accept_rates import AcceptRates
from engine.speculation.arm_estimate import PLAIN_ARM, Arm, ArmEstimate, Entry, outlooks
from engine.speculation.proposers.proposal import Trial
from engine.speculation.round_cost import ENOUGH, RoundCosts, bucket_range, context_bucket
from engine.tuning import ContextFigures, DepthFigures, GuessFigures, break_even

# How much faster another depth, another proposer, or something untried has to look.
DEPTH_MARGIN = 1.02
SOURCE_MARGIN = 1.03
TRIAL_MARGIN = 1.03
# The most guesses as long as an answer may be one of which nothing can be guessed: more of them would cost much there
# and bring little elsewhere.
CAREFUL_DEPTH = 8
# What finding out may cost: plain rounds at the start and at most, and the share of all time that fills it up.
BUDGET_ROUNDS = 3.0
MOST_BUDGET_ROUNDS = 12.0
BUDGET_SHARE = 0.015
# The share of an answer's time so far that finding out may cost, once anything is known about a proposer.
ANSWER_SHARE = 0.02
# Plain rounds that finding out may cost as long as no guess for this answer was checked.
FRESH_ROUNDS = 2.0
# Tokens to look at that make a look worth its while.
WORTH_A_LOOK = 12
# Checked guesses from which on something is known about a proposer.
FAMILIAR = 4.0
# What has to be read before a proposer can guess must pay within as many tokens as there were so far, at least these.
FEWEST_AHEAD = 16
# Rounds between probes while decoding is plain, and between trials while it is not.
FIRST_PROBE = 16
LAST_PROBE = 512
LAST_PATIENCE = 16
# Plain rounds in a row that one look at everything on offer stands for, as long as nothing is learned of guesses.
PLAIN_STRETCH = 8
# Rounds that were launched ahead can look too short as well as too long: the middle of four is safe.
PLAIN_SAMPLES = 4
# Depths of which figures are told.
FIGURES_DEPTHS = (1, 2, 3, 4, 5, 6, 7, 8, 12, MOST_GUESSES)
# Seconds between two answers after which the machine may be busy, or hot, or fresh again.
PAUSE_S = 120.0


@dataclass(frozen=True, slots=True)
class Choice:
    """What the next round does: `depth` guesses of `source`, or plain decoding (None, 0).

    `reason` and `arguments` say why a round is plain, as in `engine.stats.PlainSpan`: "measuring" or
    "costs-more". An empty reason on a plain round means that nothing was offered: the proposer's own reason
    applies. `bucket` goes back into `observe`.
    """

    source: str | None
    depth: int
    reason: str = ""
    arguments: tuple[tuple[str, float | str], ...] = ()
    bucket: str = ""


@dataclass(slots=True)
class _Attempt:
    """An arm that is being tried for `rounds_left` more rounds, and what was expected of it."""

    arm: Arm
    outlook: ArmEstimate
    rounds_left: int = ENOUGH


@dataclass(slots=True)
class _PlainStretch:
    """What was decided about an offer of guesses that did not pay; it holds for `rounds_left` more rounds of it.

    `offer` is limits and kinds of guesses by proposer, rows carried, and the range of context lengths.
    """

    offer: tuple[Mapping[str, int], Mapping[str, str], int, int]
    choice: Choice
    rounds_left: int = PLAIN_STRETCH - 1


class DepthController:
    """Chooses every round's proposer and depth, and learns from how it went.

    One controller serves one main model with the proposers at hand; it outlives requests. Not thread-safe.
    """

    def __init__(self) -> None:
        self._costs = RoundCosts()
        self._rates = AcceptRates()
        self._context = self._begun_at = 0
        self._answer_s = self._spent_s = 0.0
        self._begun_s = monotonic()
        self._current: Arm = PLAIN_ARM
        self._trying: _Attempt | None = None
        self._since_attempt = 0
        self._patience = 0
        self._budget: float | None = None
        self._best_speed = 0.0
        self._since_probe = 0
        self._probe_interval = FIRST_PROBE
        self._plain_stretch: _PlainStretch | None = None

    def begin(self, context_tokens: int) -> None:
        """A request starts whose prompt has `context_tokens` tokens."""
        self._context = self._begun_at = context_tokens
        self._answer_s = self._spent_s = 0.0
        self._costs.begin(context_bucket(context_tokens))
        self._rates.begin()
        if monotonic() - self._begun_s > PAUSE_S:
            self._costs.renew()
        self._begun_s = monotonic()
        self._current = PLAIN_ARM
        self._trying = self._plain_stretch = None

    def interrupted(self) -> None:
        """The next round does not follow the last one directly: another request had the device in between."""
        self._costs.interrupted()

    def choose(
        self,
        limits: Mapping[str, int],
        rows_carried: int = 0,
        buckets: Mapping[str, str] | None = None,
        unread: Mapping[str, int] | None = None,
        remaining: int | None = None,
    ) -> Choice:
        """Decide the next round.

        `limits` maps each proposer to the most guesses it offers now, `buckets` to what kind they are and `unread` to
        how many tokens it has to read first. `rows_carried` rows ride along in the verify pass whatever is chosen. At
        most `remaining` tokens are still to come.
        """
        buckets = buckets or {}
        offered = {source: self._at_most(source, limit) for source, limit in limits.items() if limit > 0}
        if not offered:
            return Choice(None, 0)
        offer = (offered, dict(buckets), rows_carried, self._costs.bucket)
        stretch = self._plain_stretch
        if stretch is not None and stretch.offer == offer and stretch.rounds_left > 0:
            stretch.rounds_left -= 1
            return stretch.choice
        if self._costs.plain_samples() < PLAIN_SAMPLES:
            return Choice(None, 0, "measuring")
        ahead = max(FEWEST_AHEAD, self._context - self._begun_at)
        if remaining is not None:
            ahead = min(ahead, remaining)
        reading = {source: self._costs.reading(source, tokens) for source, tokens in (unread or {}).items()}
        arms = outlooks(self._costs, self._rates, offered, rows_carried, buckets, Entry(reading, ahead))
        choice = self._weigh(arms, buckets)
        settled = choice.reason == "costs-more"
        self._plain_stretch = _PlainStretch(offer, choice) if settled else None
        return choice

    def _at_most(self, source: str, limit: int) -> int:
        return min(limit, CAREFUL_DEPTH) if self._rates.unsettled(source) else limit

    def _weigh(self, arms: Mapping[Arm, ArmEstimate], buckets: Mapping[str, str]) -> Choice:
        """The arm of this round among all that are on offer."""
        known = [arm for arm, outlook in arms.items() if outlook.known]
        best = max(known, key=lambda arm: arms[arm].speed)
        self._best_speed = arms[best].speed
        if self._current not in known or self._clearly_faster(arms, best):
            if best[0] != self._current[0]:
                self._patience = 0
            self._current = best
        self._trying = self._attempt(arms)
        source, depth = self._current if self._trying is None else self._trying.arm
        if source is None:
            return self._plain_choice(arms, measuring=self._trying is not None)
        return Choice(source, depth, bucket=buckets.get(source, ""))

    def wants_look(self, source: str, unread: int) -> bool:
        """Whether `source`, which does not guess now, should compare the last `unread` tokens with its own mind.

        That tells how hard this very text is, for far less than rounds of guesses would cost.
        """
        if self._current[0] == source or unread < WORTH_A_LOOK or self._costs.plain() is None:
            return False
        cost = self._costs.reading(source, unread) + self._costs.drafting(source, 1)
        if self._spent_s + cost > ANSWER_SHARE * self._answer_s:
            return False
        self._spent_s += cost
        return True

    def observe(
        self,
        source: str | None,
        depth: int,
        width: int,
        accepted: int,
        seconds: float,
        draft_seconds: float | None,
        bucket: str = "",
        checked: int | None = None,
        typical: bool = True,
        guessed: int | None = None,
        complete: bool = False,
    ) -> None:
        """Learn from a round that kept `accepted` of `depth` guesses and took `seconds` until the next began.

        `guessed` is how many guesses were drafted, where more would hardly have been right, and `checked` how many got
        a verdict, where those are fewer: past the end of the answer nothing was rejected. `draft_seconds` is the
        drafting inside `seconds`, or None if it was not timed apart. A round is not `typical` if it held work that
        others do not (a draft model reading up): it teaches acceptance but not cost. A `complete` one had to make all
        its guesses: it says nothing about where others end early.
        """
        if typical:
            self._costs.observe(source, depth if guessed is None else guessed, width, seconds, draft_seconds)
        else:
            self._costs.pass_over(source, width)
        self._rates.round_passed()
        if source is not None:
            self._plain_stretch = None
            made = depth if guessed is None else guessed
            verdicts = made if checked is None else checked
            if verdicts:
                self._rates.observe(source, bucket, verdicts, accepted, made, 0 if complete else depth)
        self._answer_s += seconds
        if typical:
            self._settle((source, depth), seconds, hopeless=depth > 0 and accepted == 0)
        self._context += accepted + 1
        self._costs.bucket = context_bucket(self._context)

    def learn(self, source: str, trial: Trial) -> None:
        """Take in guesses that a proposer checked without a verify pass."""
        self._plain_stretch = None
        self._rates.observe(source, trial.bucket, trial.drafted, trial.accepted)

    def read(self, source: str, tokens: int, seconds: float) -> None:
        """`source` took `seconds` to read `tokens` tokens that it had missed."""
        self._costs.read(source, tokens, seconds)

    def read_up(self, source: str, tokens: int, depth: int, width: int, seconds: float) -> None:
        """A round took `seconds` because `source` had to read `tokens` tokens first."""
        if self._costs.plain() is not None:
            self.read(source, tokens, seconds - self._costs.forecast(source).expected(depth, width))

    def drafting_share(self, source: str, depth: int) -> float | None:
        """How much of a round is drafting, as far as it was timed apart; None where it never was."""
        drafting = self._costs.drafting(source, depth)
        if not drafting or self._costs.plain() is None:
            return None
        return drafting / self._costs.forecast(source).expected(depth, depth + 1)

    def plain_tps(self) -> float | None:
        """Tokens a second of plain decoding at this context length, if measured."""
        plain = self._costs.plain()
        return None if plain is None else 1.0 / plain

    def expected_tps(self, source: str, max_depth: int, rows_carried: int = 0, bucket: str = "") -> list[float]:
        """Expected tokens a second at the depths up to `max_depth` that are weighed; empty before plain decoding was
        measured.
        """
        if self._costs.plain() is None:
            return []
        arms = outlooks(self._costs, self._rates, {source: max_depth}, rows_carried, {source: bucket})
        return [outlook.speed for arm, outlook in arms.items() if arm != PLAIN_ARM]

    def measured(self, source: str | None, depth: int, width: int, pass_s: float, draft_s: float) -> None:
        """Take in what a calibration found: a pass of `width` rows and the drafting of `depth` guesses, in seconds."""
        self._costs.measured(source, depth, width, pass_s, draft_s)
        self._plain_stretch = None

    def figures(self) -> tuple[ContextFigures, ...]:
        """What is known at every context length at which plain decoding was measured."""
        here = self._costs.bucket
        try:
            return tuple(self._figures_at(bucket) for bucket in self._costs.buckets())
        finally:
            self._costs.bucket = here

    def guesses(self) -> tuple[GuessFigures, ...]:
        """How often guesses were right, by proposer and position."""
        return tuple(GuessFigures(*figures) for figures in self._rates.figures())

    def export(self) -> dict[str, Any]:
        """What was learned, as plain data for JSON."""
        return {"costs": self._costs.export(), "rates": self._rates.export()}

    def load(self, data: Mapping[str, Any]) -> None:
        """Go on from what `export` gave. Raises KeyError, TypeError or ValueError for anything else."""
        costs, rates = RoundCosts(), AcceptRates()
        costs.load(data["costs"])
        rates.load(data["rates"])
        costs.bucket = self._costs.bucket
        self._costs, self._rates = costs, rates
        self._plain_stretch = None

    def _figures_at(self, bucket: int) -> ContextFigures:
        costs = self._costs
        costs.bucket = bucket
        plain = costs.plain()
        assert plain is not None
        depths: list[DepthFigures] = []
        for source in costs.sources():
            arms, forecast = outlooks(costs, self._rates, {source: FIGURES_DEPTHS[-1]}), costs.forecast(source)
            for depth in FIGURES_DEPTHS:
                seconds, speed = forecast.expected(depth, depth + 1), arms[source, depth].speed
                pays_from = break_even(depth, plain, seconds)
                drafting, samples = costs.drafting(source, depth), costs.samples(source, depth + 1)
                depths.append(DepthFigures(source, depth, seconds, drafting, pays_from, speed, samples))
        return ContextFigures(*bucket_range(bucket), 1.0 / plain, costs.samples(None, 1), tuple(depths))

    def _clearly_faster(self, arms: Mapping[Arm, ArmEstimate], arm: Arm) -> bool:
        if arm[0] == self._current[0]:
            margin = DEPTH_MARGIN
        else:
            margin = SOURCE_MARGIN + (arms[arm].doubt if self._current == PLAIN_ARM else 0.0)
        return arms[arm].speed > margin * arms[self._current].speed

    def _attempt(self, arms: Mapping[Arm, ArmEstimate]) -> _Attempt | None:
        """Something worth finding out about, if it fits the budget; a trial has a second, clean round."""
        going_on = self._trying
        if going_on and going_on.arm in arms and going_on.rounds_left > 0:
            return going_on
        if not self._costs.anchored:
            return None
        if self._budget is None:
            self._budget = BUDGET_ROUNDS * arms[PLAIN_ARM].seconds
        self._budget = min(self._budget, MOST_BUDGET_ROUNDS * arms[PLAIN_ARM].seconds)
        affordable = [arm for arm, outlook in arms.items() if self._worst_loss(outlook) <= self._allowance(arm)]
        hoped_for = TRIAL_MARGIN * self._best_speed
        promising = [arm for arm in affordable if arm != self._current and arms[arm].best_case > hoped_for]
        guesses = [arm for arm in affordable if arm != PLAIN_ARM]
        if promising and self._since_attempt >= self._patience:
            self._patience = min(self._patience + 1, LAST_PATIENCE)
            arm = max(promising, key=lambda arm: arms[arm].best_case)
        elif guesses and self._current == PLAIN_ARM and self._since_probe >= self._probe_interval:
            arm = max(guesses, key=lambda arm: arms[arm].speed)
            self._since_probe = 0
            self._probe_interval = min(2 * self._probe_interval, LAST_PROBE)
        else:
            return None
        return _Attempt(arm, arms[arm])

    def _allowance(self, arm: Arm) -> float:
        """Seconds that finding out about `arm` may cost now."""
        assert self._budget is not None
        source, share = arm[0], ANSWER_SHARE * self._answer_s - self._spent_s
        if source is not None and self._rates.seen(source) < FAMILIAR:
            return self._budget
        if source is not None and self._current == PLAIN_ARM and self._rates.fresh(source) and not self._spent_s:
            # An answer that is like no other has to be found out at some time.
            share = FRESH_ROUNDS * (self._costs.plain() or 0.0)
        return min(self._budget, share)

    def _worst_loss(self, outlook: ArmEstimate) -> float:
        """Seconds that a trial could lose against the fastest arm known."""
        return ENOUGH * max(0.0, outlook.most_seconds - outlook.least_tokens / self._best_speed)

    def _settle(self, arm: Arm, seconds: float, *, hopeless: bool) -> None:
        """Book a round: time earns budget, and a trial spends what it lost against the fastest arm known.

        A `hopeless` one is not repeated if its cost was known already.
        """
        trying = self._trying
        self._since_attempt += 1
        if self._budget is not None:
            self._budget += BUDGET_SHARE * seconds
            if trying is not None and trying.arm == arm:
                self._since_attempt = 0
                trying.rounds_left -= 1 if not hopeless or trying.outlook.doubt == 0.0 else trying.rounds_left
                counted = min(seconds, 2.0 * trying.outlook.most_seconds)
                lost = max(0.0, counted - trying.outlook.tokens / self._best_speed)
                self._budget -= lost
                self._spent_s += lost
        if self._current == PLAIN_ARM:
            self._since_probe += 1
        else:
            self._since_probe, self._probe_interval = 0, FIRST_PROBE

    def _plain_choice(self, arms: Mapping[Arm, ArmEstimate], *, measuring: bool) -> Choice:
        if measuring:
            return Choice(None, 0, "measuring")
        guesses = {arm: outlook for arm, outlook in arms.items() if arm != PLAIN_ARM}
        best = max(guesses.values(), key=lambda outlook: outlook.speed)
        arguments = (
            ("plain_ms", 1e3 * arms[PLAIN_ARM].seconds),
            ("round_ms", 1e3 * best.seconds),
            ("tokens_per_round", best.tokens),
        )
        return Choice(None, 0, "costs-more", arguments)
