"""Arm estimates: expected tokens and seconds of a round with each proposer and depth, from what was measured."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from engine.speculation.accept_rates import DOUBTS, AcceptForecast, AcceptRates
from engine.speculation.cost_forecast import Forecast
from engine.speculation.round_cost import ENOUGH, RoundCosts

# Every depth up to here is considered: each costs host time in each round.
EVERY_DEPTH = 8
# Beyond that every so many-th: deep ones differ little from the next.
STEP = 4

Arm = tuple[str | None, int]
PLAIN_ARM: Arm = (None, 0)


@dataclass(slots=True)
class ArmEstimate:
    """Expected tokens and seconds of a round, with the best and the worst case of both.

    `doubt` is the relative standard error of the seconds; an arm is `known` if it was measured, or lies between arms
    that were.
    """

    tokens: float
    seconds: float
    most_tokens: float
    least_tokens: float
    least_seconds: float
    most_seconds: float
    doubt: float
    known: bool

    @property
    def speed(self) -> float:
        return self.tokens / self.seconds

    @property
    def best_case(self) -> float:
        return self.most_tokens / self.least_seconds


@dataclass(frozen=True, slots=True)
class CatchUp:
    """Seconds that each proposer needs to catch up, and the number of tokens over which they are spread.

    What it has read helps an answer on only if the proposer stays in use, and one without an accepted token does not.
    So they are spread over as many tokens less as its first draft token is likely to be rejected.
    """

    seconds: Mapping[str, float] = field(default_factory=dict)
    horizon: int = 1


def estimate_arms(
    costs: RoundCosts,
    rates: AcceptRates,
    offered: Mapping[str, int],
    rows_carried: int = 0,
    buckets: Mapping[str, str] | None = None,
    catch_up: CatchUp | None = None,
    whole: Collection[str] = (),
) -> dict[Arm, ArmEstimate]:
    """Estimates for plain decoding and every depth on offer, at the context bucket of `costs`.

    `offered` maps each proposer to its maximum depth, `buckets` to its kind of proposal; every pass has `rows_carried`
    rows more. The proposers in `whole` make all tokens they are asked for, however early their round ends. Plain
    decoding must have been measured.
    """
    plain, catch_up = costs.plain(), catch_up or CatchUp()
    assert plain is not None
    plain_doubt = costs.plain_doubt()
    least = plain * (1.0 - DOUBTS * plain_doubt)
    arms = {PLAIN_ARM: ArmEstimate(1.0, plain, 1.0, 1.0, least, plain, plain_doubt, True)}
    for source, limit in offered.items():
        acceptance = rates.forecast(source, (buckets or {}).get(source, ""), limit)
        spread = catch_up.seconds.get(source, 0.0), catch_up.horizon
        known, forecast = rates.seen(source) > 0, costs.forecast(source)
        estimates = _by_depth(limit, forecast, acceptance, rows_carried, spread, known, whole=source in whole)
        arms |= {(source, depth): estimate for depth, estimate in estimates}
    return arms


def _by_depth(
    limit: int,
    cost: Forecast,
    acceptance: AcceptForecast,
    rows_carried: int,
    catch_up: tuple[float, int],
    seen: bool,
    *,
    whole: bool,
) -> Iterator[tuple[int, ArmEstimate]]:
    """The depths of one proposer that are weighed; `catch_up` are seconds and the tokens they are spread over."""
    catch_up_s, horizon = catch_up
    spread_over = max(1.0, horizon * acceptance.kept[1])
    # A round may stop early: the expected seconds of those that stop before this depth, without drafting if `whole`.
    ended = ended_here = 0.0
    for depth in range(1, limit + 1):
        width = rows_carried + 1 + depth
        drafting = cost.drafting_of(depth) if whole else 0.0
        seconds = least = most = cost.expected(depth, width) - drafting
        if depth < limit:
            ended_here = (acceptance.made[depth] - acceptance.made[depth + 1]) * seconds
        if depth > EVERY_DEPTH and depth % STEP and depth < limit:
            ended += ended_here
            continue
        tokens, made = 1.0 + acceptance.kept[depth], acceptance.made[depth]
        doubt = cost.doubts.get(width)
        if doubt is None:
            least, most = cost.at_least(depth, width) - drafting, cost.at_most(depth, width) - drafting
        else:
            least = seconds * (1.0 - DOUBTS * doubt)
        always = ended + drafting + catch_up_s * min(1.0, tokens / spread_over)
        yield (
            depth,
            ArmEstimate(
                tokens,
                always + made * seconds,
                1.0 + acceptance.most_kept[depth],
                1.0 + acceptance.least_kept[depth],
                always + made * least,
                ended + drafting + made * most + catch_up_s / ENOUGH,
                doubt or 0.0,
                seen and cost.reaches(width),
            ),
        )
        ended += ended_here
