"""What a cache shows to the next forward pass, and whether two caches show the same."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import (
    CacheList,
    ChunkedKVCache,
    KVCache,
    QuantizedKVCache,
    RotatingKVCache,
)


def visible_state(cache: Any) -> list[Any]:
    """Arrays and positions that a later pass can depend on, oldest row first; no capacity, no stale rows."""
    if isinstance(cache, CacheList):
        return [part for nested in cache.caches for part in visible_state(nested)]
    if isinstance(cache, RotatingKVCache):
        return [cache.offset, *_rows(_in_order(cache), cache.max_size)]
    if isinstance(cache, QuantizedKVCache):
        keys, values = cache.keys_and_values()
        return [
            cache.offset,
            *(mx.dequantize(*part, cache.group_size, cache.bits) for part in (keys, values)),
        ]
    if isinstance(cache, ChunkedKVCache):
        return [cache.offset, *_rows(cache.keys_and_values(), cache.offset % cache.chunk_size)]
    if isinstance(cache, KVCache):
        return [cache.offset] if cache.keys is None else [cache.offset, *cache.keys_and_values()]
    return [part for value in vars(cache).values() for part in (value if isinstance(value, list) else [value])]


def largest_difference(one: Any, other: Any) -> float:
    """The largest difference between what two caches show, relative to the largest value shown.

    Infinite where positions, shapes or the number of arrays differ.
    """
    left, right = visible_state(one), visible_state(other)
    if len(left) != len(right):
        return float("inf")
    return max((_difference(a, b) for a, b in zip(left, right, strict=True)), default=0.0)


def _in_order(cache: RotatingKVCache) -> tuple[mx.array, mx.array]:
    return cache._temporal_order(cache.keys), cache._temporal_order(cache.values)


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
