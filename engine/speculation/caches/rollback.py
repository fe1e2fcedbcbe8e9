"""Rollback: transactions over all layers' caches.

A verify pass writes rows into every layer's cache before it is known which are accepted. A transaction removes the
rejected rows exactly, as if they had never been fed, by the rule of each layer's cache. If a layer can only be
restored, all layers go back to the beginning of the transaction, and the caller feeds the accepted rows again with its
next pass: restore and carry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from engine.speculation.caches.cache_kinds import rules_for
from engine.speculation.caches.cache_rules import Rule, UnknownCacheKind, flatten, leaves

__all__ = ["CachesOutOfStep", "Checkpoint", "PlainOnly", "Rollback", "TransactionError", "UnknownCacheKind"]


class TransactionError(RuntimeError):
    """begin, commit or abort was called out of order, or with rows that the transaction does not have."""


class CachesOutOfStep(TransactionError):
    """A cache of kind `kind` stands at `position` where the transaction expects `expected`."""

    def __init__(self, kind: str, position: int, expected: int) -> None:
        super().__init__(f"a {kind} stands at position {position}, not at {expected}")
        self.kind = kind
        self.position = position
        self.expected = expected


@dataclass(frozen=True)
class Checkpoint:
    """The state at `position` of all layers that cannot be cut: an entry for each rule, None if it can cut."""

    position: int
    states: list[Any]

    def arrays(self) -> list[mx.array]:
        """Every array that it keeps alive, in the shapes (...) of the layers' caches."""
        return list(leaves(self.states))


class Rollback:
    """Transactions over all layers' caches: begin, then commit(n) or abort.

    Raises `UnknownCacheKind` for caches without a rule, before it touches anything. The caches stay the caller's; if
    one of them is replaced (by a quantised one, say), make a new Rollback. Methods that are called out of order raise
    `TransactionError`.

    At position 10, `begin(4)` and a pass over 4 rows; `commit(3)` leaves the caches at 13 and returns 3. With a
    recurrent layer it leaves them at 10 and returns 0: the 3 kept rows have to be fed again.
    """

    intact = True

    def __init__(self, caches: Sequence[Any]) -> None:
        self._rules = rules_for(caches)
        # True if some layer can only be restored, so that a partial commit must carry rows.
        self.carries = any(rule.restores_only for rule in self._rules)
        # The rules that keep something during a transaction.
        self._keeping = [rule for rule in self._rules if type(rule).begin is not Rule.begin]
        self._rows: int | None = None
        self._start = 0

    def compact(self) -> None:
        """Free the room behind the rows of each cache, where that is much; there must be no transaction."""
        for rule in self._rules:
            rule.compact()

    @property
    def active(self) -> bool:
        """True between begin and commit or abort."""
        return self._rows is not None

    @property
    def position(self) -> int | None:
        """The position of the caches; None if no layer counts, or none has been used yet."""
        return next((rule.position for rule in self._rules if rule.position is not None), None)

    def begin(self, rows: int) -> None:
        """Open a transaction for `rows` tokens, fed in one pass or in several; no array is copied.

        Raises `CachesOutOfStep` if the layers are not at one position, `TransactionError` if a transaction is open or
        `rows` is not positive.
        """
        if self._rows is not None:
            raise TransactionError("a transaction is already open")
        if rows < 1:
            raise TransactionError(f"a transaction needs at least one row, not {rows}")
        start = self.position or 0
        self.check(start)
        for rule in self._keeping:
            rule.begin(rows)
        self._rows = rows
        self._start = start

    def shorten(self, rows: int) -> None:
        """Correct the number of rows fed, at least one, to fewer than `begin` announced.

        Raises `TransactionError` if it is more, or no transaction is open.
        """
        if not 1 <= rows <= self._open_rows():
            raise TransactionError(f"cannot feed {rows} of {self._rows} rows")
        self._rows = rows

    def commit(self, keep: int) -> int:
        """Keep the first `keep` rows; returns how many of them the caches hold now.

        That is `keep`, or 0 if everything was restored and the caller must feed those rows again. commit(rows) always
        returns rows. If not exactly `rows` rows were written to every cache that counts, restores everything and
        raises `CachesOutOfStep`. Raises `TransactionError` if no transaction is open, or it has fewer rows.
        """
        rows = self._rows
        if rows is None or not 0 <= keep <= rows:
            raise TransactionError(f"cannot keep {keep} of {rows} rows")
        try:
            self.check(self._start + rows)
        except CachesOutOfStep:
            self.abort()
            raise
        position = self._start + keep
        if keep < rows:
            if keep == 0 or not all(rule.can_keep(position, rows) for rule in self._rules):
                self.abort()
                return 0
            for rule in self._rules:
                rule.keep(position, rows)
            self.check(position)
        self._close()
        return keep

    def abort(self) -> None:
        """Restore the caches to their state at `begin`, even after an exception in the middle of a pass.

        Raises `TransactionError` if no transaction is open.
        """
        self._open_rows()
        for rule in self._rules:
            rule.restore(self._start)
        self._close()
        self.check(self._start)

    def can_rewind(self, position: int) -> bool:
        """Whether `rewind` can go back to `position`: every row that a pass from there on attends to is still held."""
        return all(rule.holds(position) for rule in self._rules)

    def rewind(self, position: int) -> bool:
        """Drop all rows from `position` on, committed ones included; False, with nothing changed, if it cannot.

        Raises `TransactionError` in a transaction.
        """
        if self._rows is not None:
            raise TransactionError("a transaction is open")
        if not self.can_rewind(position):
            return False
        for rule in self._rules:
            rule.cut(position)
        self.check(position)
        return True

    @property
    def cuts_anywhere(self) -> bool:
        """True if every layer can be cut at any position, so that no checkpoint is needed."""
        return all(rule.cuts_anywhere for rule in self._rules)

    def remember(self, position: int) -> Checkpoint:
        """Return a checkpoint for `recall` at `position`, where the caches must be now. Copies no array.

        Raises `TransactionError` in a transaction.
        """
        if self._rows is not None:
            raise TransactionError("a transaction is open")
        return Checkpoint(position, [rule.remember() for rule in self._rules])

    def recall(self, checkpoint: Checkpoint) -> None:
        """Restore `checkpoint`, which was taken of these caches or of those that they were copied from.

        Raises `TransactionError` in a transaction.
        """
        if self._rows is not None:
            raise TransactionError("a transaction is open")
        for rule, state in zip(self._rules, checkpoint.states, strict=True):
            rule.recall(state, checkpoint.position)
        self.check(checkpoint.position)

    def arrays(self) -> list[mx.array]:
        """Return every array, of any shape (...), of the caches.

        Evaluate them once a round, so that no lazy chain grows.
        """
        return [array for rule in self._rules for array in rule.arrays()]

    def _open_rows(self) -> int:
        """Return the rows of the open transaction. Raises `TransactionError` without one."""
        if self._rows is None:
            raise TransactionError("no transaction is open")
        return self._rows

    def _close(self) -> None:
        self._rows = None
        for rule in self._keeping:
            rule.forget()

    def check(self, expected: int) -> None:
        """Raise `CachesOutOfStep` unless every cache that counts is at `expected`."""
        for rule in self._rules:
            if (position := rule.position) not in (expected, None):
                raise CachesOutOfStep(type(rule.cache).__name__, position or 0, expected)


class PlainOnly:
    """A substitute for Rollback if a cache has no rule: it keeps every row, and can roll nothing back.

    After an abort `intact` is False: the contents of the caches are unknown, so they must not be used again.
    """

    carries = False
    intact = True

    def __init__(self, caches: Sequence[Any]) -> None:
        self._caches = caches
        self._rows: int | None = None

    @property
    def active(self) -> bool:
        """True between begin and commit or abort."""
        return self._rows is not None

    def check(self, expected: int) -> None:
        """The position is unknown, so nothing is checked."""

    def can_rewind(self, position: int) -> bool:  # noqa: ARG002
        """Return False: a plain sequence cannot be cut."""
        return False

    rewind = can_rewind

    def begin(self, rows: int) -> None:
        """Open a transaction over `rows` rows. Raises `TransactionError` if one is open or was aborted."""
        if self._rows is not None or not self.intact:
            raise TransactionError("a transaction is already open, or one was aborted")
        self._rows = rows

    def shorten(self, rows: int) -> None:
        """Raise `TransactionError`: there are no draft tokens here."""
        raise TransactionError(f"cannot feed {rows} of {self._rows} rows")

    def commit(self, keep: int) -> int:
        """Close the transaction, and return `keep`; raises `TransactionError` unless that is all of its rows."""
        if keep != self._rows:
            raise TransactionError(f"cannot keep {keep} of {self._rows} rows")
        self._rows = None
        return keep

    def abort(self) -> None:
        """Close the transaction and mark the caches as unusable. Raises `TransactionError` if none is open."""
        if self._rows is None:
            raise TransactionError("no transaction is open")
        self._rows = None
        self.intact = False

    def arrays(self) -> list[mx.array]:
        """Every array, of any shape (...), that the caches hold."""
        return [array for cache in flatten(self._caches) for array in leaves(vars(cache))]
