"""Plans of a round: what every answer could do, with the expected tokens and seconds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

from engine.methods import PROPOSERS
from engine.requests import MAX_DEPTH
from engine.speculation.choosing.choice import Offer
from engine.speculation.choosing.costs import CostEstimate, Costs
from engine.speculation.choosing.texts import STATE_ROUNDS, AnswerState, Forecast

# The relative standard error up to which a round's duration counts as known: less than arms differ. If every duration
# counts as known, the slowest answer of a pair is 4.9 % slower.
KNOWN_ERROR = 0.15

# The depths that are weighed, measured by a calibration, and shown: deep ones differ little from the next.
DEPTHS = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, MAX_DEPTH)

# The least share of plain decoding's speed, with the same answers at once, that a round may leave an answer so far, if
# as many gain by it: with more, little can be drafted for one answer beside another that is hard to draft; with less,
# people notice. Without it, the slowest of several answers is 5.1 % slower.
LEAST_PACE = 0.9

# The source and the draft tokens of one answer in a plan; None where it decodes plainly.
PlannedDraft = tuple[str, int] | None


# An answer, and what its proposers offer for the next round.
AnswerWithOffer = tuple[AnswerState, Offer]


@dataclass(slots=True)
class Plan:
    """The `parts` of all answers, with the `tokens` expected in `time`, between `least` and `most`.

    `each` are the tokens expected of each answer. `depth` is that of the longest proposal. `tokens`, `least` and `most`
    are what `even_tokens` counts; `evenness` is the share of all expected tokens that it counts. `same_rounding`:
    its rows are rounded like those of plain decoding.
    """

    depth: int
    parts: Sequence[PlannedDraft]
    each: Sequence[float]
    tokens: float
    least: float
    most: float
    evenness: float
    time: CostEstimate
    same_rounding: bool

    @property
    def speed(self) -> float:
        """Expected tokens a second."""
        return self.tokens / self.time.seconds

    @property
    def best_case(self) -> float:
        """Tokens a second, one standard error better than expected."""
        return self.most / self.time.seconds * self.time.standard_error

    @property
    def known(self) -> bool:
        """Whether its duration is known well enough."""
        return self.time.variance <= KNOWN_ERROR**2

    def loss(self, speed: float) -> float:
        """Return the seconds lost against `speed` tokens a second, one standard error worse than expected."""
        return max(0.0, self.time.seconds * self.time.standard_error - self.least / speed)


def even_tokens(tokens: Sequence[float]) -> float:
    """Return the tokens of a round in which every answer would get as many, and that is as good as this one.

    `tokens` are those of each answer. What counts is the root mean square of the seconds that an answer waits for a
    token, so a long wait counts more than a short one. By the sum alone, an answer that drafts well would keep one that
    drafts badly waiting in wide passes, and the slowest of several would be 0.3 % slower. With 17 tokens for one of two
    answers, and 1 for the other, it is 2.8; with 9 for both it is 18.
    """
    return float(len(tokens) / sqrt(sum(count**-2.0 for count in tokens) / len(tokens)))


def possible_plans(costs: Costs, answers: Sequence[AnswerWithOffer]) -> Iterator[Plan]:
    """Generate all plans: plain decoding first, then no drafter and each drafter, with every depth on offer.

    If an answer's depth is fixed, plain decoding is no plan, and no plan has a smaller depth.

    One pass verifies all answers, as wide as the longest proposal: shorter ones are padded, after BASS
    (arXiv:2404.15778). Each of several answers uses the drafter or a source without cost, whichever is expected to
    yield more; a single answer that is offered the drafter uses it. A plan that leaves one of several answers further
    behind plain decoding than LEAST_PACE allows is left out.
    """
    forecasts = [_forecasts_of(answer, offer) for answer, offer in answers]
    fixed = max((offer.forced.depth for _, offer in answers if offer.forced is not None), default=0)
    if not fixed:
        yield _plan(costs, answers, [{}] * len(answers), "", 0)
    depths = _depths_on_offer(answers, fixed)
    plain_s = costs.verify(len(answers)).seconds
    drafters = sorted({source for known in forecasts for source in known if PROPOSERS[source].uses_drafter})
    for drafter in ("", *drafters):
        usable = _usable(forecasts, drafter)
        longest_proposal = max((forecast.reach for known in usable for forecast in known.values()), default=0)
        for depth in depths:
            if depth > max(fixed, longest_proposal):
                break
            plan = _plan(costs, answers, usable, drafter, depth)
            if not _equals_another(plan, drafter, fixed) and (fixed or _keeps_pace(plan, answers, plain_s)):
                yield plan


def _forecasts_of(answer: AnswerState, offer: Offer) -> dict[str, Forecast]:
    """Return what is expected of each source that can propose anything for this answer."""
    return {source: answer.forecast(source, limit) for source, limit in offer.limits.items() if limit > 0}


def _depths_on_offer(answers: Sequence[AnswerWithOffer], fixed: int) -> list[int]:
    """Return the depths to weigh, ascending: from `fixed`, the depth that a forced offer has, 0 without one.

    Next to DEPTHS they are the limits of proposals, and the depths at which a round just keeps to its rule.
    """
    limits = {limit for _, offer in answers for limit in offer.limits.values()}
    alike = {offer.rule.most - 1 - offer.carried for _, offer in answers}
    least = max(1, fixed)
    most = max(fixed, *limits)
    return sorted(depth for depth in {*DEPTHS, *alike, *limits, fixed} if least <= depth <= most)


def _usable(forecasts: Sequence[dict[str, Forecast]], drafter: str) -> list[dict[str, Forecast]]:
    """Return, for each answer, the sources that plans with `drafter` ("" for none) may use.

    Sources that use no drafter cost nothing, so they are always among them; but a single answer that is offered the
    drafter uses it.
    """
    without_drafter = [
        {source: forecast for source, forecast in known.items() if not PROPOSERS[source].uses_drafter}
        for known in forecasts
    ]
    if not drafter:
        return without_drafter
    drafted = [{drafter: known[drafter]} if drafter in known else {} for known in forecasts]
    if len(forecasts) == 1:
        return drafted
    return [with_drafter | without for with_drafter, without in zip(drafted, without_drafter, strict=True)]


def _equals_another(plan: Plan, drafter: str, fixed: int) -> bool:
    """Whether no part of the plan uses its drafter, or all proposals are shorter than its depth."""
    used = [part for part in plan.parts if part is not None]
    longest = max((count for _, count in used), default=0)
    uses_drafter = any(source == drafter for source, _ in used)
    return max(fixed, longest) != plan.depth or (bool(drafter) and not uses_drafter)


def _keeps_pace(plan: Plan, answers: Sequence[AnswerWithOffer], plain_s: float) -> bool:
    """Whether none of several answers, whose plain rounds take `plain_s`, falls too far behind plain decoding.

    The allowed delay is that of LEAST_PACE for as many answers that gain as lose, and grows with the root of their
    ratio: one answer may be held back a little more if seven gain by it.
    """
    seconds = plan.time.seconds
    expected = [(answer, tokens) for (answer, _), tokens in zip(answers, plan.each, strict=True)]
    slowed = [(answer, tokens) for answer, tokens in expected if seconds > tokens * plain_s]
    if len(answers) == 1 or not slowed:
        return True
    gaining = len(answers) - len(slowed)
    most = 1.0 + (1.0 / LEAST_PACE - 1.0) * sqrt(max(1.0, gaining / len(slowed)))
    return all(answer.taken_s + seconds <= most * (answer.plain_s + tokens * plain_s) for answer, tokens in slowed)


def _plan(
    costs: Costs, answers: Sequence[AnswerWithOffer], usable: Sequence[dict[str, Forecast]], drafter: str, depth: int
) -> Plan:
    """Return the plan in which every answer uses the best of its `usable` sources."""
    parts: list[PlannedDraft] = []
    # Each answer gets at least the token of the main model.
    tokens, least, most = ([1.0] * len(answers) for _ in range(3))
    # Seconds of the drafter's catch-up that this round is charged, and whether the drafter drafts at all.
    reading = 0.0
    drafts = False
    for index, ((_, offer), forecasts) in enumerate(zip(answers, usable, strict=True)):
        source = ""
        best = 0.0
        number = 0
        for name, forecast in forecasts.items():
            reached = min(depth, forecast.reach)
            if forecast.accepted[reached] > best:
                source = name
                best = forecast.accepted[reached]
                number = reached
        parts.append((source, number) if source else None)
        if source:
            forecast = forecasts[source]
            tokens[index] += best
            least[index] += forecast.least[number]
            most[index] += forecast.most[number]
            if source == drafter:
                drafts = True
                reading += _reading(costs, offer.backlog.get(source, 0), source, 1.0 + best)
    rows = len(answers) * (1 + depth + max(offer.carried for _, offer in answers))
    same_rounding = len(answers) == 1 and answers[0][1].rule.allows(rows)
    time = costs.verify(rows)
    if drafts:
        time = time.plus(costs.drafting(drafter, depth, len(answers)))
    even = even_tokens(tokens)
    return Plan(
        depth,
        parts,
        tokens,
        even,
        even_tokens(least),
        even_tokens(most),
        even / sum(tokens),
        time._replace(seconds=time.seconds + reading),
        same_rounding,
    )


def _reading(costs: Costs, backlog: int, source: str, tokens: float) -> float:
    """Return the seconds of a drafter's catch-up that a round of `tokens` tokens is charged.

    The catch-up has to pay within two stretches of text.
    """
    return costs.reading(source, backlog) * min(1.0, tokens / (2.0 * STATE_ROUNDS)) if backlog else 0.0
