"""Plans of a round: what every answer could do, with the expected tokens and seconds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.methods import PROPOSERS
from engine.requests import MAX_DEPTH
from engine.speculation.choosing.choice import Offer
from engine.speculation.choosing.costs import CostEstimate, Costs
from engine.speculation.choosing.texts import STRETCH, AnswerState, Forecast

# The relative standard error up to which a round's duration counts as known: less than arms differ.
KNOWN = 0.15

# The depths that are weighed, measured by a calibration, and shown: deep ones differ little from the next.
DEPTHS = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, MAX_DEPTH)

# The source and the draft tokens of one answer in a plan; None where it decodes plainly.
PlannedDraft = tuple[str, int] | None


# One answer with the offer of its proposers.
Candidate = tuple[AnswerState, Offer]


@dataclass(slots=True)
class Plan:
    """The `parts` of all answers, with the `tokens` expected in `time`, between `least` and `most`.

    `depth` is that of the longest proposal. `exact`: its rows are rounded like those of plain decoding.
    """

    depth: int
    parts: Sequence[PlannedDraft]
    tokens: float
    least: float
    most: float
    time: CostEstimate
    exact: bool

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
        return self.time.variance <= KNOWN**2

    def loss(self, speed: float) -> float:
        """Return the seconds lost against `speed` tokens a second, one standard error worse than expected."""
        return max(0.0, self.time.seconds * self.time.standard_error - self.least / speed)


def plans(costs: Costs, asked: Sequence[Candidate]) -> Iterator[Plan]:
    """Generate all plans: plain decoding first, then no drafter and each drafter, with every depth on offer.

    One pass verifies all answers, as wide as the longest proposal: shorter ones are padded, after BASS
    (arXiv:2404.15778). Each of several answers uses the drafter or a source without cost, whichever is expected to
    yield more; a single answer that is offered the drafter uses it.
    """
    forecasts = [
        {source: answer.forecast(source, limit) for source, limit in offer.limits.items() if limit > 0}
        for answer, offer in asked
    ]
    free = [{source: one for source, one in known.items() if not PROPOSERS[source].uses_drafter} for known in forecasts]
    limits = {limit for _, offer in asked for limit in offer.limits.values()}
    fixed = max((offer.decided.depth for _, offer in asked if offer.decided is not None), default=0)
    if not fixed:
        yield _plan(costs, asked, [{}] * len(asked), "", 0)
    exact = {offer.rule.most - 1 - offer.carried for _, offer in asked}
    depths = sorted(
        depth for depth in {*DEPTHS, *exact, *limits, fixed} if max(1, fixed) <= depth <= max(fixed, *limits)
    )
    drafters = sorted({source for known in forecasts for source in known if PROPOSERS[source].uses_drafter})
    for drafter in ("", *drafters):
        usable = free
        if drafter:
            own = [{drafter: known[drafter]} if drafter in known else {} for known in forecasts]
            usable = own if len(asked) == 1 else [one | other for one, other in zip(own, free, strict=True)]
        reach = max((len(one.kept) - 1 for known in usable for one in known.values()), default=0)
        for depth in depths:
            if depth > max(fixed, reach):
                # No proposal is so long.
                break
            plan = _plan(costs, asked, usable, drafter, depth)
            # If no part uses the drafter, or its proposals are shorter, it equals another plan.
            used = [part for part in plan.parts if part is not None]
            longest = max((most for _, most in used), default=0)
            if max(fixed, longest) == depth and (not drafter or any(source == drafter for source, _ in used)):
                yield plan


def _plan(
    costs: Costs, asked: Sequence[Candidate], usable: Sequence[dict[str, Forecast]], drafter: str, depth: int
) -> Plan:
    """Return the plan in which every answer uses the best of its `usable` sources."""
    parts: list[PlannedDraft] = []
    tokens = least = most = float(len(asked))
    reading, drafts = 0.0, False
    for (_, offer), forecasts in zip(asked, usable, strict=True):
        source, best, number = "", 0.0, 0
        for name, forecast in forecasts.items():
            reached = min(depth, len(forecast.kept) - 1)
            if forecast.kept[reached] > best:
                source = name
                best = forecast.kept[reached]
                number = reached
        parts.append((source, number) if source else None)
        if source:
            forecast = forecasts[source]
            tokens = tokens + best
            least = least + forecast.least[number]
            most = most + forecast.most[number]
            if source == drafter:
                drafts = True
                reading += _reading(costs, offer.backlog.get(source, 0), source, 1.0 + best)
    rows = len(asked) * (1 + depth + max(offer.carried for _, offer in asked))
    exact = len(asked) == 1 and asked[0][1].rule.allows(rows)
    time = costs.verify(rows)
    if drafts:
        time = time.plus(costs.drafting(drafter, depth))
    return Plan(depth, parts, tokens, least, most, time._replace(seconds=time.seconds + reading), exact)


def _reading(costs: Costs, backlog: int, source: str, tokens: float) -> float:
    """Return the seconds of a drafter's catch-up that a round of `tokens` tokens is charged.

    The catch-up has to pay within two stretches of text.
    """
    return costs.reading(source, backlog) * min(1.0, tokens / (2.0 * STRETCH)) if backlog else 0.0
