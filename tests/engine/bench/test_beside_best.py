"""Auto beside the best arm: no luck is taken for speed, and the interval holds what is true."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from engine.bench.beside_best import BesideBest, Speeds, beside_best, by_kind
from engine.bench.prompts import Prompt

PROMPTS = [Prompt("chat", "en", f"question {index}") for index in range(4)]


def speeds(tps: float, repetitions: int, noise: float, draw: random.Random) -> Speeds:
    """Prompts differ in speed, repetitions by noise."""
    return {
        (prompt, repetition): tps * (1 + index) * draw.lognormvariate(0.0, noise)
        for index, prompt in enumerate(PROMPTS)
        for repetition in range(repetitions)
    }


def measured(ratio: float, arms: Sequence[float], seed: int, noise: float = 0.08, repetitions: int = 4) -> BesideBest:
    draw = random.Random(seed)
    others = {f"arm {index}": speeds(tps, repetitions, noise, draw) for index, tps in enumerate(arms)}
    found = beside_best(speeds(ratio * max(arms), repetitions, noise, draw), others)
    assert found is not None
    return found


def test_without_noise_the_share_is_that_of_the_best_arm() -> None:
    found = measured(0.9, (50.0, 100.0, 80.0), 0, noise=0.0)
    assert found.best == "arm 1"
    assert found.ratio == pytest.approx(0.9)
    assert found.interval == pytest.approx((0.9, 0.9))


def test_the_luckiest_of_many_equal_arms_does_not_make_auto_look_slow() -> None:
    """Compared in the figures that chose it, the best of ten equal arms is faster than auto, their equal."""
    ratios = [measured(1.0, [100.0] * 10, seed).ratio for seed in range(20)]
    assert sum(ratios) / len(ratios) == pytest.approx(1.0, abs=0.015)


def test_most_intervals_hold_the_truth_and_are_narrower_with_more_repetitions() -> None:
    found = [measured(0.95, (100.0, 60.0), seed) for seed in range(40)]
    assert sum(one.interval[0] <= 0.95 <= one.interval[1] for one in found) >= 36
    widths = [measured(0.95, (100.0, 60.0), 0, repetitions=count).interval for count in (4, 16)]
    assert widths[1][1] - widths[1][0] < widths[0][1] - widths[0][0]


def test_one_repetition_cannot_tell() -> None:
    draw = random.Random(0)
    assert beside_best(speeds(1.0, 1, 0.1, draw), {"draft": speeds(1.0, 1, 0.1, draw)}) is None
    assert beside_best(speeds(1.0, 2, 0.1, draw), {}) is None


def test_a_repetition_that_was_cut_short_does_not_count() -> None:
    draw = random.Random(1)
    auto, draft = (dict(speeds(tps, 3, 0.1, draw)) for tps in (90.0, 100.0))
    whole = beside_best({key: tps for key, tps in auto.items() if key[1] < 2}, {"draft": draft})
    del auto[PROMPTS[3], 2]
    assert beside_best(auto, {"draft": draft}) == whole


def test_kinds_are_told_apart_and_answers_without_a_speed_are_left_out() -> None:
    chat, copy, short = Prompt("chat", "en", "a"), Prompt("copy", "en", "b"), Prompt("copy", "en", "c")

    def of(in_chat: float, in_copy: float, in_short: float) -> Speeds:
        return {
            (prompt, repetition): tps
            for prompt, tps in ((chat, in_chat), (copy, in_copy), (short, in_short))
            for repetition in range(2)
        }

    arms = {"auto": of(3.0, 3.0, 1.0), "draft": of(4.0, 1.0, 0.0), "ngram": of(1.0, 6.0, 9.0)}
    found = by_kind(arms, "auto", ["draft", "ngram"])
    assert {kind: (one.best, one.ratio) for kind, one in found.items()} == {
        "chat": ("draft", pytest.approx(0.75)),
        "copy": ("ngram", pytest.approx(0.5)),
    }
