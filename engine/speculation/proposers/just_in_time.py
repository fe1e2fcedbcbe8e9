"""Where the verdict was not prepared for, the drafter beside the engine drafts when it is known, and the round waits.

That is also how a drafter that paused starts again.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.async_drafting.drafting_ahead import DraftingAhead
from engine.speculation.proposers.context import ProposerContext
from engine.speculation.rounds.proposal import Proposal, Proposer


def build(context: ProposerContext) -> JustInTimeProposer | None:
    """None where the request has no asynchronous drafter."""
    return None if context.ahead is None else JustInTimeProposer(context.ahead)


class JustInTimeProposer(Proposer):
    """Proposes what the drafter of `AheadProposer` drafts after a miss: rounds of another cost than its own.

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
