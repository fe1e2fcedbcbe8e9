"""What the costs of a batch's rounds are taken to be, from samples of which some were disturbed."""

from __future__ import annotations

import pytest

from engine.speculation.batch_costs import WINDOW, BatchCosts, BatchRound
from engine.speculation.controllers import Controllers


@pytest.fixture
def solo() -> Controllers:
    return Controllers(("main", "draft"))


@pytest.fixture
def costs(solo: Controllers) -> BatchCosts:
    return BatchCosts(solo)


def passed(costs: BatchCosts, width: int, *seconds: float, requests: int = 4) -> None:
    for one in seconds:
        costs.observe(BatchRound(requests, width, requests, one))


def test_of_two_passes_the_one_that_was_not_disturbed_counts(costs: BatchCosts) -> None:
    passed(costs, 3, 2.9, 1.0)
    assert costs.pass_s(4, 3) == 1.0


def test_one_stall_moves_no_figure(costs: BatchCosts) -> None:
    passed(costs, 3, 1.0, 1.0, 1.0, 5.0, 1.0)
    assert costs.pass_s(4, 3) == pytest.approx(1.0, rel=0.04)


def test_between_measured_widths_a_pass_lies_between_them(costs: BatchCosts) -> None:
    passed(costs, 1, 1.0, 1.0)
    passed(costs, 5, 2.0, 2.0)
    assert costs.pass_s(4, 3) == 1.5


def test_passes_of_as_many_rows_serve_other_numbers_of_requests(costs: BatchCosts) -> None:
    passed(costs, 1, 1.0, 1.0)
    passed(costs, 3, 2.0, 2.0)
    assert costs.pass_s(2, 4) == 1.5
    assert costs.reaches(2, 6)
    assert not costs.reaches(2, 7)
    passed(costs, 4, 1.8, 1.8, requests=2)
    assert costs.pass_s(2, 4) == 1.8


def test_of_other_context_lengths_nothing_is_known(costs: BatchCosts) -> None:
    passed(costs, 1, 1.0, 1.0)
    costs.bucket = 1
    assert costs.pass_s(4, 1) is None


def test_a_wider_pass_than_measured_grows_as_passes_for_one_request_do(solo: Controllers, costs: BatchCosts) -> None:
    solo.current.costs.measured(None, 0, 1, 1.0, 0.0)
    solo.current.costs.measured("draft", 16, 17, 3.0, 0.5)
    passed(costs, 1, 2.0, 2.0)
    # 12 rows instead of 4: 2.375 instead of 1.375.
    assert costs.pass_s(4, 3) == pytest.approx(2.0 * 2.375 / 1.375)


@pytest.mark.parametrize("factor", [2.0, 0.6])
def test_a_machine_that_changes_its_speed_changes_all_figures_alike(costs: BatchCosts, factor: float) -> None:
    passed(costs, 4, 3.0, 3.0, 3.0)
    passed(costs, 1, *[2.0] * 2 * WINDOW)
    passed(costs, 1, *[2.0 * factor] * 60)
    assert costs.pass_s(4, 1) == pytest.approx(2.0 * factor, rel=0.05)
    assert costs.pass_s(4, 4) == pytest.approx(3.0 * factor, rel=0.05)


def test_a_clock_that_stands_still_ends_no_answer(costs: BatchCosts) -> None:
    passed(costs, 1, *[0.0] * 5)
    assert costs.pass_s(4, 1) == pytest.approx(0.0, abs=1e-6)
    assert costs.pass_s(4, 3) == pytest.approx(0.0, abs=1e-6)


def test_drafting_that_was_timed_is_no_part_of_the_pass(costs: BatchCosts) -> None:
    costs.observe(BatchRound(4, 3, 8, 1.5, ("draft", 4, 2), 0.5))
    costs.observe(BatchRound(4, 3, 8, 1.5, ("draft", 4, 2)))
    assert costs.pass_s(4, 3) == 1.0
    assert costs.drafting_s("draft", 4, 1) == 0.25
    # One pass drafts for all: for others it takes as long, until that is timed.
    assert costs.drafting_s("draft", 2, 1) == 0.25
    assert not costs.timed("draft", 2)
    assert costs.drafting_s("ngram", 4, 1) is None


def test_drafting_for_one_after_the_other_takes_as_many_times_as_long(costs: BatchCosts) -> None:
    costs.observe(BatchRound(4, 3, 8, 1.5, ("head", 2, 2), 0.5))
    assert costs.drafting_s("head", 2, 2) == 0.5
    assert costs.drafting_s("head", 4, 2) == 1.0
