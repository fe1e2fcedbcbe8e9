"""Sequences of a draft model as rows of one batch: one pass drafts a token for each of them.

Between passes a member is an ordinary sequence, which commits or aborts its draft tokens by itself. The rows are
updated together when the next pass begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import mlx.core as mx

from engine.speculation.caches.rollback import PlainOnly, TransactionError
from engine.speculation.caches.row_caches import RowCaches
from engine.speculation.rounds.sequence import CachedSequence
from engine.speculation.rounds.sequence_batch import SequenceBatch


class RowRollback(PlainOnly):
    """A member's transaction over the tokens that its row was fed, in place of one over its own caches."""

    def __init__(self, rows: RowCaches, row: int) -> None:
        super().__init__(())
        self.row = row
        self.kept = 0
        self._caches_of_all = rows
        self.carries = rows.carries

    def begin(self, rows: int) -> None:
        super().begin(rows)
        self.kept = 0

    def commit(self, keep: int) -> int:
        """Keep the first `keep` tokens; returns how many of them the row will hold.

        Raises `TransactionError` if no transaction is open, or it has fewer tokens.
        """
        if self._rows is None or keep > self._rows:
            raise TransactionError(f"cannot keep {keep} of {self._rows} rows")
        self._rows = None
        self.kept = keep
        return self._caches_of_all.held(self.row, keep)

    def abort(self) -> None:
        """Keep nothing. Raises `TransactionError` if no transaction is open."""
        if self._rows is None:
            raise TransactionError("no transaction is open")
        self._rows = None
        self.kept = 0


class DraftRows(SequenceBatch):
    """Sequences of a draft model, in the order of `members`.

    Belongs to the engine's thread. A transaction is `catch_up`, `open`, a `draft` for each token but the last, and
    `close`. Members join and leave between transactions, and commit or abort theirs before the next one.
    """

    def __init__(self, first: CachedSequence) -> None:
        super().__init__(first)
        self._fed: list[int] | None = None

    def join(self, sequence: CachedSequence) -> None:
        self._end_transaction()
        super().join(sequence)
        sequence.rollback = RowRollback(self._rows, len(self.members) - 1)

    def lose(self) -> None:
        """Remove all members without their caches, whose contents are unknown."""
        for sequence in self.members:
            sequence.set_caches([], list(sequence.tokens), 0)
        self.members = []

    def catch_up(self, wanted: Sequence[CachedSequence]) -> mx.array:
        """Feed the `wanted` members all pending tokens; returns lazy logits (rows, V), undefined in other rows.

        Other members are fed as much as fits into the same pass, so that they do not fall behind.
        """
        self._end_transaction()
        width = max(len(member.pending) for member in wanted)
        done = self.read([row.pending if row in wanted else row.pending[:-1][:width] for row in self.members])
        return done.logits[:, 0] if width == 1 else done.logits[mx.arange(len(done.firsts)), mx.array(done.firsts)]

    def open(self, most: int) -> None:
        """Begin a transaction of at most `most` tokens for each row."""
        self._end_transaction()
        self._fed = [0] * len(self.members)
        self._most = most

    def draft(self, tokens: mx.array, counts: Sequence[int]) -> mx.array:
        """Feed each row whose count is 1, not 0, its own one of `tokens` (rows,).

        Returns lazy logits (rows, V), undefined in rows with 0. Needs `open`.
        """
        assert self._fed is not None
        # This pass feeds a row at most one token; later ones feed it the others.
        if any(self._fed):
            self._rows.go_on(counts)
        else:
            self._rows.begin(counts, more=self._most - 1)
        self._fed = [fed + count for fed, count in zip(self._fed, counts, strict=True)]
        logits: mx.array = self._model(tokens[:, None], cache=self._rows.caches)
        return logits[:, 0]

    def close(self) -> None:
        """End the drafting: each member that was fed tokens has an open transaction from now on."""
        assert self._fed is not None
        if not any(self._fed):
            self._fed = None
            return
        for member, fed in zip(self.members, self._fed, strict=True):
            if fed:
                member.open_drafts(fed)

    def _end_transaction(self) -> None:
        """End the transaction of the rows by the results of their members' transactions."""
        if self._fed is None:
            return
        self._fed = None
        for member in self.members:
            member.abandon()
        self._rows.commit([rollback.kept for rollback in self._rollbacks])
        for rollback in self._rollbacks:
            rollback.kept = 0

    @property
    def _rollbacks(self) -> list[RowRollback]:
        return [cast("RowRollback", member.rollback) for member in self.members]

    def _remove(self, sequence: CachedSequence) -> list[Any]:
        self._end_transaction()
        caches = super()._remove(sequence)
        for row, rollback in enumerate(self._rollbacks):
            rollback.row = row
        return caches
