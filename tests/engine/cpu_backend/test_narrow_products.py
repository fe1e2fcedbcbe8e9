"""Products in blocks equal whole products, and models that use them equal their files."""

from __future__ import annotations

import sys
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import pytest
from mlx.utils import tree_flatten
from mlx_lm.utils import load_model

from engine import starter_pair
from engine.cpu_backend import blas
from engine.cpu_backend.narrow_products import (
    MANY_ROWS,
    SMALL_PRODUCT,
    BlockedEmbedding,
    BlockedLinear,
    use_narrow_products,
)
from engine.main_model.loading import load
from engine.requests import MAX_DEPTH

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="elsewhere MLX multiplies with another BLAS"),
    pytest.mark.usefixtures("as_on_linux"),
]

ROWS = (1, 2, 5, 9, 17, MANY_ROWS - 1, MANY_ROWS, 2 * MANY_ROWS)


class Tied(nn.Module):  # type: ignore[misc]
    def __init__(self, vocabulary: int = 640) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, 96)

    def __call__(self, ids: mx.array) -> mx.array:
        return self.embedding.as_linear(self.embedding(ids))


class WithOwnHead(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(640, 96)
        self.head = nn.Linear(96, 640)

    def __call__(self, ids: mx.array) -> mx.array:
        return self.head(self.embedding(ids))


def ids(rows: int) -> mx.array:
    return (mx.arange(rows, dtype=mx.uint32) * 7 % 640)[None]


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize(
    "model", [Tied(), Tied(2048), Tied(2051), WithOwnHead()], ids=["whole", "blocks", "odd", "own-head"]
)
def test_products_in_blocks_are_the_same_products(model: Any, rows: int) -> None:
    before = model(ids(rows))
    mx.eval(before)
    use_narrow_products(model)
    assert mx.allclose(model(ids(rows)), before, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("inputs", [1024, 3072, 6144])
def test_the_widest_round_is_multiplied_in_products_that_count_as_small(
    inputs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blas, "BLAS", "OpenBLAS 0.3 Cooperlake")
    holder = nn.Sequential(nn.Linear(inputs, 128, bias=False))
    x = mx.random.normal((MAX_DEPTH + 1, inputs), key=mx.random.key(1))
    before = holder(x)
    mx.eval(before)
    use_narrow_products(holder)
    sizes: list[int] = []
    matmul = mx.array.__matmul__

    def sized(one: mx.array, other: mx.array) -> mx.array:
        sizes.append(len(one) * other.shape[-2] * other.shape[-1])
        return matmul(one, other)

    monkeypatch.setattr(mx.array, "__matmul__", sized)
    after = holder(x)
    assert mx.allclose(after, before, rtol=1e-4, atol=1e-3)
    assert sizes
    assert max(sizes) <= SMALL_PRODUCT


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("outputs", [512, 160, 48, 50])
def test_a_layer_takes_rows_of_any_shape(outputs: int, bias: bool) -> None:
    holder = nn.Sequential(nn.Linear(640, outputs, bias=bias))
    x = mx.random.normal((3, 4, 640), key=mx.random.key(1))
    before = holder(x)
    mx.eval(before)
    use_narrow_products(holder)
    assert holder(x).shape == (3, 4, outputs)
    assert mx.allclose(holder(x), before, rtol=1e-4, atol=1e-4)


def test_the_whole_matrix_can_still_be_read_and_a_layer_in_two_places_stays_one() -> None:
    shared = nn.Linear(256, 320)
    weight, holder = shared.weight, nn.Sequential(shared, shared)
    use_narrow_products(holder)
    assert isinstance(holder.layers[0], BlockedLinear)
    assert holder.layers[0] is holder.layers[1]
    assert mx.array_equal(holder.layers[0].weight, weight)


def test_an_embedding_takes_part_only_where_it_is_the_output_layer_too() -> None:
    tied, with_head = Tied(), WithOwnHead()
    use_narrow_products(tied)
    use_narrow_products(with_head)
    assert isinstance(tied.embedding, BlockedEmbedding)
    assert isinstance(with_head.head, BlockedLinear)
    assert type(with_head.embedding) is nn.Embedding


def test_nothing_is_held_twice() -> None:
    before = mx.get_active_memory()
    model = nn.Sequential(*(nn.Linear(512, 256, bias=False) for _ in range(4)))
    mx.eval(model.parameters())
    use_narrow_products(model)
    mx.eval(model.parameters())
    assert mx.get_active_memory() - before < 1.2 * sum(array.nbytes for _, array in tree_flatten(model.parameters()))


@pytest.mark.full
def test_a_loaded_model_says_what_its_file_says() -> None:
    path, _ = starter_pair()
    stored, _ = load_model(path)
    stored.set_dtype(mx.float32)
    model = load(path)
    assert isinstance(model.model.layers[0].self_attn.q_proj, BlockedLinear)
    text = mx.arange(9, dtype=mx.uint32)[None]
    assert mx.allclose(model.model(text), stored(text), rtol=1e-3, atol=1e-3)
    # A row gives the same in a wide pass as alone.
    text = mx.array([list(range(300, 340))], dtype=mx.uint32)
    wide, narrow = model.new_caches(), model.new_caches()
    mx.eval(model.model(text, cache=wide), model.model(text, cache=narrow))
    rows = mx.array([list(range(500, 509))], dtype=mx.uint32)
    together = model.model(rows, cache=wide)
    alone = mx.concatenate([model.model(rows[:, i : i + 1], cache=narrow) for i in range(9)], axis=1)
    assert mx.abs(together - alone).max() < 1e-4
