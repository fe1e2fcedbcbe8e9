"""The decoder of one generation alone, in speculative rounds or, while it takes turns with others, in plain ones.

`SpeculativeDecoder.step()` is one unit of work, so that other requests, commands and cancellations are handled between
two steps. After `leave()` it finishes the rounds already started; then the sequence holds exactly the committed tokens,
and another decoder can continue it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from typing import Any

from msgspec.structs import replace

from engine.decoders.generation import DrawnTokens, Generation
from engine.events import TokensCommitted
from engine.speculation.choosing.choice import Choice
from engine.speculation.choosing.pauses import Pauses
from engine.speculation.drafting import FIRST_TOKEN, Drafting
from engine.speculation.rounds.round import PendingRound, ProposerFailed, RoundResult, Rounds
from engine.stats import RoundRecord

# To time the drafting of a round, verification has to wait for it, so only one round in this many is timed.
TIMED_EVERY = 64


@dataclass(slots=True)
class _StartedRound:
    """A started round and the choice behind it.

    The device waited `host_s` seconds for the host before it; `drafting_share` is the estimated share of drafting.
    """

    choice: Choice
    pending: PendingRound
    host_s: float = 0.0
    drafting_share: float | None = None


class SpeculativeDecoder:
    """Decodes `generation`, whose prompt has been prefilled.

    It speculates with `drafting`; without one every round is plain, for the reason that `plain` gives. In one round of
    `timed_every`, verification waits for the drafting, so that both are timed.
    """

    def __init__(
        self,
        generation: Generation,
        drafting: Drafting | None,
        plain: Choice | None = None,
        timed_every: int = TIMED_EVERY,
    ) -> None:
        self._generation = generation
        self._drafting = drafting
        # Whether it may speculate. There is one `Drafting`, so no other decoder may at the same time.
        self.speculates = drafting is not None
        self._plain, self._timed_every = plain or FIRST_TOKEN, timed_every
        self._pauses = Pauses() if drafting is None else drafting.pauses
        self._drafting_begun = False
        self._rounds = Rounds(generation.conversation.main, generation.sampler)
        self._rounds.top2_margins = generation.request.top2_margins
        self._prefilled_earlier = generation.log.figures.draft_prefill_tokens
        # The time up to which rounds are charged, and the next round's seconds of a draft model's catch-up.
        self._accounted_to = 0.0
        self._catch_up_s = 0.0
        # The share of drafting in the last timed round, used until the learned costs can tell it.
        self._timed_share: float | None = None
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
            if self._drafting is not None and self._drafting_begun:
                self._update_log()
                self._drafting.end()

    def _decode(self) -> Generator[TokensCommitted | None, None, None]:
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
            result = self._rounds.wait(current.pending)
            self._skip_pause(current, result.finished_at)
            settled = self._settle(current, result, ahead)
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
            self._drafting.begin(generation.speculation, generation.conversation, generation.sampler)
            self._drafting_begun = True
            self._rounds.proposers = self._drafting.proposers

    def _next_round(self) -> Generator[None, None, _StartedRound | None]:
        """Start the round that the drafting chooses, once its proposer is prepared; None when leaving or cancelled."""
        choice, drafting = self._choose(), self._drafting
        while choice.depth > 0 and drafting is not None:
            proposer = drafting.proposers.get(choice.source or "")
            try:
                if not self._catch_up(partial(drafting.current.prepare, choice.source or "")):
                    break
            except ProposerFailed as failure:
                choice = self._without(failure)
                break
            yield None
            if self._leaving or self._generation.cancelled:
                return None
            if drafting.proposers.get(choice.source or "") is not proposer:
                # The draft model was replaced or dropped meanwhile.
                choice = self._choose()
        return self._start(choice)

    def _observe(self, current: _StartedRound, record: RoundRecord) -> None:
        """Learn from a round, whose time includes the delivery of its event; nothing is learned without proposers."""
        generation = self._generation
        interrupted, generation.timing_interrupted = generation.timing_interrupted, False
        if self._drafting is None or not self._rounds.proposers:
            generation.round_ended = self._accounted_to
            return
        now = time.perf_counter()
        if interrupted:
            self._drafting.interrupted()
        else:
            self._drafting.observe(current.choice, current.pending, record, now - generation.round_ended)
        generation.round_ended = now

    def _choose(self, under_way: int = 0) -> Choice:
        if self._drafting is None:
            return self._plain
        self._drafting.use(self._generation.speculation)
        return self._drafting.choose(self._generation.remaining - under_way)

    def _without(self, failure: ProposerFailed) -> Choice:
        """Drop a proposer that failed for the rest of the answer; returns the choice to continue with."""
        assert self._drafting is not None
        return self._drafting.current.drop(failure)

    def _catch_up(self, step: Callable[[], bool]) -> bool:
        """Return the result of a step of the drafting's preparation, whose time counts as drafting."""
        started = time.perf_counter()
        try:
            return step()
        finally:
            seconds = time.perf_counter() - started
            self._catch_up_s += seconds
            self._accounted_to += seconds

    def _start(self, choice: Choice) -> _StartedRound:
        share, timed = None, False
        if self._drafting is not None and choice.depth > 0:
            share = self._drafting_share(self._drafting, choice)
            due = share is None or self._generation.round % self._timed_every == self._timed_every - 1
            timed = due and self._drafting.timed_apart(choice)
        try:
            pending = self._rounds.start(choice.source, choice.depth, timed=timed)
        except ProposerFailed as failure:
            choice = self._without(failure)
            pending = self._rounds.start(None, 0)
        host_s, self._accounted_to = max(0.0, pending.started_at - self._accounted_to), pending.started_at
        return _StartedRound(choice, pending, host_s, share)

    def _drafting_share(self, drafting: Drafting, choice: Choice, proposed: int | None = None) -> float | None:
        share = drafting.drafting_share(choice, proposed)
        return self._timed_share if share is None else share

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
        """Charge nobody with a pause in a round that was just read."""
        busy = finished_at - self._accounted_to
        if pause := self._pauses.found(current.host_s + busy):
            self._generation.skip_pause(pause)
            self._accounted_to += min(busy, pause)
            current.host_s = max(0.0, current.host_s - max(0.0, pause - busy))
            current.pending.draft_s = None

    def _settle(self, current: _StartedRound, result: RoundResult, ahead: _StartedRound | None) -> TokensCommitted:
        """Add the round's tokens to the answer, commit the kept ones, and count the round."""
        generation, pending, log = self._generation, current.pending, self._generation.log
        log.exact &= pending.exact
        source = pending.proposal.source if pending.proposal is not None else "main"
        drawn = DrawnTokens(
            result.tokens, result.logprobs, result.accepted, source, result.likeliest, result.top2_margins
        )
        tokens = generation.add_tokens(drawn)
        accepted = min(result.accepted, len(tokens))
        ids = result.tokens[: len(tokens)]
        try:
            self._rounds.commit(pending, accepted, ids, ahead.pending if ahead else None)
        except* ProposerFailed as failed:
            for failure in failed.exceptions:
                assert isinstance(failure, ProposerFailed)
                self._without(failure)
        seconds, now = self._seconds(current, result.finished_at), result.finished_at
        if log.is_due(now):
            self._update_log()
        event = generation.end_round(current.choice, pending.proposal, tokens, accepted, pending.rows, seconds, now)
        ended = generation.reason is not None and current.choice is not FIRST_TOKEN
        if self._drafting is not None and ended and not generation.timing_interrupted:
            # No round follows, so this one ended when it was read.
            self._drafting.count_last(event.round, now - generation.round_ended)
        return event

    def _seconds(self, current: _StartedRound, finished_at: float) -> tuple[float, float, float]:
        """Return how long a round drafted, verified and waited for the host."""
        pending = current.pending
        busy = max(0.0, finished_at - self._accounted_to)
        draft_s = 0.0
        if pending.draft_s is not None:
            draft_s = min(pending.draft_s, busy)
            self._timed_share = draft_s / busy if busy else None
        elif pending.depth:
            share = current.drafting_share
            if pending.stopped_early and self._drafting is not None:
                share = self._drafting_share(self._drafting, current.choice, pending.depth)
            draft_s = busy * (share or 0.0)
        catch_up_s, self._catch_up_s, self._accounted_to = self._catch_up_s, 0.0, finished_at
        return draft_s + catch_up_s, busy - draft_s, current.host_s

    def _update_log(self) -> None:
        """Copy the figures that only the drafting knows."""
        if self._drafting is None:
            return
        log = self._generation.log
        ahead: dict[str, Any] = {}
        if self._drafting.ahead is not None:
            ahead = self._drafting.ahead.figures.as_stats()
        elif self._drafting.async_reason:
            ahead = {"ahead": self._drafting.async_reason}
        log.figures = replace(
            log.figures,
            draft=self._drafting.draft_name or log.figures.draft,
            draft_fits=self._drafting.draft_fits,
            draft_prefill_tokens=self._prefilled_earlier + self._drafting.draft_prefill_tokens,
            **ahead,
            **self._drafting.rounding_figures(exact=log.exact and not log.shared),
        )
        if log.drafted:
            log.speedup = self._drafting.controller.measured_speedup(self._drafting.current.answer)
