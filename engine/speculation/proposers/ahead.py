"""Proposals of the draft runner: what it prepared for the outcome of the last round.

Kumar, Dao, May, Speculative speculative decoding, arXiv:2603.03251. Its draft tokens are verified like any others. They
carry no distributions: rejection sampling would trust these, and they come from another process or computer.

So they are verified by the rule "match": they are accepted where the main model draws the same ones. While a request
has a draft runner, that is the rule for all its draft tokens, whatever `SpeculationSettings.acceptance` says. The
runner drafts with the noise of the main model's draws, and how many tokens it prepares depends on what it drafts at
later positions: with another rule for what it did not prepare, the noise of a draw would decide on the rule of that
draw, and the distribution would not be the main model's. With "match" alone, the text is plain decoding's.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.ahead.drafting_ahead import DraftingAhead
from engine.speculation.proposers.context import ProposerContext
from engine.speculation.rounds.proposal import Proposal, Proposer


def build(context: ProposerContext) -> AheadProposer | None:
    """Return None if the request has no draft runner."""
    return None if context.ahead is None else AheadProposer(context.ahead)


class AheadProposer(Proposer):
    """Proposes the tokens prepared for the last outcome, and tells the runner the outcomes."""

    source = "ahead"
    drafts_elsewhere = True

    def __init__(self, ahead: DraftingAhead) -> None:
        self._ahead = ahead

    def max_proposals(self) -> int:
        """Return how many tokens were prepared; may wait for them, no longer than drafting here takes."""
        return len(self._ahead.prepared())

    def propose(self, depth: int) -> Proposal:
        tokens = list(self._ahead.prepared()[:depth])
        return Proposal(tokens, self.source, len(tokens))

    def committed(self, tokens: Sequence[int], accepted: int, drafted: int) -> None:
        del tokens, accepted
        self._ahead.report_round(drafted)

    def reset(self, tokens: Sequence[int]) -> None:
        del tokens
        self._ahead.report_round(0)

    def abandon(self) -> None:
        self._ahead.end()
