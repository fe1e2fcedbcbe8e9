"""Rollback rules: how caches remove rejected rows.

    trim      full attention, quantised, chunked and latent KV: rows after the position are masked, and the next write
              overwrites them
    window    sliding windows: a pass of several rows leaves the whole window plus those rows, so the rejected tail can
              be cut off; single rows overwrite what has left the window, and the snapshot still has it
    restore   recurrent state and anything else that cannot be trimmed: back to the snapshot, nothing in between

`cache_kinds` assigns the rules to kinds of caches.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import mlx.core as mx
from mlx.utils import tree_map

from engine.errors import EngineError
from engine.mlx_lm_private import in_order, next_slot, set_next_slot


class UnknownCacheKind(EngineError):
    """No rule can roll back this cache. `kind` is its class name, with the setting that prevents it, if any."""

    code = "cache-kind"

    def __init__(self, kind: str) -> None:
        super().__init__(f"no rollback rule for a cache of kind {kind}", kind=kind)
        self.kind = kind


class Rule(ABC):
    """How one layer's cache is rolled back; `cache` is the live object that the model writes to.

    Positions count rows from the beginning of the text: position p is the row of token p, and a cache at position n has
    seen n rows. No method copies the contents of an array. Only `restore`, `cut`, `keep`, `recall` and `compact` change
    the cache.

    A transaction is `begin`, one or several passes of the model, then `keep` or `restore`, then `forget`.
    """

    # True if there are no rows to drop: the cache can only go back to the whole snapshot of `begin`.
    restores_only = False
    # True if `holds` is true at every position, so that nobody need `remember` anything.
    cuts_anywhere = False

    def __init__(self, cache: Any) -> None:
        self.cache = cache
        # What `begin` keeps for `restore`; None outside of transactions.
        self._before: Any = None

    @property
    def position(self) -> int | None:
        """The rows that the cache has seen; None if it does not count them or the model has not used it."""
        return None if self.cache.keys is None else int(self.cache.offset)

    def begin(self, rows: int) -> None:  # noqa: B027
        """Keep what `restore` needs, before `rows` rows are fed in one pass or in several."""

    @abstractmethod
    def restore(self, start: int) -> None:
        """Restore the state at `begin`, at position `start`, even if a pass has stopped halfway."""

    def holds(self, position: int) -> bool:  # noqa: ARG002
        """Whether everything that a pass from `position` on attends to is in the cache now."""
        return True

    def cut(self, position: int) -> None:
        """Drop the rows from `position` on, which must not be beyond the rows that the cache has seen.

        Raises `AssertionError`, with nothing changed, unless `holds(position)`: the next pass would attend to rows
        that are not there, or to a state that has read too many, and the text would be wrong without any sign of it.
        """
        if not self.holds(position):
            raise AssertionError(f"a {type(self.cache).__name__} cannot go back to {position}")
        self._drop(position)

    def _drop(self, position: int) -> None:
        """Do what `cut` says; `holds(position)` is true. Rows after `offset` are never read."""
        if self.cache.keys is not None:
            self.cache.offset = position

    def can_keep(self, position: int, rows: int) -> bool:  # noqa: ARG002
        """Whether `keep` can serve `position`, now that `rows` rows have been fed since `begin`."""
        return self.holds(position)

    def keep(self, position: int, rows: int) -> None:  # noqa: ARG002
        """Drop the rows from `position` on, which are some of the `rows` fed since `begin`; needs `can_keep`."""
        self.cut(position)

    def remember(self) -> Any:
        """Return the current state for `recall`, as handles that copy nothing; None if cutting is enough."""
        return None if self.cuts_anywhere else _handles(vars(self.cache))

    def recall(self, state: Any, position: int) -> None:
        """Restore the `state` that `remember` returned at `position`, of this cache or the one it was copied from."""
        if state is None:
            self.cut(position)
        else:
            vars(self.cache).update(_handles(state))

    def compact(self) -> None:  # noqa: B027
        """Free the buffer's room after the rows, if that is most of it."""

    def forget(self) -> None:
        """Release what only the transaction needed, because it is over."""
        self._before = None

    def arrays(self) -> Iterator[mx.array]:
        """Generate every array of the cache: keys and values (1, heads, slots, size), several for each if quantised."""
        return leaves((self.cache.keys, self.cache.values))


class TrimRule(Rule):
    """KVCache, QuantizedKVCache: rows after `offset` are never read."""

    cuts_anywhere = True

    def restore(self, start: int) -> None:
        cache = self.cache
        if start == 0:
            cache.keys = cache.values = None
        # A layer that the model never uses stays at 0.
        cache.offset = 0 if cache.keys is None else start

    def compact(self) -> None:
        cache = self.cache
        # Buffers grow by fixed steps; a short text fills little of one. A long text is not worth a copy.
        if cache.keys is not None and 2 * cache.offset < next(leaves(cache.keys)).shape[-2]:
            buffers = (cache.keys, cache.values)
            cache.keys, cache.values = tree_map(lambda array: mx.contiguous(array[..., : cache.offset, :]), buffers)


class IndexedRule(TrimRule):
    """QSAKVCache of qwen4_exp: keys and values with an index of the keys, which its own `trim` cuts, too."""

    def restore(self, start: int) -> None:
        self.cut(start)
        if start == 0:
            vars(self.cache).update(vars(type(self.cache)()))

    def _drop(self, position: int) -> None:
        self.cache.trim(self.cache.offset - position)

    def arrays(self) -> Iterator[mx.array]:
        """Generate keys and values (1, heads, slots, size), and the arrays of their index."""
        return leaves(vars(self.cache))


class ChunkedRule(Rule):
    """ChunkedKVCache: at the start of a pass it drops all but the last `chunk_size` rows.

    Dropping makes new arrays, so the objects kept at `begin` still hold the rows that were dropped since. A row attends
    to its own chunk only, so the rows needed begin with the chunk of the next position.
    """

    def begin(self, rows: int) -> None:  # noqa: ARG002
        cache = self.cache
        self._before = (cache.keys, cache.values, cache.offset, cache.start_position)

    def restore(self, start: int) -> None:  # noqa: ARG002
        cache = self.cache
        cache.keys, cache.values, cache.offset, cache.start_position = self._before

    def holds(self, position: int) -> bool:
        cache = self.cache
        return bool(cache.start_position <= position // cache.chunk_size * cache.chunk_size)


class WindowRule(Rule):
    """RotatingKVCache: a window of `max_size` rows.

    A pass of several rows makes new arrays: the window in temporal order, then the rows. A single row is written in
    place; after the wrap it overwrites the row that has just left the window. One such row can be removed by its index
    alone, because its slot is written next and not read before. Removing several needs the rows that they overwrote, so
    the snapshot is a handle of the arrays, which costs one copy if single rows follow, and nothing otherwise.
    """

    def __init__(self, cache: Any) -> None:
        if cache.keep > 0:
            # A pass of several rows masks the pinned rows like old ones; plain decoding attends to them.
            raise UnknownCacheKind("RotatingKVCache with keep")
        super().__init__(cache)

    def begin(self, rows: int) -> None:
        """Keep the arrays, the offset and the next slot.

        The arrays themselves are enough, unless several rows could overwrite rows of the window in place: then they are
        kept as handles, which such writes do not change; the class says what that costs.
        """
        cache = self.cache
        keys = cache.keys
        values = cache.values
        # One row can be removed by its index alone, and no row is overwritten before the window is full.
        if rows > 1 and keys is not None and cache.offset + rows > cache.max_size:
            keys = mx.array(keys)
            values = mx.array(values)
        self._before = (keys, values, cache.offset, next_slot(cache))

    def restore(self, start: int) -> None:  # noqa: ARG002
        cache = self.cache
        cache.keys, cache.values, cache.offset, slot = self._before
        set_next_slot(cache, slot)

    def holds(self, position: int) -> bool:
        cache = self.cache
        if cache.keys is None:
            return True
        oldest = cache.offset - self._length() + self._stale()
        return bool(oldest <= max(0, position - cache.max_size + 1))

    def _drop(self, position: int) -> None:
        """Do what `cut` says: cut the tail off, or step back by one slot in a buffer that is not full yet."""
        cache = self.cache
        if cache.keys is None:
            return
        surplus = cache.offset - position
        if cache.offset < cache.max_size:
            set_next_slot(cache, next_slot(cache) - surplus)
            cache.offset = position
        else:
            self._set(self._ordered(0, self._length() - surplus), position)

    def can_keep(self, position: int, rows: int) -> bool:
        return self.holds(position) or rows <= self._length()

    def keep(self, position: int, rows: int) -> None:
        """Drop the rows from `position` on.

        Rows that a long pass has pushed out of the window come from the snapshot.
        """
        if self.holds(position):
            self.cut(position)
            return
        # The window has already lost rows that the next pass attends to: put the accepted rows behind the old window.
        position_before = self._before[2]
        start = self._length() - rows
        accepted = self._ordered(start, start + position - position_before)
        self.restore(position_before)
        if self.cache.keys is not None:
            window = self._ordered(self._stale(), None)
            accepted = [mx.concatenate([old, new], axis=2) for old, new in zip(window, accepted, strict=True)]
        self._set(accepted, position)

    def _ordered(self, start: int, end: int | None) -> list[mx.array]:
        """Return keys and values (1, heads, end - start, size) in temporal order; `start` 0 is the oldest row held."""
        cache = self.cache
        return [in_order(cache, array)[..., start:end, :] for array in (cache.keys, cache.values)]

    def _set(self, ordered: list[mx.array], position: int) -> None:
        """Make `ordered`, keys and values in temporal order, the contents of the cache, which is at `position` now."""
        cache = self.cache
        if ordered[0].shape[2] < min(position, cache.max_size):
            # At most one row is missing, the oldest: the next token does not attend to it, but a single row is written
            # over it. So zeros stand in its place.
            ordered = [mx.pad(array, [(0, 0), (0, 0), (1, 0), (0, 0)]) for array in ordered]
        cache.keys, cache.values = ordered
        cache.offset = position
        # At the end of a full buffer, the next single row goes to its beginning.
        set_next_slot(cache, cache.keys.shape[2])

    def _length(self) -> int:
        """Return the number of rows in temporal order, stale ones included."""
        cache = self.cache
        full: int = cache.keys.shape[2]
        slot = next_slot(cache)
        return full if slot < cache.offset else min(slot, full)

    def _stale(self) -> int:
        """Return 1 if the oldest row may be left over from a removed row, else 0."""
        return int(self._length() == self.cache.max_size <= self.cache.offset)


class SnapshotOnly(Rule):
    """Caches without rows to drop: the snapshot of the transaction restores them, and a checkpoint recalls them.

    They do not count rows (`position` is None) and hold no position but their own, so `cut` always raises. A state that
    has read rejected tokens would give a wrong text without any sign of it.
    """

    restores_only = True

    @property
    def position(self) -> int | None:
        return None

    def begin(self, rows: int) -> None:  # noqa: ARG002
        self._before = _handles(vars(self.cache))

    def restore(self, start: int) -> None:  # noqa: ARG002
        vars(self.cache).update(self._before)

    def holds(self, position: int) -> bool:  # noqa: ARG002
        return False

    def _drop(self, position: int) -> None:
        """Do nothing: it holds no row after the only position that it can have."""

    def arrays(self) -> Iterator[mx.array]:
        """Generate every array of the cache, in the layer's own shapes (...)."""
        return leaves(vars(self.cache))


class DeepSeekLayerRule(SnapshotOnly):
    """LayerCache of deepseek_v41: a window, compressed groups and the open group, all restored together.

    It counts its rows, so `cut` at the very position where it stands is allowed, and drops nothing.
    """

    @property
    def position(self) -> int | None:
        return int(self.cache.offset)

    def holds(self, position: int) -> bool:
        return position == self.position


class PooledRule(SnapshotOnly):
    """PoolingCache of mlx-vlm: compressed groups, whose offset counts them and not rows, and the open group."""


class RecurrentRule(SnapshotOnly):
    """ArraysCache: recurrent state. The snapshot is a handle of every array, which later writes do not change."""

    def begin(self, rows: int) -> None:  # noqa: ARG002
        cache = self.cache
        state = [None if array is None else mx.array(array) for array in cache.cache]
        self._before = (state, _handles(cache.left_padding), _handles(cache.lengths))

    def restore(self, start: int) -> None:  # noqa: ARG002
        # As attributes: some of mlx-vlm's are properties.
        self.cache.cache, self.cache.left_padding, self.cache.lengths = self._before


def is_list(cache: Any) -> bool:
    """Whether it holds several caches of one layer: a CacheList of mlx-lm or of mlx-vlm, which may not be imported."""
    return type(cache).__name__ == "CacheList"


def flatten(caches: Iterable[Any]) -> Iterator[Any]:
    """Generate each single cache, nested CacheLists opened."""
    for cache in caches:
        if is_list(cache):
            yield from flatten(cache.caches)
        else:
            yield cache


def leaves(value: Any) -> Iterator[mx.array]:
    """Generate every array, of any shape (...), in nested lists, tuples and dicts; skip all else."""
    if isinstance(value, mx.array):
        yield value
    elif isinstance(value, (list, tuple, Mapping)):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from leaves(item)


def copies(caches: Iterable[Any]) -> list[Any]:
    """Return independent copies of `caches`, which share their contents until the first write."""
    return [_copy(cache) for cache in caches]


def _copy(cache: Any) -> Any:
    """Return a cache of the same class with the same attributes, without calling its constructor."""
    kind: Any = type(cache)
    twin = kind.__new__(kind)
    if is_list(cache):
        twin.caches = tuple(_copy(nested) for nested in cache.caches)
    else:
        vars(twin).update(_handles(vars(cache)))
    return twin


def _handles(value: Any) -> Any:
    """Return `value` with a handle of its own for every array, which copies the contents only on a write."""
    if isinstance(value, mx.array):
        return mx.array(value)
    if isinstance(value, list | tuple):
        return type(value)(_handles(item) for item in value)
    if isinstance(value, dict):
        return {name: _handles(item) for name, item in value.items()}
    return value
