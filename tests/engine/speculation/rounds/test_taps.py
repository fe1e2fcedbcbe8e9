"""Taps record the outputs of chosen layers in every pass, without changes to the model's code."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from engine.speculation.rounds.main_ports import main_ports
from engine.speculation.rounds.taps import CannotTap, Taps, layers_of
from tests.engine.speculation.families import FAMILIES, ONE_OF_A_KIND, build, fresh_caches
from tests.engine.speculation.family_configs import VOCABULARY
from tests.engine.tiers import by_tier

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
DEFAULT = {*ONE_OF_A_KIND, "nanbeige", "nanochat", "gemma2", "muse_glimmer"}


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
