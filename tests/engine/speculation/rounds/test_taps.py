"""Taps record the outputs of chosen layers in every pass, without changes to the model's code."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest
from mlx.utils import tree_flatten
from mlx_lm.models.base import create_attention_mask

from engine.speculation.rounds.main_ports import main_ports
from engine.speculation.rounds.taps import CannotTap, Taps, layers_of
from tests.engine.speculation.families import EVERY_KIND, FAMILIES, build, fresh_caches
from tests.engine.speculation.family_configs import VOCABULARY
from tests.engine.tiers import by_tier

pytestmark = pytest.mark.usefixtures("without_compilation")

# Families whose hidden states cannot be read, and the reasons.
UNTAPPED = {
    "nanbeige": "layer-calls",  # runs its layers twice
    "iquestloopcoder": "layer-calls",  # runs parts of its layers by itself
    "gemma3n": "layer-outputs",  # four streams
    "deepseek_v41": "layer-outputs",  # two streams
    "gpt2": "no-embedding",  # adds positions to its embedding
    "gpt_bigcode": "no-embedding",
    "longcat_flash_ngram": "no-embedding",  # adds embeddings of n-grams
    "nanochat": "no-output",  # its last norm has no module
    "phi3small": "no-output",
    "plamo2": "no-output",
    "plamo3": "no-output",
}
IDS = mx.array([[3, 14, 15, 92, 6, 5, 35]], mx.uint32)


def loaded(name: str) -> Any:
    return SimpleNamespace(model=build(name), vocabulary=VOCABULARY, new_caches=lambda: fresh_caches(name))


def manual_outputs(model: Any, ids: mx.array) -> list[mx.array]:
    """Return every layer's output, computed by a loop over the layers of a plain transformer."""
    hidden = model.model.embed_tokens(ids)
    mask = create_attention_mask(hidden, None)
    outputs = []
    for layer in model.layers:
        hidden = layer(hidden, mask, None)
        outputs.append(hidden)
    return outputs


@pytest.mark.parametrize("name", ["llama", "qwen3", "qwen2"])
def test_taps_are_what_a_loop_over_the_layers_computes(name: str) -> None:
    model = build(name)
    with Taps(model, (0, 1)).record() as outputs:
        model(IDS, cache=fresh_caches(name))

    for found, expected in zip(outputs, manual_outputs(model, IDS), strict=True):
        assert np.allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_tapping_changes_neither_logits_nor_parameters_and_is_undone() -> None:
    model = build("qwen3")
    before, names = model(IDS, cache=fresh_caches("qwen3")), [name for name, _ in tree_flatten(model.parameters())]
    own = type(layers_of(model)[1])

    with Taps(model, (1,)).record() as outputs:
        assert type(layers_of(model)[1]) is not own
        during = model(IDS, cache=fresh_caches("qwen3"))
        assert [name for name, _ in tree_flatten(model.parameters())] == names

    assert len(outputs) == 1
    assert mx.array_equal(before, during)
    assert type(layers_of(model)[1]) is own


def test_a_failed_pass_leaves_nothing_behind() -> None:
    model = build("qwen3")
    taps, own = Taps(model, (0,)), type(layers_of(model)[0])

    def fail() -> None:
        with taps.record():
            model(IDS, cache=fresh_caches("qwen3"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert type(layers_of(model)[0]) is own
    with taps.record() as outputs:
        model(IDS[:, :2], cache=fresh_caches("qwen3"))
    assert [output.shape for output in outputs] == [(1, 2, 32)]


# The default tier has every kind of cache, every reason and every form of embedding.
DEFAULT = {*EVERY_KIND, "nanbeige", "nanochat", "gemma2", "muse_glimmer"}


@pytest.mark.parametrize("name", by_tier(sorted(FAMILIES), DEFAULT))
def test_every_family_either_has_ports_or_says_what_is_in_the_way(name: str) -> None:
    if name in UNTAPPED:
        with pytest.raises(CannotTap) as refused:
            main_ports(loaded(name))
        assert refused.value.problem == UNTAPPED[name]
        return
    model = build(name)
    ports = main_ports(loaded(name))
    with Taps(model, (0, ports.layer_count - 1)).record() as outputs:
        logits = model(IDS, cache=fresh_caches(name))

    assert [output.shape for output in outputs] == [(1, IDS.shape[1], ports.width)] * 2
    assert ports.embed(IDS).shape == (1, IDS.shape[1], ports.width)
    # A family's own factor or soft cap keeps the order of the tokens.
    found = np.array(ports.logits(ports.final_norm(outputs[1])))
    assert found.shape[-1] == ports.vocabulary
    assert (found.argmax(-1) == np.array(logits).argmax(-1)).mean() > 0.7


@pytest.mark.parametrize("name", ["gemma2", "gemma3_text"])
def test_the_embedding_is_scaled_as_the_family_scales_it(name: str) -> None:
    model = build(name)
    ports = main_ports(loaded(name))

    assert np.allclose(ports.embed(IDS), model.model.embed_tokens(IDS) * 32**0.5, rtol=1e-3)


def test_quantised_mains_have_ports() -> None:
    config = {"vocab": 96, "width": 64}

    class Layer(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.up = nn.Linear(config["width"], config["width"])

        def __call__(self, x: mx.array) -> mx.array:
            return x + self.up(x)

    class Model(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.embed_tokens = nn.Embedding(config["vocab"], config["width"])
            self.layers = [Layer(), Layer()]
            self.norm = nn.RMSNorm(config["width"])

        def __call__(self, ids: mx.array, cache: Any = None) -> mx.array:
            del cache
            hidden = self.embed_tokens(ids)
            for layer in self.layers:
                hidden = layer(hidden)
            logits: mx.array = self.embed_tokens.as_linear(self.norm(hidden))
            return logits

    model = Model()
    nn.quantize(model, 32, 4)
    ports = main_ports(SimpleNamespace(model=model, vocabulary=96, new_caches=list))  # type: ignore[arg-type]

    assert isinstance(model.embed_tokens, nn.QuantizedEmbedding)
    assert mx.array_equal(ports.embed(IDS), model.embed_tokens(IDS))
    assert ports.logits(ports.embed(IDS)).shape == (1, IDS.shape[1], 96)
