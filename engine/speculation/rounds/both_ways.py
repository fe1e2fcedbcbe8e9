"""Passes in which the placeholders of a picture read each other in both directions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import RotatingKVCache

from engine.speculation.rounds.taps import with_classes


@contextmanager
def reading_both_ways(
    caches: Sequence[Any], blocks: Sequence[tuple[int, int]], *, in_windows: bool = False
) -> Iterator[None]:
    """Let the rows of each of `blocks` read each other in the pass that the body builds, or only those `in_windows`."""
    kind: Any = RotatingKVCache if in_windows else object
    seeing = [cache for cache in caches if hasattr(cache, "make_mask") and isinstance(cache, kind)]
    classes = {base: _reading_both_ways(base, blocks) for base in {type(cache) for cache in seeing}}
    with with_classes(seeing, [classes[type(cache)] for cache in seeing]):
        yield


def _reading_both_ways(base: type[Any], blocks: Sequence[tuple[int, int]]) -> type[Any]:
    """Return a subclass of a cache whose masks also show each row of a block the rows of the block behind it."""

    def make_mask(cache: Any, rows: int, *args: Any, **options: Any) -> mx.array:
        mask: mx.array = base.make_mask(cache, rows, *args, **(options | {"return_array": True}))
        queries, keys = mx.arange(rows)[:, None], mx.arange(mask.shape[-1])[None] - (mask.shape[-1] - rows)
        for start, stop in blocks:
            mask = mask | ((queries >= start) & (queries < keys) & (keys < stop))
        return mask

    return type(f"BothWays{base.__name__}", (base,), {"make_mask": make_mask})
