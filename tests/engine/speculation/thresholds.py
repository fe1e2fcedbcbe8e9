"""What each threshold of the depth controller is worth: `python -m tests.engine.speculation.thresholds [NAME ...]`.

Every threshold is halved and doubled in turn, and all pairs are played quiet and busy. A row gives the share of the
best fixed arm's speed over twenty answers and over the first three (mean and worst pair), of the best arm by kind (at
most 1 each), the slowest long answer to plain and how many are below 0.95, and the same for short ones and 0.9.
"""

from __future__ import annotations

import sys
from statistics import mean
from types import ModuleType

from engine.speculation import accept_rates, arm_estimate, cost_forecast, depth, exploring, round_cost
from tests.engine.speculation.pairs import busy, pairs
from tests.engine.speculation.played import judge

MODULES: tuple[ModuleType, ...] = (depth, exploring, cost_forecast, round_cost, accept_rates, arm_estimate)
SEEDS = range(5)
# A rate doubled is none.
INSTEAD = {"PRIOR_RATE": (0.7, 0.95), "MARGIN": (1.025, 1.1), "EVERY_DEPTH": (4, 16)}


def thresholds() -> dict[str, float]:
    """Every number that a module of the controller defines for itself."""
    found: dict[str, float] = {}
    for module in MODULES:
        for name, value in vars(module).items():
            if name.isupper() and isinstance(value, int | float):
                found.setdefault(name, value)
    return found


def set_everywhere(name: str, value: float) -> None:
    for module in MODULES:
        if hasattr(module, name):
            setattr(module, name, value)


def figures() -> str:
    return " | ".join(_figures(stalls) for stalls in (False, True))


def _figures(stalls: bool) -> str:
    verdicts = [[judge(busy(pair) if stalls else pair, seed) for seed in SEEDS] for pair in pairs()]
    twenty = [mean(one.twenty for one in found) for found in verdicts]
    three = [mean(one.three for one in found) for found in verdicts]
    kinds = [min(1.0, ratio) for found in verdicts for one in found for ratio in one.by_kind.values()]
    long = [ratio for found in verdicts for one in found for ratio in one.long]
    short = [ratio for found in verdicts for one in found for ratio in one.short]
    return (
        f"20: {mean(twenty):.3f}/{min(twenty):.3f} 3: {mean(three):.3f}/{min(three):.3f} kind {mean(kinds):.3f} "
        f"long {min(long):.2f}, {mean(ratio < 0.95 for ratio in long):.1%} "
        f"short {min(short):.2f}, {mean(ratio < 0.9 for ratio in short):.1%}"
    )


def main(names: list[str]) -> None:
    known = thresholds()
    print(f"{'as they are':24} {figures()}", flush=True)
    for name in names or known:
        value = known[name]
        for other in INSTEAD.get(name, (value / 2, value * 2)):
            set_everywhere(name, int(max(1, other)) if isinstance(value, int) else other)
            print(f"{name} = {other:<{21 - len(name)}g} {figures()}", flush=True)
        set_everywhere(name, value)


if __name__ == "__main__":
    main(sys.argv[1:])
