"""The controller: chooses each round's proposer and depth to commit the most tokens a second.

An arm is a drafter, or none, with a depth; plain decoding is always one. The fastest known arm is used. One that could
be faster is tried if its worst case fits the purse, which pays for all exploring, so that no answer becomes noticeably
slower. After Ollama's expected-value controller (x/mlxrunner/speculate_depth.go).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from time import monotonic
from typing import Any

from engine.speculation.choosing.choice import Choice, MeasuredRound, Offer
from engine.speculation.choosing.costs import Costs, context_range, range_bounds
from engine.speculation.choosing.plans import DEPTHS, PLAIN, Arm, Asked, Part, Plan, plans
from engine.speculation.choosing.speedup import SpeedupMeter
from engine.speculation.choosing.texts import Text, Texts
from engine.speculation.proposers.proposal import Observation
from engine.speculation.proposers.registry import PROPOSERS
from engine.tuning import AcceptanceFigures, ContextFigures, DepthFigures, break_even

# By which factor an arm has to appear faster than plain decoding, or one that is tried than all: less is not felt.
MARGIN = 1.05
# Plain rounds that exploring may cost a new pair: a few words that come a little later.
BUDGET = 4.0
# Plain rounds that the purse holds at most: what a sample of plain rounds costs at most.
MOST_SAVED = 6.0
# The share of all time that exploring may cost in the long run: too little to be felt.
SHARE = 0.02
# The share's least part, while nothing that is tried pays: a text may change for the better.
LEAST_PART = 1 / 8
# The share of a pass behind the first rejection up to which all that a head drafted is verified: waiting to be told how
# sure it is would cost about as much.
WASTE = 0.3


@dataclass(slots=True)
class _Learned:
    """What is known of the answers of one kind."""

    costs: Costs = field(default_factory=Costs)
    texts: Texts = field(default_factory=Texts)

    def export(self) -> dict[str, Any]:
        return {"costs": self.costs.export(), "texts": self.texts.export()}

    def load(self, data: Any) -> None:
        self.costs.load(data["costs"])
        self.texts.load(data["texts"])


class Answer:
    """An answer being written, to the controller: made by `begin`, it goes with everything about it."""

    def __init__(self, learned: _Learned, prompt_tokens: int) -> None:
        self.learned = learned
        self.text = Text(learned.texts)
        self.prompt_tokens = self.context = prompt_tokens

    @property
    def costs(self) -> Costs:
        """What rounds of such answers cost."""
        return self.learned.costs

    def drafting_share(self, source: str, drafted: int, rows: int) -> float | None:
        """The share of drafting in a round of `drafted` draft tokens and `rows` rows; None if it was never timed."""
        return _drafting_share(self.costs, source, drafted, rows)


@dataclass(slots=True)
class _Purse:
    """What exploring may still cost: `seconds`, None before it is known what a plain round takes.

    Its income is a share of all time. That is halved by a try that brought nothing, and doubled again by one that did.
    """

    seconds: float | None = None
    part: float = 1.0

    def earn(self, seconds: float, plain_s: float) -> None:
        if self.seconds is None:
            self.seconds = BUDGET * plain_s
        self.seconds = min(MOST_SAVED * plain_s, self.seconds + self.part * SHARE * seconds)

    def affords(self, seconds: float) -> bool:
        return self.seconds is not None and seconds <= self.seconds

    def spend(self, seconds: float) -> None:
        if self.seconds is not None:
            self.seconds -= seconds

    def pay(self, seconds: float) -> None:
        """A try lost so many seconds, or won them."""
        self.spend(seconds)
        self.part = min(1.0, 2.0 * self.part) if seconds < 0.0 else max(LEAST_PART, self.part / 2.0)


class Controller:
    """Chooses every round's proposers and depths for one main model with its drafter, and learns from the results.

    It outlives answers. Those with a grammar are learned apart: each draft token waits for the tokens that it allows,
    and other text is right in them. `speedup` measures what speculation yields. Not thread-safe.
    """

    def __init__(self) -> None:
        self.speedup = SpeedupMeter()
        # Whether a calibration measured the costs of every depth.
        self.calibrated = False
        self._free, self._constrained = _Learned(), _Learned()
        self._purse = _Purse()
        self._until = monotonic()
        # Seconds since the last sample of plain rounds, and those of the latest round.
        self._unsampled_s = self._round_s = 0.0
        # The plan that is tried in this round, and the speed of the fastest one known.
        self._tried: Plan | None = None
        self._best_speed = 0.0

    @property
    def costs(self) -> Costs:
        """What rounds without a grammar cost."""
        return self._free.costs

    def begin(self, prompt_tokens: int, *, constrained: bool = False) -> Answer:
        """An answer begins behind a prompt of `prompt_tokens` tokens, `constrained` by a grammar or not."""
        now = monotonic()
        for learned in (self._free, self._constrained):
            learned.costs.rest(now - self._until)
        self._until = now
        self._tried = None
        answer = Answer(self._constrained if constrained else self._free, prompt_tokens)
        answer.learned.costs.context = context_range(prompt_tokens)
        return answer

    def choose(self, asked: Sequence[tuple[Answer, Offer]]) -> list[Choice]:
        """What each answer does in the next round."""
        self._tried = None
        costs = asked[0][0].learned.costs
        costs.context = context_range(max(answer.context for answer, _ in asked))
        if not any(offer.decided is None and any(offer.limits.values()) for _, offer in asked):
            return _plain(asked, Choice(None, 0))
        # Beside an answer whose depth is fixed no round is plain.
        fixed = any(offer.decided is not None and offer.decided.depth for _, offer in asked)
        if not (costs.known if fixed else costs.plain_known(len(asked))):
            return _plain(asked, Choice(None, 0, "measuring"))
        rows = [Asked(answer.text, answer.context - answer.prompt_tokens, offer) for answer, offer in asked]
        found = {plan.arm: plan for plan in plans(costs, rows)}
        plan = self._weigh(found)
        if plan.arm == PLAIN:
            measuring = Choice(None, 0, "measuring")
            return _plain(asked, measuring if plan is self._tried else _costs_more(plan, found, len(asked)))
        return [
            offer.decided or self._choice(part, offer, costs, len(asked))
            for part, (_, offer) in zip(plan.parts, asked, strict=True)
        ]

    def _weigh(self, found: Mapping[Arm, Plan]) -> Plan:
        """The plan of this round: the fastest known one, or one that is tried."""
        best = max((plan for plan in found.values() if plan.known), key=lambda plan: plan.speed, default=None)
        best = best or next(iter(found.values()))
        self._best_speed, plain = best.speed, found.get(PLAIN)
        usual = best if plain is None or best.speed > MARGIN * plain.speed else plain
        others = [plan for plan in found.values() if plan is not usual and self._purse.affords(plan.loss(best.speed))]
        hopeful = [plan for plan in others if plan.best_case > MARGIN * best.speed]
        if hopeful:
            self._tried = max(hopeful, key=lambda plan: plan.speed)
        elif usual is plain and others:
            # Nothing is expected to be faster, but the text may have become easier.
            self._tried = max(others, key=lambda plan: plan.best_case)
        return self._tried or usual

    def _choice(self, part: Part | None, offer: Offer, costs: Costs, answers: int) -> Choice:
        if part is None:
            return Choice(None, 0)
        seconds = [costs.verify(answers * (1 + depth), answers).seconds for depth in range(part.depth + 1)]
        if part.source in offer.whole and part.wasted(seconds) <= WASTE * seconds[-1]:
            seconds = []
        prices = tuple(self._best_speed * one / answers for one in seconds)
        return Choice(part.source, part.depth, kind=offer.kinds.get(part.source, ""), prices=prices)

    def wants_sample(self, share: float) -> bool:
        """Whether the round is to be plain although it was chosen otherwise, to measure the speed-up.

        The purse pays for that, but no more than `share` of the time since the last sample.
        """
        costs = self._free.costs
        # At a fixed depth plain decoding may not be known yet; it takes no longer than any round.
        cost = self.speedup.sample_cost(costs.verify(1).seconds if costs.known else self._round_s)
        paid = self._purse.affords(cost or 0.0) or not costs.known
        if cost is not None and paid and share > 0.0 and cost <= share * self._unsampled_s:
            self._purse.spend(cost)
            self._unsampled_s = 0.0
            self.speedup.take_sample()
        wanted = self.speedup.take_plain_round()
        if wanted:
            self._tried = None
        return wanted

    def observe(self, answer: Answer, choice: Choice, drafted: int, verified: int, accepted: int) -> None:
        """Learn what became of an answer's part in a round.

        Of the draft tokens that were asked for, `drafted` were made and `verified` got a verdict: none is rejected past
        the end of an answer. A drafter that stopped early, and was right so far, says that it would have missed.
        """
        answer.context += accepted + 1
        answer.text.pass_rounds()
        if choice.source is not None and choice.depth:
            missed = accepted == verified == drafted < choice.depth
            answer.text.observe(choice.source, choice.kind, max(1, verified + missed), accepted)

    def learn(self, answer: Answer, source: str, seen: Observation) -> None:
        """Learn from proposals that were compared with committed text without a verify pass."""
        answer.text.observe(source, seen.bucket, seen.drafted, seen.accepted)

    def observe_round(self, answer: Answer, measured: MeasuredRound) -> None:
        """Learn what a round cost of which `answer` was a part."""
        costs, tried = answer.learned.costs, self._tried
        self._until, self._tried = monotonic(), None
        self._unsampled_s += measured.seconds
        self._round_s = measured.seconds
        if measured.typical:
            costs.observe(measured.rows, measured.seconds, measured.answers, measured.draft, measured.draft_seconds)
        if costs.known:
            self._purse.earn(measured.seconds, costs.verify(1).seconds)
            if tried is not None and measured.typical:
                # What took longer than it can take was disturbed.
                seconds = min(measured.seconds, tried.time.seconds * tried.time.doubt)
                self._purse.pay(seconds - measured.tokens / self._best_speed)

    def observe_reading(self, answer: Answer, source: str, tokens: int, measured: MeasuredRound) -> None:
        """The round took as long as it did because `source` read `tokens` tokens that it had missed."""
        costs = answer.learned.costs
        if costs.known:
            usual = costs.verify(measured.rows, measured.answers)
            if measured.draft is not None:
                usual = usual.plus(costs.drafting(*measured.draft))
            costs.observe_reading(source, tokens, measured.seconds - usual.seconds)

    def pass_over(self, answer: Answer, rounds: int, seconds: float) -> None:
        """Plain rounds passed of which nothing is to be learned."""
        answer.context += rounds
        answer.text.pass_rounds(rounds)
        if answer.learned.costs.known:
            self._purse.earn(seconds, answer.learned.costs.verify(1).seconds)
        self._until = monotonic()

    def drafting_share(self, source: str, depth: int) -> float | None:
        """The share of drafting in a round of `depth` draft tokens without a grammar; None if it was never timed."""
        return _drafting_share(self._free.costs, source, depth, depth + 1)

    def start_from(self, other: Controller) -> bool:
        """Take what passes of the same main model cost beside another drafter; False where nothing is known of them."""
        self._until = other._until
        self._constrained.costs.borrow(other._constrained.costs)
        return self._free.costs.borrow(other._free.costs)

    def figures(self) -> tuple[ContextFigures, ...]:
        """Costs and expected speeds without a grammar, at every range of context lengths that was measured."""
        costs, here = self._free.costs, self._free.costs.context
        # Where passes alone were calibrated, lookup is what can use them.
        sources = {*self._free.texts.sources(), *costs.sources()} or ({"ngram"} if self.calibrated else set())
        found = []
        for context in list(costs.contexts()):
            costs.context = context
            plain = costs.verify(1)
            depths = [
                self._depth_figures(source, depth, plain.seconds) for source in sorted(sources) for depth in DEPTHS
            ]
            totals = self.speedup.totals.get(costs.context)
            speedup = totals.spread if totals is not None else None
            bounds = range_bounds(costs.context)
            found.append(ContextFigures(*bounds, 1.0 / plain.seconds, plain.rounds, tuple(depths), speedup))
        costs.context = here
        return tuple(found)

    def _depth_figures(self, source: str, depth: int, plain_s: float) -> DepthFigures:
        costs, texts = self._free.costs, self._free.texts
        verify = costs.verify(depth + 1)
        drafting = costs.drafting(source, depth).seconds if PROPOSERS[source].uses_drafter else 0.0
        seconds = verify.seconds + drafting
        tokens = 1.0 + Text(texts, usual=True).forecast(source, "", depth).kept[depth]
        pays_from = break_even(depth, plain_s, seconds)
        return DepthFigures(source, depth, seconds, drafting, pays_from, tokens / seconds, verify.rounds)

    def acceptance(self) -> tuple[AcceptanceFigures, ...]:
        """How often draft tokens were accepted without a grammar, by proposer and position."""
        return tuple(AcceptanceFigures(*figures) for figures in self._free.texts.figures())

    def export(self) -> dict[str, Any]:
        """What was learned, as plain data for JSON."""
        purse = [self._purse.seconds, self._purse.part]
        others = {"speedup": self.speedup.export(), "calibrated": self.calibrated, "purse": purse}
        return {"free": self._free.export(), "constrained": self._constrained.export()} | others

    def load(self, data: Mapping[str, Any]) -> None:
        """Replace what was learned by the result of `export`. Raises KeyError, TypeError or ValueError for others."""
        self._free.load(data["free"])
        self._constrained.load(data["constrained"])
        self.speedup.load(data["speedup"])
        self.calibrated = data["calibrated"] is True
        seconds, part = data["purse"]
        if seconds is not None and not abs(seconds) < 1e6:
            raise ValueError("not seconds in a purse")
        self._purse = _Purse(None if seconds is None else float(seconds), min(1.0, max(LEAST_PART, float(part))))
        # How long ago that was is not known.
        self._until = -inf


def _plain(asked: Sequence[tuple[Answer, Offer]], plain: Choice) -> list[Choice]:
    return [offer.decided or plain for _, offer in asked]


def _costs_more(plain: Plan, found: Mapping[Arm, Plan], answers: int) -> Choice:
    """Plain decoding, because even the best of the other arms is slower."""
    best = max((plan for plan in found.values() if plan is not plain), key=lambda plan: plan.speed, default=plain)
    arguments = (
        ("plain_ms", 1e3 * plain.time.seconds),
        ("round_ms", 1e3 * best.time.seconds),
        ("tokens_per_round", best.tokens / answers),
    )
    return Choice(None, 0, "costs-more", arguments)


def _drafting_share(costs: Costs, source: str, drafted: int, rows: int) -> float | None:
    if not costs.known or not costs.timed(source):
        return None
    drafting = costs.drafting(source, drafted).seconds
    return drafting / (drafting + costs.verify(rows).seconds)
