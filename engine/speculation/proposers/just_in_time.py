"""Drafting after a miss: the asynchronous drafter drafts for the known verdict, and the round waits for it.

A paused drafter resumes in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.async_drafting.drafting_ahead import DraftingAhead
from engine.speculation.proposers.context import ProposerContext
from engine.speculation.rounds.proposal import Proposal, Proposer


def build(context: ProposerContext) -> JustInTimeProposer | None:
    """Return None if the request has no asynchronous drafter."""
    return None if context.ahead is None else JustInTimeProposer(context.ahead)


class JustInTimeProposer(Proposer):
    """Proposes what the drafter of `AheadProposer` drafts after a miss; these rounds have a cost of their own.

    A round that waited in vain is plain.
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
