from __future__ import annotations

from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import pytest
from mlx.utils import tree_flatten

from engine import starter_pair
from engine.files.steps import run_to_completion
from engine.main_model.loading import LoadedModel, load
from engine.speculation.rounds.joined_products import JoinedLinear, join_products
from engine.status import ModelInfo
from tests.engine.speculation.families import EVERY_KIND, build

VOCABULARY = 64
TEXT = [3, 1, 4, 1, 5, 9, 2, 6]


def fresh(name: str) -> Any:
    """A model of this family that no other test sees."""
    return build.__wrapped__(name)


def loaded(model: Any) -> LoadedModel:
    return LoadedModel(ModelInfo("a model", Path(), "", 64, 0), model, None, VOCABULARY, frozenset())


def logits(model: LoadedModel) -> list[mx.array]:
    """Of a wide pass, and of two rows after it."""
    caches = model.new_caches()
    said = [model.model(mx.array([rows], mx.uint32), cache=caches) for rows in (TEXT, [5], [7, 1])]
    mx.eval(said)
    return said


def assert_same(found: list[mx.array], wanted: list[mx.array]) -> None:
    assert all(mx.allclose(one, other, rtol=1e-4, atol=1e-4) for one, other in zip(found, wanted, strict=True))


@pytest.mark.parametrize("name", [*(name for name in EVERY_KIND if ":" not in name), "qwen2", "qwen3", "gemma2"])
def test_a_joined_model_says_what_it_said(name: str) -> None:
    model = loaded(fresh(name))
    before = logits(model)
    run_to_completion(join_products(model))
    assert_same(logits(model), before)


def test_layers_of_one_input_become_one() -> None:
    model = loaded(fresh("llama"))
    layers = len(model.model.layers)
    assert run_to_completion(join_products(model)) == 3 * layers
    assert all(isinstance(layer.self_attn.v_proj, JoinedLinear) for layer in model.model.layers)
    assert run_to_completion(join_products(model)) == 0


@pytest.mark.parametrize("mode", ["affine", "mxfp4"])
def test_quantised_layers_are_joined_as_they_are(mode: str) -> None:
    model = loaded(fresh("llama"))
    # Rows of other widths cannot be cut into groups.
    nn.quantize(
        model.model, 32, mode=mode, class_predicate=lambda _, m: type(m) is nn.Linear and m.weight.shape[1] % 32 == 0
    )
    before = logits(model)
    assert run_to_completion(join_products(model)) > 0
    assert_same(logits(model), before)


def test_layers_of_different_precision_stay_apart() -> None:
    model = loaded(fresh("llama"))
    attention = model.model.layers[0].self_attn
    attention.v_proj = attention.v_proj.to_quantized(32, 8)
    before = logits(model)
    run_to_completion(join_products(model))
    assert isinstance(attention.v_proj, nn.QuantizedLinear)
    assert type(attention.q_proj) is nn.Linear
    assert_same(logits(model), before)


def test_a_loaded_draft_is_joined_in_blocks_that_suit_its_steps() -> None:
    draft = load(starter_pair()[1])
    before, size = logits(draft), parameters(draft)
    assert run_to_completion(join_products(draft)) == 3
    assert_same(logits(draft), before)
    assert parameters(draft) == size


def test_nothing_is_held_twice() -> None:
    model = loaded(fresh("llama"))
    before = mx.get_active_memory()
    run_to_completion(join_products(model))
    assert mx.get_active_memory() - before < 0.1 * parameters(model)


def parameters(model: LoadedModel) -> int:
    return sum(array.nbytes for _, array in tree_flatten(model.model.parameters()))


class Turned(nn.Module):  # type: ignore[misc]
    """Attention whose values come from another input than its queries and keys, or from none at all."""

    def __init__(self, attention: Any, *, asks: bool) -> None:
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj = attention.q_proj, attention.k_proj, attention.v_proj
        self.o_proj = attention.o_proj
        self._asks = asks

    def __call__(self, x: mx.array, mask: Any = None, cache: Any = None) -> mx.array:  # noqa: ARG002
        keys = self.k_proj(x)
        values = self.v_proj(x + 1.0) if self._asks else keys
        if cache is not None:
            cache.update_and_fetch(keys[:, None], values[:, None])
        return self.o_proj(self.q_proj(x) + keys.sum() + values.sum())


@pytest.mark.parametrize("asks", [True, False])
def test_layers_of_other_inputs_are_left_alone(asks: bool) -> None:
    model = loaded(fresh("llama"))
    layer = model.model.layers[0]
    layer.self_attn = Turned(layer.self_attn, asks=asks)
    before = logits(model)
    run_to_completion(join_products(model))
    assert type(layer.self_attn.q_proj) is nn.Linear
    assert isinstance(layer.mlp.up_proj, JoinedLinear)
    assert_same(logits(model), before)


class Curious(Turned):
    """Attention that looks into its layers."""

    def __call__(self, x: mx.array, mask: Any = None, cache: Any = None) -> mx.array:
        return super().__call__(x.astype(self.q_proj.weight.dtype), mask, cache)


def test_a_model_that_looks_into_its_layers_stays_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    model = loaded(fresh("llama"))
    layer = model.model.layers[0]
    layer.self_attn = Curious(layer.self_attn, asks=True)
    before = logits(model)
    with caplog.at_level("INFO"):
        assert run_to_completion(join_products(model)) == 0
    assert "cannot be joined" in caplog.text
    caplog.clear()
    assert_same(logits(model), before)


def test_what_stands_in_for_a_model_is_left_alone() -> None:
    inner = fresh("llama")
    assert run_to_completion(join_products(loaded(lambda rows, cache: inner(rows, cache=cache)))) == 0
