"""What reading a prompt takes is learned by the length of the text before it, and for each layer."""

from __future__ import annotations

import pytest

from engine.prefill_costs import PrefillCosts


def test_nothing_is_known_before_anything_was_read() -> None:
    assert PrefillCosts().token_s(0) is None
    assert PrefillCosts().largest_share == 1.0


def test_a_short_last_piece_hardly_counts() -> None:
    costs = PrefillCosts()
    for _ in range(4):
        costs.took(128, 0, 128 * 0.001)
    costs.took(3, 0, 3 * 0.02)
    assert costs.token_s(0) == pytest.approx(0.001, rel=0.2)


def test_a_short_first_piece_is_soon_forgotten() -> None:
    costs = PrefillCosts()
    costs.took(5, 0, 5 * 0.02)
    assert costs.token_s(0) == pytest.approx(0.02)
    costs.took(512, 0, 512 * 0.001)
    assert costs.token_s(0) == pytest.approx(0.001, rel=0.2)


def test_short_and_long_contexts_are_told_apart() -> None:
    costs = PrefillCosts()
    for context in range(0, 8192, 512):
        costs.took(512, context, 512 * 0.001 * (1 + context / 1024))
    assert costs.token_s(100) == pytest.approx(0.001)
    assert costs.token_s(8000) == pytest.approx(0.0085, rel=0.1)
    # Never been there: as the longest that is known.
    assert costs.token_s(100_000) == costs.token_s(8000)


def test_an_unknown_context_begins_where_the_one_before_it_was() -> None:
    costs = PrefillCosts()
    costs.took(512, 3500, 512 * 0.004)
    costs.took(4, 4096, 4 * 0.1)
    assert costs.token_s(4096) == pytest.approx(0.004, rel=0.4)
    costs.reset()
    assert costs.token_s(4096) is None


def test_the_first_layer_is_expected_to_take_nothing_and_the_others_the_same() -> None:
    assert PrefillCosts().shares(5) == [0.0, 0.25, 0.25, 0.25, 0.25]
    assert PrefillCosts().shares(1) == [1.0]
    assert PrefillCosts().shares(0) == []


def test_slow_layers_are_found() -> None:
    costs = PrefillCosts()
    for _ in range(20):
        costs.spread(5, [(0, 2, 0.1), (2, 3, 0.6), (3, 5, 0.3)])
    assert costs.largest_share == pytest.approx(0.6, rel=0.02)
    assert sum(costs.shares(5)) == pytest.approx(1.0)
    assert costs.shares(5)[3:] == pytest.approx([0.15, 0.15], rel=0.02)
    # A pass at once says nothing of layers, another model's layers are others.
    costs.spread(5, [(0, 5, 9.0)])
    assert costs.largest_share == pytest.approx(0.6, rel=0.02)
    assert costs.shares(3) == [0.0, 0.5, 0.5]
