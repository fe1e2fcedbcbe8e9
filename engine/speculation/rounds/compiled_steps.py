"""Compiled steps: a model's pass over a row or two, traced once and replayed.

A draft model runs one-row passes many times a round. Building each graph in Python and running every small operation by
itself takes longer than the matrix products, so a trace with fused element-wise operations is replayed. A pass attends
to the whole buffers of the caches with a mask over the slots after its row, so that one trace serves every position.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import KVCache

from engine.errors import is_device_failure
from engine.files.steps import Steps
from engine.main_model.loaded_model import LoadedModel
from engine.speculation.caches.buffer_sizes import compiled_buffer_tokens

log = logging.getLogger(__name__)

# Wider passes are rare and would each need a trace of their own.
MAX_COMPILED_ROWS = 2
# Fused operations round a little differently; a larger difference means that the trace is not what the model computes.
TRACE_TOLERANCE = 1e-2


class _TracedCache:
    """Replaces a KVCache while a pass is traced: its offset is an array, not a number."""

    def __init__(self, keys: mx.array, values: mx.array, offset: mx.array) -> None:
        self.keys = keys
        self.values = values
        self.offset = offset
        self._start = offset

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        self.keys = mx.slice_update(self.keys, keys, self._start, axes=(2,))
        self.values = mx.slice_update(self.values, values, self._start, axes=(2,))
        self.offset = self._start + keys.shape[2]
        return self.keys, self.values

    def make_mask(self, rows: int, return_array: bool = False, window_size: int | None = None) -> mx.array:  # noqa: ARG002
        columns = mx.arange(self.keys.shape[2])[None]
        row = (self._start + mx.arange(rows))[:, None]
        mask = columns <= row
        return mask if window_size is None else mask & (row < columns + window_size)


class CompiledSteps:
    """Passes of `model` over at most MAX_COMPILED_ROWS rows with caches of plain full attention.

    Made by `compiled_steps`, which checks whether the model allows it. Belongs to the engine's thread.
    """

    def __init__(self, model: Any) -> None:
        # Not a bound method: a reference cycle would keep the trace and the weights until the next garbage collection.
        self._replay = mx.compile(partial(_trace, model))

    def __call__(self, rows: mx.array, caches: Sequence[KVCache]) -> mx.array:
        """Lazy logits (1, rows, V) of token ids (1, rows); advances `caches`, which must not be empty."""
        count = rows.shape[1]
        start = caches[0].offset
        buffers: list[mx.array] = []
        for cache in caches:
            reserve(cache, count)
            buffers += (cache.keys, cache.values)
        logits, *buffers = self._replay(rows, mx.array(start), *buffers)
        for index, cache in enumerate(caches):
            cache.keys, cache.values = buffers[2 * index : 2 * index + 2]
            cache.offset = start + count
        return logits


def compiled_steps(loaded: LoadedModel) -> Steps[CompiledSteps | None]:
    """Compile and check a model's steps, one pass a step; None if its caches or its code do not allow it."""
    caches = loaded.new_caches()
    if not caches or any(type(cache) is not KVCache for cache in caches):
        return None
    steps = CompiledSteps(loaded.model)
    try:
        agrees = yield from _agrees(steps, loaded, caches)
    # A model whose code needs the offset as a number can raise anything.
    except Exception as error:
        if is_device_failure(error):
            raise
        log.info("%s cannot be compiled: %s", loaded.info.name, error)
        return None
    return steps if agrees else None


def _trace(model: Any, rows: mx.array, offset: mx.array, *buffers: mx.array) -> list[mx.array]:
    """Run the pass to trace; returns logits, then keys and values of every cache."""
    caches = [_TracedCache(buffers[i], buffers[i + 1], offset) for i in range(0, len(buffers), 2)]
    logits: mx.array = model(rows, cache=caches)
    return [logits, *(buffer for cache in caches for buffer in (cache.keys, cache.values))]


def _agrees(steps: CompiledSteps, loaded: LoadedModel, caches: Sequence[KVCache]) -> Steps[bool]:
    """Whether compiled passes return the model's own logits, at one position and for every number of rows."""
    text = mx.arange(4 + MAX_COMPILED_ROWS, dtype=mx.uint32)[None] % loaded.vocabulary
    mx.eval(loaded.model(text, cache=caches))
    yield None
    for count in range(1, MAX_COMPILED_ROWS + 1):
        wanted = loaded.model(text[:, :count], cache=caches)
        mx.eval(wanted, [cache.keys for cache in caches])
        yield None
        for cache in caches:
            cache.offset -= count
        compiled = steps(text[:, :count], caches)
        scale = mx.abs(wanted).max()
        if not (mx.abs(compiled - wanted).max() <= TRACE_TOLERANCE * scale).item():
            return False
        yield None
    return True


def reserve(cache: KVCache, rows: int) -> None:
    """Make room for `rows` more tokens in a cache that has been written to; the new slots are zeros.

    A buffer has one of a few sizes, because each size needs its own trace. One of another size grows to the next even
    if it has room.
    """
    size_now = cache.keys.shape[2]
    needed = cache.offset + rows
    size = compiled_buffer_tokens(max(needed, size_now))
    if size > size_now:
        padding = [(0, 0), (0, 0), (0, size - size_now), (0, 0)]
        cache.keys = mx.pad(cache.keys, padding)
        cache.values = mx.pad(cache.values, padding)
