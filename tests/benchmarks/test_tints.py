"""The benchmark of tints tells a few percent apart on a computer that does other things, too."""

from __future__ import annotations

import random

import pytest

from tests.benchmarks.tints import ratio_of

ROUNDS, LAPS = 30, 20


def laps_of(times: float, draw: random.Random, speeds: list[float]) -> list[list[float]]:
    """Return the seconds of the rounds of laps, at these speeds, that cost so many times as much as others.

    A few rounds are disturbed.
    """
    laps = []
    for speed in speeds:
        noise = [draw.gauss(1, 0.05) * draw.choice([1] * 19 + [5]) for _ in range(ROUNDS)]
        laps.append([0.003 * times * speed * part for part in noise])
    return laps


@pytest.mark.parametrize("times", [1.0, 1.05, 1.1])
def test_a_ratio_is_within_its_interval_in_spite_of_disturbances(times: float) -> None:
    draw = random.Random(4)
    # Whatever else the computer does, it does beside both laps of a pair.
    speeds = draw.choices((1.0, 1.4, 1.5), k=LAPS)
    ratio = ratio_of(laps_of(times, draw, speeds), laps_of(1.0, draw, speeds))
    assert ratio.low <= times <= ratio.high
    assert ratio.low <= ratio.ratio <= ratio.high
    assert ratio.high - ratio.low < 0.05


def test_laps_that_are_alike_leave_no_doubt() -> None:
    ratio = ratio_of([[0.0042, 0.0021]] * 5, [[0.004, 0.002]] * 5)
    assert (ratio.low, ratio.high) == pytest.approx((1.05, 1.05))
