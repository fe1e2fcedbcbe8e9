"""Whether prompts of different lengths are answered differently, or only seem to be by chance."""

from __future__ import annotations

import random
from math import inf

from engine.speculation.prompt_sizes import SIZES, pooled_weight, prompt_size


def test_a_doubling_of_the_length_is_two_sizes() -> None:
    assert [prompt_size(tokens) for tokens in (16, 23, 31, 32, 45, 46, 64)] == [9, 10, 10, 11, 11, 12, 13]
    assert prompt_size(0) == 0
    assert prompt_size(1_000_000) in SIZES


def test_groups_that_are_alike_are_one() -> None:
    assert pooled_weight([(10.0, 0.8), (20.0, 0.8), (5.0, 0.8)]) == inf
    assert pooled_weight([]) == inf
    assert pooled_weight([(30.0, 0.4)]) == inf
    # An answer of each says nothing about whether more of them would differ.
    assert pooled_weight([(1.0, 1.0), (1.0, 0.0), (1.0, 1.0)]) == inf


def test_groups_as_different_as_can_be_hardly_count_for_each_other() -> None:
    assert pooled_weight([(10.0, 1.0), (10.0, 0.0)]) < 0.2


def test_chance_alone_seldom_makes_groups_differ() -> None:
    draw, weights = random.Random(3), []
    for _ in range(200):
        groups = [(8.0, sum(draw.random() < 0.8 for _ in range(8)) / 8.0) for _ in range(6)]
        weights.append(pooled_weight(groups))
    assert sum(weight > 8.0 for weight in weights) > 160
