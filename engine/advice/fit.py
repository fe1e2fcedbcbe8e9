"""Computes whether a main and a draft model fit in memory together, as a sum that can be shown.

weights(main) + weights(draft) + cache(main, context) + cache(draft, context) + workspace <= limit
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engine.advice.cache_shape import cache_shape, cached_elements, count_apart
from engine.model_files.cache_counting import CacheShape
from engine.model_files.config import FALLBACK_CONTEXT, context_length, experts_of, text_config
from engine.model_files.model import Model
from engine.requests import MAX_DEPTH

# Tokens of one prefill step, whose activations are the largest.
PREFILL_TOKENS = 2048
# Tokens of one pass of prefill, and the sizes of heads for which MLX's kernels keep no scores of attention in memory.
SCORED_TOKENS = 512
_FUSED_HEADS = frozenset({0, 64, 72, 80, 96, 128})
_SMALLEST_WORKSPACE = 256 * 2**20
# Quantised caches, and weights unless their configuration says otherwise, have a scale and a bias of 16 bits for each
# 64 numbers.
SCALE_BITS = 0.5
# The share of the memory that Metal recommends which stays free, for what no sum knows. Without it, Gemma 4 26B-A4B in
# 4 bits would fit a Mac with 24 GB beside its head, with 0.1 GiB to spare; a peak of 20 GB was seen there
# (Rapid-MLX#1636).
_MARGIN = 0.05
# What macOS and Tandem's own window take, or half of a smaller memory. Without it, a Mac with 8 GB would be offered
# Qwen3.5 4B with its draft model: 4.3 GiB that cannot be swapped, of the 4 that are left.
_SYSTEM_BYTES = 4 * 2**30


def number_bytes(kv_bits: int) -> float:
    """Return the bytes of one number in a cache of `kv_bits`; 0 is the model's own precision on a GPU."""
    return (kv_bits + SCALE_BITS) / 8 if kv_bits else 2.0


def stored_bits(config: Mapping[str, Any]) -> float:
    """Estimate the bits of a weight in the files."""
    quantised = config.get("quantization") or config.get("quantization_config")
    if isinstance(quantised, Mapping) and isinstance(quantised.get("bits"), int):
        # Those made from GGUF files have groups of 32; mxfp4, mxfp8 and nvfp4 have scales of 8 bits alone.
        scale = 32 if quantised.get("mode", "affine") == "affine" else 8
        return float(quantised["bits"]) + scale / (_number(quantised, "group_size") or 64)
    return 32.0 if (config.get("torch_dtype") or config.get("dtype")) == "float32" else 16.0


@dataclass(frozen=True)
class ModelSize:
    """What determines a model's memory: bytes of weights and of a number in caches (`count`ed), and config.json.

    `key_blocks(keys, share)` is in how many blocks this machine's attention sums this many keys, to each of which
    `share` query heads attend; 0 if it keeps no sums of blocks in memory, or if the machine is not known.
    """

    id: str
    weight_bytes: int
    config: Mapping[str, Any]
    element_bytes: float = 2.0
    count: Callable[[Mapping[str, Any]], CacheShape] = count_apart
    key_blocks: Callable[[int, int], int] = lambda _keys, _share: 0

    @cached_property
    def shape(self) -> CacheShape:
        """The shape of its caches."""
        return cache_shape(self.config, self.count)


def size_of(model: Model, element_bytes: float) -> ModelSize:
    """Return the size of a model with caches of `element_bytes` bytes a number (always two for heads)."""
    return ModelSize(model.id, model.weight_bytes, model.config, 2.0 if model.head else element_bytes)


@dataclass(frozen=True, slots=True)
class MemoryTerm:
    """One summand: its code (weights, cache, state or workspace) and its model ("main", "draft" or "both")."""

    code: str
    model: str
    bytes: int


@dataclass(frozen=True, slots=True)
class FitReport:
    """The sum at `context` tokens, and the `limit` in bytes of what the models may use."""

    terms: tuple[MemoryTerm, ...]
    context: int
    limit: int

    @property
    def needed(self) -> int:
        return sum(term.bytes for term in self.terms)

    @property
    def free_after(self) -> int:
        """The bytes that remain free; negative if the models do not fit."""
        return self.limit - self.needed

    @property
    def fits(self) -> bool:
        return self.free_after >= 0


def check_fit(main: ModelSize, draft: ModelSize | None, context: int, limit: int) -> FitReport:
    """Compare the memory of `main` with `draft` at `context` tokens with `limit` bytes."""
    terms = _model_terms("main", main, context)
    models = [main]
    if draft is not None:
        terms += _model_terms("draft", draft, context)
        models.append(draft)
    terms.append(MemoryTerm("workspace", "both", workspace_bytes(*models, context=context)))
    return FitReport(tuple(terms), context, limit)


def largest_context(main: ModelSize, draft: ModelSize | None, limit: int) -> int:
    """Return the longest context that fits, up to the main model's own; 0 if the weights do not fit."""
    low = 0
    high = context_length(main.config) or FALLBACK_CONTEXT
    if not check_fit(main, draft, 1, limit).fits:
        return 0
    while low < high:
        middle = (low + high + 1) // 2
        if check_fit(main, draft, middle, limit).fits:
            low = middle
        else:
            high = middle - 1
    return low


def memory_for_models(total: int, recommended: int | None = None) -> int:
    """Return the bytes that models may use of `total`: less than Metal recommends, and never what the system needs.

    `recommended` is the working set that Metal recommends. If it cannot be asked, that is estimated: two thirds of the
    memory below 36 GiB, and three quarters from there on; newer systems allow more.
    """
    if recommended is None:
        recommended = total * 2 // 3 if total < 36 * 2**30 else total * 3 // 4
    return min(int(recommended * (1 - _MARGIN)), total - min(_SYSTEM_BYTES, total // 2))


def _model_terms(name: str, model: ModelSize, context: int) -> list[MemoryTerm]:
    shape = model.shape
    cache = int(cached_elements(shape, context, drafts=name == "draft") * model.element_bytes)
    terms = [MemoryTerm("weights", name, model.weight_bytes), MemoryTerm("cache", name, cache)]
    return [*terms, MemoryTerm("state", name, shape.state_bytes)] if shape.state_bytes else terms


def workspace_bytes(*models: ModelSize, context: int = 0) -> int:
    """Return the bytes that a pass at `context` tokens is reckoned to use, and frees at its end."""
    prefill = [_activation_bytes(model.config, context) for model in models]
    return max([_SMALLEST_WORKSPACE, *prefill, *(block_bytes(model, context) for model in models)])


def block_bytes(model: ModelSize, context: int) -> int:
    """Return the bytes of the sums of blocks of keys that the widest verify pass at `context` tokens has in memory.

    Each layer writes them for all its rows and heads: their outputs in 16 bits, and two numbers of 32. A layer's are
    written while the sums of the block before are still added up. An Ultra needs 1.1 GB for 64 heads of 128 numbers.
    """
    text = text_config(model.config)
    heads = _number(text, "num_attention_heads")
    kv_heads = _number(text, "num_key_value_heads") or heads
    if not heads or not context:
        return 0
    size = _number(text, "head_dim") or _number(text, "hidden_size") // heads
    blocks = model.key_blocks(context, max(1, heads // kv_heads))
    return 2 * heads * (MAX_DEPTH + 1) * blocks * (2 * size + 8)


def _activation_bytes(config: Mapping[str, Any], context: int) -> int:
    """Return the activations of one prefill step: residual stream, widest hidden layer, attention projections.

    Scores of attention, and their copy under the mask, come on top for heads of other sizes than MLX has kernels for.
    """
    text = text_config(config)
    hidden = _number(text, "hidden_size")
    _, experts = experts_of(config)
    wide = max(_number(text, "intermediate_size"), experts * _number(text, "moe_intermediate_size"))
    fused = _FUSED_HEADS.issuperset((_number(text, "head_dim"), _number(text, "global_head_dim")))
    scores = 0 if fused else 2 * _number(text, "num_attention_heads") * SCORED_TOKENS * context
    return (PREFILL_TOKENS * (8 * hidden + 3 * wide) + scores) * 2


def _number(text: Mapping[str, Any], name: str) -> int:
    value = text.get(name)
    return value if type(value) is int and value > 0 else 0
