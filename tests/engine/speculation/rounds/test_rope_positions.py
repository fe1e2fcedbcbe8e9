"""Positions in texts with pictures: the tables, and passes of any width, of batches and after rollbacks."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest
from mlx.utils import tree_map
from mlx_lm.models.cache import make_prompt_cache
from mlx_lm.utils import _get_classes

from engine.pictures.positions import Axes, Grid, Positions
from engine.speculation.rounds.rope_positions import rope_positions
from engine.speculation.rounds.sequence import CachedSequence
from engine.speculation.rounds.sequence_batch import SequenceBatch
from tests.engine.speculation.family_configs import DELTA, DENSE, VOCABULARY
from tests.engine.speculation.plain_decoding import assert_same_logits
from tests.engine.tiers import by_tier

GRIDS = (Grid(3, 2, 3), Grid(12, 4, 2))
PROMPT = 26
AXES = {"qwen2_vl": Axes((2, 1, 1), interleaved=False), "qwen3_5": Axes((2, 1, 1), interleaved=True)}
HYBRID = {
    "model_type": "qwen3_5_text", **DENSE, **DELTA, "head_dim": 16, "full_attention_interval": 2,
    "rope_parameters": {"type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5},
}  # fmt: skip


@cache
def model_of(family: str) -> Any:
    """Return a tiny model of a family in float32, with noise on every parameter."""
    model_class, arguments = _get_classes({"model_type": family})
    config = {"model_type": family, "text_config": HYBRID if family == "qwen3_5" else {**DENSE, "model_type": "qwen2"}}
    mx.random.seed(7)
    model: nn.Module = model_class(arguments.from_dict(config))
    model.update(tree_map(lambda value: value + 0.2 * mx.random.normal(value.shape), model.parameters()))
    mx.eval(model.parameters())
    return model


def text_of(seed: int, length: int) -> list[int]:
    draw = random.Random(seed)
    return [draw.randrange(VOCABULARY) for _ in range(length)]


def expected_logits(family: str, tokens: list[int], grids: tuple[Grid, ...]) -> np.ndarray:
    """Return logits (n, V) of one pass; a last picture of one token makes it read the table for every token."""
    whole = Positions(AXES[family], (*grids, Grid(len(tokens) - 1, 1, 1)))
    with rope_positions(model_of(family), whole):
        logits = model_of(family)(mx.array([tokens], mx.uint32), cache=make_prompt_cache(model_of(family)))
    return np.array(logits[0])


def prefilled(family: str, tokens: list[int], grids: tuple[Grid, ...], chunk: int = 512) -> CachedSequence:
    sequence = CachedSequence(model_of(family), make_prompt_cache(model_of(family)))
    sequence.append(tokens[:PROMPT])
    sequence.positions = Positions(AXES[family], grids) if grids else None
    while sequence.prefill(chunk):
        pass
    return sequence


def test_text_goes_on_behind_the_longer_side_of_a_picture() -> None:
    assert np.array(Positions(AXES["qwen2_vl"], GRIDS[:1]).of(0, 12)).tolist() == [
        [0, 1, 2, 3, 3, 3, 3, 3, 3, 6, 7, 8],
        [0, 1, 2, 3, 3, 3, 4, 4, 4, 6, 7, 8],
        [0, 1, 2, 3, 4, 5, 3, 4, 5, 6, 7, 8],
    ]
    assert np.array(Positions(AXES["qwen2_vl"], GRIDS).of(8, 14)).tolist() == [
        [3, 6, 7, 8, 9, 9, 9, 9, 9, 9, 9, 9, 13, 14],
        [4, 6, 7, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 14],
        [5, 6, 7, 8, 9, 10, 9, 10, 9, 10, 9, 10, 13, 14],
    ]


@pytest.mark.parametrize(
    ("axes", "expected"),
    [
        (Axes((1, 2, 1), interleaved=False), [0, 1, 1, 2]),
        # The published sections of Qwen3.5 and Qwen3-VL, as transformers spreads them.
        (Axes((11, 11, 10), interleaved=True), [0, 1, 2] * 10 + [0, 1]),
        (Axes((24, 20, 20), interleaved=True), [0, 1, 2] * 20 + [0, 0, 0, 0]),
    ],
)
def test_each_pair_of_numbers_turns_by_one_coordinate(axes: Axes, expected: list[int]) -> None:
    assert axes.of_numbers(2 * len(expected) + 3).tolist() == [*expected, *expected, 0, 0, 0]


@pytest.mark.parametrize("family", AXES)
@pytest.mark.parametrize("chunk", by_tier([1, 5, 512], [5]))
def test_rounds_after_pictures_have_the_logits_of_one_pass(family: str, chunk: int) -> None:
    tokens = text_of(1, PROMPT + 20)
    expected = expected_logits(family, tokens, GRIDS)
    sequence = prefilled(family, tokens, GRIDS, chunk)
    for k, accepted in ((0, 0), (4, 2), (3, 0), (2, 2), (4, 4)):
        at = len(sequence.tokens)
        wrong = [(token + 1) % VOCABULARY for token in tokens[at + accepted : at + k]]
        logits = np.array(sequence.verify([*tokens[at : at + accepted], *wrong]))
        for row in range(accepted + 1):
            assert_same_logits(logits[row], expected[at + row - 1], f"{family} after {at + row} tokens")
        sequence.commit(accepted, tokens[at : at + accepted + 1])


@pytest.mark.parametrize("family", AXES)
def test_rows_of_a_batch_have_their_own_positions(family: str) -> None:
    texts, grids = [text_of(seed, PROMPT + 8) for seed in range(3)], (GRIDS, (), GRIDS[:1])
    expected = [expected_logits(family, text, own) for text, own in zip(texts, grids, strict=True)]
    sequences = [prefilled(family, text, own) for text, own in zip(texts, grids, strict=True)]
    batch = SequenceBatch(sequences[0])
    for sequence in sequences:
        batch.join(sequence)
    for _ in range(2):
        at = len(sequences[0].tokens)
        done = batch.verify([text[at : at + 2] for text in texts])
        logits = np.array(done.logits)
        for index, row in enumerate(expected):
            for depth in range(3):
                assert_same_logits(logits[index, done.firsts[index] + depth], row[at + depth - 1], f"{family} {index}")
        batch.commit(done.counts)
        for sequence, text in zip(sequences, texts, strict=True):
            sequence.append(text[at : at + 3])


def test_a_text_without_pictures_and_one_before_its_pictures_keep_every_bit() -> None:
    family, tokens = "qwen2_vl", text_of(1, PROMPT)
    model = model_of(family)
    ropes = [layer.self_attn.rope for layer in model.layers]
    plain = model(mx.array([tokens], mx.uint32), cache=make_prompt_cache(model))
    with rope_positions(model, Positions(AXES[family], [Grid(PROMPT, 2, 2)])):
        before = model(mx.array([tokens], mx.uint32), cache=make_prompt_cache(model))
    assert mx.array_equal(plain, before).item()
    with pytest.raises(ZeroDivisionError), rope_positions(model, Positions(AXES[family], GRIDS)):
        raise ZeroDivisionError
    assert [layer.self_attn.rope for layer in model.layers] == ropes
    assert all(type(layer.self_attn.rope) is nn.RoPE for layer in model.layers)
