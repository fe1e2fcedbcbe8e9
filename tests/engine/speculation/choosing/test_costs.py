"""Predictions of durations from measured rounds."""

from __future__ import annotations

import random
from collections.abc import Callable
from copy import deepcopy
from math import log, sqrt
from statistics import mean

import pytest

from engine.speculation.choosing.costs import Costs
from tests.engine.speculation.apple_pairs import LAYER_8B, M3_ULTRA, M3_ULTRA_BF16, M4_2_BITS, M4_GROUPS_OF_128, blended
from tests.engine.speculation.choosing.scenes import PLAIN_S, measure


@pytest.fixture
def costs() -> Costs:
    """The costs of a calibrated pair: plain rounds take 20 ms, those of 8 draft tokens 84."""
    costs = Costs()
    measure(costs)
    return costs


def noisy(costs: Costs, rounds: int, seconds: Callable[[int], float], *, rows: int = 1, noise: float = 0.08) -> None:
    draw = random.Random(3)
    for number in range(rounds):
        costs.observe(rows, seconds(number) * draw.lognormvariate(0.0, noise))


def test_a_calibration_is_known_at_once(costs: Costs) -> None:
    assert costs.plain_known()
    assert costs.verify(1).seconds == pytest.approx(PLAIN_S, rel=0.05)
    assert costs.verify(9).plus(costs.drafting("draft", 8)).seconds == pytest.approx(4.2 * PLAIN_S, rel=0.05)


@pytest.mark.first
def test_wider_passes_are_expected_as_guessed_until_they_are_measured() -> None:
    guessed, blind = Costs(guess={rows: 1.0 + 0.7 * (rows - 1) for rows in range(1, 10)}), Costs()
    for costs in (guessed, blind):
        costs.observe(1, PLAIN_S)
    assert guessed.verify(9).seconds == pytest.approx(6.6 * PLAIN_S)
    assert [guessed.verify(rows).standard_error for rows in (9, 17)] == [
        blind.verify(rows).standard_error for rows in (9, 17)
    ]
    assert guessed.verify(17).seconds == blind.verify(17).seconds
    for _ in range(20):
        guessed.observe(5, 2.0 * PLAIN_S)
    assert guessed.verify(5).seconds == pytest.approx(2.0 * PLAIN_S, rel=0.05)
    assert guessed.verify(9).seconds == pytest.approx(2.0 * PLAIN_S * 6.6 / 3.8, rel=0.05)


def test_a_round_that_was_disturbed_says_little(costs: Costs) -> None:
    before = costs.verify(5).seconds
    noisy(costs, 40, lambda _: PLAIN_S)
    costs.observe(5, 10 * before)
    assert costs.verify(5).seconds == pytest.approx(before, rel=0.15)
    assert costs.verify(1).seconds == pytest.approx(PLAIN_S, rel=0.15)


@pytest.mark.parametrize("times", [10.0, 50.0])
def test_a_first_round_that_was_disturbed_does_not_decide_what_its_kind_costs(times: float) -> None:
    """Between nothing more and in proportion, all was as likely before."""
    costs = Costs()
    for _ in range(3):
        costs.observe(1, PLAIN_S)
    before = costs.verify(9).seconds
    costs.observe(9, times * before)
    assert costs.verify(9).seconds < 2.3 * before
    # What was not disturbed is believed at once.
    costs.observe(9, 1.2 * before)
    assert costs.verify(9).seconds == pytest.approx(1.2 * before, rel=0.15)


def test_a_machine_that_is_far_slower_from_now_on_is_followed(costs: Costs) -> None:
    noisy(costs, 60, lambda _: 3.0 * PLAIN_S)
    assert costs.verify(1).seconds == pytest.approx(3.0 * PLAIN_S, rel=0.1)


def test_a_figure_that_rests_on_a_disturbed_round_is_set_right_by_the_next_ones(costs: Costs) -> None:
    """Disturbances only lengthen rounds."""
    costs.observe(17, 20 * PLAIN_S)
    for _ in range(3):
        costs.observe(17, 5 * PLAIN_S)
    assert costs.verify(17).seconds == pytest.approx(5 * PLAIN_S, rel=0.2)


@pytest.mark.parametrize("slower", [0.6, 2.0])
def test_what_slows_one_kind_of_round_slows_all(costs: Costs, slower: float) -> None:
    """Heat, another program or a longer context change all figures by one factor, also those not in use."""
    noisy(costs, 50, lambda _: PLAIN_S)
    before = costs.verify(9).seconds / costs.verify(1).seconds
    noisy(costs, 60, lambda _: slower * PLAIN_S)
    assert costs.verify(1).seconds == pytest.approx(slower * PLAIN_S, rel=0.1)
    assert costs.verify(9).seconds / costs.verify(1).seconds == pytest.approx(before, rel=0.25)


def test_at_the_beginning_of_an_answer_the_first_rounds_count_more(costs: Costs) -> None:
    noisy(costs, 100, lambda _: PLAIN_S)
    rested = deepcopy(costs)
    rested.begin()
    for one in (costs, rested):
        one.observe(1, 1.3 * PLAIN_S)
    assert PLAIN_S < costs.verify(1).seconds < rested.verify(1).seconds < 1.3 * PLAIN_S


def test_a_round_that_is_not_timed_apart_is_divided_among_its_parts(costs: Costs) -> None:
    for _ in range(60):
        costs.observe(5, 4.0 * PLAIN_S, ("draft", 4))
    whole = costs.verify(5).plus(costs.drafting("draft", 4))
    assert whole.seconds == pytest.approx(4.0 * PLAIN_S, rel=0.1)
    assert PLAIN_S < costs.verify(5).seconds < 4.0 * PLAIN_S


@pytest.mark.first
def test_drafting_for_several_answers_changes_nothing_of_drafting_for_one(costs: Costs) -> None:
    """A draft token for each of eight takes four times as long as one for a single answer."""
    noisy(costs, 40, lambda _: 2.0 * PLAIN_S, rows=8)
    before = costs.verify(5), costs.drafting("draft", 4)
    for _ in range(60):
        costs.observe(40, 5.0 * PLAIN_S, ("draft", 4), 3.2 * PLAIN_S, answers=8)
    after = costs.verify(5), costs.drafting("draft", 4)
    assert [figure.seconds for figure in after] == pytest.approx([figure.seconds for figure in before], rel=0.05)
    assert costs.drafting("draft", 4, 8).seconds == pytest.approx(3.2 * PLAIN_S, rel=0.05)
    # Twice as many tokens take twice as long; for fewer answers it takes less, but no less than for one.
    assert costs.drafting("draft", 8, 8).seconds == pytest.approx(6.4 * PLAIN_S, rel=0.05)
    assert 0.8 * PLAIN_S < costs.drafting("draft", 4, 4).seconds < 3.2 * PLAIN_S


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_a_clock_that_stands_still_teaches_nothing(costs: Costs, seconds: float) -> None:
    before = deepcopy(costs)
    costs.observe(1, seconds)
    costs.observe(5, seconds, ("draft", 4))
    assert costs == before


def test_the_first_guess_of_wide_passes_follows_the_published_curves_of_apples_gpus() -> None:
    costs = Costs()
    for _ in range(3):
        costs.observe(1, PLAIN_S)
    off = []
    for curve in (blended(LAYER_8B), M4_GROUPS_OF_128, M4_2_BITS, M3_ULTRA, M3_ULTRA_BF16):
        for rows, published in curve.items():
            guess = costs.verify(rows)
            off.append(log(guess.seconds / PLAIN_S / published) / sqrt(guess.variance))
    # No published figure surprises it, and it is neither too high nor too low for all of them.
    assert max(map(abs, off)) < 2.0
    assert abs(mean(off)) < 0.5
