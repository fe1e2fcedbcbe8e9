"""Synthetic pairs: random weights of realistic size, and a draft model that agrees at a given rate.

The cost of a forward pass does not depend on the values of weights, so such a pair shows the cost and gain of
speculation on this machine without a download.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten
from mlx_lm.models import qwen3

from engine.cpu_backend.narrow_products import use_narrow_products
from engine.errors import BadRequest
from engine.main_model.loaded_model import LoadedModel
from engine.status import ModelInfo

# Layers, width, inner width, heads, key-value heads: Qwen3-like shapes by total size with a vocabulary of 32,000.
_SHAPES = {
    "10M": (2, 256, 768, 4, 2),
    "20M": (4, 384, 1024, 6, 2),
    "50M": (8, 512, 1536, 8, 4),
    "200M": (14, 1024, 3072, 16, 8),
    "600M": (28, 1024, 3072, 16, 8),
    "2B": (28, 2048, 6144, 16, 8),
}
# A twentieth to a fortieth of the main model, like 0.6B for 14B and 32B; 10M is little more than the vocabulary.
_DRAFT_OF = {"10M": "10M", "20M": "10M", "50M": "10M", "200M": "10M", "600M": "20M", "2B": "50M"}
_VOCABULARY = 32_000
_CONTEXT = 4096
STRETCH = 20
# Lower ids may be special tokens of the tokenizer that renders the prompts.
_FIRST_TOKEN = 300


class ScriptedModel(nn.Module):  # type: ignore[misc]
    """Runs `model` for its cost, and predicts `script[p]` for position p and any input; id 0 after the script's end."""

    def __init__(self, model: nn.Module, script: Sequence[int]) -> None:
        super().__init__()
        self.model = model
        self._script = mx.array([*script, 0], mx.uint32)

    @property
    def layers(self) -> Any:
        return self.model.layers

    def __call__(self, inputs: mx.array, cache: Any) -> mx.array:
        # The offset is a number, or an array with one for each row of a batch.
        start = mx.array(cache[0].offset).reshape(-1, 1)
        logits: mx.array = self.model(inputs, cache=cache)
        positions = mx.minimum(mx.arange(1, inputs.shape[1] + 1) + start, self._script.shape[0] - 1)
        wanted = mx.take(self._script, positions)
        # The sum keeps the real logits, and so their cost, in the graph.
        forced: mx.array = mx.arange(logits.shape[-1]) == wanted[..., None]
        return logits * 1e-6 + 100.0 * forced


def random_script(seed: int = 3) -> list[int]:
    """Return a random token for every position, so that lookup finds nothing.

    A main model with random weights would repeat itself after some tokens.
    """
    draw = random.Random(seed)
    return [draw.randrange(_FIRST_TOKEN, _VOCABULARY) for _ in range(_CONTEXT)]


def _right_positions(count: int, accept: float, seed: int) -> list[bool]:
    """Draw the positions that are right, by stretches: independent draws could be far from the rate `accept`."""
    draw = random.Random(seed)
    right: list[bool] = []
    while len(right) < count:
        stretch = [index < round(STRETCH * accept) for index in range(STRETCH)]
        draw.shuffle(stretch)
        right += stretch
    return right[:count]


def synthetic_main(size: str, script: Sequence[int], tokenizer: Any, seed: int = 1) -> LoadedModel:
    """Return a main model of about `size` parameters with random float32 weights that writes `script`.

    `tokenizer` only renders prompts. Raises `BadRequest` for an unknown size.
    """
    if size not in _SHAPES:
        raise BadRequest("synthetic", f"one of {', '.join(_SHAPES)}", size)
    return _wrap(f"synthetic {size}", ScriptedModel(_build(size, seed), script), tokenizer)


def synthetic_draft(size: str, script: Sequence[int], accept: float, tokenizer: Any, seed: int = 0) -> LoadedModel:
    """Return a draft model for `synthetic_main(size, script)`.

    It predicts the share `accept` of every STRETCH positions like the main model; `seed` draws which ones.
    """
    right = _right_positions(len(script), accept, seed)
    predicted = [token if good else (token + 1) % _VOCABULARY for token, good in zip(script, right, strict=True)]
    model = ScriptedModel(_build(_DRAFT_OF[size], seed=2), predicted)
    return _wrap(f"synthetic {_DRAFT_OF[size]}, agrees {accept:.2f}", model, tokenizer)


def _build(size: str, seed: int) -> nn.Module:
    layers, width, inner, heads, kv_heads = _SHAPES[size]
    mx.random.seed(seed)
    model = qwen3.Model(
        qwen3.ModelArgs(
            model_type="qwen3",
            hidden_size=width,
            num_hidden_layers=layers,
            intermediate_size=inner,
            num_attention_heads=heads,
            num_key_value_heads=kv_heads,
            head_dim=64,
            rms_norm_eps=1e-6,
            vocab_size=_VOCABULARY,
            max_position_embeddings=_CONTEXT,
            rope_theta=10_000.0,
            tie_word_embeddings=True,
        )
    )
    use_narrow_products(model)
    mx.eval(model.parameters())
    return model


def _wrap(name: str, model: nn.Module, tokenizer: Any) -> LoadedModel:
    size = sum(array.nbytes for _, array in tree_flatten(model.parameters()))
    info = ModelInfo(name=name, path=Path(name), architecture="qwen3", context_length=_CONTEXT, bytes=size)
    return LoadedModel(info, model, tokenizer, _VOCABULARY, frozenset())
