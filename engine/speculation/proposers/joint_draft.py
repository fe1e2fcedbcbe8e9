"""Drafting with a model for several requests at once: a pass drafts a token for each of them.

Each has its own depth, sampling and lag. A request that has enough tokens is not fed in the remaining passes, and one
that does not draft in a round is fed in none. A request that joins catches up by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

import mlx.core as mx

from engine.errors import is_device_failure
from engine.main_model.sampling import draw_together, fit, make_noise, top_probabilities
from engine.speculation.drafters.draft_rows import DraftRows
from engine.speculation.proposers import draft_model
from engine.speculation.proposers.draft_model import Draft, DraftModelProposer
from engine.speculation.rounds.joint_prefill import choose_together, prefill_together
from engine.speculation.rounds.proposal import Proposal, Proposer
from engine.speculation.rounds.sequence import PREFILL_CHUNK
from engine.speculation.rounds.sequence_batch import rows_obstacle

# A member further behind catches up alone, because all rows are padded to the longest.
MAX_LAG = 16


class JointDraft:
    """The draft sequences of a batch of requests. Belongs to the engine's thread.

    Members are the proposers whose rows it holds: it has proposed for them, and they have not left since.
    """

    def __init__(self) -> None:
        self._rows: DraftRows | None = None
        self._members: set[DraftModelProposer] = set()

    @property
    def members(self) -> Iterable[Proposer]:
        """The proposers whose rows it holds."""
        return self._members

    def can_join(self, proposer: Proposer) -> bool:
        """Whether it can propose for `proposer`."""
        if proposer in self._members:
            return True
        return isinstance(proposer, DraftModelProposer) and rows_obstacle(proposer.sequence) is None

    def worthwhile(self, proposers: Sequence[Proposer]) -> bool:
        """Whether one joint proposal is faster than one for each of these."""
        all_are_members = all(proposer in self._members for proposer in proposers)
        return len(proposers) > 1 or (len(self._members) > 1 and all_are_members)

    def keep(self, proposers: Iterable[Proposer]) -> None:
        """Forget the members that are not among `proposers`, because they are no longer used."""
        living = set(proposers)
        for gone in [member for member in self._members if member not in living]:
            self._members.remove(gone)
            if self._rows is not None:
                self._rows.discard(gone.sequence)

    def leave(self, proposer: Proposer) -> None:
        """Give a proposer its caches back, if it is a member."""
        if isinstance(proposer, DraftModelProposer) and proposer in self._members and self._rows is not None:
            self._members.remove(proposer)
            self._rows.leave(proposer.sequence)
            # The next pass need not wait for the copies.
            mx.async_eval(proposer.sequence.arrays())  # type: ignore[no-untyped-call]

    def make_ready(self, proposer: Proposer) -> None:
        """Remove a member that has to catch up by itself. Call it before `proposer.prepare()`."""
        if isinstance(proposer, DraftModelProposer) and proposer in self._members and proposer.lag > MAX_LAG:
            self.leave(proposer)

    def close(self) -> None:
        """Forget all members with their caches."""
        self._members.clear()
        if self._rows is not None:
            self._rows.lose()
        self._rows = None

    def propose(self, asked: Sequence[tuple[Proposer, int]]) -> list[Proposal | Exception]:
        """Return what each `propose(depth)` would, or the exception raised for that request alone.

        If this raises, the caches of all members are lost: close it.
        """
        depths = {cast("DraftModelProposer", proposer): depth for proposer, depth in asked}
        for member in depths:
            self.make_ready(member)
        self._catch_up([member for member in depths if member not in self._members and member.lag > MAX_LAG])
        for member in depths:
            self._join(member, len(self._members | depths.keys()))
            member.count_catching_up()
        # Those that keep distributions draw with noise of their own.
        drawing = [
            (member.sampler, len(member.history), depth + 1)
            for member, depth in depths.items()
            if not member.keep_distributions
        ]
        make_noise(*(zip(*drawing, strict=True) if drawing else ((), (), ())))
        assert self._rows is not None
        by_sequence = {member.sequence: member.begin(depth) for member, depth in depths.items()}
        passes = _Passes(self._rows, [by_sequence.get(sequence) for sequence in self._rows.members])
        passes.run()
        return [passes.made(cast("DraftModelProposer", proposer)) for proposer, _ in asked]

    @staticmethod
    def _catch_up(behind: Sequence[DraftModelProposer]) -> None:
        """Prefill the backlog of proposers that are about to join, short prompts together."""
        for member in behind:
            member.count_catching_up()
        while waiting := [member.sequence for member in behind if member.lag]:
            together = choose_together(waiting, PREFILL_CHUNK)
            if len(together) > 1:
                prefill_together(together, PREFILL_CHUNK)
            else:
                together[0].prefill(PREFILL_CHUNK)

    def _join(self, member: DraftModelProposer, members: int) -> None:
        if member not in self._members:
            self._rows = self._rows or DraftRows(member.sequence)
            self._rows.reserve(members)
            self._rows.join(member.sequence)
            self._members.add(member)


class _Passes:
    """The passes of one round: `drafts[b]` is the draft of row b, None if it does not draft."""

    def __init__(self, rows: DraftRows, drafts: Sequence[Draft | None]) -> None:
        self._rows = rows
        self._count = len(drafts)
        self._drafts = {row: draft for row, draft in enumerate(drafts) if draft is not None}
        self._failed: dict[int, Exception] = {}
        # For the rows that stop early: joint probabilities of their tokens, and the factors that were not read yet.
        self._joint = {row: 1.0 for row, draft in self._drafts.items() if draft.stops_early}
        self._unread: list[list[tuple[list[int], mx.array]]] = []

    def run(self) -> None:
        """Draft for all rows."""
        rows = self._rows
        active = list(self._drafts)
        logits = rows.catch_up([draft.proposer.sequence for draft in self._drafts.values()])
        rows.open(max(draft.depth for draft in self._drafts.values()))
        while True:
            fed = self._draw(logits, active)
            # The device drafts these tokens while the host still builds the next step.
            mx.async_eval(fed, *rows.state_arrays())  # type: ignore[no-untyped-call]
            active = self._still_active(active)
            if not active:
                break
            logits = rows.draft(fed, [int(row in active) for row in range(self._count)])
        rows.close()

    def made(self, proposer: DraftModelProposer) -> Proposal | Exception:
        """Return the proposal of a request, or the exception of its own sampler."""
        row, draft = next((row, draft) for row, draft in self._drafts.items() if draft.proposer is proposer)
        return self._failed.get(row) or draft.proposal()

    def _draw(self, logits: mx.array, active: Sequence[int]) -> mx.array:
        """Draw the next token of each active row. Returns the draft model's next input (rows,), 0 in inactive rows."""
        self._unread.append([])
        simple = [row for row in active if self._drafts[row].simple]
        tokens = self._draw_together(logits, simple) if simple else mx.zeros((0,), mx.uint32)
        if len(simple) == self._count:
            return tokens
        fed = {row: tokens[index : index + 1] for index, row in enumerate(simple)}
        for row in active:
            if row not in fed:
                fed[row] = self._draw_one(logits[row : row + 1], row)
        nothing = mx.zeros((1,), mx.uint32)
        return mx.concatenate([fed.get(row, nothing) for row in range(self._count)])

    def _draw_together(self, logits: mx.array, rows: list[int]) -> mx.array:
        """Draw the next token of `rows`, whose drafts are `simple`, from logits (all rows, V).

        Returns the tokens (n,).
        """
        drafts = [self._drafts[row] for row in rows]
        samplers = [draft.proposer.sampler for draft in drafts]
        row_logits = logits if len(rows) == self._count else logits[mx.array(rows)]
        scores = fit(row_logits, samplers[0].vocabulary).astype(mx.float32)
        if all(sampler.greedy for sampler in samplers):
            tokens = mx.argmax(scores, axis=-1)
        else:
            noises = [draft.noise(len(draft.tokens), 1) for draft in drafts]
            tokens, _ = draw_together(samplers, [1] * len(rows), noises, scores)
        for index, draft in enumerate(drafts):
            draft.tokens.append(tokens[index : index + 1])
        self._note(rows, scores)
        return tokens

    def _draw_one(self, logits: mx.array, row: int) -> mx.array:
        """Draw the next token of one row from logits (1, V); returns it (1,).

        If its sampler raises, the row has failed: the token is 0, and the other rows go on.
        """
        draft = self._drafts[row]
        try:
            self._note([row], draft.add(draft.proposer.on_main_ids(logits)))
            return draft.proposer.as_draft_id(draft.tokens[-1]).astype(mx.uint32)
        # An exception in one request's sampler must not end the others' drafting.
        except Exception as error:
            if is_device_failure(error):
                raise
            self._failed[row] = error
            return mx.zeros((1,), mx.uint32)

    def _note(self, rows: list[int], scores: mx.array) -> None:
        if any(row in self._joint for row in rows):
            probabilities = top_probabilities(scores)
            mx.async_eval(probabilities)  # type: ignore[no-untyped-call]
            self._unread[-1].append((rows, probabilities))

    def _still_active(self, active: Sequence[int]) -> list[int]:
        """Return the rows that go on.

        Reads the probabilities of the tokens before the newest ones, and drops the newest token of a row whose joint
        probability they brought below the minimum.
        """
        if len(self._unread) > 1:
            self._read(self._unread.pop(0))
        going_on = []
        for row in active:
            draft = self._drafts[row]
            if self._joint.get(row, 1.0) < draft_model.MIN_JOINT_PROBABILITY:
                # The newest token was drawn before the probability of the one before it was known.
                draft.tokens.pop()
            elif row not in self._failed and len(draft.tokens) < draft.depth:
                going_on.append(row)
        return going_on

    def _read(self, step: Sequence[tuple[list[int], mx.array]]) -> None:
        for rows, probabilities in step:
            for row, probability in zip(rows, cast("list[float]", probabilities.tolist()), strict=True):
                if row in self._joint:
                    self._joint[row] *= probability
