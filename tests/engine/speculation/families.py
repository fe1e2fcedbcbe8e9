"""Tiny models with random weights, one for each family of mlx-lm, and of mlx-vlm where mlx-lm has none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import pytest
from mlx.utils import tree_flatten, tree_unflatten
from mlx_lm.models.cache import make_prompt_cache

from engine.speculation.caches.cache_kinds import KINDS, kind_name
from engine.speculation.caches.cache_rules import flatten
from engine.speculation.rounds.sequence import CachedSequence
from engine.speculation.rounds.sequence_batch import rows_obstacle
from tests.engine.speculation.family_configs import FAMILIES
from tests.engine.speculation.vlm_configs import VLM_FAMILIES
from tests.tiny_models import FLOAT32, FOUR_BITS, Stored, classes_of

# Families that decode plainly, and why.
REFUSED = {
    "plamo3": "masks its window one token wider than its cache, so a row of a wide pass sees more than alone",
    "deepseek_v4": "compresses the first tokens of a pass without those before it, so logits depend on the passes",
    "phi3small": "adds its boolean mask to the scores, so a row of a wide pass sees the rows behind it",
}
SERVED = [name for name in (*FAMILIES, *VLM_FAMILIES) if name not in REFUSED]
# One family for each mixture of caches.
EVERY_KIND = [
    *("llama", "llama:quantised", "llama:window", "gemma3n", "llama4", "deepseek_v32", "deepseek_v41", "mamba2"),
    *("qwen3_next", "falcon_h1", "recurrent_gemma", "longcat_flash_ngram", "glm5_next", "qwen4_exp"),
]
# Those of `EVERY_KIND` that together have each kind of cache: what the default tier runs.
ONE_OF_A_KIND = (
    "llama", "llama:quantised", "llama:window", "llama4", "deepseek_v41", "qwen3_next", "glm5_next", "qwen4_exp"
)  # fmt: skip
# Those of `EVERY_KIND` whose caches can be rows of a batch.
KINDS_WITH_ROWS = [
    "llama", "llama:quantised", "llama:window", "gemma3n", "deepseek_v32", "mamba2", "qwen3_next", "falcon_h1"
]  # fmt: skip
# In bfloat16, a row of a wide pass is rounded otherwise than alone: in latent attention and in Mamba's layers.
ROUNDED = {
    *("deepseek_v3", "deepseek_v32", "falcon_h1", "glm4_moe_lite", "glm_moe_dsa", "granitemoehybrid", "kimi_linear"),
    *("mamba", "mamba2", "minicpm3", "nemotron_h", "xing4_0", "glm5_next", "qwen4_exp", "deepseek_v4"),
    "cohere2_moe",
}
# Replacements of each cache in the variants of a family, which are named after a colon.
VARIANTS: dict[str, Callable[[Any], Any]] = {"quantised": lambda cache: cache.to_quantized(32, 8)}


def stored_for(name: str) -> Stored:
    """Return how tests store a family's weights whose texts must not depend on the width of a pass."""
    return FLOAT32 if name in ROUNDED else FOUR_BITS


def model_type(name: str) -> str:
    """Return the model_type of family `name`, without the name of a variant after a colon."""
    return name.split(":")[0]


@cache
def build(name: str) -> nn.Module:
    """Return the tiny model of family `name`: float32, seeded, evaluated; the same object every time.

    Every parameter gets noise, because those that start as constants (gates, biases, decay rates) would leave
    parts of the state without effect.
    """
    config = {"model_type": model_type(name), **(FAMILIES | VLM_FAMILIES)[name]}
    model_class, args_class = classes_of(config)
    mx.random.seed(sum(name.encode()))
    model: nn.Module = model_class(args_class.from_dict(config))
    noisy = []
    for path, value in tree_flatten(model.parameters()):
        if mx.issubdtype(value.dtype, mx.floating):
            value = value.astype(mx.float32) + 0.1 * mx.random.normal(value.shape)
        noisy.append((path, value))
    model.update(tree_unflatten(noisy))
    model.eval()
    mx.eval(model.parameters())
    return model


def fresh_caches(name: str) -> list[Any]:
    """Return new caches for family `name`: those that mlx-lm makes, or those of its variant."""
    caches: list[Any] = make_prompt_cache(build(name))
    change = VARIANTS.get(name.partition(":")[2])
    return caches if change is None else [change(cache) for cache in caches]


def kinds_of(names: Iterable[str]) -> set[str]:
    """Return the kinds of caches, as `KINDS` names them, of these families."""
    return {kind_name(cache) for name in names for cache in flatten(fresh_caches(name))}


def change_kinds(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    """Change these fields of every kind of cache."""
    for name, kind in KINDS.items():
        monkeypatch.setitem(KINDS, name, replace(kind, **changes))


def skip_without_rows(name: str) -> None:
    """Skip the test if the family's caches cannot be rows of a batch."""
    if (obstacle := rows_obstacle(CachedSequence(build(name), fresh_caches(name)))) is not None:
        pytest.skip(obstacle)
