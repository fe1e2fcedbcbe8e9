"""A batch of sequences: one pass of a model over several texts, each of which keeps its own number of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from engine.speculation.caches import cache_kinds
from engine.speculation.caches.shared_caches import SharedCaches, open_rows
from engine.speculation.rounds.passes import model_pass
from engine.speculation.rounds.rope_positions import rope_positions_of_rows
from engine.speculation.rounds.sequence import CachedSequence


@dataclass(eq=False, slots=True)
class BatchPass:
    """One pass over the rows of a batch; row b was fed `counts[b]` tokens from position `starts[b]` on.

    `logits` (rows, width, V) are lazy; row b predicts from its last pending token on, which has index `firsts[b]`.
    `outputs` are the tapped outputs for listeners, (rows, width, ...) each.
    """

    logits: mx.array
    counts: list[int]
    starts: list[int]
    firsts: list[int]
    outputs: list[mx.array]


class SequenceBatch:
    """Sequences of one model whose caches are rows of one batch, in the order of `members`.

    A transaction is `verify`, then `commit`; `report` follows once the kept tokens are in the sequences. Members join
    and leave between transactions. Belongs to the engine's thread.
    """

    def __init__(self, first: CachedSequence) -> None:
        self.members: list[CachedSequence] = []
        self._model = first.model
        self._rows = open_rows(first.caches)
        self._shared = isinstance(first.caches, SharedCaches)
        # Arrays that have to be evaluated with each pass, or they would grow into long chains.
        self.state_arrays = self._rows.state_arrays

    def reserve(self, members: int) -> None:
        """Make room for at least `members` members when the next one joins."""
        self._rows.reserve(members)

    def join(self, sequence: CachedSequence) -> None:
        """Take the caches of `sequence`, which has no open transaction, into a row of their own."""
        assert not sequence.rollback.active
        position = sequence.position
        self._rows.add(sequence.take_caches(), position)
        self.members.append(sequence)

    def leave(self, sequence: CachedSequence) -> None:
        """Give a member its caches back. The last member takes its place in `members`."""
        sequence.set_caches(self._remove(sequence), list(sequence.tokens), sequence.position)

    def discard(self, sequence: CachedSequence) -> None:
        """Remove a member that is no longer used."""
        self._remove(sequence)

    def verify(self, drafts: mx.array | Sequence[mx.array | Sequence[int]]) -> BatchPass:
        """Begin a transaction: run one pass over each member's pending tokens and its `drafts`.

        `drafts` are token ids, possibly lazy: one item for each member, or an array (rows, k). A member with nothing
        pending needs at least one, the newest committed token. If the pass raises, the caches are lost.
        """
        return self._pass([member.pending for member in self.members], drafts)

    def read(self, tokens: Sequence[Sequence[int]]) -> BatchPass:
        """Run one pass over `tokens[b]`, the next of each row's pending tokens, and keep them all."""
        done = self._pass(tokens, [()] * len(tokens))
        self.commit(done.counts)
        return done

    def _pass(
        self, pending: Sequence[Sequence[int]], drafts: mx.array | Sequence[mx.array | Sequence[int]]
    ) -> BatchPass:
        """Begin a transaction with one pass over `pending[b]` and `drafts[b]` of each row."""
        known = [list(member.clamp_ids(tokens)) for member, tokens in zip(self.members, pending, strict=True)]
        ids, counts = self._ids(known, drafts)
        self._rows.begin(counts)
        starts = [member.position for member in self.members]
        firsts = [max(0, len(tokens) - 1) for tokens in pending]
        taps = next((member.listener.taps for member in self.members if member.listener is not None), None)
        with rope_positions_of_rows(self._model, [member.positions for member in self.members]):
            logits, outputs = model_pass(self._model, ids, self._rows.caches, taps, in_parts=not self._shared)
        return BatchPass(logits, counts, starts, firsts, outputs)

    def commit(self, keep: Sequence[int]) -> None:
        """Keep the first `keep[b]` of the tokens that row b was fed; appends nothing to the sequences."""
        for member, count in zip(self.members, self._rows.commit(keep), strict=True):
            member.position += count

    @staticmethod
    def report(done: BatchPass, member: CachedSequence, row: int, keep: int) -> None:
        """Give the member's listener its first `keep` rows of the pass; its sequence must hold the tokens already."""
        if member.listener is not None and done.outputs and keep:
            start = done.starts[row]
            outputs = [output[row : row + 1] for output in done.outputs]
            member.listener.read(start, outputs, member.tokens[start : start + keep])

    def _remove(self, sequence: CachedSequence) -> list[Any]:
        """Take a member out of `members`; returns its caches."""
        row = self.members.index(sequence)
        last = self.members.pop()
        if last is not sequence:
            self.members[row] = last
        return self._rows.remove(row)

    def arrays(self) -> list[mx.array]:
        """Return every array (rows, ...) of the caches."""
        return self._rows.arrays()

    def _ids(
        self, pending: list[list[int]], drafts: mx.array | Sequence[mx.array | Sequence[int]]
    ) -> tuple[mx.array, list[int]]:
        """Return token ids (rows, width), padded at the end of each row, and how many are each row's own."""
        if isinstance(drafts, mx.array) and not any(pending):
            return drafts.astype(mx.uint32), [drafts.shape[1]] * len(pending)
        counts = [len(tokens) + len(draft) for tokens, draft in zip(pending, drafts, strict=True)]
        width = max(counts)
        if not any(isinstance(draft, mx.array) for draft in drafts):
            rows = [[*tokens, *draft] for tokens, draft in zip(pending, drafts, strict=True)]
            return mx.array([row + [0] * (width - len(row)) for row in rows], mx.uint32), counts
        lazy = []
        for tokens, draft, count in zip(pending, drafts, counts, strict=True):
            draft_ids = draft.astype(mx.uint32) if isinstance(draft, mx.array) else mx.array([*draft], mx.uint32)
            parts = [mx.array(tokens, mx.uint32), draft_ids, mx.zeros((width - count,), mx.uint32)]
            lazy.append(mx.concatenate([part for part in parts if part.size]))
        return mx.stack(lazy), counts


def rows_obstacle(sequence: CachedSequence) -> str | None:
    """Return what prevents a sequence from being a member of a batch, or None."""
    return sequence.plain_only or cache_kinds.rows_obstacle(sequence.model, sequence.caches)
