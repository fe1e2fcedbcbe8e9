"""The sampled distribution is that of mlx-lm; a draw depends on seed and position alone."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import pytest
from mlx_lm import sample_utils

from engine.main_model.sampling import ACCEPT, DRAFT, DRAW, Sampler
from engine.requests import SamplingSettings

VOCABULARY = 64
HISTORY = [3, 5, 5, 9, 12, 3, 40, 5]
SETTINGS = [
    {"temperature": 0.3},
    {"temperature": 0.8, "top_p": 0.7},
    {"temperature": 1.0, "min_p": 0.1},
    {"temperature": 1.2, "top_k": 7},
    {"temperature": 0.7, "top_k": 20, "top_p": 0.9, "min_p": 0.02},
    {"temperature": 0.7, "repetition_penalty": 1.3},
    {"temperature": 0.7, "presence_penalty": 0.6, "frequency_penalty": 0.4},
    {"temperature": 0.9, "repetition_penalty": 1.1, "presence_penalty": 0.3, "frequency_penalty": -0.2, "top_p": 0.8},
    {"temperature": 0.9, "logit_bias": {3: 4.0, 9: -8.0}, "penalty_window": 4, "repetition_penalty": 1.5},
]


def logits(rows: int, seed: int = 0, width: int = VOCABULARY) -> mx.array:
    return 3.0 * mx.random.normal((rows, width), key=mx.random.key(seed))


def mlx_lm_scores(row: mx.array, history: list[int], settings: SamplingSettings) -> mx.array:
    """Return the scores that mlx-lm passes to its categorical draw for this row."""
    processors = sample_utils.make_logits_processors(
        logit_bias=dict(settings.logit_bias) or None,
        repetition_penalty=settings.repetition_penalty if settings.repetition_penalty != 1.0 else None,
        repetition_context_size=settings.penalty_window,
        presence_penalty=settings.presence_penalty,
        presence_context_size=settings.penalty_window,
        frequency_penalty=settings.frequency_penalty,
        frequency_context_size=settings.penalty_window,
    )
    row = mx.array(row)[None]
    for processor in processors:
        row = processor(mx.array(history), row)
    drawn_from: list[mx.array] = []
    original = sample_utils.categorical_sampling
    sample_utils.categorical_sampling = lambda x, temp: drawn_from.append(x * (1.0 / temp)) or mx.argmax(x, axis=-1)
    try:
        sampler = sample_utils.make_sampler(
            temp=settings.temperature, top_p=settings.top_p, min_p=settings.min_p, top_k=settings.top_k
        )
        sampler(row - mx.logsumexp(row, keepdims=True))
    finally:
        sample_utils.categorical_sampling = original
    return drawn_from[0][0]


@pytest.mark.parametrize("values", SETTINGS)
def test_distribution_is_that_of_mlx_lm(values: dict[str, Any]) -> None:
    settings = SamplingSettings(**values)
    sampler = Sampler(settings, VOCABULARY)
    row = logits(1)
    ours = mx.softmax(sampler.truncated(sampler.log_probabilities(sampler.scores(row, HISTORY))), axis=-1)
    theirs = mx.softmax(mlx_lm_scores(row[0], HISTORY, settings), axis=-1)
    assert mx.allclose(ours[0], theirs, atol=1e-5)


@pytest.mark.parametrize("values", SETTINGS)
def test_every_row_of_a_block_sees_the_history_of_plain_decoding(values: dict[str, Any]) -> None:
    sampler = Sampler(SamplingSettings(**values), VOCABULARY)
    guesses = [5, 9, 17]
    block = logits(4, seed=2)
    together = sampler.scores(block, HISTORY, mx.array(guesses, dtype=mx.uint32))
    for index in range(4):
        alone = sampler.scores(block[index : index + 1], HISTORY + guesses[:index])
        assert mx.allclose(together[index], alone[0], atol=1e-5)


def test_a_draft_step_sees_the_draft_tokens_before_it() -> None:
    sampler = Sampler(SamplingSettings(temperature=1.0, repetition_penalty=1.4), VOCABULARY)
    row = logits(1, seed=4)
    lazily = sampler.scores(row, HISTORY, mx.array([17, 18], dtype=mx.uint32))
    assert mx.allclose(lazily, sampler.scores(row, [*HISTORY, 17, 18]), atol=1e-6)


@pytest.mark.parametrize(
    "values",
    [{"top_p": 0.9}, {"top_p": 0.3}, {"top_k": 20}, {"top_k": 20, "top_p": 0.9, "min_p": 0.02}, {"top_p": 1e-6}],
)
@pytest.mark.parametrize("steps", [1, 4096])
def test_a_certain_draw_is_that_from_the_sorted_vocabulary(values: dict[str, Any], steps: int) -> None:
    """With few `steps` between scores, many tokens are equally likely."""
    sampler = Sampler(SamplingSettings(temperature=1.0, seed=7, **values), VOCABULARY)
    scores = mx.round(logits(400, seed=5) * steps) / steps
    logprobs, noise = sampler.log_probabilities(scores), sampler.noise(0, 400)
    assert noise is not None
    drawn, _, certain = sampler.sample_top_candidates(logprobs, noise)
    sorted_draw = sampler.draw(logprobs, noise)
    assert mx.array_equal(mx.where(certain, drawn, sorted_draw), sorted_draw)
    if steps > 1 and values["top_p" if "top_p" in values else "top_k"] >= 0.9:
        assert certain.sum().item() > 300


@pytest.mark.first
def test_noise_depends_on_seed_and_position_alone() -> None:
    def noise(seed: int, position: int, count: int, stream: int = DRAW) -> mx.array:
        drawn = Sampler(SamplingSettings(temperature=1.0, seed=seed), VOCABULARY).noise(position, count, stream)
        assert drawn is not None
        return drawn

    block = noise(7, 100, 5)
    for index in range(5):
        assert mx.array_equal(noise(7, 100 + index, 1)[0], block[index])
    assert not mx.array_equal(noise(8, 100, 1), block[:1])
    assert not mx.array_equal(noise(7, 100, 1, DRAFT), block[:1])
    assert not mx.array_equal(noise(7, 100, 1, ACCEPT), block[:1])


def test_a_request_without_a_seed_gets_a_fresh_one() -> None:
    assert Sampler(SamplingSettings(), 8).seed != Sampler(SamplingSettings(), 8).seed


def test_padding_rows_of_the_output_are_never_drawn() -> None:
    sampler = Sampler(SamplingSettings(), vocabulary=10)
    row = mx.zeros((1, 16)).at[0, 12].add(100.0)
    assert sampler.draw(sampler.scores(row, []), None).item() < 10


def test_a_draft_with_fewer_rows_never_proposes_the_missing_ones() -> None:
    sampler = Sampler(SamplingSettings(temperature=1.0, seed=1), vocabulary=16)
    row = mx.zeros((1, 10))
    for position in range(50):
        logprobs = sampler.log_probabilities(sampler.scores(row, []))
        assert sampler.draw(logprobs, sampler.noise(position, 1)).item() < 10
