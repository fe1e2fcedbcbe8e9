"""The kinds of caches as rows of a batch, which a model is given in place of its own caches.

Each class offers what models ask of the cache that it stands for (`update_and_fetch`, `make_mask`, `offset` …), and to
`row_caches.RowCaches` the same few methods: `put` and `take` copy one text in and out, `change` replaces every array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import ArraysCache, KVCache, QuantizedKVCache, RotatingKVCache

from engine.mlx_lm_private import in_order, set_next_slot
from engine.speculation.caches.cache_rules import leaves
from engine.speculation.caches.row_layout import RowLayout


def resized(array: mx.array, rows: int, slots: int) -> mx.array:
    """Return a cache's array (rows, heads, slots, size), padded with zeros to `rows` and `slots` if it is smaller."""
    missing = [(0, max(0, rows - array.shape[0])), (0, 0), (0, max(0, slots - array.shape[2])), (0, 0)]
    return mx.pad(array, missing) if any(after for _, after in missing) else array


def written(array: mx.array | None, new: mx.array, layout: RowLayout) -> mx.array:
    """Return `array` with `new` (rows, heads, width, size) written to the slots of the pass under way.

    `array` (rows + spare, heads, slots, size) is None before the first pass: it is created with zeros. Numbers are
    converted to its type. Spare rows get zeros. Some models keep no values: their `size` is 0, and nothing is written.
    """
    if array is None:
        array = mx.zeros((layout.rows + layout.spare, new.shape[1], layout.size, new.shape[3]), new.dtype)
    if not new.shape[3]:
        return array
    return mx.put_along_axis(array, layout.slots, layout.filled(new).astype(array.dtype), axis=2)


class KeyValueRows:
    """Rows of KVCaches; subclasses are those of QuantizedKVCaches and RotatingKVCaches.

    `keys` and `values` are (rows, heads, slots, size), or a tuple of such arrays if they are quantised; None before the
    first token.
    """

    def __init__(self, layout: RowLayout) -> None:
        self.layout = layout
        self.keys: Any = None
        self.values: Any = None
        # int32 (rows,): the position of each row's first token in the pass under way, and after its last.
        self.offset: Any = None
        self.following: Any = None

    @classmethod
    def like(cls, cache: Any, layout: Callable[[int | None], RowLayout]) -> KeyValueRows:  # noqa: ARG003
        """Return empty rows for caches like `cache`; `layout(window)` is the layout that all with this window share."""
        return cls(layout(None))

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[Any, Any]:
        """Write `keys` and `values` (rows, heads, width, size) at the rows' ends, and advance `offset`.

        Returns all keys and values (rows, heads, end, size), up to the longest row; quantised ones as tuples.
        """
        self.offset = self.following
        self.keys = self._written(self.keys, keys)
        self.values = self._written(self.values, values)
        return self.keys_and_values()

    def keys_and_values(self) -> tuple[Any, Any]:
        """Return the keys and values, the pass under way included: some models ask for them again."""
        return self._used_slots(self.keys), self._used_slots(self.values)

    def make_mask(self, rows: int, return_array: bool = False, window_size: int | None = None) -> mx.array:  # noqa: ARG002
        """Return the mask of the pass under way, bool (rows, 1, width, end); see `RowLayout.mask`."""
        return self.layout.mask(window_size)

    def arrays(self) -> Iterator[mx.array]:
        """Every array it holds: keys and values (rows, heads, slots, size), several for each if quantised."""
        return leaves((self.keys, self.values))

    def change(self, change: Callable[[mx.array], mx.array]) -> None:
        """Replace each array (rows, heads, slots, size) by what `change` makes of it."""
        if self.keys is not None:
            self.keys = _each(change, self.keys)
            self.values = _each(change, self.values)

    def put(self, row: int, cache: Any, length: int, rows: int) -> None:
        """Copy `cache`, a single text's with `length` tokens, into row `row` of buffers with at least `rows` rows.

        Buffers are created, or grow to the layout's `size`, as needed. `cache` is empty if the model never uses it.
        """
        if cache.keys is None and self.keys is None:
            return
        keys = values = None
        if cache.keys is not None:
            keys = self._tokens_in_order(cache, cache.keys)
            values = self._tokens_in_order(cache, cache.values)
        slots = self.layout.size
        # What the layout keeps of the text: all of it, or the end of it that is in the window.
        count = length - self.layout.starts[row]

        def with_row(buffer: mx.array | None, text: mx.array | None) -> mx.array:
            """Return `buffer` with the last `count` slots of `text` in the row; each may be None, but not both."""
            if buffer is None:
                assert text is not None
                buffer = mx.zeros((rows, text.shape[1], slots, text.shape[3]), text.dtype)
            buffer = resized(buffer, rows, slots)
            if text is not None and buffer.shape[3]:
                buffer[row : row + 1, :, :count] = text[:, :, text.shape[2] - count :]
            return buffer

        self.keys = _each(with_row, self.keys, keys)
        self.values = _each(with_row, self.values, values)

    def take(self, row: int, length: int) -> Any:
        """Return a copy of row `row`, which holds `length` tokens, as a cache of mlx-lm's kind; the row stays.

        Its keys and values are (1, heads, count, size), lazy and contiguous, where `count` is `length` or what the
        window keeps of it. With no tokens, it is empty.
        """
        cache = self._empty()
        if self.keys is not None and length:
            count = length - self.layout.starts[row]

            def copy_of_row(array: mx.array) -> mx.array:
                return mx.contiguous(array[row : row + 1, :, :count])

            cache.keys = _each(copy_of_row, self.keys)
            cache.values = _each(copy_of_row, self.values)
            cache.offset = length
        return cache

    def _empty(self) -> Any:
        """Return an empty cache of one text, of mlx-lm's kind."""
        return KVCache()

    def _written(self, buffer: Any, new: mx.array) -> Any:
        """Return `buffer`, the keys or the values, after a pass has written its own; see `written`."""
        return written(buffer, new, self.layout)

    def _used_slots(self, buffer: Any) -> Any:
        """Return the keys or values of the rows in use, up to the end of the longest row."""
        return _each(lambda array: array[: self.layout.rows, :, : self.layout.end], buffer)

    def _tokens_in_order(self, cache: Any, arrays: Any) -> Any:
        """Return the keys or values of a single text's cache: its tokens in order, and no other slots."""
        return _each(lambda array: array[:, :, : cache.offset], arrays)


class QuantisedRows(KeyValueRows):
    """Rows of QuantizedKVCaches: keys and values are tuples of codes, scales and biases, with as many slots each."""

    def __init__(self, layout: RowLayout, group_size: int, bits: int) -> None:
        super().__init__(layout)
        self.group_size = group_size
        self.bits = bits

    @classmethod
    def like(cls, cache: Any, layout: Callable[[int | None], RowLayout]) -> QuantisedRows:
        return cls(layout(None), cache.group_size, cache.bits)

    def _empty(self) -> Any:
        return QuantizedKVCache(self.group_size, self.bits)

    def _written(self, buffer: Any, new: mx.array) -> Any:
        parts = mx.quantize(new, group_size=self.group_size, bits=self.bits)
        buffers = buffer or (None,) * len(parts)
        return tuple(written(array, part, self.layout) for array, part in zip(buffers, parts, strict=True))


class WindowRows(KeyValueRows):
    """Rows of RotatingKVCaches, in the order of the text: they are no rings, their layout shifts them when full."""

    @classmethod
    def like(cls, cache: Any, layout: Callable[[int | None], RowLayout]) -> WindowRows:
        return cls(layout(cache.max_size))

    @property
    def max_size(self) -> int:
        """The size of the window: some models ask for it."""
        assert self.layout.window is not None
        return self.layout.window

    def take(self, row: int, length: int) -> Any:
        """Return a copy of a row as a RotatingKVCache, with the last `max_size` tokens; see `KeyValueRows.take`."""
        cache = super().take(row, length)
        if cache.keys is not None:
            # The layout may hold one token less than the window. In a full ring the slot of that one has to exist, with
            # zeros: the next token overwrites it.
            count = min(length, self.max_size)
            cache.keys = _last_slots(cache.keys, count)
            cache.values = _last_slots(cache.values, count)
            set_next_slot(cache, count)
        return cache

    def _empty(self) -> Any:
        return RotatingKVCache(self.max_size)

    def _tokens_in_order(self, cache: Any, arrays: Any) -> Any:
        return in_order(cache, arrays)


class StateRows(ArraysCache):  # type: ignore[misc]
    """Rows of ArraysCaches: the recurrent states of all rows, (rows, ...) each.

    In a pass of unequal rows, the argument lengths says how many tokens of each row are its own; the layer ignores the
    padding after them. None means that all rows are equally long.
    """

    # The states, each None before the first token.
    cache: list[Any]

    def __init__(self, size: int) -> None:
        super().__init__(size)
        # What `remember` keeps: the states before the transaction.
        self.before: list[Any] = []

    @classmethod
    def like(cls, cache: Any, layout: Callable[[int | None], RowLayout]) -> StateRows:  # noqa: ARG003
        """Return empty rows for states like `cache`."""
        return cls(len(cache.cache))

    def arrays(self) -> Iterator[mx.array]:
        """Every array it holds, (rows, ...) each."""
        return leaves(self.cache)

    def put(self, row: int, cache: Any, length: int, rows: int) -> None:  # noqa: ARG002
        """Copy the states of `cache`, a single text's, into row `row` of states with at least `rows` rows."""
        for index, state in enumerate(cache.cache):
            states = self.cache[index]
            if states is None and state is None:
                continue
            if states is None:
                states = mx.zeros((rows, *state.shape[1:]), state.dtype)
            if states.shape[0] < rows:
                states = mx.pad(states, [(0, rows - states.shape[0]), *[(0, 0)] * (states.ndim - 1)])
            states[row : row + 1] = mx.zeros_like(states[:1]) if state is None else state
            self.cache[index] = states

    def take(self, row: int, length: int) -> Any:  # noqa: ARG002
        """Return a copy of a row's states as an ArraysCache of mlx-lm; the row stays."""
        cache = ArraysCache(len(self.cache))
        cache.cache = [None if states is None else mx.contiguous(states[row : row + 1]) for states in self.cache]
        return cache

    def change(self, change: Callable[[mx.array], mx.array]) -> None:
        """Replace each array (rows, ...) by what `change` makes of it."""
        self.cache = [None if states is None else change(states) for states in self.cache]

    def remember(self) -> None:
        """Remember the present states in `before`; keeps handles, no copies."""
        self.before = [None if states is None else mx.array(states) for states in self.cache]

    def restore(self, rows: Sequence[bool]) -> None:
        """Restore the remembered states of the rows that are true in `rows`, and forget what was remembered."""
        if not all(rows):
            chosen = mx.array(list(rows))
            self.cache = [_chosen(chosen, old, new) for old, new in zip(self.before, self.cache, strict=True)]
        else:
            self.cache = self.before
        self.before = []


def _each(change: Callable[..., mx.array], *values: Any) -> Any:
    """Apply `change` to arrays, or, where they are tuples, to the first array of each, to the second, and so on.

    A None among `values` stands for arrays that are not there, and is handed to `change` as it is.
    """
    some = next((value for value in values if value is not None), None)
    if not isinstance(some, (tuple, list)):
        return change(*values)
    columns = [value if value is not None else (None,) * len(some) for value in values]
    return tuple(change(*column) for column in zip(*columns, strict=True))


def _last_slots(array: mx.array, count: int) -> mx.array:
    """Return the last `count` slots of (1, heads, slots, size), padded with zeros in front if there are fewer."""
    slots = array.shape[2]
    if slots >= count:
        return array[:, :, slots - count :]
    return mx.pad(array, [(0, 0), (0, 0), (count - slots, 0), (0, 0)])


def _chosen(rows: mx.array, old: mx.array | None, new: mx.array) -> mx.array:
    """Return `old` (None: zeros) in the rows where `rows` is true, `new` in the others."""
    shape = (-1, *[1] * (new.ndim - 1))
    return mx.where(rows.reshape(shape), mx.zeros_like(new) if old is None else old, new)
