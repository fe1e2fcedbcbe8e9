"""Row caches: the caches of several texts side by side, in which every row owns its length.

Rows are left-aligned: the token at position p of any row stands p slots after the row's start. A pass writes the new
tokens of each row after that row's own end, positions reach the model as a vector, and one mask a pass hides the slots
after each token. Rejected tokens stay in the buffer, masked, until they are overwritten: a rollback changes numbers on
the host and no array. Left padding, as in mlx-lm's batches, would move whole buffers instead.

Recurrent layers cannot forget a token. If a row keeps fewer tokens than it was fed, its state from before the pass is
restored and its kept tokens have to be fed again, as `engine.speculation.caches.rollback` does for a single text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import add
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import CacheList

from engine.speculation.caches.cache_kinds import kind_of
from engine.speculation.caches.cache_rules import flatten, is_list, leaves
from engine.speculation.caches.row_kinds import KeyValueRows, StateRows, resized
from engine.speculation.caches.row_layout import RowLayout

# Free slots after a row that is added: enough for a few rounds.
_FREE_SLOTS = 16


class RowCaches:
    """The caches of a batch; call the model with `caches`. Belongs to the engine's thread.

    `positions[b]` is how many tokens row b held when the last transaction ended. A transaction is `begin` and a pass of
    the model, then `go_on` and a pass for each further pass, then `commit`. Add and remove rows between transactions;
    adding does not move the contents of other rows, and removing moves only the last row.

    Two rows at `positions` [5, 3] verify two and one draft tokens: `begin([3, 2])`, a pass over ids (2, 3), where
    the last of row 1 is padding, then `commit([3, 1])`, which returns [3, 1] and leaves `positions` [8, 4].
    """

    def __init__(self, caches: Iterable[Any]) -> None:
        self.positions: list[int] = []
        self._layouts: dict[int | None, RowLayout] = {}
        self.caches = [self._rows_of(cache) for cache in caches]
        flat = list(flatten(self.caches))
        self._attention = [cache for cache in flat if isinstance(cache, KeyValueRows)]
        self._recurrent = [cache for cache in flat if isinstance(cache, StateRows)]
        # In the open transaction: tokens that each row was fed, and whether it had no token in some pass.
        self._fed: list[int] | None = None
        self._sat_out: list[bool] = []
        self._capacity = 0

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def carries(self) -> bool:
        """Whether a row that keeps only some of its tokens has to be fed these again."""
        return bool(self._recurrent)

    def reserve(self, rows: int) -> None:
        """Make room for at least `rows` rows when the next one is added, so that buffers need not grow with each."""
        self._capacity = max(self._capacity, rows)

    def add(self, caches: Iterable[Any], length: int) -> None:
        """Copy the caches of one text, which hold its first `length` tokens, into a new last row.

        Buffers grow if they are too small. The caches given stay as they are.
        """
        row = len(self)
        self.positions.append(length)
        self._capacity = max(self._capacity, len(self))
        for layout in self._layouts.values():
            start = 0 if layout.window is None else max(0, length - layout.window + 1)
            layout.starts.append(start)
            layout.end = max(layout.end, length - start)
            # Without free slots, the next round would grow the buffers and copy them once more.
            self._make_room(layout, _FREE_SLOTS)
        for rows, single in zip(flatten(self.caches), flatten(caches), strict=True):
            rows.put(row, single, length, self._capacity)

    def remove(self, row: int) -> list[Any]:
        """Remove a row; returns copies of its caches, of the model's own kinds. The last row takes its number."""
        length = self.positions[row]
        last = len(self) - 1
        taken = [_take(cache, row, length) for cache in self.caches]
        if row != last:
            self._move(last, row, taken)
        for numbers in (self.positions, *(layout.starts for layout in self._layouts.values())):
            numbers[row] = numbers[last]
            numbers.pop()
        return taken

    def _move(self, source: int, target: int, taken: Sequence[Any]) -> None:
        """Copy row `source` over row `target`.

        All that was read of the buffers is evaluated first: the copies of `source`, and the caches `taken` of `target`.
        """
        copies: list[mx.array] = []
        for cache in flatten(self.caches):
            used = self._used_slices(cache, source)

            # Changes nothing, but notes copies. Layers without values have empty arrays.
            def read(array: mx.array, used: tuple[slice, ...] = used) -> mx.array:
                copies.append(mx.take(array[slice(None), *used], mx.array([source]), axis=0) if array.size else array)
                return array

            cache.change(read)
        # A buffer with unevaluated reads cannot be written in place.
        mx.eval(copies, [[*leaves(vars(cache))] for cache in flatten(taken)])
        remaining = iter(copies)
        for cache in flatten(self.caches):
            used = self._used_slices(cache, source)

            def write(array: mx.array, used: tuple[slice, ...] = used) -> mx.array:
                copy = next(remaining)
                if array.size:
                    array[slice(target, target + 1), *used] = copy
                return array

            cache.change(write)

    def _used_slices(self, cache: Any, row: int) -> tuple[slice, ...]:
        """Return the slices of a cache's arrays that a row's tokens use, for the axes after the rows.

        A recurrent state is used whole: ().
        """
        if not isinstance(cache, KeyValueRows):
            return ()
        return slice(None), slice(self.positions[row] - cache.layout.starts[row])

    def begin(self, counts: Sequence[int], more: int = 0) -> None:
        """Begin a transaction and a pass that feeds row b `counts[b]` tokens.

        The pass is as wide as the longest row; shorter rows are padded at the end, and their padding is masked. A row
        with 0 gets no token in this pass. Later passes of the transaction feed a row at most `more` tokens in all.
        """
        assert self._fed is None
        rows = len(self.positions)
        width = max(counts) + more
        for layout in self._layouts.values():
            if layout.end + width > layout.size:
                self._make_room(layout, width)
        for state in self._recurrent:
            if self._capacity > rows:
                state.change(lambda array: array[:rows])
            state.remember()
        self._fed = [0] * rows
        self._sat_out = [False] * rows
        self._begin_pass(self.positions, counts)

    def go_on(self, counts: Sequence[int]) -> None:
        """Begin another pass of the open transaction, which feeds row b another `counts[b]` tokens."""
        assert self._fed is not None
        self._begin_pass(list(map(add, self.positions, self._fed)), counts)

    def _begin_pass(self, positions: list[int], counts: Sequence[int]) -> None:
        """Begin a pass that feeds row b `counts[b]` tokens from `positions[b]` on.

        There is room for them. The layouts get the slots to write to, and the caches the rows' positions.
        """
        assert self._fed is not None
        width = max(counts)
        # Rows of the buffers that no text has yet.
        spare = self._capacity - len(positions)
        for layout in self._layouts.values():
            layout.begin(positions, width, spare)
        offset = mx.array(positions)
        following = offset + width
        for cache in self._attention:
            cache.offset = offset
            # What `offset` becomes when the cache is written to.
            cache.following = following
        for state in self._recurrent:
            # None: all rows are as long as the pass.
            state.lengths = mx.array(list(counts)) if min(counts) < width else None
        self._fed = list(map(add, self._fed, counts))
        if 0 in counts:
            self._sat_out = [out or not count for out, count in zip(self._sat_out, counts, strict=True)]

    def held(self, row: int, keep: int) -> int:
        """Return how many tokens of the transaction the row will hold if it keeps the first `keep`: `keep` or 0.

        See `commit`; nothing changes here.
        """
        assert self._fed is not None
        partial = self.carries and (keep < self._fed[row] or self._sat_out[row])
        return 0 if partial else keep

    def commit(self, keep: Sequence[int]) -> list[int]:
        """End the transaction: keep the first `keep[b]` of the tokens that row b was fed.

        Returns how many of them each row holds now: `keep[b]`; or 0 if the row has a recurrent layer that has read
        other tokens as well. Such a row is as before the transaction, and the kept tokens have to be fed again.
        """
        assert self._fed is not None
        tokens_held = list(keep)
        if self._recurrent:
            tokens_held = [self.held(row, count) for row, count in enumerate(keep)]
            self._end_recurrent(keep, self._fed)
        self._fed = None
        self.positions = list(map(add, self.positions, tokens_held))
        return tokens_held

    def _end_recurrent(self, keep: Sequence[int], fed: Sequence[int]) -> None:
        """Restore the states of the rows that have read more than they keep, or padding; forget those before."""
        to_restore = [count < read or out for count, read, out in zip(keep, fed, self._sat_out, strict=True)]
        for state in self._recurrent:
            if any(to_restore):
                state.restore(to_restore)
            state.before = []
            state.lengths = None

    def arrays(self) -> list[mx.array]:
        """Return every array of the caches, (rows, ...) each."""
        return [array for cache in flatten(self.caches) for array in cache.arrays()]

    def state_arrays(self) -> list[mx.array]:
        """Return the arrays (rows, ...) of recurrent layers.

        They would grow into long lazy chains if never evaluated.
        """
        return [array for state in self._recurrent for array in state.arrays()]

    def _make_room(self, layout: RowLayout, width: int) -> None:
        """Make room for `width` more tokens in each row: enlarge the buffers of the layout's caches, and shift rows."""
        room = layout.make_room(self.positions, width)
        if not room.grown and not room.shifts:
            return
        sharing = [cache for cache in self._attention if cache.layout is layout]
        for cache in sharing:
            cache.change(lambda array: resized(array, self._capacity, layout.size))
        if room.shifts:
            shifts = [*room.shifts, *[0] * (self._capacity - len(room.shifts))]
            # Where each slot's contents come from, (rows, 1, slots, 1); what comes from past the end is masked.
            sources = mx.minimum(mx.arange(layout.size) + mx.array(shifts)[:, None], layout.size - 1)[:, None, :, None]
            for cache in sharing:
                cache.change(lambda array: mx.take_along_axis(array, sources, axis=2) if array.shape[3] else array)

    def _rows_of(self, cache: Any) -> Any:
        """Return empty rows of the kind of `cache`."""
        if is_list(cache):
            return CacheList(*(self._rows_of(nested) for nested in cache.caches))
        rows = kind_of(cache).rows
        assert rows is not None
        return rows.like(cache, self._layout)

    def _layout(self, window: int | None) -> RowLayout:
        """Return the layout that all caches with this window share."""
        return self._layouts.setdefault(window, RowLayout(window))


def _take(cache: Any, row: int, length: int) -> Any:
    if is_list(cache):
        return CacheList(*(_take(nested, row, length) for nested in cache.caches))
    return cache.take(row, length)
