"""The choice of the verdicts to prepare for, and their number."""

from __future__ import annotations

from itertools import product

import pytest

from engine.async_drafting.tree_cache import MOST_CANDIDATES, RowBudget, fan_out


def miss(counts: list[int], acceptance: float, power: float) -> float:
    """Return the chance of a miss if `count` candidates miss with (count + 0.5)^-power."""
    depth = len(counts) - 1
    chances = [acceptance**j * (1 - acceptance) for j in range(depth)] + [acceptance**depth]
    return sum(p * (count + 0.5) ** -power for p, count in zip(chances, counts, strict=True))


@pytest.mark.parametrize("acceptance", [0.5, 0.7, 0.9])
@pytest.mark.parametrize("budget", [1, 4, 7])
def test_the_fan_out_is_nearly_the_best_division_of_the_budget(acceptance: float, budget: int) -> None:
    counts = fan_out(acceptance, 3, budget, power=1.0)
    assert sum(counts) == budget
    divisions = [list(c) for c in product(range(MOST_CANDIDATES + 1), repeat=4) if sum(c) == budget]
    best = min(miss(division, acceptance, 1.0) for division in divisions)
    assert miss(counts, acceptance, 1.0) <= 1.15 * best


def test_more_is_prepared_for_the_lengths_that_are_likelier() -> None:
    certain, doubtful = fan_out(0.95, 6, 10), fan_out(0.2, 6, 10)
    assert certain[6] > certain[0]
    assert doubtful[0] > doubtful[6]


def test_no_length_gets_more_than_its_most() -> None:
    assert fan_out(0.5, 1, 100) == [MOST_CANDIDATES, MOST_CANDIDATES]


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
