"""The attention probe: which widths of a pass give a row the same bits, by the number of keys that it attends to.

MLX chooses among its kernels for attention by the number of keys. Random queries, keys and values in the shapes of a
model take milliseconds, where real texts of these lengths would have to be prefilled first. `ATTENTION` is the entry of
this kernel for `engine.row_kernels.choice`.
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
# The most keys that are probed.
MOST_KEYS = 2 * SWITCHES[-1]
# The most bytes of a probe's keys and values; they take no more than a quarter of the free memory, either.
MOST_BYTES = 1 << 29
# How many numbers are compared, in at least and at most this many rows. Rounding to bfloat16 hides a difference of sums
# over some thousand keys in all but one of a thousand numbers, and in more of them if there are more keys.
VALUES = 30_000
FEWEST_ROWS = MAX_DEPTH + 1
MOST_ROWS = 256
# MLX's attention, and the attention of models, which may be ours.
_mlx_attention = partial(scaled_dot_product_attention, cache=None)
_model_attention = partial(ours.attend, cache=None)
# What the families call the heads of their queries, the scale of their scores, and sinks.
_HEADS = ("n_heads", "num_heads", "num_attention_heads", "n_head")
_SCALES = ("scale", "sm_scale")
_SINKS = ("sinks", "attention_sink_bias")


class AttentionShape(NamedTuple):
    """Attention of `heads` query heads to `kv_heads` heads of `size` numbers, with or without `sinks`."""

    heads: int
    kv_heads: int
    size: int
    dtype: mx.Dtype
    sinks: bool = False

    @property
    def rows(self) -> int:
        """The rows that are compared: enough for VALUES numbers."""
        return max(FEWEST_ROWS, min(MOST_ROWS, VALUES // (self.heads * self.size)))

    def block_bytes(self, rows: int, keys: int, chip: str) -> int:
        """Return the bytes of the sums of blocks of keys that our attention of `rows` rows writes; see `key_blocks`."""
        blocks, rounded = ours.key_blocks(keys, self.heads // self.kv_heads, chip)
        number_bytes = self.dtype.size if rounded else mx.float32.size
        return self.heads * rows * blocks * (number_bytes * self.size + 2 * mx.float32.size)

    def most_keys(self, free: int) -> int:
        """Return the most keys that can be probed with `free` bytes of memory."""
        return min(MOST_KEYS, min(MOST_BYTES, free // 4) // (2 * self.kv_heads * self.size * self.dtype.size))


def attention_shapes(model: Any, caches: Sequence[Any]) -> list[AttentionShape] | None:
    """Return the shapes of attention in `model`, whose `caches` hold some tokens; None if not all can be found.

    They can be found where modules call mlx-lm's common function, which uses MLX's fast attention, with keys as they
    are cached. Quantised keys, latent ones, and keys of a family with attention of its own are not of that kind.
    """
    attention = _common_attention(model)
    sinks = {any(name in module for name in _SINKS) for module in attention}
    heads = _query_heads(attention)
    shapes = set()
    for cache in flatten(caches):
        if isinstance(cache, ArraysCache):
            # Recurrent state does not grow with the text.
            continue
        keys = getattr(cache, "keys", None)
        values = getattr(cache, "values", None)
        if not isinstance(keys, mx.array) or not isinstance(values, mx.array) or keys.shape != values.shape:
            return None
        _, kv_heads, _, size = keys.shape
        # A model may have several numbers of query heads: each that these heads of keys can serve is probed.
        possible = [count for count in heads if count % kv_heads == 0]
        if not possible:
            return None
        shapes |= {AttentionShape(count, kv_heads, size, keys.dtype, sink) for count in possible for sink in sinks}
    return sorted(shapes, key=str)


def _common_attention(model: Any) -> list[nn.Module]:
    """Return the modules of `model` that call mlx-lm's common function for attention, or the one put in its place."""
    attention = []
    for module in model.modules() if isinstance(model, nn.Module) else ():
        function = getattr(import_module(type(module).__module__), ours.NAME, None)
        if function in (scaled_dot_product_attention, ours.attend) and any(hasattr(module, name) for name in _SCALES):
            attention.append(module)
    return attention


def _query_heads(attention: Sequence[nn.Module]) -> set[int]:
    """Return the numbers of query heads of these modules."""
    return {getattr(module, name) for module in attention for name in _HEADS if hasattr(module, name)}


def passes_of(shape: AttentionShape, keys: int, attention: Callable[..., mx.array] = _model_attention) -> WidePasses:
    """Return passes over `shape.rows` random rows, the first of which attends to `keys` keys.

    Passes of several rows are computed by `attention`, passes of one row always by MLX. Each yields outputs
    (1, heads, width, size).
    """

    def random(number: int, heads: int, tokens: int) -> mx.array:
        return mx.random.uniform(-1.0, 1.0, (1, heads, tokens, shape.size), shape.dtype, mx.random.key(number))

    all_queries = random(0, shape.heads, shape.rows)
    all_keys = random(1, shape.kv_heads, keys + shape.rows)
    all_values = random(2, shape.kv_heads, keys + shape.rows)
    sinks = mx.zeros(shape.heads, shape.dtype) if shape.sinks else None

    def passes(width: int) -> Iterator[mx.array]:
        """Yield the outputs of passes of `width` rows each; rows at the end that fill no pass are left out."""
        use, mask = (attention, "causal") if width > 1 else (_mlx_attention, None)
        for start in range(0, shape.rows - width + 1, width):
            queries = all_queries[:, :, start : start + width]
            # The last row of the pass attends to these, the rows before it to fewer.
            visible = keys + start + width - 1
            visible_keys = all_keys[:, :, :visible]
            visible_values = all_values[:, :, :visible]
            yield use(queries, visible_keys, visible_values, scale=shape.size**-0.5, mask=mask, sinks=sinks)

    return passes


def _comparisons(main: LoadedModel, free: int) -> Iterator[ComparedRows]:
    """Yield attention in all shapes that suit, on both sides of all switches that the model's caches can reach.

    Ends at the number of keys for which `free` bytes of memory, or the model's context, are too small.
    """
    caches = _caches(main, 1)
    shapes = attention_shapes(main.model, caches) or []
    most = min(main.info.context_length, free // 2 // max(1, _bytes_a_key(caches)))
    for shape in shapes:
        most = min(most, shape.most_keys(free) - shape.rows)
        if (shape.heads // shape.kv_heads, shape.size) in ours.PARTS and not shape.sinks:
            most = min(most, ours.MANY_KEYS - 1)
    chip = str(mx.device_info().get("architecture", ""))[-1:]
    suitable = [shape for shape in shapes if ours.suits(*shape[:4])]
    for keys in (keys for keys in ours.CONTEXTS if keys <= most):
        # The widest pass is compared, and timed, while the caches are in memory.
        if any(shape.block_bytes(ours.ATTENTION_ROWS[-1], keys + shape.rows, chip) > free // 4 for shape in suitable):
            return
        for shape in suitable:
            passes = passes_of(shape, max(1, keys - shape.rows // 2), ours.attention_of_rows)
            yield ComparedRows(keys, "ours", passes)


def _use(model: nn.Module, sizes: Set[PassSize]) -> None:
    """Use the project's kernels for the attention of `model` in passes of these sizes, and MLX's in all others.

    mlx-lm's modules look their function up by name: `attend` takes its place there, for all models of the family.
    """
    modules = _common_attention(model)
    ours.used.update(dict.fromkeys(_query_heads(modules), frozenset(sizes)))
    for module in modules if sizes else ():
        setattr(import_module(type(module).__module__), ours.NAME, ours.attend)


def _caches(main: LoadedModel, keys: int) -> list[Any]:
    """Return caches with `keys` keys, all but one of zeros."""
    caches = main.new_caches()
    mx.eval(main.model(mx.zeros((1, 1), mx.uint32), cache=caches))
    for cache in _growing(caches):
        cache.update_and_fetch(_zeros_like(cache.keys, keys - 1), _zeros_like(cache.values, keys - 1))
    return caches


def _zeros_like(array: mx.array, tokens: int) -> mx.array:
    """Return keys or values (1, heads, tokens, size) of zeros for a cache that has `array`."""
    return mx.zeros((*array.shape[:2], tokens, array.shape[3]), array.dtype)


def _bytes_a_key(caches: Sequence[Any]) -> int:
    """Return by how many bytes the caches grow with each token."""
    buffers = [array for cache in _growing(caches) for array in (cache.keys, cache.values)]
    return sum(array.nbytes // array.shape[2] for array in buffers)


def _growing(caches: Sequence[Any]) -> list[KVCache]:
    """Return the caches that hold keys of all tokens, without those that the model never uses."""
    return [cache for cache in flatten(caches) if isinstance(cache, KVCache) and cache.keys is not None]


ATTENTION = RowKernel(
    "attention", ours.ATTENTION_HEADER + ours.SUMMING + ours.ADDING, ours.ATTENTION_ROWS, _comparisons, _use, _caches
)
