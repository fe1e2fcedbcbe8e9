"""Proposals of the asynchronous drafter: those that it prepared for a verdict, and those that a round waits for.

Kumar, Dao, May, Speculative speculative decoding, arXiv:2603.03251. Its draft tokens are verified like any others. They
carry no distributions: rejection sampling would trust these, and they come from another process or computer.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.async_drafting.drafting_ahead import DraftingAhead
from engine.speculation.proposers.context import ProposerContext
from engine.speculation.rounds.proposal import Proposal, Proposer


def build(context: ProposerContext) -> AheadProposer | None:
    """Return None if the request has no asynchronous drafter."""
    return None if context.ahead is None else AheadProposer(context.ahead)


def build_just_in_time(context: ProposerContext) -> JustInTimeProposer | None:
    """Return None if the request has no asynchronous drafter."""
    return None if context.ahead is None else JustInTimeProposer(context.ahead)


class JustInTimeProposer(Proposer):
    """Proposes what the drafter drafts for the known verdict after a miss, or when it resumes.

    These rounds have a cost of their own; one that waited in vain is plain.
    """

    source = "just-in-time"
    drafts_aside = True

    def __init__(self, ahead: DraftingAhead) -> None:
        self._ahead = ahead

    def max_proposals(self) -> int:
        ahead = self._ahead
        return ahead.depth if ahead.usable and (not ahead.wanted or ahead.missed()) else 0

    def propose(self, depth: int) -> Proposal:
        tokens = list(self._ahead.drafted()[:depth])
        return Proposal(tokens, self.source, len(tokens))

    def committed(self, tokens: Sequence[int], accepted: int, drafted: int) -> None:
        del tokens, accepted
        if drafted:
            self._ahead.note(drafted)


class AheadProposer(JustInTimeProposer):
    """Proposes the tokens prepared for the last verdict. Only this proposer tells the drafter the verdicts."""

    source = "ahead"

    def max_proposals(self) -> int:
        return len(self._ahead.prepared()) if self._ahead.usable and self._ahead.wanted else 0

    def propose(self, depth: int) -> Proposal:
        tokens = list(self._ahead.prepared()[:depth])
        return Proposal(tokens, self.source, len(tokens))

    def committed(self, tokens: Sequence[int], accepted: int, drafted: int) -> None:
        super().committed(tokens, accepted, drafted)
        self._ahead.follow()

    def abandon(self) -> None:
        self._ahead.end()
