"""Proposals of text that the request's grammar forces, which costs no drafting.

The bytes are certain, but not how the main model splits them into tokens, so it verifies these like any others.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.grammars.calls_in_text import CallsInText
from engine.grammars.constraint import Constraint
from engine.speculation.proposers.context import ProposerContext
from engine.speculation.rounds.proposal import Proposal, Proposer
from engine.speculation.rounds.sequence import CachedSequence


def build(context: ProposerContext) -> GrammarProposer | None:
    """Return None for a request without a grammar, and for one whose forced text others are to propose."""
    constraint = context.sampler.constraint
    if constraint is None or not context.settings.proposes_forced:
        return None
    return GrammarProposer(constraint, context.conversation.main)


class GrammarProposer(Proposer):
    """Proposes the tokens of the text that `constraint` forces after the main model's sequence `main`."""

    source = "grammar"
    reason = "not-forced"

    def __init__(self, constraint: Constraint | CallsInText, main: CachedSequence) -> None:
        self._constraint = constraint
        self._main = main
        # The forced text after the newest token, and tokens of it.
        self._forced: tuple[bytes, list[int]] | None = None

    def max_proposals(self) -> int:
        return len(self._look_ahead())

    def propose(self, depth: int) -> Proposal:
        tokens = self._look_ahead()[:depth]
        return Proposal(tokens, self.source, len(tokens))

    def committed(self, tokens: Sequence[int], accepted: int, drafted: int) -> None:  # noqa: ARG002
        if self._forced is not None:
            self._constraint.learn(self._forced[0], tokens)
        self._forced = None

    def _look_ahead(self) -> list[int]:
        if self._forced is None:
            self._forced = self._constraint.forced_text(self._main.tokens)
        return self._forced[1]
