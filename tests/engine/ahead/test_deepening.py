"""Which branches a pass deepens: the likely ones first, as far as further rows of a pass cost anything."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import prod
from statistics import fmean

import pytest

from engine.ahead.deepening import PassCosts, branches_to_deepen, cut_chances

# What tests of this room do without.
OBSERVE = PassCosts.observe

Order = Callable[[Sequence[int]], list[int]]


def by_gain(chances: Sequence[float], rates: Sequence[float], row: float, depth: int) -> Order:
    return lambda depths: branches_to_deepen(chances, depths, depth, rates, row)


def all_alike(depth: int) -> Order:
    return lambda depths: [branch for branch, reached in enumerate(depths) if reached < depth]


def played(order: Order, branches: int, row: float) -> list[tuple[float, tuple[int, ...]]]:
    """Return the time at the end of each pass, in passes of one row, and the depths of the branches then."""
    depths, time = [0] * branches, 0.0
    states = [(0.0, tuple(depths))]
    while chosen := order(depths):
        time += 1.0 + row * (len(chosen) - 1)
        for branch in chosen:
            depths[branch] += 1
        states.append((time, tuple(depths)))
    return states


def accepted(depths: Sequence[int], chances: Sequence[float], rates: Sequence[float]) -> float:
    """Return how many prepared draft tokens are accepted on average."""
    return sum(
        chance * sum(prod(rates[: count + 1]) for count in range(reached))
        for chance, reached in zip(chances, depths, strict=True)
    )


def at(states: Sequence[tuple[float, tuple[int, ...]]], time: float) -> tuple[int, ...]:
    return max(state for state in states if state[0] <= time)[1]


def test_the_likely_branch_is_deep_before_another_begins() -> None:
    states = played(by_gain([0.1, 0.2, 0.6], [0.9, 0.9], 1.0, 2), 3, 1.0)
    assert [depths for _, depths in states] == [
        (0, 0, 0),
        (0, 0, 1),
        (0, 0, 2),
        (0, 1, 2),
        (0, 2, 2),
        (1, 2, 2),
        (2, 2, 2),
    ]


def test_deep_tokens_of_a_likely_branch_come_after_the_first_of_an_unlikely_one() -> None:
    states = played(by_gain([0.2, 0.5], [0.6, 0.5], 1.0, 2), 2, 1.0)
    assert [depths for _, depths in states] == [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2)]
    states = played(by_gain([0.2, 0.5], [0.6, 0.3], 1.0, 2), 2, 1.0)
    assert [depths for _, depths in states] == [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2)]


def test_where_rows_cost_nothing_every_pass_takes_all_branches() -> None:
    states = played(by_gain([0.1, 0.2, 0.6], [0.9], 0.0, 3), 3, 0.0)
    assert [depths for _, depths in states] == [(count,) * 3 for count in range(4)]


def test_branches_that_are_hardly_ever_used_are_not_deepened() -> None:
    assert branches_to_deepen([1e-6, 0.5], [0, 3], 3, [0.7], 1.0) == []
    assert branches_to_deepen([1e-6, 0.5], [0, 2], 3, [0.0], 1.0) == []


def test_a_cut_is_as_likely_as_that_so_many_draft_tokens_are_accepted() -> None:
    assert cut_chances([0.5, 0.8], 2) == pytest.approx([0.5, 0.5 * 0.2, 0.5 * 0.8])
    # The last rate counts for all further tokens.
    assert cut_chances([0.5, 0.8], 3) == pytest.approx([0.5, 0.5 * 0.2, 0.5 * 0.8 * 0.2, 0.5 * 0.8 * 0.8])
    assert sum(cut_chances([0.7], 5)) == pytest.approx(1.0)


@pytest.mark.parametrize(("row_ms", "row"), [(0.0, 0.0), (2.5, 0.25), (10.0, 1.0), (-3.0, 0.0)])
def test_the_cost_of_a_row_is_learned_from_passes(row_ms: float, row: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PassCosts, "observe", OBSERVE)
    costs = PassCosts()
    assert costs.row == 0.0
    costs.observe(5, 1.0)
    assert costs.row == 0.0
    for number in range(40):
        rows = number % 5 + 1
        # Some passes are disturbed.
        costs.observe(rows, 0.01 + row_ms / 1e3 * (rows - 1) + (number % 9 == 4))
    assert costs.row == pytest.approx(row)


@pytest.mark.full
@pytest.mark.parametrize("row", [0.0, 0.1, 0.3, 0.72, 0.85, 1.0])
@pytest.mark.parametrize("acceptance", [0.5, 0.7, 0.9])
def test_whenever_the_outcome_comes_more_is_prepared_for_it_than_if_all_are_deepened_alike(
    acceptance: float, row: float
) -> None:
    """On average; for a round in which rows are cheap, it may be a little less, as each pass looks no further ahead."""
    draw = random.Random(f"{acceptance} {row}")
    gains = []
    for _ in range(30):
        depth = draw.randrange(2, 8)
        rates = [min(1.0, acceptance * draw.uniform(0.9, 1.1)) for _ in range(depth)]
        cuts = cut_chances(rates, draw.randrange(1, 7))
        # One or two recovery tokens at each cut, of which the second is the less likely.
        tokens = [[draw.uniform(0.1, 0.9), draw.uniform(0.0, 0.1)][: draw.choice((1, 2))] for _ in cuts]
        chances = [cut * token for cut, likely in zip(cuts, tokens, strict=True) for token in likely]
        uniform = played(all_alike(depth), len(chances), row)
        ordered = played(by_gain(chances, rates, row, depth), len(chances), row)
        assert all(before < after for (before, _), (after, _) in pairwise(ordered))
        # In the end, all is prepared that is likely to be accepted.
        whole, prepared = (accepted(states[-1][1], chances, rates) for states in (uniform, ordered))
        assert prepared > 0.99 * whole
        times = [uniform[-1][0] * part / 40 for part in range(1, 40)]
        means = [fmean(accepted(at(states, time), chances, rates) for time in times) for states in (ordered, uniform)]
        assert means[0] > 0.95 * means[1]
        gains.append(means[0] / means[1])
    # Rows that cost hardly anything leave hardly anything to gain.
    assert fmean(gains) > (1.15 if row > 0.7 else 1.04 if row > 0.2 else 0.9999)
