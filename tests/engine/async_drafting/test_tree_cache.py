"""Which verdicts are prepared for, and what the tree cache finds."""

from __future__ import annotations

from itertools import product

import pytest

from engine.async_drafting.tree_cache import MOST_CANDIDATES, Branch, RowBudget, TreeCache, fan_out


def miss(counts: list[int], acceptance: float, power: float) -> float:
    """The chance of a miss where `count` candidates miss with count^-power."""
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


def test_a_prepared_outcome_is_found() -> None:
    cache = TreeCache(10, [5, 6, 7])
    cache.add([Branch(1, 9, [21, 22]), Branch(3, 8, [31]), Branch(0, 4)])
    hit = cache.find(10, (5, 9))
    assert hit is not None
    assert hit.tokens == [21, 22]
    hit = cache.find(10, (5, 6, 7, 8))
    assert hit is not None
    assert hit.tokens == [31]


@pytest.mark.parametrize(
    ("position", "tokens"),
    [(11, (5, 9)), (10, (6, 9)), (10, (5, 8)), (10, (4,)), (10, (5, 6, 7, 9)), (10, (9, 9, 9, 9, 9))],
)
def test_anything_else_is_a_miss(position: int, tokens: tuple[int, ...]) -> None:
    cache = TreeCache(10, [5, 6, 7])
    cache.add([Branch(1, 9, [21, 22]), Branch(3, 8, [31]), Branch(0, 4)])
    assert cache.find(position, tokens) is None


def test_a_round_that_verified_less_than_was_proposed_goes_on_with_the_rest() -> None:
    rest = TreeCache(10, [5, 6, 7], [0.9, 0.8, 0.7]).find(10, (5,))
    assert rest is not None
    assert (rest.tokens, rest.probabilities) == ([6, 7], [0.8, 0.7])


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
