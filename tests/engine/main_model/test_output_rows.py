"""Output matrices cut to some ids: the same scores for these, in every form in which matrices are stored."""

from __future__ import annotations

from collections.abc import Callable

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest

from engine.cpu_backend.narrow_products import use_narrow_products
from engine.main_model.output_rows import output_rows

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
    whole, cut = matrix(x), rows(x)
    assert cut.shape == whole.shape
    assert mx.allclose(cut[..., IDS], whole[..., IDS], atol=1e-4)
    assert (cut[..., mx.array(OTHERS)] == -mx.inf).all()
