"""The part of the drafting in one answer that is decoded alone: choosing, proposing, and learning from its rounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.decoders.generation import Generation
from engine.decoders.stalls import watch_round
from engine.events import TokensCommitted
from engine.speculation.choosing.choice import FIRST_TOKEN, Choice
from engine.speculation.drafting import Drafting
from engine.speculation.round_timing import drafting_of
from engine.speculation.rounds.proposal import Proposal, Proposer
from engine.speculation.rounds.round import PendingRound


class PlannedRound(NamedTuple):
    """What a round does. If it is `timed`, verification waits for the draft tokens, so that both are timed."""

    choice: Choice
    proposal: Proposal | None = None
    timed: bool = False


class StartedRound(NamedTuple):
    """A started round and the choice behind it."""

    choice: Choice
    pending: PendingRound


class AnswerDrafting:
    """What `drafting` does for the answer of `generation`, from the beginning of its proposers to `end`."""

    def __init__(self, drafting: Drafting, generation: Generation) -> None:
        self._drafting = drafting
        self._timing = drafting.timing
        self._generation = generation
        self._clock = generation.clock
        self._request = drafting.begin(
            generation.speculation,
            generation.conversation,
            generation.sampler,
            generation.log.figures,
            alone=True,
            earlier=generation.answer_state,
        )

    def choose(self, under_way: int) -> Choice:
        """Choose the next round; `under_way` are the tokens that the unread round will add (0 or 1)."""
        self._drafting.use(self._request, self._generation.speculation)
        [choice] = self._drafting.choose([(self._request, self._generation.remaining - under_way)])
        return choice

    def proposer_of(self, choice: Choice) -> Proposer | None:
        """Return the proposer of a chosen round; None if it was dropped since."""
        return self._request.by_source.get(choice.source or "")

    def catch_up(self, choice: Choice) -> bool:
        """Do a piece of the catch-up of the chosen round's proposer, and return whether it has caught up."""
        with self._clock.catch_up():
            return not self._drafting.catches_up(self._request, choice.source or "")

    def propose(self, choice: Choice) -> PlannedRound:
        """Return the chosen round with a proposal, or a plain one if there is none."""
        [(choice, proposal)] = self._drafting.propose([(self._request, choice)])
        timed = self._timing.waits_for(self._request, drafting_of([proposal]), self._generation.round)
        return PlannedRound(choice, proposal, timed)

    def report_stall(self, pending: PendingRound) -> None:
        """Report a round that was just read, if it has stalled."""
        watch_round(self._drafting, pending.rows, drafting_of([pending.proposal]), self._clock.busy_s)

    def drafting_seconds(self, pending: PendingRound) -> float:
        """Return how much of its time a round that was just read has drafted."""
        drafting = drafting_of([pending.proposal])
        return self._timing.drafting_seconds(self._request, drafting, pending.rows, self._clock.busy_s, pending.draft_s)

    def follow(self, tokens: Sequence[int], accepted: int, pending: PendingRound) -> None:
        """Let the proposers follow a round that committed `tokens`, the first `accepted` of which were proposed."""
        log = self._generation.log
        self._request.committed(tokens, accepted, pending.proposal)
        if log.is_due(self._clock.read_at):
            self._drafting.update_log(self._request, log)

    def learn(self, current: StartedRound, event: TokensCommitted) -> None:
        """Learn from a round, whose time includes the delivery of its event; nothing is learned without proposers."""
        if not self._request.by_source:
            self._clock.drop_interval()
            return
        seconds = self._clock.take_interval()
        if seconds is None:
            self._timing.interrupted(self._request)
            return
        self._timing.observe(self._request, current.choice, current.pending, event.round, seconds)
        self._drafting.learn(self._request, current.choice, current.pending.proposal, event.round)

    def learn_from_last(self, current: StartedRound, event: TokensCommitted) -> None:
        """Learn from the last round of the answer, which ended when it was read, as no round follows."""
        seconds = self._clock.last_interval
        if seconds is not None and current.choice is not FIRST_TOKEN:
            self._timing.count_last(event.round, seconds)

    def end(self) -> None:
        """End the answer's drafting; the generation gets what is known of its text."""
        self._drafting.update_log(self._request, self._generation.log)
        self._drafting.end(self._request)
        self._generation.answer_state = self._request.answer
