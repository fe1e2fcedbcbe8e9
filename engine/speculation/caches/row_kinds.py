"""The kinds of caches as rows of a batch, which a model is given in place of its own caches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import ArraysCache, KVCache, QuantizedKVCache, RotatingKVCache

from engine.mlx_lm_private import in_order, set_next_slot
from engine.speculation.caches.cache_rules import leaves
from engine.speculation.caches.row_layout import RowLayout


def resized(array: mx.array, rows: int, slots: int) -> mx.array:
    """Return a cache's array (rows, heads, slots, width), padded with zeros to `rows` and `slots` if it is smaller."""
    missing = [(0, max(0, rows - array.shape[0])), (0, 0), (0, max(0, slots - array.shape[2])), (0, 0)]
    return mx.pad(array, missing) if any(after for _, after in missing) else array


def written(array: mx.array | None, new: mx.array, layout: RowLayout) -> mx.array:
    """Write `new` (rows, heads, width, ...) to the layout's slots of `array`, which is created if it is None."""
    if array is None:
        array = mx.zeros((layout.rows + layout.spare, new.shape[1], layout.size, new.shape[3]), new.dtype)
    if not new.shape[3]:
        return array
    return mx.put_along_axis(array, layout.slots, layout.filled(new).astype(array.dtype), axis=2)


class KeyValueRows:
    """Rows of KVCaches; subclasses are those of QuantizedKVCaches and RotatingKVCaches."""

    def __init__(self, layout: RowLayout) -> None:
        self.layout = layout
        self.keys: Any = None
        self.values: Any = None
        # (rows,): how many tokens each row has seen.
        self.offset: Any = None
        self.following: Any = None

    @classmethod
    def like(cls, cache: Any, layout: Callable[[int | None], RowLayout]) -> KeyValueRows:  # noqa: ARG003
        """Return empty rows for caches like `cache`; `layout(window)` is the layout that all with this window share."""
        return cls(layout(None))

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[Any, Any]:
        """Write (rows, heads, width, ...) at the rows' ends; returns all keys and values, up to the longest row."""
        self.offset = self.following
        self.keys = self._written(self.keys, keys)
        self.values = self._written(self.values, values)
        return self.keys_and_values()

    def keys_and_values(self) -> tuple[Any, Any]:
        """Return the keys and values with those of the pass under way: some models ask for them again."""
        return self._held(self.keys), self._held(self.values)

    def make_mask(self, rows: int, return_array: bool = False, window_size: int | None = None) -> mx.array:  # noqa: ARG002
        """Return the mask of the pass under way; see `RowLayout.mask`."""
        return self.layout.mask(window_size)

    def arrays(self) -> Iterator[mx.array]:
        """Every array it holds."""
        return leaves((self.keys, self.values))

    def change(self, change: Callable[[mx.array], mx.array]) -> None:
        """Replace each array by what `change` makes of it."""
        if self.keys is not None:
            self.keys, self.values = (_each(change, held) for held in (self.keys, self.values))

    def put(self, row: int, cache: Any, length: int, rows: int) -> None:
        """Copy `cache`, which holds `length` tokens, into a row of `rows`."""
        if cache.keys is None and self.keys is None:
            return
        keys = values = None
        if cache.keys is not None:
            keys, values = (self._of_cache(cache, array) for array in (cache.keys, cache.values))
        size = self.layout.size
        start = self.layout.starts[row]

        def placed(held: mx.array | None, own: mx.array | None) -> mx.array:
            if held is None:
                assert own is not None
                held = mx.zeros((rows, own.shape[1], size, own.shape[3]), own.dtype)
            held = resized(held, rows, size)
            if own is not None and held.shape[3]:
                held[row : row + 1, :, : length - start] = own[:, :, own.shape[2] - (length - start) :]
            return held

        self.keys, self.values = (_each(placed, held, own) for held, own in ((self.keys, keys), (self.values, values)))

    def take(self, row: int, length: int) -> Any:
        """Return a cache of the model's own kind with the `length` tokens of a row."""
        cache = self._empty()
        if self.keys is not None and length:
            first = 0
            last = length - self.layout.starts[row]

            def own(array: mx.array) -> mx.array:
                return mx.contiguous(array[row : row + 1, :, first:last])

            cache.keys, cache.values = (_each(own, held) for held in (self.keys, self.values))
            cache.offset = length
        return cache

    def _empty(self) -> Any:
        return KVCache()

    def _written(self, held: Any, new: mx.array) -> Any:
        return written(held, new, self.layout)

    def _held(self, held: Any) -> Any:
        return held[: self.layout.rows, :, : self.layout.end]

    def _of_cache(self, cache: Any, held: Any) -> Any:
        """Return the arrays of a single text's cache, its tokens in order and no other slots."""
        return _each(lambda array: array[:, :, : cache.offset], held)


class QuantisedRows(KeyValueRows):
    def __init__(self, layout: RowLayout, group_size: int, bits: int) -> None:
        super().__init__(layout)
        self.group_size, self.bits = group_size, bits

    @classmethod
    def like(cls, cache: Any, layout: Callable[[int | None], RowLayout]) -> QuantisedRows:
        return cls(layout(None), cache.group_size, cache.bits)

    def _empty(self) -> Any:
        return QuantizedKVCache(self.group_size, self.bits)

    def _written(self, held: Any, new: mx.array) -> Any:
        parts = mx.quantize(new, group_size=self.group_size, bits=self.bits)
        held = held or (None,) * len(parts)
        return tuple(written(array, part, self.layout) for array, part in zip(held, parts, strict=True))

    def _held(self, held: Any) -> Any:
        return tuple(array[: self.layout.rows, :, : self.layout.end] for array in held)


class WindowRows(KeyValueRows):
    @classmethod
    def like(cls, cache: Any, layout: Callable[[int | None], RowLayout]) -> WindowRows:
        return cls(layout(cache.max_size))

    @property
    def max_size(self) -> int:
        """The size of the window: some models ask for it."""
        assert self.layout.window is not None
        return self.layout.window

    def take(self, row: int, length: int) -> Any:
        cache = super().take(row, length)
        if cache.keys is not None:
            # In a full ring the oldest slot has to exist, because the next token overwrites it.
            held = cache.keys.shape[2]
            wanted = min(length, self.max_size)
            cache.keys, cache.values = (_last(array, held, wanted) for array in (cache.keys, cache.values))
            set_next_slot(cache, wanted)
        return cache

    def _empty(self) -> Any:
        return RotatingKVCache(self.max_size)

    def _of_cache(self, cache: Any, held: Any) -> Any:
        return in_order(cache, held)


class StateRows(ArraysCache):  # type: ignore[misc]
    """Recurrent state of all rows; in a pass of unequal rows, `lengths` says how many tokens of each count."""

    cache: list[Any]

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.before: list[Any] = []

    @classmethod
    def like(cls, cache: Any, layout: Callable[[int | None], RowLayout]) -> StateRows:  # noqa: ARG003
        """Return empty rows for states like `cache`."""
        return cls(len(cache.cache))

    def arrays(self) -> Iterator[mx.array]:
        """Every array it holds."""
        return leaves(self.cache)

    def put(self, row: int, cache: Any, length: int, rows: int) -> None:  # noqa: ARG002
        """Copy the state of `cache` into a row of `rows`."""
        for index, own in enumerate(cache.cache):
            held = self.cache[index]
            if held is None and own is None:
                continue
            if held is None:
                held = mx.zeros((rows, *own.shape[1:]), own.dtype)
            if held.shape[0] < rows:
                held = mx.pad(held, [(0, rows - held.shape[0]), *[(0, 0)] * (held.ndim - 1)])
            held[row : row + 1] = mx.zeros_like(held[:1]) if own is None else own
            self.cache[index] = held

    def take(self, row: int, length: int) -> Any:  # noqa: ARG002
        """Return an ArraysCache with the state of a row."""
        cache = ArraysCache(len(self.cache))
        cache.cache = [None if held is None else mx.contiguous(held[row : row + 1]) for held in self.cache]
        return cache

    def change(self, change: Callable[[mx.array], mx.array]) -> None:
        """Replace each array by what `change` makes of it."""
        self.cache = [None if held is None else change(held) for held in self.cache]

    def remember(self) -> None:
        """Remember the present state; keeps handles, no copies."""
        self.before = [None if held is None else mx.array(held) for held in self.cache]

    def restore(self, rows: Sequence[bool]) -> None:
        """Restore the remembered state of the rows that are true in `rows`."""
        if not all(rows):
            chosen = mx.array(list(rows))
            self.cache = [_chosen(chosen, old, new) for old, new in zip(self.before, self.cache, strict=True)]
        else:
            self.cache = self.before
        self.before = []


def _each(change: Callable[..., mx.array], held: Any, *more: Any) -> Any:
    """Apply `change` to an array, or to each array of a tuple."""
    parts = next((one for one in (held, *more) if one is not None), None)
    if not isinstance(parts, (tuple, list)):
        return change(held, *more)
    columns = [one if one is not None else (None,) * len(parts) for one in (held, *more)]
    return tuple(change(*column) for column in zip(*columns, strict=True))


def _last(array: mx.array, held: int, wanted: int) -> mx.array:
    """Return the last `wanted` of `held` slots, padded with empty ones in front if there are fewer."""
    if held >= wanted:
        return array[:, :, held - wanted :]
    return mx.pad(array, [(0, 0), (0, 0), (wanted - held, 0), (0, 0)])


def _chosen(rows: mx.array, old: mx.array | None, new: mx.array) -> mx.array:
    """Return `old` (None: zeros) in the rows where `rows` is true, `new` in the others."""
    shape = (-1, *[1] * (new.ndim - 1))
    return mx.where(rows.reshape(shape), mx.zeros_like(new) if old is None else old, new)
