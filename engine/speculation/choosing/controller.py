"""The controller: chooses each round's proposer and depth to commit the most tokens a second.

A plan says what every answer of a round does: it uses one source with a number of draft tokens, or decodes plainly.
That all decode plainly is one of the plans, unless the depth of an answer is fixed. The controller uses the fastest
known plan, and now and then tries another one; the exploration budget limits the cost of trials. After Ollama's
expected-value controller (x/mlxrunner/speculate_depth.go).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import inf, log
from typing import Annotated, NamedTuple

from msgspec import Meta, Struct, field

from engine.methods import PROPOSERS
from engine.requests import MAX_DRAFTED
from engine.speculation.choosing.choice import Choice, MeasuredRound
from engine.speculation.choosing.costs import Costs
from engine.speculation.choosing.exploration import FULL_BUDGET, LEAST_REFILL, ExplorationBudget
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


class CostsAndAcceptance(Struct):
    """What is known of one sort of answers: the costs of rounds, and how often texts accept draft tokens."""

    costs: Costs = field(default_factory=Costs)
    texts: TextStatistics = field(default_factory=TextStatistics)


class ControllerState(Struct):
    """What a controller keeps between runs.

    Answers with a grammar are learned apart: the grammar's checks cost time for each draft token, and change which text
    is right. `exploration_budget` and `budget_refill` are as in `exploration.BudgetState`. `calibrated`: whether every
    depth was calibrated. `slowed` is what slowed the machine down in the latest answer, as in `stats.RequestStats`.
    """

    unconstrained: CostsAndAcceptance = field(name="free", default_factory=CostsAndAcceptance)
    constrained: CostsAndAcceptance = field(default_factory=CostsAndAcceptance)
    comparisons: Comparisons = field(default_factory=Comparisons)
    # A sample may be taken on credit.
    exploration_budget: Annotated[float, Meta(ge=-(RUN + 1.0), le=FULL_BUDGET)] = FULL_BUDGET
    budget_refill: Annotated[float, Meta(ge=LEAST_REFILL, le=1.0)] = 1.0
    calibrated: bool = False
    slowed: str = ""


class Decision(NamedTuple):
    """The plan of a round, and whether it is a trial.

    What a trial loses or gains is counted against `baseline_speed`, the tokens a second of the best known plan.
    """

    plan: Plan
    is_trial: bool
    baseline_speed: float


class Controller:
    """Chooses every round's proposers and depths for one main model with its drafter, and learns from the results.

    Decoding waits for memory, so a pass over k + 1 rows takes little longer than one over a single row: draft tokens
    are cheap to verify, and it depends on the machine, the model and the text how many of them pay. So for each round:

    1. Every plan (plain, or a source with a depth) has an expected number of tokens, from how often this text has
       accepted drafts so far (`texts`), and an expected duration, from the rounds measured (`costs`). Their quotient is
       its speed. Both have a standard error.
    2. The fastest known plan is used, plain decoding unless another is faster by MARGIN. For several answers, tokens
       count as in `plans.even_tokens`, so that none is kept waiting by the proposals of the others.
    3. Another plan may be tried in its place, by the rules in `_plan_to_try`. The exploration budget pays for trials.
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
        self._budget = ExplorationBudget(self.learned)
        # Seconds since the last sample of plain rounds, or since as many others were compared.
        self._unsampled_s = 0.0
        # The decision for this round if it is a trial, else None.
        self._trial: Decision | None = None

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
        self._trial = None
        known = self.learned.constrained if constrained else self.learned.unconstrained
        known.costs.begin()
        answer = AnswerState(known.costs, known.texts)
        if earlier is not None:
            answer.go_on_from(earlier)
            return answer
        self._budget.begin_answer()
        return answer

    def choose(self, answers: Sequence[AnswerWithOffer]) -> list[Choice]:
        """Choose what each answer does in the next round, in the order of `answers`.

        An answer whose offer is forced does that. If the round is a trial, `observe_round` charges it.
        """
        self._trial = None
        costs = answers[0][0].costs
        if not any(limit for _, offer in answers for limit in offer.limits.values()):
            return _plain(answers, Choice(None, 0))
        # If any answer's depth is fixed, the round cannot be plain.
        fixed = any(offer.forced is not None and offer.forced.depth for _, offer in answers)
        if not (costs.known if fixed else costs.plain_known(len(answers))):
            return _plain(answers, Choice(None, 0, "measuring"))
        plans = list(possible_plans(costs, answers))
        decision = self._weigh(plans, costs.verify(1).seconds)
        self._trial = decision if decision.is_trial else None
        if decision.plan.depth == 0:
            return _plain(answers, Choice(None, 0, "measuring") if decision.is_trial else _costs_more(plans))
        return [
            offer.forced or (Choice(None, 0) if part is None else Choice(*part))
            for part, (_, offer) in zip(decision.plan.parts, answers, strict=True)
        ]

    def _weigh(self, plans: Sequence[Plan], plain_s: float) -> Decision:
        """Return the plan of this round: the fastest known one, or one to try. Changes nothing.

        The first of `plans` is plain decoding, unless an answer's depth is fixed. A plain round takes `plain_s`
        seconds.
        """
        first = plans[0]
        known = [plan for plan in plans if plan.known]
        fastest = max(known, key=_speed, default=first)
        same_rounding = [plan for plan in known if plan.same_rounding]
        fastest_with_same_rounding = max(same_rounding, key=_speed, default=fastest)
        loses_little = fastest_with_same_rounding.speed >= (1.0 - SMALL_LOSS) * fastest.speed
        baseline = fastest_with_same_rounding if loses_little else fastest
        stays_plain = first.depth == 0 and baseline.speed <= MARGIN * first.speed
        default = first if stays_plain else baseline
        others = [plan for plan in plans if plan is not default]
        trial = self._plan_to_try(others, default, fastest, baseline.speed, plain_s)
        return Decision(trial or default, trial is not None, baseline.speed)

    def _plan_to_try(
        self, others: Sequence[Plan], default: Plan, fastest: Plan, baseline_speed: float, plain_s: float
    ) -> Plan | None:
        """Return which of the `others` is tried in place of `default`; None if none is.

        1. Of the plans that the budget affords and that could beat `fastest`, the one expected to be fastest is tried.
        2. If none of these could beat it, and `default` is plain, the one with the best case is tried: the text may
           have become easier.
        3. If even a full budget affords no plan, the one that may lose least is tried, of those that could beat
           `fastest`. Saving changes nothing any more, so without a trial, figures that rest on disturbed rounds would
           stay.

        What a plan may lose is counted against `baseline_speed`, in a bad case. A plain round takes `plain_s` seconds.
        """
        affordable = [plan for plan in others if self._budget.affords(plan.loss(baseline_speed), plain_s)]
        promising = [plan for plan in affordable if _could_beat(plan, fastest)]
        if promising:
            return max(promising, key=_speed)
        if affordable:
            return max(affordable, key=lambda plan: plan.best_case) if default.depth == 0 else None
        if self._budget.is_full:
            overdue = [plan for plan in others if _could_beat(plan, fastest)]
            return min(overdue, key=lambda plan: plan.loss(baseline_speed), default=None)
        return None

    def begin_sample_if_due(self, share: float) -> bool:
        """Begin a sample, whose rounds are plain to measure the speed-up, if one is due; return whether it began.

        A sample is due once it costs less than `share` of the time since the last one. Its cost is taken from the
        exploration budget, which may go below zero; none begins while the budget is spent. Enough rounds that were
        plain anyway count as a sample. The next round is the first of the sample.
        """
        if self.speedup.pop_sample():
            self._unsampled_s = 0.0
        plain_s = self.costs.verify(1).seconds if self.costs.known else inf
        cost_s = None if self._budget.is_spent else self.speedup.sample_cost(plain_s)
        if cost_s is None:
            return False
        # A sample is due at once if what is known of plain decoding is impossible. Without it, a pair whose first plain
        # rounds stalled shows no speed-up in its next answers (test_stalls.py).
        is_overdue = share > 0.0 and self.costs.known and self.speedup.disproves(plain_s)
        if not is_overdue and cost_s >= share * self._unsampled_s:
            return False
        self._budget.charge_sample(cost_s, plain_s)
        self._unsampled_s = 0.0
        self._trial = None
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
            counted = max(1, verified)
            if accepted == verified == drafted < choice.depth:
                counted = verified + 1
            answer.observe(choice.source, counted, accepted)

    def observe_round(self, answer: AnswerState, measured: MeasuredRound) -> None:
        """Learn the cost of a round in which `answer` took part, refill the budget, and charge a tried plan to it."""
        costs = answer.costs
        trial = self._trial
        self._trial = None
        self._unsampled_s += measured.seconds
        # How long a disturbed round took tells nothing of the plan that was tried in it.
        judged = trial is not None and measured.typical and not costs.is_disturbed(trial.plan.time, measured.seconds)
        if measured.typical:
            costs.observe(measured.rows, measured.seconds, measured.draft, measured.draft_seconds, measured.answers)
        if not costs.known:
            return
        plain_s = costs.verify(1).seconds
        self._budget.earn(measured.seconds, plain_s)
        if trial is not None and judged:
            baseline_s = trial.plan.evenness * measured.tokens / trial.baseline_speed
            self._budget.pay(measured.seconds - baseline_s, plain_s)

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

    def take_costs(self, calibrated: Controller) -> None:
        """Take over the costs of rounds from `calibrated`, which measured them on a text that is no answer."""
        self.learned.comparisons = calibrated.learned.comparisons
        self.learned.unconstrained.costs = calibrated.costs
        self.speedup = SpeedupMeter(self.learned.comparisons)

    def cost_of(self, rule: RowRule) -> float | None:
        """Return the share of the expected speed that keeping to `rule` costs.

        None if it is unknown, or if the rule allows no pass yet, because `rule.most` is 0.
        """
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


def _could_beat(plan: Plan, fastest: Plan) -> bool:
    """Whether `plan` would be faster by MARGIN if it were one standard error better than expected.

    Plans of the same sources verify the same draft tokens, only more or fewer of them. If the acceptance is better than
    expected, it is for both, so they are compared at the same acceptance. Otherwise depths beside the best one are
    tried in vain, and copies are 2.7 % slower.
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
    best = max(plans[1:], key=_speed, default=plain)
    arguments = (
        ("plain_ms", 1e3 * plain.time.seconds),
        ("round_ms", 1e3 * best.time.seconds),
        ("tokens_per_round", best.tokens / len(plain.parts)),
    )
    return Choice(None, 0, "costs-more", arguments)
