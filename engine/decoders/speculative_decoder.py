"""The decoder of one generation alone, in speculative rounds or, while it takes turns with others, in plain ones.

`SpeculativeDecoder.step()` is one unit of work, so that other requests, commands and cancellations are handled between
two steps. After `leave()` it finishes the rounds already started; then the sequence holds exactly the committed tokens,
and another decoder can continue it.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass

from engine.decoders.generation import Generation
from engine.decoders.stalls import watch_round
from engine.events import TokensCommitted
from engine.speculation.choosing.choice import FIRST_TOKEN, Choice
from engine.speculation.choosing.pauses import Pauses
from engine.speculation.drafting import Drafting
from engine.speculation.request_proposers import RequestProposers
from engine.speculation.round_timing import drafting_of
from engine.speculation.rounds.round import DrawnTokens, PendingRound, Rounds
from engine.stats import RoundRecord


@dataclass(slots=True)
class _StartedRound:
    """A started round and the choice behind it. The device waited `host_s` seconds for the host before it."""

    choice: Choice
    pending: PendingRound
    host_s: float = 0.0


class SpeculativeDecoder:
    """Decodes `generation`, whose prompt has been prefilled.

    It speculates with `drafting`; without one every round is plain, for the reason that `plain` gives.
    """

    def __init__(self, generation: Generation, drafting: Drafting | None, plain: Choice = FIRST_TOKEN) -> None:
        self._generation = generation
        self._drafting = drafting
        # Whether it may speculate. There is one `Drafting`, so no other decoder may at the same time.
        self.speculates = drafting is not None
        self._plain = plain
        self._pauses = Pauses() if drafting is None else drafting.timing.pauses
        self._request: RequestProposers | None = None
        self._rounds = Rounds(generation.conversation.main, generation.sampler)
        self._rounds.top2_margins = generation.request.top2_margins
        # The time up to which rounds are charged, and the next round's seconds of a draft model's catch-up.
        self._accounted_to = 0.0
        self._catch_up_s = 0.0
        self._leaving = False
        self._steps = self._decode()
        self._begun = False
        self.done = False

    def step(self) -> TokensCommitted | None:
        """Run one round, or a part of its preparation; sets `done` when it was the last."""
        if self._generation.timing_interrupted or not self._begun:
            # Time spent on other requests is not charged to this one's rounds.
            self._accounted_to = time.perf_counter()
        self._begun = True
        try:
            return next(self._steps)
        except StopIteration:
            self.done = True
            return None

    def leave(self) -> None:
        """Start no more rounds; sets `done` within one step, or at once if no step was run."""
        self._leaving = True
        self.done = self.done or not self._begun

    def close(self) -> None:
        """Roll back the rounds that were started, so that the caches end at the last committed token."""
        self.done = True
        self._steps.close()
        try:
            self._rounds.abandon()
        finally:
            if self._drafting is not None and self._request is not None:
                self._drafting.update_log(self._request, self._generation.log)
                self._drafting.end(self._request)
                self._generation.answer_state = self._request.answer

    def _decode(self) -> Generator[TokensCommitted | None, None, None]:
        """Run rounds until the answer ends or the decoder is left; yield what each committed.

        Also yields None, after each piece of a proposer's catch-up.
        """
        generation = self._generation
        if generation.ids:
            self._begin_drafting()
            current = yield from self._next_round()
        else:
            # The first token waits neither for proposers, which are made while the device computes it, nor for the
            # draft model to prefill the prompt.
            current = self._start(FIRST_TOKEN)
            self._begin_drafting()
        while current is not None:
            ahead = self._start_next(current)
            drawn = self._rounds.wait(current.pending)
            now = time.perf_counter()
            self._skip_pause(current, now)
            settled = self._settle(current, drawn, ahead, now)
            if generation.reason is not None or (self._leaving and ahead is None):
                self.done = True
            yield settled
            self._observe(current, settled.round)
            if generation.reason is not None:
                return
            current = ahead if ahead is not None or self._leaving else (yield from self._next_round())

    def _begin_drafting(self) -> None:
        if self._drafting is not None:
            generation = self._generation
            self._request = self._drafting.begin(
                generation.speculation,
                generation.conversation,
                generation.sampler,
                generation.log.figures,
                alone=True,
                earlier=generation.answer_state,
            )

    def _next_round(self) -> Generator[None, None, _StartedRound | None]:
        """Start the round that the drafting chooses, once its proposer is prepared; None when leaving or cancelled."""
        choice = self._choose()
        drafting = self._drafting
        request = self._request
        while choice.depth > 0 and drafting is not None and request is not None:
            source = choice.source or ""
            started = time.perf_counter()
            proposer = request.by_source.get(source)
            catches_up = drafting.catches_up(request, source)
            # Its time counts as drafting.
            seconds = time.perf_counter() - started
            self._accounted_to += seconds
            if pause := self._pauses.within(seconds):
                self._generation.skip_pause(pause)
            self._catch_up_s += seconds - pause
            if catches_up:
                yield None
                if self._leaving or self._generation.cancelled:
                    return None
            if request.by_source.get(source) is not proposer:
                # It has failed, or the draft model was replaced or dropped meanwhile.
                choice = self._choose()
            elif not catches_up:
                break
        return self._start(choice)

    def _observe(self, current: _StartedRound, record: RoundRecord) -> None:
        """Learn from a round, whose time includes the delivery of its event; nothing is learned without proposers."""
        generation = self._generation
        interrupted, generation.timing_interrupted = generation.timing_interrupted, False
        if self._drafting is None or self._request is None or not self._request.by_source:
            generation.round_ended = self._accounted_to
            return
        now = time.perf_counter()
        if interrupted:
            self._drafting.timing.interrupted(self._request)
        else:
            pending = current.pending
            seconds = now - generation.round_ended
            self._drafting.timing.observe(self._request, current.choice, pending, record, seconds)
            self._drafting.learn(self._request, current.choice, pending.proposal, record)
        generation.round_ended = now

    def _choose(self, under_way: int = 0) -> Choice:
        if self._drafting is None or self._request is None:
            return self._plain
        self._drafting.use(self._request, self._generation.speculation)
        [choice] = self._drafting.choose([(self._request, self._generation.remaining - under_way)])
        return choice

    def _start(self, choice: Choice) -> _StartedRound:
        """Start a round as chosen, with a proposal if `choice` has a depth, while no other round is under way."""
        started_at = time.perf_counter()
        drafting = self._drafting
        request = self._request
        timed, proposal = False, None
        if drafting is not None and request is not None and choice.depth > 0:
            [(choice, proposal)] = drafting.propose([(request, choice)])
            timed = drafting.timing.waits_for(request, drafting_of([proposal]), self._generation.round)
        pending = self._rounds.start(proposal, started_at, timed=timed)
        host_s = max(0.0, started_at - self._accounted_to)
        self._accounted_to = started_at
        return _StartedRound(choice, pending, host_s)

    def _start_next(self, current: _StartedRound) -> _StartedRound | None:
        """Start the next round before this one is read, when both are plain: the device need not wait for the host."""
        generation = self._generation
        speculative = current.pending.proposal is not None
        if speculative or generation.cancelled or self._leaving or generation.remaining <= 1:
            return None
        if current.choice is FIRST_TOKEN:
            # Its pass follows no other pass, so there is nothing to overlap.
            return None
        choice = self._choose(under_way=1)
        return None if choice.depth > 0 else _StartedRound(choice, self._rounds.start_next(current.pending))

    def _skip_pause(self, current: _StartedRound, finished_at: float) -> None:
        """Exclude a pause from the timing of the round that was just read."""
        busy = finished_at - self._accounted_to
        if self._drafting is not None:
            watch_round(self._drafting, current.pending.rows, drafting_of([current.pending.proposal]), busy)
        if pause := self._pauses.found(current.host_s + busy):
            self._generation.skip_pause(pause)
            self._accounted_to += min(busy, pause)
            current.host_s = max(0.0, current.host_s - max(0.0, pause - busy))
            current.pending.draft_s = None

    def _settle(
        self, current: _StartedRound, drawn: DrawnTokens, ahead: _StartedRound | None, now: float
    ) -> TokensCommitted:
        """Add the round's tokens to the answer, commit the kept ones, and count the round, which ended at `now`."""
        generation, pending, log = self._generation, current.pending, self._generation.log
        log.exact &= pending.same_rounding
        tokens = generation.add_tokens(drawn)
        accepted = min(drawn.accepted, len(tokens))
        ids = drawn.tokens[: len(tokens)]
        self._rounds.commit(accepted, ids, ahead.pending if ahead else None)
        if self._request is not None:
            self._request.committed(ids, accepted, pending.proposal)
        seconds = self._seconds(current, now)
        if self._drafting is not None and self._request is not None and log.is_due(now):
            self._drafting.update_log(self._request, log)
        event = generation.end_round(current.choice, pending.proposal, tokens, accepted, pending.rows, seconds, now)
        ended = generation.reason is not None and current.choice is not FIRST_TOKEN
        if self._drafting is not None and ended and not generation.timing_interrupted:
            # No round follows, so this one ended when it was read.
            self._drafting.timing.count_last(event.round, now - generation.round_ended)
        return event

    def _seconds(self, current: _StartedRound, finished_at: float) -> tuple[float, float, float]:
        """Return how long a round drafted, verified and waited for the host."""
        pending = current.pending
        busy = max(0.0, finished_at - self._accounted_to)
        draft_s = 0.0
        if self._drafting is not None and self._request is not None:
            drafting = drafting_of([pending.proposal])
            timing = self._drafting.timing
            draft_s = timing.drafting_seconds(self._request, drafting, pending.rows, busy, pending.draft_s)
        catch_up_s, self._catch_up_s, self._accounted_to = self._catch_up_s, 0.0, finished_at
        return draft_s + catch_up_s, busy - draft_s, current.host_s
