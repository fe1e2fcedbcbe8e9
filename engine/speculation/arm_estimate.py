"""What rounds of every depth and proposer can be expected to bring and to cost, from what was measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.speculation.accept_rates import DOUBTS, AcceptRates
from engine.speculation.round_cost import ENOUGH, RoundCosts

# Every depth up to here is weighed, and from there on every STEP-th: each costs time on the host in each round.
EVERY_DEPTH = 8
STEP = 4

Arm = tuple[str | None, int]
PLAIN_ARM: Arm = (None, 0)


@dataclass(slots=True)
class ArmEstimate:
    """What an arm is expected to do, in tokens and seconds, with the best and the worst case of both."""

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
class Entry:
    """Seconds that each proposer needs before its first guess, and the tokens among which they are shared out."""

    seconds: Mapping[str, float] = field(default_factory=dict)
    ahead: int = 1


def outlooks(
    costs: RoundCosts,
    rates: AcceptRates,
    offered: Mapping[str, int],
    rows_carried: int = 0,
    buckets: Mapping[str, str] | None = None,
    entry: Entry | None = None,
) -> dict[Arm, ArmEstimate]:
    """Plain decoding and every depth that is offered, at the context length that `costs` stands at.

    `offered` maps each proposer to its most guesses, `buckets` to what kind they are; `rows_carried` rows ride along.
    Plain decoding must have been measured.
    """
    plain, entry = costs.plain(), entry or Entry()
    assert plain is not None
    unsure = costs.plain_doubt()
    found = {PLAIN_ARM: ArmEstimate(1.0, plain, 1.0, 1.0, plain * (1.0 - DOUBTS * unsure), plain, unsure, True)}
    for source, limit in offered.items():
        bucket = (buckets or {}).get(source, "")
        prospect = rates.prospect(source, bucket, limit)
        guessed_before = rates.seen(source) > 0
        forecast, to_read = costs.forecast(source), entry.seconds.get(source, 0.0)
        # Of a round that may end early, what those that ended before this depth are expected to take.
        ended = ended_here = 0.0
        for depth in range(1, limit + 1):
            width = rows_carried + 1 + depth
            seconds = least = most = forecast.expected(depth, width)
            if depth < limit:
                ended_here = (prospect.made[depth] - prospect.made[depth + 1]) * seconds
            if depth > EVERY_DEPTH and depth % STEP and depth < limit:
                ended += ended_here
                continue
            tokens, made = 1.0 + prospect.kept[depth], prospect.made[depth]
            doubt = forecast.doubts.get(width)
            if doubt is None:
                least, most = forecast.at_least(depth, width), forecast.at_most(depth, width)
            else:
                least = seconds * (1.0 - DOUBTS * doubt)
            shared_out = to_read * tokens / entry.ahead
            found[source, depth] = ArmEstimate(
                tokens,
                ended + made * seconds + shared_out,
                1.0 + prospect.most_kept[depth],
                1.0 + prospect.least_kept[depth],
                ended + made * least + shared_out,
                ended + made * most + to_read / ENOUGH,
                doubt or 0.0,
                guessed_before and forecast.reaches(width),
            )
            ended += ended_here
    return found
