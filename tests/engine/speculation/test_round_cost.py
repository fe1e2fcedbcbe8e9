"""What is measured, what follows from it for depths that were not, and what a stall or a slower machine changes."""

from __future__ import annotations

import pytest

from engine.speculation.cost_forecast import Forecast
from engine.speculation.round_cost import (
    CONTEXT_EDGES,
    SAFE,
    UNKNOWN_CATCH_UP,
    RoundCosts,
    bucket_range,
    context_bucket,
)


def plain(costs: RoundCosts, *seconds: float) -> None:
    for duration in seconds:
        costs.observe(None, 0, 1, duration, None)


@pytest.fixture
def costs() -> RoundCosts:
    """Plain rounds of 20 ms, and rounds of 4 draft tokens that take 40 ms, of which 10 are drafting."""
    costs = RoundCosts()
    plain(costs, *[0.02] * 5)
    for _ in range(5):
        costs.observe("draft", 4, 5, 0.04, 0.01)
    return costs


def test_context_lengths_fall_into_ranges_that_join() -> None:
    assert context_bucket(0) == 0
    assert context_bucket(CONTEXT_EDGES[0]) == 1
    assert context_bucket(10**9) == len(CONTEXT_EDGES)
    assert bucket_range(0) == (0, CONTEXT_EDGES[0])
    assert bucket_range(1)[0] == CONTEXT_EDGES[0]
    assert bucket_range(len(CONTEXT_EDGES)) == (CONTEXT_EDGES[-1], None)


def test_nothing_is_known_before_plain_decoding_is_measured() -> None:
    assert RoundCosts().plain() is None
    assert RoundCosts().plain_samples() == 0
    assert RoundCosts().buckets() == []


def test_one_stall_moves_nothing(costs: RoundCosts) -> None:
    plain(costs, 0.02, 0.02, 0.5, 0.02)
    assert costs.plain() == pytest.approx(0.02)


def test_depths_between_measured_ones_are_interpolated(costs: RoundCosts) -> None:
    forecast = costs.forecast("draft")
    assert forecast.expected(4, 5) == pytest.approx(0.04)
    assert forecast.expected(2, 3) == pytest.approx(0.03)
    assert forecast.reaches(5)
    assert not forecast.reaches(6)


def test_a_wider_pass_is_bounded_by_the_measured_ones(costs: RoundCosts) -> None:
    forecast = costs.forecast("draft")
    assert forecast.at_least(4, 5) == forecast.at_most(4, 5) == pytest.approx(0.04)
    assert forecast.at_least(8, 9) < forecast.expected(8, 9) <= forecast.at_most(8, 9)
    assert forecast.at_most(8, 10) == pytest.approx(0.03 * 2 + 0.02)


def test_without_timed_drafting_whole_rounds_are_known() -> None:
    costs = RoundCosts()
    plain(costs, *[0.02] * 3)
    for _ in range(3):
        costs.observe("ngram", 4, 5, 0.03, None)
    assert costs.drafting("ngram", 4) == 0.0
    assert costs.forecast("ngram").expected(4, 5) == pytest.approx(0.03)
    assert costs.sources() == ["ngram"]
    assert costs.samples("ngram", 5) > 0


def test_catching_up_costs_a_share_of_plain_decoding_until_it_is_timed(costs: RoundCosts) -> None:
    assert costs.catch_up("draft", 100) == pytest.approx(100 * UNKNOWN_CATCH_UP * 0.02)
    costs.observe_catch_up("draft", 50, 0.1)
    assert costs.catch_up("draft", 100) == pytest.approx(0.2)
    costs.observe_catch_up("draft", 0, 0.1)
    assert costs.catch_up("draft", 100) == pytest.approx(0.2)


def test_costs_at_one_context_length_stand_in_for_others(costs: RoundCosts) -> None:
    costs.begin(3)
    assert costs.plain() == pytest.approx(0.02)
    assert costs.plain_samples() == 0
    plain(costs, *[0.05] * 9)
    assert costs.plain() == pytest.approx(0.05)
    costs.begin(0)
    assert costs.plain() == pytest.approx(0.02, rel=0.3)
    assert costs.buckets() == [0, 3]


def test_after_a_pause_a_slower_machine_scales_everything(costs: RoundCosts) -> None:
    costs.renew()
    assert not costs.anchored
    plain(costs, *[0.04] * (SAFE + 1))
    assert costs.anchored
    assert costs.plain() == pytest.approx(0.04, rel=0.1)
    assert costs.forecast("draft").expected(4, 5) == pytest.approx(0.08, rel=0.1)


def test_after_a_pause_an_equal_machine_changes_nothing(costs: RoundCosts) -> None:
    costs.renew()
    plain(costs, *[0.021] * (SAFE + 1))
    assert costs.forecast("draft").expected(4, 5) == pytest.approx(0.04)


def test_a_pass_that_took_longer_than_a_wider_one_was_disturbed(costs: RoundCosts) -> None:
    for _ in range(3):
        costs.observe("draft", 2, 3, 0.06, 0.005)
    assert costs.forecast("draft").expected(2, 3) == pytest.approx(0.035)


def test_a_pass_measured_once_bounds_others_only_from_above(costs: RoundCosts) -> None:
    costs.observe("draft", 6, 7, 0.215, 0.015)
    forecast = costs.forecast("draft")
    assert forecast.at_least(8, 9) == pytest.approx(forecast.at_least(5, 6), abs=0.01)
    assert forecast.expected(6, 7) <= 0.03 * 7 / 5 + 0.015
    for _ in range(2):
        costs.observe("draft", 6, 7, 0.055, 0.015)
    assert costs.forecast("draft").expected(6, 7) == pytest.approx(0.055)


def test_no_pass_is_shorter_than_a_plain_round(costs: RoundCosts) -> None:
    """Where drafting was estimated too long, or a calibration was disturbed while it timed drafting."""
    costs.observe("draft", 4, 6, 0.021, None)
    assert costs.forecast("draft").passes[6] == pytest.approx(0.02)
    costs.measured("draft", 7, 8, 0.0, 0.05)
    assert costs.forecast("draft").passes[8] == pytest.approx(0.02)


def test_a_calibration_replaces_what_was_known(costs: RoundCosts) -> None:
    costs.measured(None, 0, 1, 0.01, 0.0)
    costs.measured("draft", 4, 5, 0.015, 0.005)
    assert costs.plain() == pytest.approx(0.01)
    assert costs.forecast("draft").expected(4, 5) == pytest.approx(0.02)


def test_what_is_exported_can_be_loaded(costs: RoundCosts) -> None:
    other = RoundCosts()
    other.load(costs.export())
    assert other.export() == costs.export()


@pytest.mark.parametrize(
    ("row", "error"),
    [
        ([1, 0, 1, 0.02, 3], TypeError),
        (["plain", "0", 1, 0.02, 3], TypeError),
        (["plain", 0, 1, -1.0, 3], ValueError),
        (["plain", 0, 1, 0.02, 0], ValueError),
        (["plain", 0, 1, 0.02], ValueError),
    ],
)
def test_data_that_was_never_exported_is_refused(row: list[object], error: type[Exception]) -> None:
    with pytest.raises(error):
        RoundCosts().load([row])


def test_a_width_that_was_measured_once_is_better_than_none() -> None:
    forecast = Forecast({1: 1.0}, {0: 0.0}, {}, frozenset({1}))
    assert forecast.at_least(0, 0) == forecast.at_least(0, 1) == forecast.at_least(0, 3) == 1.0
    assert forecast.at_most(0, 1) == 1.0
