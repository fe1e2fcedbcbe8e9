"""Plans of a round: what every answer could do, with the tokens and the seconds that are expected of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.requests import MAX_DEPTH
from engine.speculation.choosing.choice import Offer
from engine.speculation.choosing.costs import Costs, Estimate
from engine.speculation.choosing.texts import STRETCH, Forecast, Text
from engine.speculation.proposers.registry import PROPOSERS

# Relative standard error up to which the seconds of a round count as known: less than arms differ.
KNOWN = 0.15

# The depths that are weighed, measured by a calibration, and shown: deep ones differ little from the next.
DEPTHS = (1, 2, 3, 4, 5, 6, 7, 8, 12, MAX_DEPTH)

# The drafter whose proposals take time ("" for none), and the draft tokens of the longest proposal.
Arm = tuple[str, int]
PLAIN: Arm = ("", 0)


class Asked(NamedTuple):
    """An answer of which `written` tokens are there, and what it is offered."""

    text: Text
    written: int
    offer: Offer


class Part(NamedTuple):
    """What one answer does in a plan: `depth` draft tokens of `source`, of which `forecast` tells."""

    source: str
    depth: int
    forecast: Forecast

    def wasted(self, seconds: Sequence[float]) -> float:
        """Expected seconds behind the first rejection, where passes with k draft tokens take `seconds[k]`."""
        kept = self.forecast.kept
        # The row behind a draft token is wasted unless that is accepted.
        return sum(
            (seconds[row] - seconds[row - 1]) * (1.0 - (kept[row - 1] - kept[row - 2]))
            for row in range(2, self.depth + 1)
        )


@dataclass(slots=True)
class Plan:
    """The `parts` of all answers (None: a plain one), with the `tokens` expected in `time`, between `least` and `most`.

    `seen`: all sources in it were tried before.
    """

    arm: Arm
    parts: Sequence[Part | None]
    tokens: float
    least: float
    most: float
    time: Estimate
    seen: bool

    @property
    def speed(self) -> float:
        """Expected tokens a second."""
        return self.tokens / self.time.seconds

    @property
    def best_case(self) -> float:
        """Tokens a second, one standard error to the good side."""
        return self.most / self.time.seconds * self.time.doubt

    @property
    def known(self) -> bool:
        return self.seen and self.time.variance <= KNOWN**2

    def loss(self, speed: float) -> float:
        """Seconds lost, one standard error to the bad side, beside what brings `speed` tokens a second."""
        return max(0.0, self.time.seconds * self.time.doubt - self.least / speed)


def plans(costs: Costs, asked: Sequence[Asked]) -> Iterator[Plan]:
    """Plain decoding first, then each drafter, and none, with every number of draft tokens on offer.

    One pass verifies all answers, as wide as the longest proposal: shorter ones are padded, after BASS
    (arXiv:2404.15778). Of several answers each proposes with the drafter, or what costs nothing, whichever it expects
    more of. With a drafter that is offered to one answer alone, that answer uses it.
    """
    offered = {source for one in asked for source, limit in one.offer.limits.items() if limit > 0}
    drafters = sorted(source for source in offered if PROPOSERS[source].uses_drafter)
    fixed = max((one.offer.decided.depth for one in asked if one.offer.decided is not None), default=0)
    forecasts = [
        {source: one.text.forecast(source, one.offer.kinds.get(source, ""), limit) for source, limit in _limits(one)}
        for one in asked
    ]
    limits = {limit for one in asked for _, limit in _limits(one)}
    if not fixed:
        yield _plan(costs, asked, PLAIN, [None] * len(asked), 0)
    depths = [depth for depth in sorted({*DEPTHS, *limits, fixed}) if max(1, fixed) <= depth <= max(limits)]
    for drafter in ("", *drafters):
        for depth in depths:
            parts = [_part(one, drafter, depth, alone=len(asked) == 1) for one in forecasts]
            used = {part.source for part in parts if part is not None}
            longest = max((part.depth for part in parts if part is not None), default=0)
            if max(fixed, longest) == depth and (not drafter or drafter in used):
                yield _plan(costs, asked, (drafter, depth), parts, depth)


def _limits(one: Asked) -> list[tuple[str, int]]:
    return [(source, limit) for source, limit in one.offer.limits.items() if limit > 0]


def _part(forecasts: dict[str, Forecast], drafter: str, depth: int, *, alone: bool) -> Part | None:
    """The proposal of which most is expected."""
    free = [] if drafter and alone else [source for source in forecasts if not PROPOSERS[source].uses_drafter]
    parts = []
    for source in (drafter, *free):
        if source in forecasts:
            forecast = forecasts[source]
            parts.append(Part(source, min(depth, len(forecast.kept) - 1), forecast))
    return max(parts, key=lambda part: part.forecast.kept[part.depth], default=None)


def _plan(costs: Costs, asked: Sequence[Asked], arm: Arm, parts: Sequence[Part | None], depth: int) -> Plan:
    tokens = least = most = float(len(asked))
    reading, drafting, seen = 0.0, 0, True
    for one, part in zip(asked, parts, strict=True):
        if part is not None:
            tokens += part.forecast.kept[part.depth]
            least += part.forecast.least[part.depth]
            most += part.forecast.most[part.depth]
            seen = seen and one.text.seen(part.source)
            if part.source == arm[0]:
                drafting += 1
                reading += _reading(costs, one, part)
    rows = len(asked) * (1 + depth + max(one.offer.carried for one in asked))
    time = costs.verify(rows, len(asked))
    if drafting:
        time = time.plus(costs.drafting(arm[0], depth, drafting))
    return Plan(arm, parts, tokens, least, most, time._replace(seconds=time.seconds + reading), seen)


def _reading(costs: Costs, one: Asked, part: Part) -> float:
    """This round's share of the seconds that a drafter needs to read what it missed.

    That pays only while the drafter stays in use, as it does not without an accepted token. It has to pay within as
    many tokens as are written, at least in a stretch of text.
    """
    backlog = one.offer.backlog.get(part.source, 0)
    if not backlog:
        return 0.0
    horizon = max(STRETCH, one.written)
    if one.offer.remaining is not None:
        horizon = min(horizon, one.offer.remaining)
    kept = part.forecast.kept
    spread_over = max(1.0, horizon * kept[1])
    return costs.reading(part.source, backlog) * min(1.0, (1.0 + kept[part.depth]) / spread_over)
