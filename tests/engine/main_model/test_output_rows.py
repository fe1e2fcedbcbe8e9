"""Output matrices cut to some ids: the same scores for these, in every form in which matrices are stored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest

from engine.cpu_backend.narrow_products import use_narrow_products
from engine.main_model.loading import LoadedModel, load
from engine.main_model.output_rows import output_rows, with_output_rows
from engine.status import ModelInfo
from tests.engine.speculation.families import SERVED, build
from tests.engine.tiers import by_tier
from tests.tiny_models import QWEN3, write_model

IDS = mx.array([*range(0, 192, 3)], mx.int32)
OTHERS = np.setdiff1d(np.arange(192), np.arange(0, 192, 3))


def in_blocks(layer: nn.Module) -> nn.Module:
    holder = nn.Module()
    holder.layer = layer
    use_narrow_products(holder)
    return holder.layer


LAYERS: dict[str, Callable[[], nn.Module]] = {
    "plain": lambda: nn.Linear(128, 192, bias=False),
    "biased": lambda: nn.Linear(128, 192),
    "in blocks": lambda: in_blocks(nn.Linear(128, 192)),
    "quantised": lambda: nn.QuantizedLinear(128, 192, group_size=64, bits=4),
    "mxfp4": lambda: nn.QuantizedLinear(128, 192, bias=False, group_size=32, bits=4, mode="mxfp4"),
    "tied": lambda: nn.Embedding(192, 128),
    "tied, in blocks": lambda: in_blocks(nn.Embedding(192, 128)),
    "tied, quantised": lambda: nn.QuantizedEmbedding(192, 128, group_size=64, bits=4),
}


@pytest.mark.usefixtures("as_on_linux")
@pytest.mark.parametrize("kind", LAYERS)
def test_kept_ids_have_their_scores_and_others_none(kind: str) -> None:
    layer = LAYERS[kind]()
    matrix = getattr(layer, "as_linear", layer)
    rows = output_rows(matrix, IDS)
    assert rows is not None
    x = mx.random.normal((1, 3, rows.width), key=mx.random.key(1)).astype(rows.dtype)
    whole, cut = matrix(x), rows.as_linear(x)
    assert cut.shape == whole.shape
    assert mx.allclose(cut[..., IDS], whole[..., IDS], atol=1e-4)
    assert (cut[..., mx.array(OTHERS)] == -mx.inf).all()
    if matrix is not layer:
        tokens = mx.array([[1, 100, 191]])
        assert mx.array_equal(rows(tokens), layer(tokens))


@pytest.mark.parametrize("tied", [False, True])
def test_a_model_with_fewer_scores_shares_its_weights_and_writes_into_the_same_caches(
    tmp_path: Path, tied: bool
) -> None:
    model = load(write_model(tmp_path / "model", config={**QWEN3, "tie_word_embeddings": tied}))
    found = with_output_rows(model, IDS)
    assert found is not None
    twin, _ = found
    caches, others = model.new_caches(), model.new_caches()
    tokens = mx.array([[5, 250, 7]], mx.uint32)
    whole, cut = model.model(tokens, cache=caches), twin(tokens, cache=others)
    assert mx.allclose(cut[..., IDS], whole[..., IDS], atol=1e-4)
    assert mx.array_equal(caches[0].keys, others[0].keys)
    assert twin.layers is model.model.layers


@pytest.mark.parametrize("family", by_tier([name for name in SERVED if ":" not in name], ["llama", "gemma3n"]))
def test_the_output_matrix_of_every_family_is_found(family: str) -> None:
    model = LoadedModel(ModelInfo(family, Path(family), family, 64, 0), build(family), None, 8, frozenset())
    vocabulary = model.model(mx.zeros((1, 1), mx.uint32), cache=model.new_caches()).shape[-1]
    assert with_output_rows(model, mx.arange(0, vocabulary, 3, dtype=mx.int32)) is not None
