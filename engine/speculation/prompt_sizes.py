"""How much answers to prompts of different lengths differ: whether the length of a prompt tells what is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

# Sizes of prompts up to any length that a model can read.
SIZES = range(1, 64)


def prompt_size(tokens: int) -> int:
    """The range of lengths that a prompt of `tokens` tokens lies in: two for each doubling; 0 for 0 tokens."""
    return (tokens * tokens).bit_length()


def pooled_weight(groups: Sequence[tuple[float, float]]) -> float:
    """How many observations the common rate counts for beside the rate of one group; infinite if all groups are alike.

    A group is (answers, rate of acceptance in them). What the rates differ by more than they would by chance is how
    much the groups themselves differ: the estimate of DerSimonian and Laird (1986), Meta-analysis in clinical trials,
    with as many deviations by chance as groups, because groups of one answer always deviate by that.
    """
    answers = sum(count for count, _ in groups)
    if not answers:
        return inf
    # Half an acceptance and half a rejection more, so that neither is impossible.
    common = (sum(count * rate for count, rate in groups) + 0.5) / (answers + 1.0)
    chance = common * (1.0 - common)
    deviation = sum(count * (rate - common) ** 2 for count, rate in groups) / chance
    excess = deviation - len(groups)
    free = answers - sum(count * count for count, _ in groups) / answers
    if excess <= 0.0 or free <= 0.0:
        return inf
    # The share of the variance that lies between groups.
    between = min(1.0, excess / free)
    return (1.0 - between) / between
