"""What a depth controller learned at one context length, as plain data for front ends."""

from __future__ import annotations

from engine.requests import MAX_DEPTH
from engine.speculation.accept_rates import AcceptRates
from engine.speculation.arm_estimate import estimate_arms
from engine.speculation.round_cost import RoundCosts, bucket_range
from engine.speculation.speedup_meter import SpeedupMeter
from engine.tuning import ContextFigures, DepthFigures, break_even

DEPTHS = (1, 2, 3, 4, 5, 6, 7, 8, 12, MAX_DEPTH)


def figures_at(bucket: int, costs: RoundCosts, rates: AcceptRates, meter: SpeedupMeter) -> ContextFigures:
    """The figures of a context bucket at which plain decoding was measured; sets `costs.bucket` to it."""
    costs.bucket = bucket
    plain = costs.plain()
    assert plain is not None
    depths: list[DepthFigures] = []
    for source in costs.sources():
        arms, forecast = estimate_arms(costs, rates, {source: DEPTHS[-1]}), costs.forecast(source)
        for depth in DEPTHS:
            seconds, speed = forecast.expected(depth, depth + 1), arms[source, depth].speed
            pays_from = break_even(depth, plain, seconds)
            drafting, samples = costs.drafting(source, depth), costs.samples(source, depth + 1)
            depths.append(DepthFigures(source, depth, seconds, drafting, pays_from, speed, samples))
    totals = meter.totals.get(bucket)
    speedup = totals.spread if totals is not None else None
    return ContextFigures(*bucket_range(bucket), 1.0 / plain, costs.samples(None, 1), tuple(depths), speedup)
