"""Row caches: the caches of several texts side by side, in which every row owns its length.

Rows are left-aligned: the token at position p of any row stands p slots behind the row's start. A pass writes the new
tokens of each row behind that row's own end, positions reach the model as a vector, and one mask a pass hides what lies
behind each token. Rejected tokens stay in the buffer, masked, until they are overwritten: rolling back changes numbers
on the host and no array. Left padding, as in mlx-lm's batches, would move whole buffers instead.

Recurrent layers cannot forget a token. A row that keeps less than it was fed gets its state from before the pass, and
its kept tokens have to be fed again, as `engine.speculation.rollback` does for a single text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import ArraysCache, CacheList, KVCache, QuantizedKVCache, RotatingKVCache

from engine.speculation.cache_rules import flatten, leaves

# Buffers grow by so many slots; a window has so many beyond its size, and moves its rows when they are full.
STEP = 256

Arrays = tuple[mx.array, ...]


class Layout:
    """Where the rows stand in the buffers of all caches with the same `window` (None: full attention).

    The first slot of row b holds position `starts[b]`; `size` is the number of slots. Holds what one pass needs of
    it: the slots to write to, and the masks.
    """

    def __init__(self, window: int | None) -> None:
        self.window = window
        self.starts: list[int] = []
        self.size = 0
        self.end = 0
        self.slots: mx.array | None = None
        self._first: mx.array | None = None
        self._rows = 0
        self._masks: dict[int | None, mx.array] = {}

    def moves(self, positions: Sequence[int], width: int) -> list[int] | None:
        """Make room for `width` tokens behind each of `positions`: by how many slots each row has to move to the left.

        None where no row has to. Buffers have to be grown to `size` first.
        """
        needed = max((at - start for at, start in zip(positions, self.starts, strict=True)), default=0) + width
        if needed <= self.size:
            return None
        if self.window is None or needed <= self.window + STEP:
            self.size = -(-needed // STEP) * STEP
            return None
        oldest = [max(start, at - self.window + 1) for at, start in zip(positions, self.starts, strict=True)]
        moves = [new - old for new, old in zip(oldest, self.starts, strict=True)]
        self.starts = oldest
        needed = max(at - start for at, start in zip(positions, oldest, strict=True)) + width
        self.size = max(self.size, -(-needed // STEP) * STEP)
        return moves

    def begin(self, positions: Sequence[int], width: int, spare: int) -> None:
        """A pass of `width` tokens a row begins; `spare` rows behind those in use are written to as well."""
        first = [at - start for at, start in zip(positions, self.starts, strict=True)]
        self.end = max(first) + width
        self._rows = len(first)
        self._first = mx.array(first + [0] * spare)
        self.slots = (self._first[:, None] + mx.arange(width))[:, None, :, None]
        self._masks = {}

    def mask(self, window: int | None) -> mx.array:
        """What each token attends to: (rows, 1, width, end), true for the slots that it sees."""
        if window is None or (self.window is not None and self.window < window):
            window = self.window
        if window not in self._masks:
            assert self.slots is not None
            own = self.slots[: self._rows]
            slots = mx.arange(self.end)
            mask = slots <= own
            self._masks[window] = mask if window is None else mask & (slots > own - window)
        return self._masks[window]


class _Buffers:
    """One array of a cache, (rows, heads, slots, width), for all rows."""

    @staticmethod
    def resized(array: mx.array, rows: int, slots: int) -> mx.array:
        missing = [(0, max(0, rows - array.shape[0])), (0, 0), (0, max(0, slots - array.shape[2])), (0, 0)]
        return mx.pad(array, missing) if any(after for _, after in missing) else array

    @staticmethod
    def written(array: mx.array | None, new: mx.array, layout: Layout) -> mx.array:
        """`array` with `new` (rows, heads, width, ...) at the layout's slots; made where there is none yet."""
        assert layout.slots is not None
        rows = layout.slots.shape[0]
        if array is None:
            array = mx.zeros((rows, new.shape[1], layout.size, new.shape[3]), new.dtype)
        if not new.shape[3]:
            return array
        if new.shape[0] < rows:
            new = mx.pad(new, [(0, rows - new.shape[0]), (0, 0), (0, 0), (0, 0)])
        return mx.put_along_axis(array, layout.slots, new.astype(array.dtype), axis=2)


class KeyValueRows:
    """What a model is given in place of a KVCache, a RotatingKVCache or (with `bits`) a QuantizedKVCache."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.keys: Any = None
        self.values: Any = None
        # (rows,): how many tokens each row has seen.
        self.offset: Any = None
        self.following: Any = None

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[Any, Any]:
        """Write (rows, heads, width, ...) at the rows' ends; returns all that is held, up to the longest row."""
        self.keys = self._written(self.keys, keys)
        self.values = self._written(self.values, values)
        self.offset = self.following
        rows = keys.shape[0]
        return self._held(self.keys, rows), self._held(self.values, rows)

    def keys_and_values(self) -> tuple[Any, Any]:
        """What the pass under way has written and what was there before."""
        rows = self.offset.shape[0]
        return self._held(self.keys, rows), self._held(self.values, rows)

    def make_mask(self, rows: int, return_array: bool = False, window_size: int | None = None) -> mx.array:  # noqa: ARG002
        """The mask of the pass under way; see `Layout.mask`."""
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
        size, start = self.layout.size, self.layout.starts[row]

        def placed(held: mx.array | None, own: mx.array | None) -> mx.array:
            if held is None:
                assert own is not None
                held = mx.zeros((rows, own.shape[1], size, own.shape[3]), own.dtype)
            held = _Buffers.resized(held, rows, size)
            if own is not None and held.shape[3]:
                held[row : row + 1, :, : length - start] = own[:, :, own.shape[2] - (length - start) :]
            return held

        self.keys, self.values = (_each(placed, held, own) for held, own in ((self.keys, keys), (self.values, values)))

    def take(self, row: int, length: int) -> Any:
        """A cache of the model's own kind with the `length` tokens of a row."""
        cache = self._empty()
        if self.keys is not None and length:
            first, last = 0, length - self.layout.starts[row]

            def own(array: mx.array) -> mx.array:
                return mx.contiguous(array[row : row + 1, :, first:last])

            cache.keys, cache.values = (_each(own, held) for held in (self.keys, self.values))
            cache.offset = length
        return cache

    def _empty(self) -> Any:
        return KVCache()

    def _written(self, held: Any, new: mx.array) -> Any:
        return _Buffers.written(held, new, self.layout)

    def _held(self, held: Any, rows: int) -> Any:
        return _each(lambda array: array[:rows, :, : self.layout.end], held)

    def _of_cache(self, cache: Any, held: Any) -> Any:
        """The arrays of a single text's cache, with its tokens in order and nothing behind them."""
        return _each(lambda array: array[:, :, : cache.offset], held)


class _QuantisedRows(KeyValueRows):
    def __init__(self, layout: Layout, group_size: int, bits: int) -> None:
        super().__init__(layout)
        self.group_size, self.bits = group_size, bits

    def _empty(self) -> Any:
        return QuantizedKVCache(self.group_size, self.bits)

    def _written(self, held: Any, new: mx.array) -> Any:
        parts = mx.quantize(new, group_size=self.group_size, bits=self.bits)
        held = held or (None,) * len(parts)
        return tuple(_Buffers.written(array, part, self.layout) for array, part in zip(held, parts, strict=True))


class _WindowRows(KeyValueRows):
    @property
    def max_size(self) -> int:
        """The size of the window: some models ask for it."""
        assert self.layout.window is not None
        return self.layout.window

    def take(self, row: int, length: int) -> Any:
        cache = super().take(row, length)
        if cache.keys is not None:
            # Of a ring that is full, the oldest slot has to exist, because the next token overwrites it.
            held, wanted = cache.keys.shape[2], min(length, self.max_size)
            cache.keys, cache.values = (_last(array, held, wanted) for array in (cache.keys, cache.values))
            cache._idx = wanted
        return cache

    def _empty(self) -> Any:
        return RotatingKVCache(self.max_size)

    def _of_cache(self, cache: Any, held: Any) -> Any:
        return cache._temporal_order(held)


class _StateRows(ArraysCache):  # type: ignore[misc]
    """Recurrent state of all rows; in a pass of unequal rows, `lengths` says how many tokens of each count."""

    cache: list[Any]

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.before: list[Any] = []

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
        """An ArraysCache with the state of a row."""
        cache = ArraysCache(len(self.cache))
        cache.cache = [None if held is None else mx.contiguous(held[row : row + 1]) for held in self.cache]
        return cache

    def change(self, change: Callable[[mx.array], mx.array]) -> None:
        """Replace each array by what `change` makes of it."""
        self.cache = [None if held is None else change(held) for held in self.cache]

    def remember(self) -> None:
        """Keep the state as it is now: handles, no copies."""
        self.before = [None if held is None else mx.array(held) for held in self.cache]

    def restore(self, rows: Sequence[bool] | None = None) -> None:
        """Give these rows (None: all) their remembered state."""
        if rows is not None and not all(rows):
            chosen = mx.array(list(rows))
            self.cache = [_chosen(chosen, old, new) for old, new in zip(self.before, self.cache, strict=True)]
        else:
            self.cache = self.before
        self.before = []


class RowCaches:
    """The caches of a batch: `caches` is what the model is called with. Belongs to the engine's thread.

    `positions[b]` is how many tokens row b holds. One pass at a time: `begin`, the model's pass, then `commit` or
    `abort`. Rows are added and removed between passes; what other rows hold is not moved by that.
    """

    def __init__(self, caches: Iterable[Any]) -> None:
        self.positions: list[int] = []
        self._layouts: dict[int | None, Layout] = {}
        self.caches = [self._rows_of(cache) for cache in caches]
        flat = list(flatten(self.caches))
        self._attention = [cache for cache in flat if isinstance(cache, KeyValueRows)]
        self._recurrent = [cache for cache in flat if isinstance(cache, _StateRows)]
        self._counts: list[int] | None = None
        self._capacity = 0

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def carries(self) -> bool:
        """Whether a row that keeps less than it was fed has to be fed again what it keeps."""
        return bool(self._recurrent)

    def add(self, caches: Iterable[Any], length: int) -> None:
        """Copy the caches of one text, which hold its first `length` tokens, into a new last row."""
        row = len(self)
        self.positions.append(length)
        self._capacity = max(self._capacity, len(self))
        for layout in self._layouts.values():
            layout.starts.append(0 if layout.window is None else max(0, length - layout.window + 1))
            self._make_room(layout, 1)
        for cache, own in zip(flatten(self.caches), flatten(caches), strict=True):
            cache.put(row, own, length, self._capacity)

    def remove(self, row: int) -> list[Any]:
        """Take a row out: returns caches of the model's own kinds. The last row takes its number."""
        length, last = self.positions[row], len(self) - 1
        taken = [_take(cache, row, length) for cache in self.caches]
        if row != last:
            for cache in flatten(self.caches):
                cache.change(lambda array: _moved(array, last, row))
        for numbers in (self.positions, *(layout.starts for layout in self._layouts.values())):
            numbers[row] = numbers[last]
            numbers.pop()
        return taken

    def begin(self, counts: Sequence[int]) -> None:
        """A pass begins in which row b is fed `counts[b]` tokens, at least one; shorter rows are padded behind."""
        assert self._counts is None
        self._counts, width = list(counts), max(counts)
        for layout in self._layouts.values():
            self._make_room(layout, width)
            layout.begin(self.positions, width, self._capacity - len(self))
        offset = mx.array(self.positions)
        following = offset + width
        for cache in self._attention:
            cache.offset, cache.following = offset, following
        unequal = min(counts) < width
        for state in self._recurrent:
            if self._capacity > len(self):
                state.change(lambda array: array[: len(self)])
            state.lengths = mx.array(self._counts) if unequal else None
            state.remember()

    def commit(self, keep: Sequence[int]) -> list[int]:
        """Keep the first `keep[b]` tokens of each row's; returns how many of them each row holds now.

        Where that is 0 instead, the row is as before the pass and has to be fed again what it keeps.
        """
        counts = self._close()
        if not self._recurrent:
            held = list(keep)
        else:
            partial = [kept < count for kept, count in zip(keep, counts, strict=True)]
            for state in self._recurrent:
                if any(partial):
                    state.restore(partial)
                state.before, state.lengths = [], None
            held = [0 if back else kept for kept, back in zip(keep, partial, strict=True)]
        self.positions = [at + kept for at, kept in zip(self.positions, held, strict=True)]
        return held

    def abort(self) -> None:
        """Every row is as before the pass, if its arrays can still be evaluated."""
        self._close()
        for state in self._recurrent:
            state.restore()
            state.lengths = None

    def arrays(self) -> list[mx.array]:
        """Every array of the caches."""
        return [array for cache in flatten(self.caches) for array in cache.arrays()]

    def state_arrays(self) -> list[mx.array]:
        """The arrays of recurrent layers: left unevaluated they would grow into long chains."""
        return [array for state in self._recurrent for array in state.arrays()]

    def _close(self) -> list[int]:
        assert self._counts is not None
        counts, self._counts = self._counts, None
        return counts

    def _make_room(self, layout: Layout, width: int) -> None:
        before = layout.size
        moves = layout.moves(self.positions, width)
        if moves is None and layout.size == before:
            return
        own = [cache for cache in self._attention if cache.layout is layout]
        for cache in own:
            cache.change(lambda array: _Buffers.resized(array, self._capacity, layout.size))
        if moves is not None and any(moves):
            moves += [0] * (self._capacity - len(moves))
            slots = mx.minimum(mx.arange(layout.size) + mx.array(moves)[:, None], layout.size - 1)[:, None, :, None]
            for cache in own:
                cache.change(lambda array: mx.take_along_axis(array, slots, axis=2) if array.shape[3] else array)

    def _rows_of(self, cache: Any) -> Any:
        """Rows of the kind of `cache`."""
        if type(cache) is CacheList:
            return CacheList(*(self._rows_of(nested) for nested in cache.caches))
        if type(cache) is ArraysCache:
            return _StateRows(len(cache.cache))
        window = cache.max_size if type(cache) is RotatingKVCache else None
        layout = self._layouts.setdefault(window, Layout(window))
        if window is not None:
            return _WindowRows(layout)
        if type(cache) is QuantizedKVCache:
            return _QuantisedRows(layout, cache.group_size, cache.bits)
        return KeyValueRows(layout)


def _take(cache: Any, row: int, length: int) -> Any:
    if type(cache) is CacheList:
        return CacheList(*(_take(nested, row, length) for nested in cache.caches))
    return cache.take(row, length)


def _each(change: Callable[..., mx.array], held: Any, *more: Any) -> Any:
    """`change` of an array, or of each array in a tuple."""
    parts = next((one for one in (held, *more) if one is not None), None)
    if not isinstance(parts, (tuple, list)):
        return change(held, *more)
    columns = [one if one is not None else (None,) * len(parts) for one in (held, *more)]
    return tuple(change(*column) for column in zip(*columns, strict=True))


def _moved(array: mx.array, source: int, target: int) -> mx.array:
    array[target] = array[source]
    return array


def _last(array: mx.array, held: int, wanted: int) -> mx.array:
    """The last `wanted` of `held` slots, with empty ones before them where there are fewer."""
    if held >= wanted:
        return array[:, :, held - wanted :]
    return mx.pad(array, [(0, 0), (0, 0), (wanted - held, 0), (0, 0)])


def _chosen(rows: mx.array, old: mx.array | None, new: mx.array) -> mx.array:
    """`old` (None: zeros) in the rows where `rows` is true, `new` in the others."""
    shape = (-1, *[1] * (new.ndim - 1))
    return mx.where(rows.reshape(shape), mx.zeros_like(new) if old is None else old, new)
