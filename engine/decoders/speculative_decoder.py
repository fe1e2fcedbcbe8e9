"""The decoder of one generation alone, in speculative rounds or, while it takes turns with others, in plain ones.

`SpeculativeDecoder.step()` is one unit of work, so that other requests, commands and cancellations are handled between
two steps. After `leave()` it finishes the rounds already started; then the sequence holds exactly the committed tokens,
and another decoder can continue it.
"""

from __future__ import annotations

from collections.abc import Generator
from enum import Enum, auto

from engine.decoders.answer_drafting import AnswerDrafting, PlannedRound, StartedRound
from engine.decoders.generation import Generation
from engine.decoders.round_clock import RoundSeconds
from engine.events import TokensCommitted
from engine.speculation.choosing.choice import FIRST_TOKEN, Choice
from engine.speculation.choosing.pauses import Pauses
from engine.speculation.drafting import Drafting
from engine.speculation.rounds.round import PendingRound, Rounds


class DecoderLife(Enum):
    """The state of a decoder: NEW -> DECODING -> LEAVING -> DONE.

    `close` and the end of the answer go straight to DONE, and so does `leave` before the first step.
    """

    # Before the first step.
    NEW = auto()
    # It starts rounds.
    DECODING = auto()
    # It finishes the rounds already started.
    LEAVING = auto()
    DONE = auto()


class SpeculativeDecoder:
    """Decodes `generation`, whose prompt has been prefilled.

    It speculates with `drafting`; without one every round is plain, for the reason that `plain_choice` gives. There is
    one `Drafting`, so only one decoder may have it at a time.
    """

    def __init__(self, generation: Generation, drafting: Drafting | None, plain_choice: Choice = FIRST_TOKEN) -> None:
        self.speculates = drafting is not None
        self._generation = generation
        self._clock = generation.clock
        self._rounds = Rounds(generation.conversation.main, generation.sampler)
        self._rounds.top2_margins = generation.request.top2_margins
        self._plain_choice = plain_choice
        self._drafting = drafting
        self._drafts: AnswerDrafting | None = None
        self._life = DecoderLife.NEW
        self._steps = self._decode()

    @property
    def done(self) -> bool:
        """Whether the last round has ended."""
        return self._life is DecoderLife.DONE

    def step(self) -> TokensCommitted | None:
        """Run one round, or a part of its preparation; the decoder is `done` when it was the last."""
        if self._life is DecoderLife.NEW:
            self._life = DecoderLife.DECODING
        self._clock.resume()
        try:
            return next(self._steps)
        except StopIteration:
            self._life = DecoderLife.DONE
            return None

    def leave(self) -> None:
        """Start no more rounds; the decoder is `done` within one step, or at once if no step was run."""
        if self._life is DecoderLife.NEW:
            self._life = DecoderLife.DONE
        elif self._life is DecoderLife.DECODING:
            self._life = DecoderLife.LEAVING

    def close(self) -> None:
        """Roll back the rounds that were started, so that the caches end at the last committed token."""
        self._life = DecoderLife.DONE
        self._steps.close()
        try:
            self._rounds.abandon()
        finally:
            if self._drafts is not None:
                self._drafts.end()

    def _decode(self) -> Generator[TokensCommitted | None, None, None]:
        """Run rounds until the answer ends or the decoder is left; yield what each committed.

        Also yields None, after each piece of a proposer's catch-up.
        """
        self._clock.begin(Pauses() if self._drafting is None else self._drafting.timing.pauses)
        current = yield from self._first_round()
        while current is not None:
            next_round = self._start_early(current)
            event = self._finish(current, next_round)
            yield event
            if self.done:
                return
            self._learn(current, event)
            if next_round is None and self._life is DecoderLife.DECODING:
                next_round = yield from self._prepare_and_start()
            current = next_round

    # Starting rounds

    def _first_round(self) -> Generator[None, None, StartedRound | None]:
        """Start the first round, and begin to draft."""
        if self._generation.ids:
            self._begin_drafting()
            return (yield from self._prepare_and_start())
        # The first token waits neither for proposers, which are made while the device computes it, nor for the draft
        # model to prefill the prompt.
        first = self._start(FIRST_TOKEN)
        self._begin_drafting()
        return first

    def _begin_drafting(self) -> None:
        if self._drafting is not None:
            self._drafts = AnswerDrafting(self._drafting, self._generation)

    def _choose(self, under_way: int = 0) -> Choice:
        """Choose the next round; `under_way` are the tokens that the unread round will add (0 or 1)."""
        return self._plain_choice if self._drafts is None else self._drafts.choose(under_way)

    @property
    def _may_start(self) -> bool:
        """Whether another round may start."""
        return self._life is DecoderLife.DECODING and not self._generation.cancelled

    def _prepare_and_start(self) -> Generator[None, None, StartedRound | None]:
        """Start the chosen round, once its proposer has caught up.

        Returns None if the decoder is left, or its answer cancelled, after a piece of catch-up.
        """
        choice = self._choose()
        # Catch up piece by piece; if the proposer changed meanwhile, choose again.
        while choice.depth > 0 and self._drafts is not None:
            proposer = self._drafts.proposer_of(choice)
            caught_up = self._drafts.catch_up(choice)
            if not caught_up:
                yield None
                if not self._may_start:
                    return None
            if self._drafts.proposer_of(choice) is not proposer:
                # It has failed, or the draft model was replaced or dropped meanwhile.
                choice = self._choose()
            elif caught_up:
                break
        return self._start(choice)

    def _start(self, choice: Choice) -> StartedRound:
        """Propose, if `choice` has a depth, and verify, while no other round is under way."""
        started_at = self._clock.start()
        planned = PlannedRound(choice)
        if choice.depth > 0 and self._drafts is not None:
            planned = self._drafts.propose(choice)
        pending = self._rounds.start(planned.proposal, started_at, timed=planned.timed)
        return StartedRound(planned.choice, pending)

    def _start_early(self, current: StartedRound) -> StartedRound | None:
        """Start the next round before this one is read, when both are plain: the device need not wait for the host."""
        speculative = current.pending.proposal is not None
        if speculative or not self._may_start or self._generation.remaining <= 1:
            return None
        if current.choice is FIRST_TOKEN:
            # Its pass follows no other pass, so there is nothing to overlap.
            return None
        choice = self._choose(under_way=1)
        return None if choice.depth > 0 else StartedRound(choice, self._rounds.start_next(current.pending))

    # Ending rounds

    def _finish(self, current: StartedRound, next_round: StartedRound | None) -> TokensCommitted:
        """Wait for the round, accept, commit, and count it; `next_round` is the one that was started early."""
        generation = self._generation
        pending = current.pending
        drawn = self._rounds.wait(pending)
        self._clock.read()
        if self._drafts is not None:
            self._drafts.report_stall(pending)
        seconds = self._charge(pending)
        tokens = generation.add_tokens(drawn)
        accepted = min(drawn.accepted, len(tokens))
        ids = drawn.tokens[: len(tokens)]
        self._rounds.commit(accepted, ids, next_round.pending if next_round else None)
        if not pending.same_rounding:
            generation.log.exact = False
        if self._drafts is not None:
            self._drafts.follow(ids, accepted, pending)
        event = generation.end_round(current.choice, pending.proposal, tokens, accepted, pending.rows, seconds)
        if generation.reason is not None and self._drafts is not None:
            self._drafts.learn_from_last(current, event)
        if generation.reason is not None or (next_round is None and self._life is DecoderLife.LEAVING):
            self._life = DecoderLife.DONE
        return event

    def _charge(self, pending: PendingRound) -> RoundSeconds:
        """Return the seconds of a round that was just read, without a pause in it."""
        if self._clock.skip_pause():
            pending.draft_s = None
        return self._clock.charge(0.0 if self._drafts is None else self._drafts.drafting_seconds(pending))

    def _learn(self, current: StartedRound, event: TokensCommitted) -> None:
        if self._drafts is None:
            self._clock.drop_interval()
        else:
            self._drafts.learn(current, event)
