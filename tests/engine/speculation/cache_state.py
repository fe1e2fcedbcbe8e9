"""Comparison of caches by the contents that the next forward pass can see."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import ChunkedKVCache, KVCache, QuantizedKVCache, RotatingKVCache

from engine.speculation.caches.cache_rules import is_list


def visible_state(cache: Any) -> list[Any]:
    """Return arrays and positions that a later pass can depend on, oldest row first, without stale rows."""
    if is_list(cache):
        return [part for nested in cache.caches for part in visible_state(nested)]
    if isinstance(cache, RotatingKVCache):
        keys, values = (cache._temporal_order(array) for array in (cache.keys, cache.values))
        return [cache.offset, *_rows((keys, values), cache.max_size)]
    if isinstance(cache, QuantizedKVCache):
        keys, values = cache.keys_and_values()
        return [cache.offset, *(mx.dequantize(*part, cache.group_size, cache.bits) for part in (keys, values))]
    if isinstance(cache, ChunkedKVCache):
        return [cache.offset, *_rows(cache.keys_and_values(), cache.offset % cache.chunk_size)]
    if isinstance(cache, KVCache):
        return [cache.offset] if cache.keys is None else [cache.offset, *cache.keys_and_values()]
    if type(cache).__name__ in ("QSAKVCache", "PoolingCache"):
        # mlx-vlm's own: `state` leaves out what no later pass reads. Blocks of the index are made again from its keys.
        return [cache.offset, *cache.state[:3]]
    return [part for value in vars(cache).values() for part in (value if isinstance(value, list) else [value])]


def largest_difference(one: Any, other: Any) -> float:
    """Return the largest difference of the visible contents, relative to the largest value.

    Infinite if positions, shapes or the number of arrays differ.
    """
    left, right = visible_state(one), visible_state(other)
    if len(left) != len(right):
        return float("inf")
    return max((_difference(a, b) for a, b in zip(left, right, strict=True)), default=0.0)


def _rows(arrays: tuple[mx.array, mx.array], count: int) -> list[mx.array]:
    return [array[..., max(0, array.shape[-2] - count) :, :] for array in arrays]


def _difference(one: Any, other: Any) -> float:
    if not isinstance(one, mx.array) or not isinstance(other, mx.array):
        return 0.0 if one == other and type(one) is type(other) else float("inf")
    if one.shape != other.shape:
        return float("inf")
    if one.size == 0:
        return 0.0
    scale = mx.maximum(mx.abs(one).max(), 1e-6)
    return float((mx.abs(one - other).max() / scale).item())
