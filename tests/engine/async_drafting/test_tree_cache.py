"""The choice of the verdicts to prepare for, and their number."""

from __future__ import annotations

from engine.async_drafting.tree_cache import RowBudget, fan_out


def test_more_is_prepared_for_the_lengths_that_are_likelier() -> None:
    certain, doubtful = fan_out(0.95, 6, 10), fan_out(0.2, 6, 10)
    assert certain[6] > certain[0]
    assert doubtful[0] > doubtful[6]


def test_the_budget_follows_what_was_finished_in_time() -> None:
    budget = RowBudget(8)
    assert budget.rows(4) == 5
    for _ in range(20):
        budget.observe(4, finished=True)
    assert budget.rows(4) == 8
    for _ in range(20):
        budget.observe(4, finished=False)
    assert budget.rows(4) == 1
    assert budget.rows(2) == 3
