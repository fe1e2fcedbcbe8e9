"""A synthetic draft model agrees with the script at the rate asked for."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import mlx.core as mx
import pytest
from mlx_lm.models.cache import KVCache

from engine.bench.synthetic import STRETCH, random_script, synthetic_draft, synthetic_main
from engine.errors import BadRequest
from engine.speculation.rounds.sequence import CachedSequence
from engine.speculation.rounds.sequence_batch import SequenceBatch

SCRIPT = [(7 * index) % 1000 for index in range(2 * STRETCH)]


def predicted(model: Any, layers: int) -> list[int]:
    """The most likely token at every position of SCRIPT, fed in two passes."""
    caches = [KVCache() for _ in range(layers)]
    ids = mx.array([SCRIPT])
    halves = [model(ids[:, :STRETCH], cache=caches), model(ids[:, STRETCH:], cache=caches)]
    tokens: list[int] = mx.argmax(mx.concatenate(halves, axis=1), axis=-1)[0].tolist()  # type: ignore[assignment]
    return tokens


@pytest.mark.parametrize("accept", [0.5, *(pytest.param(rate, marks=pytest.mark.full) for rate in (0.0, 1.0))])
def test_the_draft_is_right_at_the_share_of_positions_asked_for(accept: float) -> None:
    draft = synthetic_draft("10M", SCRIPT, accept, None)
    assert draft.info.name == f"synthetic 10M, agrees {accept:.2f}"
    tokens = predicted(draft.model, len(draft.model.layers))
    right = sum(token == wanted for token, wanted in zip(tokens, SCRIPT[1:], strict=False))
    assert abs(right - accept * (len(SCRIPT) - 1)) <= 1


def test_a_main_model_has_its_size_and_writes_its_script_in_rows_of_a_batch_too() -> None:
    main = synthetic_main("10M", SCRIPT, None)
    assert 0.5 * 10e6 < main.info.bytes / 4 < 2 * 10e6
    assert main.info.architecture == "qwen3"
    model = main.model
    sequences = [CachedSequence(model, [KVCache() for _ in model.layers]) for _ in range(2)]
    batch = SequenceBatch(sequences[0])
    for sequence, start in zip(sequences, (3, 9), strict=True):
        sequence.append(SCRIPT[:start])
        sequence.prefill(16)
        batch.join(sequence)
    done = batch.verify([[1, 2], []])
    tokens = mx.argmax(done.logits, axis=-1).tolist()
    assert tokens == [SCRIPT[3:6], SCRIPT[9:12]]


def test_lookup_finds_nothing_in_a_random_script_and_an_unknown_size_is_refused() -> None:
    script = random_script()
    pairs = list(pairwise(script))
    assert len(set(pairs)) > 0.99 * len(pairs)

    with pytest.raises(BadRequest, match="synthetic must be one of 10M"):
        synthetic_main("3T", SCRIPT, None)
