"""The controller: chooses each round's proposer and depth to commit the most tokens a second.

A plan is a drafter, or none, with a depth; plain decoding is always one of the plans. The controller uses the fastest
known plan. It tries a plan that could be faster if the exploration budget covers its worst case. The budget limits the
cost of all exploration, so that no answer becomes noticeably slower. After Ollama's expected-value controller
(x/mlxrunner/speculate_depth.go).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import inf, log
from typing import Annotated

from msgspec import Meta, Struct, field

from engine.methods import PROPOSERS
from engine.requests import MAX_DRAFTED
from engine.speculation.choosing.choice import Choice, MeasuredRound
from engine.speculation.choosing.costs import Costs
from engine.speculation.choosing.plans import DEPTHS, AnswerWithOffer, Plan, PlannedDraft, possible_plans
from engine.speculation.choosing.speedup import COMPARISON_NOISE, RUN, Comparisons, Cost, SpeedupMeter
from engine.speculation.choosing.texts import AnswerState, TextStatistics
from engine.speculation.rounds.row_rule import RowRule
from engine.stats import MeasuredSpeedup

# The factor by which a plan must beat plain decoding, or a tried plan all others. Without it the controller would
# change plans for gains that are noise, and several answers are 0.9 % slower.
MARGIN = 1.05
# The share of the speed that keeping to widths that are rounded like plain decoding may cost if the user did not ask
# for it. Without it a text would differ from plain decoding by rounding for a gain that nobody notices.
SMALL_LOSS = 0.03
# The exploration budget in plain rounds, at first and at most. With more, a machine on which nothing pays would delay
# the first answers noticeably; with less, a first trial of a deep plan could not be afforded. With 2, text in turns is
# 3.8 % slower; without a limit, hopeless pairs are 28 % slower.
BUDGET = 4.0
# The share of all time that refills the budget: what exploration may cost in the long run. Without a refill, a text
# that becomes easier would stay plain for ever: such a text is 15 % slower, and answers after hopeless ones 23 %.
SHARE = 0.02
# Refills never fall below this share, so that drafting is tried again when the text gets easier: text in turns is 7.7 %
# slower without it. If failed trials do not halve the refill at all, hopeless pairs are 2.7 % slower.
LEAST_REFILL = 1 / 8


class CostsAndAcceptance(Struct):
    """What is known of one sort of answers: the costs of rounds, and how often texts accept draft tokens."""

    costs: Costs = field(default_factory=Costs)
    texts: TextStatistics = field(default_factory=TextStatistics)


class ControllerState(Struct):
    """What a controller keeps between runs.

    Answers with a grammar are learned apart: the grammar's checks cost time for each draft token, and change which text
    is right. The `exploration_budget` is the cost, in plain rounds, that exploration may still have. `budget_refill` is
    the share of its refill that it gets: a failed trial halves the share, a successful one doubles it. `calibrated`:
    whether every depth was calibrated.
    `slowed` is what slowed the machine down in the latest answer, as in `stats.RequestStats`.
    """

    unconstrained: CostsAndAcceptance = field(name="free", default_factory=CostsAndAcceptance)
    constrained: CostsAndAcceptance = field(default_factory=CostsAndAcceptance)
    comparisons: Comparisons = field(default_factory=Comparisons)
    # A sample may be taken on credit.
    exploration_budget: Annotated[float, Meta(ge=-(RUN + 1.0), le=BUDGET)] = BUDGET
    budget_refill: Annotated[float, Meta(ge=LEAST_REFILL, le=1.0)] = 1.0
    calibrated: bool = False
    slowed: str = ""


class Controller:
    """Chooses every round's proposers and depths for one main model with its drafter, and learns from the results.

    Decoding waits for memory, so a pass over k + 1 rows takes little longer than one over a single row: draft tokens
    are cheap to verify, and it depends on the machine, the model and the text how many of them pay. So for each round:

    1. Every plan (plain, or a source with a depth) has an expected number of tokens, from how often this text has
       accepted drafts so far (`texts`), and an expected duration, from the rounds measured (`costs`). Their quotient is
       its speed. Both have a standard error.
    2. The fastest known plan is used, plain decoding unless another is faster by MARGIN. For several answers, tokens
       count as in `plans.even_tokens`, so that none is kept waiting by the proposals of the others.
    3. A plan that is not known well enough is tried if it could be faster, and if the exploration budget covers what it
       would lose in a bad case. Depths of one source are compared at the same acceptance, which would help all of them:
       otherwise depths beside the best one are tried in vain, and copies are 2.7 % slower. The budget is refilled with
       SHARE of all time, so an answer never gets noticeably slower, whatever is tried. A failed trial halves the
       refill, a successful one doubles it. Failed trials in one answer can at most halve the refill that the next
       answer begins with.
    4. After the round, `observe` learns what was accepted, `observe_round` what it cost.

    For example, a plain round takes 20 ms: 50 tokens a second. Four draft tokens cost 10 ms to make, the round takes
    32 ms in all, and 2.1 of them are accepted on average: 3.1 tokens in 32 ms are 97 a second, so this plan is used.
    If the text turns hard and 0.5 are accepted, it makes 47 a second, and the next rounds are plain.

    It outlives answers, and continues from what another one `learned`, if given. `speedup` compares plain rounds with
    their neighbours, which is what the person sees as the speed-up. Not thread-safe.
    """

    def __init__(self, learned: ControllerState | None = None) -> None:
        self.learned = learned or ControllerState()
        self.speedup = SpeedupMeter(self.learned.comparisons)
        # Seconds since the last sample of plain rounds, or since as many others were compared.
        self._unsampled_s = 0.0
        # The share of its refill that the budget had when the latest answer began.
        self._first_refill = self.learned.budget_refill
        # The plan that is tried in this round, and the speed of the fastest one known.
        self._tried: Plan | None = None
        self._best_speed = 0.0

    @property
    def costs(self) -> Costs:
        """The costs of rounds without a grammar."""
        return self.learned.unconstrained.costs

    def expect(self, guess: dict[int, float]) -> None:
        """Expect passes as in `Costs.guess`."""
        self.learned.unconstrained.costs.guess = guess
        self.learned.constrained.costs.guess = guess

    def set_slowdown(self, slowed: str) -> None:
        """Widen the uncertainty of learned costs, and restart comparisons, if the cause of a slow-down has changed.

        `slowed` is that cause now, as in `stats.RequestStats`, "" for none. Call it between answers.
        """
        if slowed != self.learned.slowed:
            self.learned.slowed = slowed
            self.learned.comparisons.costs.clear()
            self.learned.comparisons.fastest.clear()
            for known in (self.learned.unconstrained, self.learned.constrained):
                known.costs.widen()

    def begin(self, *, constrained: bool = False, earlier: AnswerState | None = None) -> AnswerState:
        """Begin an answer, `constrained` by a grammar or not, or go on with one whose state so far is `earlier`."""
        self._tried = None
        known = self.learned.constrained if constrained else self.learned.unconstrained
        known.costs.begin()
        answer = AnswerState(known.costs, known.texts)
        if earlier is not None:
            answer.go_on_from(earlier)
            return answer
        self._first_refill = max(self.learned.budget_refill, self._first_refill / 2.0)
        self.learned.budget_refill = self._first_refill
        return answer

    def choose(self, answers: Sequence[AnswerWithOffer]) -> list[Choice]:
        """Choose what each answer does in the next round, in the order of `answers`.

        An answer whose offer is forced does that. Changes nothing but which plan counts as tried.
        """
        self._tried = None
        costs = answers[0][0].costs
        if not any(limit for _, offer in answers for limit in offer.limits.values()):
            return _plain(answers, Choice(None, 0))
        # If any answer's depth is fixed, the round cannot be plain.
        fixed = any(offer.forced is not None and offer.forced.depth for _, offer in answers)
        if not (costs.known if fixed else costs.plain_known(len(answers))):
            return _plain(answers, Choice(None, 0, "measuring"))
        plans = list(possible_plans(costs, answers))
        plan = self._weigh(plans, costs.verify(1).seconds)
        if plan.depth == 0:
            return _plain(answers, Choice(None, 0, "measuring") if plan is self._tried else _costs_more(plans))
        return [
            offer.forced or (Choice(None, 0) if part is None else Choice(*part))
            for part, (_, offer) in zip(plan.parts, answers, strict=True)
        ]

    def _weigh(self, plans: Sequence[Plan], plain_s: float) -> Plan:
        """Return the plan of this round: the fastest known one, or one to try, which it notes as tried.

        The first of `plans` is plain decoding, unless an answer's depth is fixed. A plain round takes `plain_s`
        seconds.
        """
        plain = plans[0]
        fastest = _fastest_known(plans)
        best = _rounded_alike(plans, fastest)
        usual = best if plain.depth or best.speed > MARGIN * plain.speed else plain
        others = [plan for plan in plans if plan is not usual]
        budget_s = self.learned.exploration_budget * plain_s
        affordable = [plan for plan in others if plan.loss(best.speed) <= budget_s]
        self._best_speed = best.speed
        self._tried = _worth_trying(affordable, fastest)
        if self._tried is None and usual.depth == 0:
            self._tried = _most_hopeful(affordable)
        if self._tried is None and not affordable and self.learned.exploration_budget >= BUDGET:
            self._tried = _overdue_trial(others, fastest, best)
        return self._tried or usual

    def begin_sample_if_due(self, share: float) -> bool:
        """Begin a sample, whose rounds are plain to measure the speed-up, if one is due; return whether it began.

        The exploration budget pays for it, also on credit, but no more than `share` of the time since the last sample.
        Plain rounds that come anyway, as where nothing can be proposed, are as good as one. The next round is the
        first of the sample.
        """
        if self.speedup.pop_sample():
            self._unsampled_s = 0.0
        plain_s = self.costs.verify(1).seconds if self.costs.known else inf
        cost_s = self.speedup.sample_cost(plain_s) if self.learned.exploration_budget > 0.0 else None
        if cost_s is None:
            return False
        # A sample is due at once if what is known of plain decoding is impossible. Without it, a pair whose first plain
        # rounds stalled shows no speed-up in its next answers (test_stalls.py).
        is_overdue = share > 0.0 and self.costs.known and self.speedup.disproves(plain_s)
        if not is_overdue and cost_s >= share * self._unsampled_s:
            return False
        # A sample costs the same share as the refill has, so that failed trials do not make samples rarer.
        self.learned.exploration_budget -= self.learned.budget_refill * cost_s / plain_s
        self._unsampled_s = 0.0
        self._tried = None
        self.speedup.take_sample()
        return self.speedup.take_plain_round()

    def measured_speedup(self, answer: AnswerState) -> MeasuredSpeedup | None:
        """Return the speed-up of `answer`, the current one, so far; None if the costs of its rounds are unknown."""
        costs = answer.costs

        def estimate(source: str, rows: int) -> Cost | None:
            if not costs.known:
                return None
            plain = costs.verify(1)
            speculative = costs.verify(rows)
            if PROPOSERS[source].uses_drafter:
                speculative = speculative.plus(costs.drafting(source, rows - 1))
            # These rounds were not adjacent, as those of a comparison are, so their load may differ more.
            return log(speculative.seconds / plain.seconds), speculative.variance + plain.variance + (
                2.0 * COMPARISON_NOISE
            ) ** 2

        return self.speedup.measured(estimate)

    def observe(self, answer: AnswerState, choice: Choice, drafted: int, verified: int, accepted: int) -> None:
        """Learn from the result of an answer's part in a round.

        `drafted` of the draft tokens that were asked for were made. The main model checked `verified` of them; tokens
        past the end of an answer are not checked. It accepted the first `accepted`. A drafter that stopped early, and
        was right so far, counts as rejected at the next token.
        """
        answer.decay()
        if choice.source is not None and choice.depth:
            missed = accepted == verified == drafted < choice.depth
            answer.observe(choice.source, max(1, verified + missed), accepted)

    def observe_round(self, answer: AnswerState, measured: MeasuredRound) -> None:
        """Learn the cost of a round in which `answer` took part, refill the budget, and charge a tried plan to it."""
        costs = answer.costs
        tried = self._tried
        self._tried = None
        self._unsampled_s += measured.seconds
        # How long a disturbed round took tells nothing of the plan that was tried in it.
        judged = tried is not None and measured.typical and not costs.is_disturbed(tried.time, measured.seconds)
        if measured.typical:
            costs.observe(measured.rows, measured.seconds, measured.draft, measured.draft_seconds, measured.answers)
        if not costs.known:
            return
        plain_s = costs.verify(1).seconds
        self._earn(measured.seconds / plain_s)
        if tried is not None and judged:
            self._pay((measured.seconds - tried.evenness * measured.tokens / self._best_speed) / plain_s)

    def _earn(self, plain_rounds: float) -> None:
        """Refill the budget with its share of a time of so many plain rounds."""
        refill = self.learned.budget_refill * SHARE * plain_rounds
        self.learned.exploration_budget = min(BUDGET, self.learned.exploration_budget + refill)

    def _pay(self, plain_rounds: float) -> None:
        """Charge a trial that lost so many plain rounds, negative if it gained, to the budget."""
        learned = self.learned
        learned.exploration_budget = min(BUDGET, max(0.0, learned.exploration_budget - plain_rounds))
        if plain_rounds < 0.0:
            learned.budget_refill = min(1.0, 2.0 * learned.budget_refill)
        else:
            learned.budget_refill = max(LEAST_REFILL, learned.budget_refill / 2.0)

    def observe_lag(self, committed: Sequence[tuple[AnswerState, int]], measured: MeasuredRound) -> None:
        """Note how far each of several answers is behind plain decoding after a round that `committed` these tokens.

        What counts is how long such a round usually takes, since a disturbance would have delayed a plain one, too.
        """
        if not committed or not committed[0][0].costs.plain_known(measured.answers):
            return
        costs = committed[0][0].costs
        expected = costs.verify(measured.rows)
        if measured.draft is not None:
            expected = expected.plus(costs.drafting(*measured.draft, measured.answers))
        plain_s = costs.verify(measured.answers).seconds
        for answer, tokens in committed:
            answer.taken_s += expected.seconds
            answer.plain_s += tokens * plain_s

    def observe_reading(self, answer: AnswerState, source: str, tokens: int, measured: MeasuredRound) -> None:
        """Learn the cost of catch-up from a round in which `source` read `tokens` tokens that it had missed."""
        costs = answer.costs
        if costs.known:
            usual = costs.verify(measured.rows)
            if measured.draft is not None:
                usual = usual.plus(costs.drafting(*measured.draft, measured.answers))
            costs.observe_reading(source, tokens, measured.seconds - usual.seconds)

    def take_costs(self, trial: Controller) -> None:
        """Take over the costs of rounds from `trial`, which was calibrated on a text that is no answer."""
        self.learned.comparisons = trial.learned.comparisons
        self.learned.unconstrained.costs = trial.costs
        self.speedup = SpeedupMeter(self.learned.comparisons)

    def cost_of(self, rule: RowRule) -> float | None:
        """Return the share of the expected speed that keeping to `rule` costs; None if that is unknown."""
        if not rule.most or not self.costs.known:
            return None
        costs = self.costs
        text = AnswerState(self.costs, self.learned.unconstrained.texts)
        speeds = [(1, 1.0 / costs.verify(1).seconds)]
        for source, depth in product(self.learned.unconstrained.texts.counts, {*DEPTHS, rule.most - 1} - {0}):
            time = costs.verify(depth + 1)
            if PROPOSERS[source].uses_drafter:
                if depth > MAX_DRAFTED:
                    continue
                time = time.plus(costs.drafting(source, depth))
            speeds.append((depth + 1, (1.0 + text.forecast(source, depth).accepted[depth]) / time.seconds))
        allowed = max(speed for rows, speed in speeds if rule.allows(rows))
        return 1.0 - allowed / max(speed for _, speed in speeds)


def _fastest_known(plans: Sequence[Plan]) -> Plan:
    """Return the fastest of the plans whose duration is known; the first one if none is."""
    return max((plan for plan in plans if plan.known), key=_speed, default=plans[0])


def _rounded_alike(plans: Sequence[Plan], fastest: Plan) -> Plan:
    """Return the fastest known plan that is rounded like plain decoding, unless it loses much against `fastest`."""
    alike = max((plan for plan in plans if plan.known and plan.same_rounding), key=_speed, default=fastest)
    return alike if alike.speed >= (1.0 - SMALL_LOSS) * fastest.speed else fastest


def _worth_trying(affordable: Sequence[Plan], fastest: Plan) -> Plan | None:
    """Return the one expected to be fastest of the plans that could beat `fastest`; None if there are none."""
    return max((plan for plan in affordable if _could_beat(plan, fastest)), key=_speed, default=None)


def _most_hopeful(affordable: Sequence[Plan]) -> Plan | None:
    """Return the plan to try where none is expected to be faster, because the text may have become easier."""
    return max(affordable, key=lambda plan: plan.best_case, default=None)


def _overdue_trial(others: Sequence[Plan], fastest: Plan, best: Plan) -> Plan | None:
    """Return the plan to try where even a full budget affords none; None if none could beat `fastest`.

    It is the one that may lose least against `best`. Saving changes nothing any more, so without a trial, figures that
    rest on disturbed rounds would stay.
    """
    promising = [plan for plan in others if _could_beat(plan, fastest)]
    return min(promising, key=lambda plan: plan.loss(best.speed), default=None)


def _could_beat(plan: Plan, fastest: Plan) -> bool:
    """Whether `plan` would be faster by MARGIN if it were one standard error better than expected.

    Plans of the same sources verify the same draft tokens, only more or fewer of them. If the acceptance is better than
    expected, it is for both, so they are compared at the same acceptance.
    """
    same_sources = [_source(part) for part in plan.parts] == [_source(part) for part in fastest.parts]
    rival_tokens = fastest.most if same_sources else fastest.tokens
    return plan.best_case > MARGIN * rival_tokens / fastest.time.seconds


def _source(part: PlannedDraft) -> str | None:
    return None if part is None else part[0]


def _speed(plan: Plan) -> float:
    return plan.speed


def _plain(answers: Sequence[AnswerWithOffer], plain: Choice) -> list[Choice]:
    """Return `plain` for every answer whose offer is not forced."""
    return [offer.forced or plain for _, offer in answers]


def _costs_more(plans: Sequence[Plan]) -> Choice:
    """Choose plain decoding, the first of `plans`, because even the best other plan is slower."""
    plain = plans[0]
    best = max(plans[1:], key=lambda plan: plan.speed, default=plain)
    arguments = (
        ("plain_ms", 1e3 * plain.time.seconds),
        ("round_ms", 1e3 * best.time.seconds),
        ("tokens_per_round", best.tokens / len(plain.parts)),
    )
    return Choice(None, 0, "costs-more", arguments)
