"""Draws for several requests at once equal those of each alone."""

from __future__ import annotations

import mlx.core as mx
import pytest

from engine.main_model.joint_sampling import draw_together, make_noise
from engine.main_model.sampling import Sampler
from engine.requests import SamplingSettings
from engine.speculation.rounds.round import draw_tokens

VOCABULARY = 500
SETTINGS = (
    SamplingSettings(temperature=0.8, seed=1),
    SamplingSettings(),
    SamplingSettings(temperature=0.8, seed=2),
    SamplingSettings(temperature=1.2, seed=3, top_p=0.7),
    SamplingSettings(temperature=0.8, seed=4, top_k=3, min_p=0.1),
    SamplingSettings(),
)


@pytest.mark.parametrize("members", [(0, 1, 2, 3, 4, 5), (1, 5), (0, 2), (3, 0)])
def test_each_draws_what_it_draws_alone(members: tuple[int, ...]) -> None:
    counts, positions = [1 + member % 3 for member in members], [40 + member for member in members]
    scores = 3 * mx.random.normal((sum(counts), VOCABULARY), key=mx.random.key(9))
    samplers = [Sampler(SETTINGS[member], VOCABULARY) for member in members]
    make_noise(samplers, positions, counts)
    noises = [one.noise(at, count) for one, at, count in zip(samplers, positions, counts, strict=True)]
    tokens, logprobs = draw_together(samplers, counts, noises, scores)
    start = 0
    for member, position, count in zip(members, positions, counts, strict=True):
        own, rows = Sampler(SETTINGS[member], VOCABULARY), slice(start, start + count)
        expected, expected_logprobs, *_ = draw_tokens(own, scores[rows], [0] * position, position, None, None)
        assert tokens[rows].tolist() == expected.tolist()
        assert mx.array_equal(logprobs[rows], expected_logprobs)
        start += count


def test_noise_that_is_there_is_not_made_again() -> None:
    sampler = Sampler(SETTINGS[0], VOCABULARY)
    before = sampler.noise(7, 4)
    make_noise([sampler], [7], [3])
    after = sampler.noise(7, 4)
    assert before is not None
    assert after is not None
    assert mx.array_equal(before, after)
    assert not sampler.has_noise(8, 1)
