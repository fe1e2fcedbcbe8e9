"""The attention probe: which widths of a pass give a row the same bits, by the number of keys that it attends to.

MLX chooses among its kernels for attention by the number of keys. Random queries, keys and values in the shapes of a
model take milliseconds, where real texts of these lengths would have to be prefilled first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.base import scaled_dot_product_attention
from mlx_lm.models.cache import ArraysCache, KVCache

from engine.main_model.loaded_model import LoadedModel
from engine.requests import MAX_DEPTH
from engine.row_kernels import attention as ours
from engine.row_kernels.row_kernel import ComparedRows, RowKernel, WidePasses
from engine.speculation.caches.cache_rules import flatten
from engine.tuning import PassSize

# Where MLX 0.32 changes its kernels on one chip or another; beyond, there is one more range.
SWITCHES = ours.CONTEXTS[1:]
MOST_KEYS = 2 * SWITCHES[-1]
# The most bytes that keys and values take, and no more than a quarter of the free memory.
MOST_BYTES = 1 << 29
# Values to compare, and the fewest and most rows. Rounding to bfloat16 hides a difference of sums over some thousand
# keys in all but one of a thousand, and in fewer if there are more keys.
VALUES = 30_000
ROWS = (MAX_DEPTH + 1, 256)
# MLX's attention, and that of models, which may be ours.
_mlx_attention = partial(scaled_dot_product_attention, cache=None)
_model_attention = partial(ours.attend, cache=None)
# What the families call the heads of their queries, the scale of their scores, and sinks.
_HEADS = ("n_heads", "num_heads", "num_attention_heads", "n_head")
_SCALES = ("scale", "sm_scale")
_SINKS = ("sinks", "attention_sink_bias")


class AttentionShape(NamedTuple):
    """Attention of `heads` query heads to `kv_heads` heads of `size` numbers."""

    heads: int
    kv_heads: int
    size: int
    dtype: mx.Dtype
    sinks: bool = False

    @property
    def rows(self) -> int:
        return max(ROWS[0], min(ROWS[1], VALUES // (self.heads * self.size)))

    def block_bytes(self, rows: int, keys: int, chip: str) -> int:
        """Return the bytes of the sums of blocks of keys that our attention of `rows` rows writes; see `key_blocks`."""
        blocks, rounded = ours.key_blocks(keys, self.heads // self.kv_heads, chip)
        number_bytes = self.dtype.size if rounded else mx.float32.size
        return self.heads * rows * blocks * (number_bytes * self.size + 2 * mx.float32.size)

    def most_keys(self, free: int) -> int:
        """Return the most keys that can be probed with `free` bytes of memory."""
        return min(MOST_KEYS, min(MOST_BYTES, free // 4) // (2 * self.kv_heads * self.size * self.dtype.size))


def attention_shapes(model: Any, caches: Sequence[Any]) -> list[AttentionShape] | None:
    """Return the shapes of attention in `model`, whose `caches` hold some tokens; None if not all can be found. They
    can where modules call mlx-lm's common function, which uses MLX's fast attention, with keys as they are cached.
    Quantised keys, latent ones, and those of a family with attention of its own are not of that kind.
    """
    attention = _common_attention(model)
    sinks = {any(name in module for name in _SINKS) for module in attention}
    heads = _query_heads(attention)
    found = set()
    for cache in flatten(caches):
        if isinstance(cache, ArraysCache):
            # Recurrent state does not grow with the text.
            continue
        keys = getattr(cache, "keys", None)
        values = getattr(cache, "values", None)
        if not isinstance(keys, mx.array) or not isinstance(values, mx.array) or keys.shape != values.shape:
            return None
        _, kv_heads, _, size = keys.shape
        own = [count for count in heads if count % kv_heads == 0]
        if not own:
            return None
        found |= {AttentionShape(count, kv_heads, size, keys.dtype, sink) for count in own for sink in sinks}
    return sorted(found, key=str)


def _common_attention(model: Any) -> list[nn.Module]:
    """Return the modules of `model` that call mlx-lm's common function for attention."""
    found = []
    for module in model.modules() if isinstance(model, nn.Module) else ():
        function = getattr(import_module(type(module).__module__), ours.NAME, None)
        if function in (scaled_dot_product_attention, ours.attend) and any(hasattr(module, name) for name in _SCALES):
            found.append(module)
    return found


def _query_heads(attention: Sequence[nn.Module]) -> set[int]:
    return {getattr(module, name) for module in attention for name in _HEADS if hasattr(module, name)}


def passes_of(shape: AttentionShape, keys: int, attention: Callable[..., mx.array] = _model_attention) -> WidePasses:
    """Return passes over random rows, of which the first attends to `keys` keys; single ones are MLX's."""
    tokens = ((shape.heads, shape.rows), *[(shape.kv_heads, keys + shape.rows)] * 2)
    queries, *held = (
        mx.random.uniform(-1.0, 1.0, (1, *size, shape.size), shape.dtype, mx.random.key(number))
        for number, size in enumerate(tokens)
    )
    sinks = mx.zeros(shape.heads, shape.dtype) if shape.sinks else None

    def passes(width: int) -> Iterator[mx.array]:
        use, mask = (attention, "causal") if width > 1 else (_mlx_attention, None)
        for start in range(0, shape.rows - width + 1, width):
            part = [array[:, :, : keys + start + width - 1] for array in held]
            asked = queries[:, :, start : start + width]
            yield use(asked, *part, scale=shape.size**-0.5, mask=mask, sinks=sinks)

    return passes


def _comparisons(main: LoadedModel, free: int) -> Iterator[ComparedRows]:
    """Yield attention in all shapes that suit, on both sides of all switches that the model's caches can reach."""
    caches = _caches(main, 1)
    shapes = attention_shapes(main.model, caches) or []
    bytes_a_key = sum(array.nbytes // array.shape[2] for one in _growing(caches) for array in (one.keys, one.values))
    most = min([main.info.context_length, free // 2 // max(1, bytes_a_key)])
    for shape in shapes:
        most = min(most, shape.most_keys(free) - shape.rows)
        if (shape.heads // shape.kv_heads, shape.size) in ours.PARTS and not shape.sinks:
            most = min(most, ours.MANY_KEYS - 1)
    chip = str(mx.device_info().get("architecture", ""))[-1:]
    suitable = [shape for shape in shapes if ours.suits(*shape[:4])]
    for keys in (keys for keys in ours.CONTEXTS if keys <= most):
        # The widest pass is compared, and timed, beside the caches.
        if any(shape.block_bytes(ours.WIDTHS[-1], keys + shape.rows, chip) > free // 4 for shape in suitable):
            return
        for shape in suitable:
            yield keys, "ours", passes_of(shape, max(1, keys - shape.rows // 2), ours.attention_of_rows)


def _use(model: nn.Module, sizes: Set[PassSize]) -> None:
    """Let attention of `model` be ours in passes of these sizes: mlx-lm's modules look their function up by name."""
    modules = _common_attention(model)
    ours.used.update(dict.fromkeys(_query_heads(modules), frozenset(sizes)))
    for module in modules if sizes else ():
        setattr(import_module(type(module).__module__), ours.NAME, ours.attend)


def _caches(main: LoadedModel, keys: int) -> list[Any]:
    """Return caches with `keys` keys, all but one of zeros."""
    caches = main.new_caches()
    mx.eval(main.model(mx.zeros((1, 1), mx.uint32), cache=caches))
    for cache in _growing(caches):
        held = (cache.keys, cache.values)
        cache.update_and_fetch(*(mx.zeros((*one.shape[:2], keys - 1, one.shape[3]), one.dtype) for one in held))
    return caches


def _growing(caches: Sequence[Any]) -> list[KVCache]:
    return [cache for cache in flatten(caches) if isinstance(cache, KVCache) and cache.keys is not None]


ATTENTION = RowKernel("attention", ours.HEADER + ours.SUMMING + ours.ADDING, ours.WIDTHS, _comparisons, _use, _caches)
