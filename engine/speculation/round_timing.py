"""The durations of rounds: which of them have their drafting timed, and what the controllers learn from them."""

from __future__ import annotations

from collections.abc import Sequence

from engine.methods import PROPOSERS
from engine.speculation.choosing.choice import FIRST_TOKEN, Choice, MeasuredRound
from engine.speculation.choosing.kept import Controllers
from engine.speculation.choosing.pauses import Pauses
from engine.speculation.choosing.texts import AnswerState
from engine.speculation.request_proposers import RequestProposers
from engine.speculation.rounds.proposal import Proposal
from engine.speculation.rounds.round import PendingRound
from engine.stats import RoundRecord


class RoundTiming:
    """The timing of the rounds of one main model; the controller of the pair in use learns from it. All in seconds."""

    def __init__(self, controllers: Controllers) -> None:
        self._controllers = controllers
        self.pauses = Pauses()
        # To time the drafting of a round, verification has to wait for it, so only one round in this many is timed.
        self.timed_every = 64

    def waits_for(self, request: RequestProposers, drafting: tuple[str, int] | None, number: int) -> bool:
        """Whether verification waits for the `drafting` of round `number`, (source, tokens), so that both are timed."""
        if drafting is None:
            return False
        source = drafting[0]
        proposer = request.by_source.get(source)
        if proposer is not None and proposer.drafts_elsewhere:
            return False
        costs = request.answer.costs
        unknown = request.timed_share is None and costs.drafting_share(*drafting, drafting[1] + 1) is None
        # The first rounds of a batch teach the costs nothing, nor does a round in which the draft model caught up, and
        # until the costs are known, a round waits long for a draft runner.
        needed = not request.alone or request.ahead is not None
        unlearned = needed and not costs.timed(source)
        return unknown or unlearned or number % self.timed_every == self.timed_every - 1

    @staticmethod
    def drafting_seconds(
        request: RequestProposers,
        drafting: tuple[str, int] | None,
        rows: int,
        busy: float,
        timed_s: float | None,
        answers: int = 1,
    ) -> float:
        """Return how much of `busy` seconds `drafting` took, `timed_s` or its usual share.

        The round had `rows` rows of so many `answers`. What a draft runner had drafted before took no time.
        """
        if drafting is None or PROPOSERS[drafting[0]].ahead:
            return 0.0
        if timed_s is not None:
            seconds = min(timed_s, busy)
            request.timed_share = seconds / busy if busy else None
            return seconds
        share = request.answer.costs.drafting_share(*drafting, rows, answers)
        return busy * ((request.timed_share if share is None else share) or 0.0)

    def observe(
        self, request: RequestProposers, choice: Choice, current: PendingRound, record: RoundRecord, seconds: float
    ) -> None:
        """Learn from the duration of a round of one request, which took `seconds` until the next one began.

        Its duration is not typical if a draft model caught up first, or if it is a plain round that was not between two
        others.
        """
        caught_up = request.pop_catch_up_tokens()
        controller = self._controllers.current
        answer = request.answer
        depth = current.depth
        # Backends differ in whether a launch or a read waits for the device, so a round at either end of a run of plain
        # rounds can seem twice as long, or to take no time.
        between = depth > 0 or (current.pipelined and current.followed)
        # Before any was measured, every plain round counts.
        counts = between or (not choice.depth and not answer.costs.plain_known())
        drafting = drafting_of([current.proposal])
        measured = MeasuredRound(
            current.rows,
            record.committed,
            seconds,
            drafting,
            record.draft_s if drafting and current.draft_s is not None else None,
            typical=not caught_up and counts and (depth > 0 or choice.depth == 0),
        )
        if choice is not FIRST_TOKEN:
            # The first token's time includes prefill.
            source = choice.source if depth else None
            typical = not caught_up and between
            controller.speedup.observe(source, current.rows, record.committed, seconds, typical=typical)
            controller.observe_round(answer, measured)
            if request.ahead is not None and measured.typical:
                request.ahead.observe_round(seconds, _expected_tokens(answer, choice.source, depth))
        if caught_up and drafting:
            controller.observe_reading(answer, drafting[0], caught_up, measured)

    def count_last(self, record: RoundRecord, seconds: float) -> None:
        """Count the last round of an answer in its speed-up; nothing else is learned from it."""
        source = record.source if record.drafted else None
        speedup = self._controllers.current.speedup
        speedup.observe(source, record.rows, record.committed, seconds, typical=False)
        # A short answer ends before enough rounds have followed a run of plain ones.
        speedup.compare()

    def interrupted(self, request: RequestProposers) -> None:
        """Charge the time between two rounds of one request to neither, because other requests ran."""
        request.pop_catch_up_tokens()
        self._controllers.current.speedup.interrupted()


def _expected_tokens(answer: AnswerState, source: str | None, depth: int) -> float:
    """Return the tokens expected of a round of `depth` draft tokens of `source`."""
    return 1.0 + (0.0 if source is None or not depth else answer.forecast(source, depth).accepted[depth])


def drafting_of(proposals: Sequence[Proposal | None]) -> tuple[str, int] | None:
    """Return (source, tokens for each request) of a round's drafting with a model; None if there is none."""
    counts = [
        (proposal.source, proposal.count)
        for proposal in proposals
        if proposal is not None and PROPOSERS[proposal.source].uses_drafter
    ]
    return (counts[0][0], max(count for _, count in counts)) if counts else None
