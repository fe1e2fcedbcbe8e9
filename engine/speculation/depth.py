"""The depth controller: chooses each round's proposer and depth to commit the most tokens a second.

An arm is a proposer with a depth; plain decoding is always one. An arm's speed is its expected tokens over its
measured seconds. An arm that was not measured is explored only if it could be clearly faster and if its worst case fits
a small budget (`exploring`), so that no answer becomes noticeably slower. After Ollama's expected-value controller
(x/mlxrunner/speculate_depth.go).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from time import monotonic
from typing import Any

from engine.speculation.accept_rates import AcceptRates
from engine.speculation.arm_estimate import PLAIN_ARM, Arm, ArmEstimate, CatchUp, estimate_arms
from engine.speculation.context_figures import figures_at
from engine.speculation.exploring import MARGIN, Explorer
from engine.speculation.pace import Pace
from engine.speculation.proposers.proposal import Observation
from engine.speculation.round_cost import ENOUGH, RoundCosts, context_bucket
from engine.speculation.speedup_meter import SpeedupMeter
from engine.tuning import AcceptanceFigures, ContextFigures

# Catching up must pay within as many tokens as the answer has so far, and at least these.
MIN_HORIZON = 16
# Plain rounds in a row for which one decision holds, as long as nothing is learned about the proposers.
PLAIN_STRETCH = 8
# The share of a verify pass that may be spent behind the first rejection before a head's confidence is read: reading it
# keeps the device waiting, for 6 to 11 % of a round on two cores, and cannot save all of that.
WASTE_ALLOWED = 0.3
# Seconds between two answers after which the machine may run at another speed.
PAUSE_S = 120.0


@dataclass(frozen=True, slots=True)
class Choice:
    """What the next round does: `depth` draft tokens of `source`, or plain decoding (None, 0).

    `reason` and `arguments` say why a round is plain, as in `engine.stats.PlainSpan`: "measuring" or
    "costs-more". An empty reason on a plain round means that no proposer had anything: its own reason applies.
    `bucket` is the kind of proposal, for `MeasuredRound`. `prices[k]`, for k from 0 to `depth`, is how many tokens the
    fastest arm known brings in the time of a pass that verifies k draft tokens. Empty where all of them are to be
    verified, because so few are expected to be rejected that ending in time would not be worth the wait.
    """

    source: str | None
    depth: int
    reason: str = ""
    arguments: tuple[tuple[str, float | str], ...] = ()
    bucket: str = ""
    prices: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class MeasuredRound:
    """A round to learn from: it kept `accepted` draft tokens and took `seconds` until the next one began.

    `depth` draft tokens of `source` were asked for (None, 0: plain) and `drafted` proposed, None where that is all of
    them. `made` cost time to draft, None for `drafted`. `verified` got a verdict, None where that is all: none is
    rejected past the end of an answer. `width` is the rows of the verify pass. `draft_seconds` is the drafting inside
    `seconds`, None where it was not timed apart.
    A round that is not `typical` held other work too (a draft model catching up): it teaches acceptance but not cost.
    A `complete` one was not free to stop early, so it says nothing about where others do.
    """

    source: str | None
    depth: int
    width: int
    accepted: int
    seconds: float
    draft_seconds: float | None = None
    bucket: str = ""
    verified: int | None = None
    drafted: int | None = None
    made: int | None = None
    typical: bool = True
    complete: bool = False


@dataclass(slots=True)
class _Learned:
    """What is known of the answers of one kind."""

    costs: RoundCosts = field(default_factory=RoundCosts)
    rates: AcceptRates = field(default_factory=AcceptRates)

    def export(self) -> dict[str, Any]:
        return {"costs": self.costs.export(), "rates": self.rates.export()}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> _Learned:
        learned = cls()
        learned.costs.load(data["costs"])
        learned.rates.load(data["rates"])
        return learned


@dataclass(slots=True)
class _PlainStretch:
    """The decision to decode plainly, which holds for `rounds_left` more rounds with the same offer.

    `offer` is the limits and buckets by proposer, the rows carried, and the context bucket.
    """

    offer: tuple[Mapping[str, int], Mapping[str, str], int, int]
    choice: Choice
    rounds_left: int = PLAIN_STRETCH - 1


class DepthController:
    """Chooses every round's proposer and depth, and learns from the result.

    One controller serves one main model with its proposers and outlives requests. `speedup` measures what speculation
    yields; `costs` and `rates` are what is known of rounds' seconds and of acceptance. Answers with a grammar are
    learned apart: each draft token waits for the tokens that it allows, and other text is right in them. Not
    thread-safe.
    """

    def __init__(self) -> None:
        self.speedup = SpeedupMeter()
        # Whether a calibration measured the costs of every depth.
        self.calibrated = False
        # Whether nothing is known but what another pair's passes cost.
        self._only_borrowed = False
        self._free, self._constrained = _Learned(), _Learned()
        self._in_use, self._was_constrained = self._free, False
        self._explorer = Explorer()
        self._pace = Pace()
        self._context = self._begun_at = 0
        self._begun_s = monotonic()
        self._current: Arm = PLAIN_ARM
        self._explores = False
        self._best_speed = 0.0
        self._plain_stretch: _PlainStretch | None = None

    @property
    def costs(self) -> RoundCosts:
        return self._in_use.costs

    @property
    def rates(self) -> AcceptRates:
        return self._in_use.rates

    def start_from(self, other: DepthController) -> bool:
        """Take what passes of the same main model cost beside another drafter; False where nothing is known of them."""
        self._only_borrowed = self._free.costs.borrow(other._free.costs)
        self._constrained.costs.borrow(other._constrained.costs)
        self._begun_s = other._begun_s
        return self._only_borrowed

    def begin(self, context_tokens: int, *, constrained: bool = False) -> None:
        """A request starts whose prompt has `context_tokens` tokens; its answer is `constrained` by a grammar."""
        self._in_use = self._constrained if constrained else self._free
        if constrained is not self._was_constrained:
            self.speedup.forget_costs()
        self._was_constrained = constrained
        self._context = self._begun_at = context_tokens
        self._explorer.begin()
        self._pace.begin()
        self.costs.begin(context_bucket(context_tokens))
        self.speedup.begin(context_bucket(context_tokens))
        self.rates.begin(context_tokens)
        if monotonic() - self._begun_s > PAUSE_S:
            for learned in (self._free, self._constrained):
                learned.costs.renew()
        self._begun_s = monotonic()
        self._current = PLAIN_ARM
        self._explores, self._plain_stretch = False, None

    def end(self) -> None:
        """The request has ended: until the next one begins, `costs` and `rates` are those without a grammar."""
        self.speedup.end()
        self._in_use = self._free

    def interrupted(self) -> None:
        """The next round does not follow the last one directly: another request had the device in between."""
        self.costs.interrupted()
        self.speedup.interrupted()

    def choose(
        self,
        limits: Mapping[str, int],
        rows_carried: int = 0,
        buckets: Mapping[str, str] | None = None,
        backlog: Mapping[str, int] | None = None,
        remaining: int | None = None,
        whole: Collection[str] = (),
    ) -> Choice:
        """Decide the next round.

        `limits` maps each proposer to its `max_proposals()`, `buckets` to its `bucket` and `backlog` to its `backlog`.
        The verify pass has `rows_carried` rows more, whatever is chosen. At most `remaining` tokens are to come. The
        proposers in `whole` have `drafts_whole`.
        """
        buckets = buckets or {}
        offered = {source: limit for source, limit in limits.items() if limit > 0}
        if not offered:
            return Choice(None, 0)
        offer = (offered, dict(buckets), rows_carried, self.costs.bucket)
        stretch = self._plain_stretch
        if stretch is not None and stretch.offer == offer and stretch.rounds_left > 0:
            stretch.rounds_left -= 1
            return stretch.choice
        if self.costs.plain_samples() < ENOUGH:
            return Choice(None, 0, "measuring")
        horizon = max(MIN_HORIZON, self._context - self._begun_at)
        if remaining is not None:
            horizon = min(horizon, remaining)
        catch_up = {source: self.costs.catch_up(source, tokens) for source, tokens in (backlog or {}).items()}
        spread = CatchUp(catch_up, horizon)
        arms = estimate_arms(self.costs, self.rates, offered, rows_carried, buckets, spread, whole)
        choice = self._weigh(arms, buckets, whole)
        if choice.source is not None:
            passes, narrowest = self.costs.forecast(choice.source), rows_carried + 1
            # Exploring is to find out what wide passes cost, so it may take them to be cheap.
            cost = passes.at_least if self._explores else passes.expected
            seconds = [cost(0, narrowest + depth) for depth in range(choice.depth + 1)]
            # A wider pass that was measured to be shorter was so by chance.
            prices = tuple(self._best_speed * most for most in accumulate(seconds, max))
            # A round whose confidence is read also times its drafting, which has to be known.
            timed = choice.depth in passes.drafting
            if choice.source not in whole or not timed or self._wasted(choice, prices) > WASTE_ALLOWED * prices[-1]:
                choice = replace(choice, prices=prices)
        settled = choice.reason == "costs-more"
        self._plain_stretch = _PlainStretch(offer, choice) if settled else None
        return choice

    def _wasted(self, choice: Choice, prices: Sequence[float]) -> float:
        """What the rows of such a round behind the first rejection cost on average, in the unit of `prices`."""
        assert choice.source is not None
        kept = self.rates.forecast(choice.source, choice.bucket, choice.depth).kept
        # A row is wasted unless the draft token before its own was accepted; the first one never is.
        return sum(
            (prices[row] - prices[row - 1]) * (1.0 - (kept[row - 1] - kept[row - 2]))
            for row in range(2, choice.depth + 1)
        )

    def _weigh(self, arms: Mapping[Arm, ArmEstimate], buckets: Mapping[str, str], whole: Collection[str]) -> Choice:
        """The choice for this round among `arms`."""
        known = [arm for arm, estimate in arms.items() if estimate.known]
        best = max(known, key=lambda arm: arms[arm].speed)
        self._best_speed = arms[best].speed
        if self._current not in known:
            # What is not on offer any more gives way to another depth of its own, or else to plain decoding.
            same = [arm for arm in known if arm[0] == self._current[0]]
            self._current = max(same, key=lambda arm: arms[arm].speed, default=PLAIN_ARM)
        if self._clearly_faster(arms, best):
            self._current = best
        # What is made whole cannot end early: a round that opens an answer is to pay at the pace of those behind it.
        if self._pace.opening and self._current[0] in whole:
            pace = max(self._best_speed, self._pace.tokens / arms[PLAIN_ARM].seconds)
            same = [arm for arm in known if arm[0] == self._current[0]]
            self._current = max(same, key=lambda arm: arms[arm].tokens - pace * arms[arm].seconds)
        explored = self._explorer.choose(arms, best, self._current, self.rates.seen, anchored=self.costs.anchored)
        self._explores = explored is not None
        source, depth = explored or self._current
        if source is None:
            return Choice(None, 0, "measuring") if self._explores else _costs_more(arms)
        return Choice(source, depth, bucket=buckets.get(source, ""))

    def observe(self, measured: MeasuredRound) -> None:
        """Learn from a round."""
        source, depth, accepted, seconds = measured.source, measured.depth, measured.accepted, measured.seconds
        drafted = depth if measured.drafted is None else measured.drafted
        self._only_borrowed = False
        if measured.typical:
            made = drafted if measured.made is None else measured.made
            self.costs.observe(source, made, measured.width, seconds, measured.draft_seconds)
        else:
            self.costs.pass_over(source, measured.width)
        self.rates.round_passed()
        if source is not None:
            self._plain_stretch = None
            verified = drafted if measured.verified is None else measured.verified
            if verified:
                asked = 0 if measured.complete else depth
                self.rates.observe(source, measured.bucket, verified, accepted, drafted, asked)
        if (plain_s := self.costs.plain()) is not None:
            self._pace.observe(accepted + 1, seconds / plain_s, speculative=source is not None)
        self._explorer.count(accepted + 1, seconds)
        if measured.typical:
            self._explorer.settle((source, depth), self._current, accepted + 1, seconds)
        elif source is not None:
            self._explorer.reconsider(self._current)
        self._context += accepted + 1
        self.costs.bucket = context_bucket(self._context)

    def pass_over(self, tokens: int, seconds: float) -> None:
        """Plain rounds brought so many tokens in so many seconds; of each round nothing is to be learned."""
        self._explorer.count(tokens, seconds)
        self._context += tokens

    def learn(self, source: str, trial: Observation) -> None:
        """Learn from proposals that were compared with committed text without a verify pass."""
        self._plain_stretch = None
        self.rates.observe(source, trial.bucket, trial.drafted, trial.accepted)

    def observe_catch_up(self, source: str, tokens: int, seconds: float) -> None:
        """`source` took `seconds` to catch up on `tokens` tokens."""
        self.costs.observe_catch_up(source, tokens, seconds)

    def observe_round_with_catch_up(self, source: str, tokens: int, depth: int, width: int, seconds: float) -> None:
        """A round took `seconds` because `source` caught up on `tokens` tokens first."""
        if self.costs.plain() is not None:
            self.observe_catch_up(source, tokens, seconds - self.costs.forecast(source).expected(depth, width))

    def drafting_share(self, source: str, made: int, width: int) -> float | None:
        """The share of drafting in a round of `made` draft tokens and a pass of `width` rows; None if never timed."""
        drafting = self.costs.drafting(source, made)
        if not drafting or self.costs.plain() is None:
            return None
        return drafting / self.costs.forecast(source).expected(made, width)

    def wants_plain_sample(self, share: float) -> bool:
        """Whether a round is to be plain although it was chosen otherwise, also to be explored, within `share` of the
        answer's time.
        """
        return self.speedup.wants_plain(self.plain_s(), share)

    def plain_s(self) -> float | None:
        """Seconds of a plain round at this context length, if measured."""
        return self.costs.plain()

    def widest_measured(self) -> int:
        """Rows of the widest verify pass whose cost is known; 1 where none is."""
        return self.costs.widest()

    def expected_tps(self, source: str, max_depth: int, rows_carried: int = 0, bucket: str = "") -> list[float]:
        """Expected tokens a second at each depth considered; empty until plain decoding was measured."""
        if self.costs.plain() is None:
            return []
        arms = estimate_arms(self.costs, self.rates, {source: max_depth}, rows_carried, {source: bucket})
        return [estimate.speed for arm, estimate in arms.items() if arm != PLAIN_ARM]

    def measured(self, source: str | None, depth: int, width: int, pass_s: float, draft_s: float) -> None:
        """Take a calibration's figures: seconds of a pass of `width` rows and of drafting `depth` tokens."""
        self.costs.measured(source, depth, width, pass_s, draft_s)
        self._plain_stretch, self._only_borrowed = None, False

    def figures(self) -> tuple[ContextFigures, ...]:
        """Costs and expected speeds without a grammar, at every context length at which plain decoding was measured.

        None of what only another pair measured.
        """
        if self._only_borrowed:
            return ()
        costs, rates = self._free.costs, self._free.rates
        here = costs.bucket
        try:
            return tuple(figures_at(bucket, costs, rates, self.speedup) for bucket in costs.buckets())
        finally:
            costs.bucket = here

    def acceptance(self) -> tuple[AcceptanceFigures, ...]:
        """How often draft tokens were accepted without a grammar, by proposer and position."""
        return tuple(AcceptanceFigures(*figures) for figures in self._free.rates.figures())

    def export(self) -> dict[str, Any]:
        """What was learned, as plain data for JSON."""
        others = {"speedup": self.speedup.export(), "calibrated": self.calibrated}
        return self._free.export() | {"constrained": self._constrained.export()} | others

    def load(self, data: Mapping[str, Any]) -> None:
        """Replace what was learned by the result of `export`. Raises KeyError, TypeError or ValueError for others."""
        free = _Learned.of(data)
        constrained = _Learned.of(data["constrained"]) if "constrained" in data else _Learned()
        self.speedup.load(data.get("speedup", {}))
        self.calibrated = data.get("calibrated") is True
        free.costs.bucket = constrained.costs.bucket = self.costs.bucket
        self._in_use = constrained if self._in_use is self._constrained else free
        self._free, self._constrained = free, constrained
        self._plain_stretch = None

    def _clearly_faster(self, arms: Mapping[Arm, ArmEstimate], arm: Arm) -> bool:
        margin = MARGIN + (arms[arm].doubt if self._current == PLAIN_ARM else 0.0)
        return arms[arm].speed > margin * arms[self._current].speed


def _costs_more(arms: Mapping[Arm, ArmEstimate]) -> Choice:
    """The choice of plain decoding, because even the best of the other arms is slower."""
    best = max((estimate for arm, estimate in arms.items() if arm != PLAIN_ARM), key=lambda one: one.speed)
    arguments = (
        ("plain_ms", 1e3 * arms[PLAIN_ARM].seconds),
        ("round_ms", 1e3 * best.seconds),
        ("tokens_per_round", best.tokens),
    )
    return Choice(None, 0, "costs-more", arguments)
