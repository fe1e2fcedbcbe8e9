from __future__ import annotations

import pytest

from engine.speculation.depth import DepthController
from tests.engine.speculation.simulation import (
    ACCEPTANCES,
    COSTS,
    World,
    best_fixed,
    constant,
    controlled,
    fixed,
    gentle,
)

TOKENS = 5000


def compare(world: World, tokens: int, seeds: range) -> tuple[float, float]:
    """Mean speed of the controller against the best fixed depth, and its worst against plain decoding."""
    _, best = best_fixed(world, tokens, seeds)
    plain = fixed(world, 0, tokens).speed
    speeds = [controlled(world, tokens, seed).speed for seed in seeds]
    return sum(speeds) / len(speeds) / best, min(speeds) / plain


@pytest.mark.parametrize("acceptance", ["always wrong", "constant 0.8", "prose and code"])
@pytest.mark.parametrize("cost", ["flat", "linear", "stepped"])
def test_it_is_as_fast_as_the_best_fixed_depth_and_never_slower_than_plain(cost: str, acceptance: str) -> None:
    to_best, to_plain = compare(World(COSTS[cost], ACCEPTANCES[acceptance]), 2000, range(1))
    assert to_best > 0.93
    assert to_plain > 0.97


@pytest.mark.campaign
@pytest.mark.parametrize("stall_every", [0, 50])
@pytest.mark.parametrize("acceptance", ACCEPTANCES)
@pytest.mark.parametrize("cost", COSTS)
def test_it_is_within_five_percent_of_the_best_fixed_depth(cost: str, acceptance: str, stall_every: int) -> None:
    world = World(COSTS[cost], ACCEPTANCES[acceptance], stall_every=stall_every)
    to_best, to_plain = compare(world, TOKENS, range(4))
    assert to_best > 0.95
    assert to_plain > 0.97


def test_nothing_offered_is_plain_decoding_for_the_proposers_own_reason() -> None:
    choice = DepthController().choose({"ngram": 0})
    assert (choice.source, choice.depth, choice.reason) == (None, 0, "")


def test_it_measures_plain_decoding_first() -> None:
    choice = DepthController().choose({"draft": 8})
    assert (choice.source, choice.reason) == (None, "measuring")


def test_it_says_what_speculation_would_cost() -> None:
    controller = DepthController()
    controlled(World(gentle, constant(0.0)), 300, controller=controller)
    choice = controller.choose({"draft": 8})
    arguments = dict(choice.arguments)
    assert choice.reason == "costs-more"
    assert float(arguments["plain_ms"]) * float(arguments["tokens_per_round"]) < float(arguments["round_ms"])


def test_timing_the_drafting_now_and_then_is_no_surprise_to_the_costs() -> None:
    controller = DepthController()
    controller.begin(100)
    for number in range(40):
        controller.observe("draft", 3, 4, 2, 0.01, 0.004 if number % 16 == 0 else None)
    assert controller.export()
