"""The decoder of several generations in rounds, in which each commits its own number of tokens.

One pass of the main model verifies the proposals of all. The tokens drawn for a generation depend on its own logits,
settings, seed and position alone, so its text is the same in every batch. A plain round that follows a plain round is
started before the result of the first is read. Caches are handed over both ways, so nothing is prefilled again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import mlx.core as mx

from engine.decoders.batch_round import BatchRound, BatchSampling, Member
from engine.decoders.generation import Generation
from engine.decoders.round_clock import BatchClock, RoundSeconds
from engine.decoders.stalls import watch_round
from engine.events import TokensCommitted
from engine.main_model.loaded_model import LoadedModel
from engine.speculation.choosing.choice import Choice, MeasuredRound
from engine.speculation.drafting import Drafting
from engine.speculation.round_timing import drafting_of
from engine.speculation.rounds.sequence import PREFILL_CHUNK, CachedSequence
from engine.speculation.rounds.sequence_batch import SequenceBatch

CATCH_UP = Choice(None, 0, "catching-up")

StepOutcome = TokensCommitted | Exception


class BatchStepFailed(Exception):
    """A pass over the whole batch raised the cause of this exception. The caches of its generations are lost."""


class BatchDecoder:
    """Generations of one main model, each with its own proposers, sampler, text and limits.

    Nothing keeps their sequences from being rows of a batch (`sequence_batch.rows_obstacle`).
    """

    def __init__(self, main: LoadedModel, drafting: Drafting) -> None:
        self._drafting = drafting
        self._drawing = BatchSampling(main.vocabulary)
        # In the order of the batch's rows.
        self._members: list[Member] = []
        self._expected = 0
        self._batch: SequenceBatch | None = None
        self._in_flight: BatchRound | None = None
        # The error that adding or removing a row raised, or that the device raised although a round was read. From
        # then on the contents and the owners of the rows are unknown.
        self._rows_error: Exception | None = None
        # Whether a row was added whose caches are not copied yet.
        self._joined = False
        self._clock = BatchClock(drafting.timing.pauses)

    def __len__(self) -> int:
        return len(self._members)

    def reserve(self, members: int) -> None:
        """Make room for `members` members when the next one joins, so that buffers need not grow with each."""
        self._expected = members

    def join(self, generation: Generation) -> None:
        """Add `generation`, whose sequence has no open transaction. The batch has its caches until it leaves."""
        sequence = generation.conversation.main
        while sequence.prefill(PREFILL_CHUNK):
            pass
        generation.clock.begin(self._drafting.timing.pauses)
        request = self._drafting.begin(
            generation.speculation,
            generation.conversation,
            generation.sampler,
            generation.log.figures,
            earlier=generation.answer_state,
        )
        if self._batch is None:
            self._batch = SequenceBatch(sequence)
        self._batch.reserve(self._expected)
        self._batch.join(sequence)
        self._joined = True
        if not self._members:
            # Meanwhile the answers that decode alone continue; they join later.
            with self._failing_next_step():
                self._write_rows()
        self._members.append(Member(generation, request))
        self._clock.restart()
        generation.log.shared = True

    def step(self) -> list[tuple[Generation, StepOutcome]]:
        """Run one round for every generation, except those that joined while a round was under way.

        A generation whose own sampler failed gets its exception instead and must be removed. Raises `BatchStepFailed`
        when the pass itself failed, or a row could not be removed before.
        """
        try:
            if self._rows_error is not None:
                raise self._rows_error
            current = self._in_flight or self._start()
            self._in_flight = None
            joined, self._joined = self._joined, False
            next_round = None if joined else self._start_early(current)
            outcome = self._finish(current)
            if joined:
                with self._failing_next_step():
                    self._write_rows()
        except Exception as error:
            raise BatchStepFailed(str(error)) from error
        if next_round is not None:
            # The tokens that it was fed are known only now.
            with self._failing_next_step():
                for row in range(len(next_round.members)):
                    next_round.report_row(row)
        self._in_flight = next_round
        return outcome

    def leave(self, generation: Generation) -> TokensCommitted | None:
        """Give the caches back to the generation's sequence; returns the token drawn but not reported yet, if any.

        Raises if the caches are lost; the generation has left the batch even then.
        """
        member = next(member for member in self._members if member.generation is generation)
        row = self._members.index(member)
        # As in `SequenceBatch`, the last row takes the place of the one that leaves.
        last = self._members.pop()
        if last is not member:
            self._members[row] = last
        self._clock.restart()
        self._drafting.update_log(member.request, generation.log)
        generation.answer_state = member.request.answer
        with self._failing_next_step():
            self._drafting.end(member.request)
        sequence = generation.conversation.main
        # The traceback of an error would keep its member, and the caches of all, in memory.
        failed = member.error is not None
        member.error = None
        self._remove(member)
        if failed:
            # Its sampler failed. A round that was started early was fed a token that is not part of the text, so the
            # caches are of no use.
            sequence.set_caches([], list(sequence.tokens), 0)
            return None
        in_flight = self._in_flight
        if in_flight is None or member not in in_flight.members or generation.reason is not None:
            return None
        in_flight.read()
        return self._commit(in_flight, in_flight.members.index(member), time.perf_counter())

    def close(self) -> None:
        """Drop all members and their caches. The batch cannot be used again."""
        self._drafting.joint.close()
        for member in self._members:
            with self._failing_next_step():
                self._drafting.end(member.request)
            # The traceback of an error would keep its member or this decoder, and so the caches, in memory.
            member.error = None
        self._members = []
        self._in_flight = None
        self._batch = None
        self._rows_error = None

    @contextmanager
    def _failing_next_step(self) -> Iterator[None]:
        """Raise the exception of the body in the next step, so that the tokens already read are reported first."""
        try:
            yield
        except Exception as error:
            self._rows_error = self._rows_error or error

    def _write_rows(self, left: CachedSequence | None = None) -> None:
        """Copy caches into their rows, or the caches of a sequence that `left` out of them.

        No pass may be under way: it would hold the buffers, and MLX would copy them whole.
        """
        assert self._batch is not None
        mx.eval(self._batch.arrays(), [] if left is None else left.arrays())

    def _remove(self, member: Member) -> None:
        """Remove the row of a member that has left, and copy its caches back to its sequence.

        If that fails, or the rows have failed before, the sequence is left without caches, and this raises the error.
        """
        assert self._batch is not None
        sequence = member.generation.conversation.main
        try:
            if self._rows_error is not None:
                raise self._rows_error
            if self._in_flight is not None:
                self._in_flight.read()
            self._batch.leave(sequence)
            self._write_rows(sequence)
        except Exception as error:
            self._rows_error = self._rows_error or error
            sequence.set_caches([], list(sequence.tokens), 0)
            raise

    # Starting rounds

    def _start(self) -> BatchRound:
        """Propose and send the verify pass to the device."""
        assert self._batch is not None
        for member in self._members:
            self._drafting.use(member.request, member.generation.speculation)
        choices = self._prepared(self._choose(under_way=0))
        started_at = time.perf_counter()
        asked = [(member.request, choice) for member, choice in zip(self._members, choices, strict=True)]
        choices, proposals = map(list, zip(*self._drafting.propose(asked), strict=True))
        lazy = [
            proposal.tokens for proposal in proposals if proposal is not None and isinstance(proposal.tokens, mx.array)
        ]
        if lazy:
            # The device drafts while the host still builds the verify pass.
            mx.async_eval(*lazy)  # type: ignore[no-untyped-call]
        drafting = drafting_of(proposals)
        first = self._members[0]
        draft_s = None
        if drafting is not None and self._drafting.timing.waits_for(first.request, drafting, first.generation.round):
            mx.eval(lazy)
            draft_s = time.perf_counter() - started_at
        done = self._batch.verify([[] if proposal is None else proposal.tokens for proposal in proposals])
        current = BatchRound(list(self._members), choices, proposals, done, started_at, draft_s)
        if current.plain:
            self._batch.commit(done.counts)
        self._drawing.dispatch(current, self._batch, [None] * len(choices))
        return current

    def _may_start_early(self, current: BatchRound) -> bool:
        """Whether a plain round can follow `current` before that is read."""
        stale = any(member.request.settings is not member.generation.speculation for member in self._members)
        if stale or not current.plain or any(choice.depth for choice in current.choices):
            return False
        # Otherwise the round under way ends every answer.
        return any(member.generation.remaining > 1 for member in self._members)

    def _start_early(self, current: BatchRound) -> BatchRound | None:
        """Start the next round before this one is read, when both are plain: the device need not wait for the host."""
        assert self._batch is not None
        if not self._may_start_early(current):
            return None
        choices = self._choose(under_way=1)
        if any(choice.depth for choice in choices):
            return None
        started_at = time.perf_counter()
        members = list(self._members)
        rows = {member: row for row, member in enumerate(current.members)}
        row_of = [rows.get(member) for member in members]
        unread = [None if row is None else current.draws.sampled[row : row + 1] for row in row_of]
        if members == current.members:
            # The same tokens as one array, which spares the device joining them.
            done = self._batch.verify(current.draws.sampled[:, None])
        else:
            done = self._batch.verify([[] if token is None else token for token in unread])
        self._batch.commit(done.counts)
        next_round = BatchRound(members, choices, [None] * len(members), done, started_at, None, pipelined=True)
        self._drawing.dispatch(next_round, self._batch, unread)
        current.followed = True
        return next_round

    def _choose(self, under_way: int) -> list[Choice]:
        for member in self._members:
            member.request.beginning = len(member.generation.ids) + under_way == 0
        return self._drafting.choose(
            [(member.request, member.generation.remaining - under_way) for member in self._members]
        )

    def _prepared(self, choices: list[Choice]) -> list[Choice]:
        """Do one piece of the catch-up of the first proposer that needs it; unready ones are plain in this round."""
        ready = []
        worked = False
        for member, choice in zip(self._members, choices, strict=True):
            source = choice.source
            behind = source is not None and self._drafting.catches_up(member.request, source, work=not worked)
            worked |= behind
            ready.append(CATCH_UP if behind else choice)
        return ready

    # Ending rounds

    def _finish(self, current: BatchRound) -> list[tuple[Generation, StepOutcome]]:
        """Wait for a round, add every member's tokens to its answer, commit the kept ones, and count the round."""
        assert self._batch is not None
        current.read()
        interval = self._read_clock(current)
        # Whether a drafter read what it had missed during the round.
        caught_up = sum(member.request.pop_catch_up_tokens() for member in current.members) > 0
        rows = [row for row, member in enumerate(current.members) if member in self._members]
        if not current.plain:
            self._batch.commit(current.keep())
        outcome: list[tuple[Generation, StepOutcome]] = []
        for row in rows:
            member = current.members[row]
            outcome.append((member.generation, member.error or self._commit(current, row, self._clock.read_at)))
        if interval is not None:
            committed = [len(event.tokens) if isinstance(event, TokensCommitted) else 0 for _, event in outcome]
            if (current.pipelined and current.followed) or not current.plain:
                self._observe(current, rows, committed, interval, typical=not caught_up)
        return outcome

    def _read_clock(self, current: BatchRound) -> float | None:
        """Return the interval of a round that was just read, if it has one; a pause is charged to no member."""
        self._clock.read(current.started_at)
        clocks = [member.generation.clock for member in current.members]
        if not any(clock.interrupted for clock in clocks):
            watch_round(self._drafting, current.rows, current.drafting, self._clock.busy_s, len(clocks))
            if self._clock.skip_pause(clocks):
                current.draft_s = None
        return self._clock.take_interval(clocks)

    def _observe(
        self, current: BatchRound, rows: Sequence[int], committed: Sequence[int], seconds: float, *, typical: bool
    ) -> None:
        """Learn from a round of `seconds` in which the members in `rows` committed so many tokens each."""
        controller = self._drafting.controller
        drafting = current.drafting
        answers = [member.request.answer for member in current.members]
        measured = MeasuredRound(
            current.rows, sum(committed), seconds, drafting, current.draft_s, typical, answers=len(answers)
        )
        controller.observe_round(answers[0], measured)
        controller.observe_lag([(answers[row], tokens) for row, tokens in zip(rows, committed, strict=True)], measured)

    def _commit(self, current: BatchRound, row: int, read_at: float) -> TokensCommitted:
        """Append the member's tokens of a round that was read, and pass them to its listener and its proposers."""
        member = current.members[row]
        proposal = current.proposals[row]
        choice = current.choices[row]
        generation = member.generation
        tokens = generation.add_tokens(current.drawn(row))
        accepted = min(current.accepted[row], len(tokens))
        ids = [token.id for token in tokens]
        generation.conversation.main.append(ids)
        with self._failing_next_step():
            if not current.pipelined:
                current.report_row(row)
            member.request.committed(ids, accepted, proposal)
        seconds = self._charge(current, member, read_at)
        if generation.log.is_due(read_at):
            self._drafting.update_log(member.request, generation.log)
        event = generation.end_round(choice, proposal, tokens, accepted, current.done.counts[row], seconds)
        self._drafting.learn(member.request, choice, proposal, event.round)
        return event

    def _charge(self, current: BatchRound, member: Member, read_at: float) -> RoundSeconds:
        """Return the seconds that a member is charged with for a round."""
        clock = member.generation.clock
        clock.read_shared(read_at)
        draft_s = self._drafting.timing.drafting_seconds(
            member.request, current.drafting, current.rows, clock.busy_s, current.draft_s, len(current.members)
        )
        return clock.charge(draft_s)
