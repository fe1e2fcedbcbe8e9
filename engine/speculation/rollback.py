"""Rollback: one rule for each kind of cache, and transactions over all layers of a model.

A verify pass writes rows into every layer's cache before anybody knows which of them will be kept. Each rule
takes the rejected rows back exactly, as if they had never been fed:

    trim      full attention, quantised, chunked and latent KV: rows behind the position are invisible, the
              next write lands on them
    window    sliding windows: a pass of several rows leaves the whole window plus those rows, so the rejected
              tail can be cut off; a single row only ever overwrites what the next row would not see
    restore   recurrent state and whatever else cannot be trimmed: back to the snapshot taken at the
              beginning, and the caller feeds the kept rows again with its next pass (restore and carry)

A kind of cache that no rule names is refused by type: a subclass may have changed what its rule relies on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import mlx.core as mx
from mlx_lm.models.cache import CacheList

from engine.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class UnknownCacheKind(EngineError):
    """A cache that no rule can roll back: `kind` is its class name, with what is special about it."""

    code = "cache-kind"

    def __init__(self, kind: str) -> None:
        super().__init__(f"no rollback rule for a cache of kind {kind}", kind=kind)
        self.kind = kind


class TransactionError(RuntimeError):
    """begin, commit or abort was called out of turn, or with rows that the transaction does not have."""


class CachesOutOfStep(TransactionError):
    """A cache of kind `kind` stands at `position` where the transaction expects `expected`."""

    def __init__(self, kind: str, position: int, expected: int) -> None:
        super().__init__(f"a {kind} stands at position {position}, not at {expected}")
        self.kind, self.position, self.expected = kind, position, expected


class _Rule(ABC):
    """How one layer's cache goes back; `cache` is the live object that the model writes to."""

    name: ClassVar[str]
    restores_only = False
    holds_arrays = True

    def __init__(self, cache: Any) -> None:
        self.cache = cache
        self._before: Any

    @property
    def position(self) -> int | None:
        """Rows the cache has seen, or None where it does not count or the model has never used it."""
        return None if self.cache.keys is None else int(self.cache.offset)

    @abstractmethod
    def begin(self) -> None:
        """Remember what `restore` needs. Never changes the cache, never copies the contents of an array."""

    @abstractmethod
    def restore(self) -> None:
        """Back to `begin`, wherever the forward pass has stopped."""

    @abstractmethod
    def cut(self, rows: int) -> None:
        """Take back the last `rows` rows of a pass that has written more than that."""

    def forget(self) -> None:
        """The transaction is over: let go of the arrays that only `restore` needed."""
        del self._before

    def arrays(self) -> Iterator[mx.array]:
        """Every array the cache holds."""
        yield from _leaves((self.cache.keys, self.cache.values))


class _Trim(_Rule):
    """KVCache, QuantizedKVCache, ChunkedKVCache: what lies behind `offset` is never read.

    A chunked cache drops rows of earlier chunks at the start of a pass; no later pass may see those, so they
    stay dropped.
    """

    name = "trim"
    holds_arrays = False

    def begin(self) -> None:
        self._start = self.cache.offset
        self._unused = self.cache.keys is None

    def restore(self) -> None:
        self.cache.offset = self._start
        if self._unused:
            self.cache.keys = self.cache.values = None

    def cut(self, rows: int) -> None:
        if self.cache.keys is not None:
            self.cache.offset -= rows


class _Concatenated(_Rule):
    """ConcatenateKVCache: it counts the rows of its arrays, so rejected rows must leave the arrays too."""

    name = "trim"

    def begin(self) -> None:
        self._before = (self.cache.keys, self.cache.values, self.cache.offset)

    def restore(self) -> None:
        self.cache.keys, self.cache.values, self.cache.offset = self._before

    def cut(self, rows: int) -> None:
        if self.cache.keys is not None:
            self.cache.offset -= rows
            self.cache.keys = self.cache.keys[..., : self.cache.offset, :]
            self.cache.values = self.cache.values[..., : self.cache.offset, :]


class _Window(_Rule):
    """RotatingKVCache. Several rows make new arrays in temporal order: the window, then the rows.

    The objects that `keys` and `values` name at the beginning are the snapshot: a pass of several rows leaves
    them alone. A single row past the wrap is written into the object itself, over the row that has just left
    the window: with offset and index restored, that slot is the next to be written and not read before.
    """

    name = "window"

    def begin(self) -> None:
        cache = self.cache
        self._before = (cache.keys, cache.values, cache.offset, cache._idx)

    def restore(self) -> None:
        cache = self.cache
        cache.keys, cache.values, cache.offset, cache._idx = self._before

    def cut(self, rows: int) -> None:
        cache = self.cache
        if cache.keys is not None:
            cache.offset -= rows
            cache._idx -= rows
            cache.keys = cache.keys[..., : cache._idx, :]
            cache.values = cache.values[..., : cache._idx, :]


class _Snapshot(_Rule):
    """State that cannot be trimmed. Its snapshot is a handle of every array; later writes leave it alone."""

    name = "restore"
    restores_only = True

    @property
    def position(self) -> int | None:
        return getattr(self.cache, "offset", None)

    def begin(self) -> None:
        self._before = {name: _handles(value) for name, value in vars(self.cache).items()}

    def restore(self) -> None:
        vars(self.cache).update(self._before)

    def cut(self, rows: int) -> None:
        raise TransactionError(f"a {type(self.cache).__name__} cannot take back {rows} rows")

    def arrays(self) -> Iterator[mx.array]:
        yield from _leaves(vars(self.cache).values())


# By exact class, named so that a model's own cache needs no import of that model.
_RULES: dict[str, type[_Rule]] = {
    "mlx_lm.models.cache.KVCache": _Trim,
    "mlx_lm.models.cache.QuantizedKVCache": _Trim,
    "mlx_lm.models.cache.ChunkedKVCache": _Trim,
    "mlx_lm.models.cache.ConcatenateKVCache": _Concatenated,
    "mlx_lm.models.cache.RotatingKVCache": _Window,
    "mlx_lm.models.cache.ArraysCache": _Snapshot,
    # A window, compressed groups and the group still open: rows that have left cannot be called back.
    "mlx_lm.models.deepseek_v41.LayerCache": _Snapshot,
}


class Rollback:
    """Transactions over all layers' caches: begin, then commit(n) or abort.

    Raises `UnknownCacheKind` for caches that no rule serves, before it touches anything. The caches stay the
    caller's; whoever replaces one of them (quantising it, say) makes a new Rollback.
    """

    intact = True

    def __init__(self, caches: Sequence[Any]) -> None:
        self._rules = [_rule_for(cache) for cache in _flatten(caches)]
        self._holding = [rule for rule in self._rules if rule.holds_arrays]
        self._carries = any(rule.restores_only for rule in self._rules)
        self._rows: int | None = None
        self._start = 0

    @property
    def carries(self) -> bool:
        """True when some layer can only be restored, so that a partial commit must carry rows."""
        return self._carries

    @property
    def rules(self) -> frozenset[str]:
        """Names of the rules in use: trim, window, restore."""
        return frozenset(rule.name for rule in self._rules)

    @property
    def active(self) -> bool:
        """True between begin and commit or abort."""
        return self._rows is not None

    @property
    def position(self) -> int | None:
        """Where the caches stand, or None where no layer counts (or none has been used yet)."""
        return next((position for rule in self._rules if (position := rule.position) is not None), None)

    def begin(self, rows: int) -> None:
        """Open a transaction for a forward pass over `rows` tokens; cheap where no layer restores.

        Raises `CachesOutOfStep` when the layers do not stand at one position, `TransactionError` when a
        transaction is open or `rows` is not positive.
        """
        if self._rows is not None:
            raise TransactionError("a transaction is already open")
        if rows < 1:
            raise TransactionError(f"a transaction needs at least one row, not {rows}")
        start = self.position or 0
        self._check(start)
        for rule in self._rules:
            rule.begin()
        self._rows, self._start = rows, start

    def commit(self, keep: int) -> int:
        """Keep the first `keep` rows; returns how many of them the caches hold now.

        That is `keep`, or 0 when everything was restored and the caller must feed those rows again.
        commit(rows) always returns rows. When the pass did not write exactly `rows` rows to every cache that
        counts, everything is restored and `CachesOutOfStep` raised.
        """
        rows = self._open_rows()
        if not 0 <= keep <= rows:
            raise TransactionError(f"cannot keep {keep} of {rows} rows")
        try:
            self._check(self._start + rows)
        except CachesOutOfStep:
            self.abort()
            raise
        if keep == 0 or (self._carries and keep < rows):
            self.abort()
            return 0
        self._close()
        if keep < rows:
            for rule in self._rules:
                rule.cut(rows - keep)
            self._check(self._start + keep)
        return keep

    def abort(self) -> None:
        """Back to begin(), also after an exception in the middle of the forward pass."""
        self._open_rows()
        for rule in self._rules:
            rule.restore()
        self._close()
        self._check(self._start)

    def arrays(self) -> list[mx.array]:
        """Every array that the caches hold, to be evaluated once a round so that no lazy chain can grow."""
        return [array for rule in self._rules for array in rule.arrays()]

    def _open_rows(self) -> int:
        if self._rows is None:
            raise TransactionError("no transaction is open")
        return self._rows

    def _close(self) -> None:
        self._rows = None
        for rule in self._holding:
            rule.forget()

    def _check(self, expected: int) -> None:
        for rule in self._rules:
            position = rule.position
            if position is not None and position != expected:
                raise CachesOutOfStep(type(rule.cache).__name__, position, expected)


class PlainOnly:
    """Stands in for Rollback where there is no rule: every row is kept, and nothing can be taken back.

    After an abort `intact` is False: nobody knows what the caches hold, so they must not be used again.
    """

    carries = False
    intact = True

    def __init__(self, caches: Sequence[Any]) -> None:
        self._caches = caches
        self._rows: int | None = None

    def begin(self, rows: int) -> None:
        """Open a transaction over `rows` rows."""
        if self._rows is not None or not self.intact:
            raise TransactionError("a transaction is already open, or one was aborted")
        self._rows = rows

    def commit(self, keep: int) -> int:
        """Close the transaction; `keep` must be all of its rows."""
        if keep != self._rows:
            raise TransactionError(f"cannot keep {keep} of {self._rows} rows")
        self._rows = None
        return keep

    def abort(self) -> None:
        """Close the transaction and give the caches up."""
        if self._rows is None:
            raise TransactionError("no transaction is open")
        self._rows, self.intact = None, False

    def arrays(self) -> list[mx.array]:
        """Every array that the caches hold."""
        return [array for cache in _flatten(self._caches) for array in _leaves(vars(cache).values())]


def _rule_for(cache: Any) -> _Rule:
    kind = type(cache)
    rule = _RULES.get(f"{kind.__module__}.{kind.__qualname__}")
    if rule is None:
        raise UnknownCacheKind(kind.__name__)
    if rule is _Window and cache.keep > 0:
        # A pass of several rows masks the pinned rows as if they were old ones; plain decoding sees them.
        raise UnknownCacheKind("RotatingKVCache with keep")
    return rule(cache)


def _flatten(caches: Iterable[Any]) -> Iterator[Any]:
    """Each single cache once, nested CacheLists opened."""
    seen: set[int] = set()
    stack = list(reversed(list(caches)))
    while stack:
        cache = stack.pop()
        if type(cache) is CacheList:
            stack.extend(reversed(list(cache.caches)))
        elif id(cache) not in seen:
            seen.add(id(cache))
            yield cache


def _handles(value: Any) -> Any:
    """`value` with a handle of its own for every array: today's contents, and no copy until a write."""
    if isinstance(value, mx.array):
        return mx.array(value)
    if isinstance(value, list):
        return [_handles(item) for item in value]
    return value


def _leaves(value: Any) -> Iterator[mx.array]:
    if isinstance(value, mx.array):
        yield value
    elif value is not None and not isinstance(value, (int, float, str)):
        for item in value:
            yield from _leaves(item)
