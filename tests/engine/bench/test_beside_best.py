"""Auto beside the best arm, on timings whose truth is known: luck is not speed, and intervals hold the truth."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import mean
from typing import Any

import pytest

from engine.bench.beside_best import BesideBest, Share, Speeds, beside_best, by_kind
from engine.bench.prompts import Prompt

PROMPTS = [Prompt("chat", "en", f"question {index}") for index in range(4)]
RUNS = 200


@dataclass(frozen=True)
class World:
    """Auto's true `share` of the best of `arms`, whose speeds are tokens a second.

    Spreads are of logarithms: of an arm from prompt to prompt, of what auto learned in a repetition, of the clock.
    """

    arms: Sequence[float] = (100.0, 60.0)
    share: float = 0.95
    prompts: float = 0.0
    states: float = 0.0
    clock: float = 0.05
    repetitions: int = 5

    def measure(self, seed: int) -> tuple[Speeds, dict[str, Speeds]]:
        draw = random.Random(seed)
        states = [draw.gauss(0.0, self.states) for _ in range(self.repetitions)]
        auto = self._speeds(self.share * max(self.arms), states, [0.0] * len(PROMPTS), draw)
        others = {}
        for index, tps in enumerate(self.arms):
            prompts = [draw.gauss(0.0, self.prompts) for _ in PROMPTS]
            others[f"arm {index}"] = self._speeds(tps, [0.0] * self.repetitions, prompts, draw)
        return auto, others

    def _speeds(self, tps: float, states: list[float], prompts: list[float], draw: random.Random) -> Speeds:
        """Prompts also differ in speed for all arms alike."""
        return {
            (prompt, number): tps * (1 + index) * exp(prompts[index] + state + draw.gauss(0.0, self.clock))
            for index, prompt in enumerate(PROMPTS)
            for number, state in enumerate(states)
        }


def found(world: World, seed: int = 0) -> BesideBest:
    beside = beside_best(*world.measure(seed))
    assert beside is not None
    return beside


def elsewhere(beside: BesideBest) -> Share:
    assert beside.elsewhere is not None
    return beside.elsewhere


def naive(world: World, seed: int) -> float:
    """Auto beside the arm that looks best in the figures with which it is compared."""
    auto, others = world.measure(seed)
    return exp(min(mean(log(auto[key] / tps) for key, tps in arm.items()) for arm in others.values()))


def in_full(*worlds: World) -> list[Any]:
    return [pytest.param(world, marks=pytest.mark.full) for world in worlds]


def test_without_noise_the_share_is_that_of_the_best_arm() -> None:
    beside = found(World(arms=(50.0, 100.0, 80.0), share=0.9, clock=0.0))
    assert (beside.best, beside.chosen) == ("arm 1", 1.0)
    for share in (beside.here, elsewhere(beside)):
        assert share.ratio == pytest.approx(0.9)
        assert share.interval == pytest.approx((0.9, 0.9))


def test_the_luckiest_of_many_equal_arms_does_not_make_auto_look_slow() -> None:
    """The luck of an arm with its prompts counts like that with the clock: it does not carry over to other prompts."""
    world = World(arms=[100.0] * 10, share=1.0)
    seeds = range(RUNS // 2)
    beside = [found(world, seed) for seed in seeds]
    assert mean(naive(world, seed) for seed in seeds) < 0.985
    assert mean(one.here.ratio for one in beside) == pytest.approx(1.0, abs=0.005)
    assert mean(one.chosen for one in beside) < 0.8
    differing = World(arms=[100.0] * 10, share=1.0, prompts=0.1)
    ratios = [elsewhere(found(differing, seed)).ratio for seed in seeds]
    assert mean(ratios) == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(
    "world",
    [World(states=0.05), *in_full(World(), World(arms=[100.0] * 8), World(states=0.05, repetitions=3))],
    ids=str,
)
def test_about_95_percent_of_intervals_hold_the_truth_of_these_prompts(world: World) -> None:
    assert 0.91 <= held(world, [found(world, seed).here for seed in range(RUNS)]) <= 0.985


@pytest.mark.parametrize(
    "world",
    [World(prompts=0.1), *in_full(World(prompts=0.1, arms=[100.0] * 4), World(prompts=0.05, states=0.05))],
    ids=str,
)
def test_about_95_percent_of_intervals_hold_the_truth_of_other_prompts(world: World) -> None:
    assert held(world, [elsewhere(found(world, seed)) for seed in range(RUNS)]) >= 0.91


def held(world: World, shares: Sequence[Share]) -> float:
    """The share of the intervals that hold the truth."""
    return mean(share.interval[0] <= world.share <= share.interval[1] for share in shares)


def test_what_a_repetition_learned_is_no_more_certain_by_more_prompts_in_it() -> None:
    """All prompts of a repetition share what auto learned."""
    spreads = [width(found(World(states=states, clock=0.01), seed)) for states in (0.0, 0.1) for seed in range(20)]
    assert mean(spreads[20:]) > 5 * mean(spreads[:20])


def width(beside: BesideBest) -> float:
    return beside.here.interval[1] - beside.here.interval[0]


def test_one_repetition_cannot_tell_and_one_prompt_says_nothing_about_others() -> None:
    assert beside_best(*World(repetitions=1).measure(0)) is None
    assert beside_best(World().measure(0)[0], {}) is None
    auto, others = World().measure(0)
    alone = beside_best({key: tps for key, tps in auto.items() if key[0] == PROMPTS[0]}, others)
    assert alone is not None
    assert alone.elsewhere is None
    assert alone.here.interval[0] < alone.here.ratio < alone.here.interval[1]


def test_a_repetition_that_was_cut_short_does_not_count() -> None:
    auto, others = World(repetitions=3).measure(1)
    whole = beside_best({key: tps for key, tps in auto.items() if key[1] < 2}, others)
    cut = {key: tps for key, tps in auto.items() if key != (PROMPTS[3], 2)}
    assert beside_best(cut, others) == whole


def test_kinds_are_told_apart_and_answers_without_a_speed_are_left_out() -> None:
    chat, copy, short = Prompt("chat", "en", "a"), Prompt("copy", "en", "b"), Prompt("copy", "en", "c")

    def of(in_chat: float, in_copy: float, in_short: float) -> Speeds:
        return {
            (prompt, repetition): tps
            for prompt, tps in ((chat, in_chat), (copy, in_copy), (short, in_short))
            for repetition in range(2)
        }

    arms = {"auto": of(3.0, 3.0, 1.0), "draft": of(4.0, 1.0, 0.0), "ngram": of(1.0, 6.0, 9.0)}
    kinds = by_kind(arms, "auto", ["draft", "ngram"])
    assert {kind: (one.best, one.here.ratio) for kind, one in kinds.items()} == {
        "chat": ("draft", pytest.approx(0.75)),
        "copy": ("ngram", pytest.approx(0.5)),
    }
