"""Draws for several requests at once, in as few operations as one request needs.

The scores of all samplers must be plain logits. Each sampler draws the same tokens as alone: noise is keyed by its own
seed and position, and rows do not mix.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import mlx.core as mx

from engine.main_model.sampling import Sampler, gumbel_noise


def make_noise(samplers: Sequence[Sampler], positions: Sequence[int], counts: Sequence[int]) -> None:
    """Make the noise that `noise(positions[b], counts[b])` of each sampler will return, in one operation."""
    wanted = [
        (sampler, position, count)
        for sampler, position, count in zip(samplers, positions, counts, strict=True)
        if not sampler.greedy and not sampler.has_noise(position, count)
    ]
    if not wanted:
        return
    keys = [key for sampler, position, count in wanted for key in sampler.keys(position, count)]
    noise, start = gumbel_noise(keys, wanted[0][0].vocabulary), 0
    for sampler, position, count in wanted:
        sampler.keep_noise(position, noise[start : start + count])
        start += count


def draw_together(
    samplers: Sequence[Sampler], counts: Sequence[int], noises: Sequence[mx.array | None], scores: mx.array
) -> tuple[mx.array, mx.array]:
    """Return the tokens (rows,) uint32 that the samplers draw, and their natural log-probabilities (rows,).

    `scores` (rows, vocabulary) float32 hold `counts[b]` rows of each sampler, in order; `noises[b]` has the same number
    of rows, or is None for a greedy sampler.
    """
    if all(sampler.greedy for sampler in samplers):
        return Sampler.likeliest(scores)
    groups: dict[tuple[float, ...], list[int]] = {}
    firsts = list(accumulate(counts, initial=0))
    for index, sampler in enumerate(samplers):
        groups.setdefault(_shape_of(sampler), []).append(index)
    normalised = Sampler.log_probabilities(scores)
    drawn: list[mx.array] = []
    order: list[int] = []
    for members in groups.values():
        sampler = samplers[members[0]]
        rows = [row for index in members for row in range(firsts[index], firsts[index + 1])]
        own = [noise for index in members if (noise := noises[index]) is not None]
        # Greedy samplers draw from the scores: normalising can make unequal scores equal.
        drawn.append(sampler.draw(_rows(normalised if own else scores, rows), mx.concatenate(own) if own else None))
        order += rows
    sampled = mx.concatenate(drawn)
    if order != sorted(order):
        places = {row: place for place, row in enumerate(order)}
        sampled = sampled[mx.array([places[row] for row in range(len(order))])]
    return sampled, mx.take_along_axis(normalised, sampled[:, None], axis=-1)[:, 0]


def _rows(array: mx.array, rows: list[int]) -> mx.array:
    return array if len(rows) == array.shape[0] else array[mx.array(rows)]


def _shape_of(sampler: Sampler) -> tuple[float, ...]:
    """Return the settings that shape the distribution. Samplers with equal ones draw in one operation."""
    settings = sampler.settings
    return () if sampler.greedy else (settings.temperature, settings.top_p, settings.min_p, settings.top_k)
