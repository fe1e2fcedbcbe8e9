"""Sequences of a draft model as rows of one batch: one pass drafts a token for each of them.

Between passes a member is an ordinary sequence, which commits or aborts its draft tokens by itself. The rows are
updated together when the next pass begins.
"""

from __future__ import annotations

from collections.abc import Sequence as Items

import mlx.core as mx

from engine.speculation.rounds.rollback import PlainOnly, TransactionError
from engine.speculation.rounds.row_caches import RowCaches
from engine.speculation.rounds.sequence import Sequence


class RowRollback(PlainOnly):
    """A member's transaction over the tokens that its row was fed, in place of one over its own caches."""

    def __init__(self, rows: RowCaches) -> None:
        super().__init__(())
        self.row = 0
        self.kept = 0
        self._caches_of_all = rows
        self.carries = rows.carries

    def begin(self, rows: int) -> None:
        super().begin(rows)
        self.kept = 0

    def commit(self, keep: int) -> int:
        """Keep the first `keep` tokens; returns how many of them the row will hold."""
        if self._rows is None or keep > self._rows:
            raise TransactionError(f"cannot keep {keep} of {self._rows} rows")
        self._rows, self.kept = None, keep
        return self._caches_of_all.held(self.row, keep)

    def abort(self) -> None:
        """Keep nothing."""
        if self._rows is None:
            raise TransactionError("no transaction is open")
        self._rows, self.kept = None, 0


class DraftRows:
    """Sequences of one model, in the order of `members`. Belongs to the engine's thread.

    A transaction is `catch_up`, `open`, a `draft` for each token but the last, and `close`. Members join and leave
    between transactions, and commit or abort theirs before the next one.
    """

    def __init__(self, first: Sequence) -> None:
        self.members: list[Sequence] = []
        self._model = first.model
        self._rows = RowCaches(first.caches)
        self._rollbacks: list[RowRollback] = []
        self._fed: list[int] | None = None

    def reserve(self, members: int) -> None:
        """Make room for at least `members` members when the next one joins."""
        self._rows.reserve(members)

    def join(self, sequence: Sequence) -> None:
        """Take the caches of `sequence`, which has no open transaction, into a row of their own."""
        assert not sequence.rollback.active
        self._settle()
        self._rows.add(sequence.lend(), sequence.position)
        rollback = sequence.rollback = RowRollback(self._rows)
        rollback.row = len(self.members)
        self._rollbacks.append(rollback)
        self.members.append(sequence)

    def leave(self, sequence: Sequence) -> None:
        """Give a member its caches back. The last member takes its place in `members`."""
        self._settle()
        caches = self._rows.remove(self._remove(sequence))
        sequence.adopt(caches, list(sequence.tokens), sequence.position)

    def discard(self, sequence: Sequence) -> None:
        """Remove a member that is no longer used."""
        self._settle()
        self._rows.remove(self._remove(sequence))

    def lose(self) -> None:
        """Remove all members without their caches, whose contents are unknown."""
        for sequence in self.members:
            sequence.adopt([], list(sequence.tokens), 0)
        self.members, self._rollbacks = [], []

    def catch_up(self, wanted: Items[Sequence]) -> mx.array:
        """Feed the `wanted` members all pending tokens; returns lazy logits (rows, V), undefined in other rows.

        Other members are fed as much as fits into the same pass, so that they do not fall behind.
        """
        self._settle()
        width = max(len(member.pending) for member in wanted)
        pending = [member.pending if member in wanted else member.pending[:-1][:width] for member in self.members]
        counts = [len(tokens) for tokens in pending]
        self._rows.begin(counts)
        ids = [[*member.as_known(tokens)] for member, tokens in zip(self.members, pending, strict=True)]
        logits = self._pass(mx.array([row + [0] * (width - len(row)) for row in ids], mx.uint32))
        held = self._rows.commit(counts)
        for member, count in zip(self.members, held, strict=True):
            member.position += count
        if width == 1:
            return logits[:, 0]
        return logits[mx.arange(len(counts)), mx.array([max(0, count - 1) for count in counts])]

    def open(self, most: int) -> None:
        """Begin a transaction of at most `most` tokens for each row."""
        self._settle()
        self._fed = [0] * len(self.members)
        self._most = most

    def draft(self, tokens: mx.array, counts: Items[int]) -> mx.array:
        """Feed one of `tokens` (rows,) to each row whose count is 1, not 0; returns lazy logits (rows, V)."""
        assert self._fed is not None
        if any(self._fed):
            self._rows.go_on(counts)
        else:
            self._rows.begin(counts, more=self._most - 1)
        self._fed = [fed + count for fed, count in zip(self._fed, counts, strict=True)]
        return self._pass(tokens[:, None])[:, 0]

    def close(self) -> None:
        """End the drafting: each member that was fed tokens has an open transaction from now on."""
        assert self._fed is not None
        if not any(self._fed):
            self._fed = None
            return
        for member, fed in zip(self.members, self._fed, strict=True):
            if fed:
                member.open_drafts(fed)

    def state_arrays(self) -> list[mx.array]:
        """Arrays that have to be evaluated with each pass, or they would grow into long chains."""
        return self._rows.state_arrays()

    def _pass(self, ids: mx.array) -> mx.array:
        logits: mx.array = self._model(ids, cache=self._rows.caches)
        return logits

    def _settle(self) -> None:
        """End the transaction of the rows by the results of their members' transactions."""
        if self._fed is None:
            return
        self._fed = None
        for member, rollback in zip(self.members, self._rollbacks, strict=True):
            if rollback.active:
                member.abort()
        self._rows.commit([rollback.kept for rollback in self._rollbacks])
        for rollback in self._rollbacks:
            rollback.kept = 0

    def _remove(self, sequence: Sequence) -> int:
        """Take a member out of the lists; returns its row."""
        row = self.members.index(sequence)
        last, rollback = self.members.pop(), self._rollbacks.pop()
        if last is not sequence:
            self.members[row], self._rollbacks[row] = last, rollback
            rollback.row = row
        return row
