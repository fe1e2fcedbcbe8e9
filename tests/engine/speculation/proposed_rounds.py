"""Rounds of one sequence whose proposals all come from one proposer."""

from __future__ import annotations

import time
from collections.abc import Sequence

from engine.main_model.sampling import Sampler
from engine.speculation.rounds.proposal import Proposer
from engine.speculation.rounds.round import DrawnTokens, PendingRound, Rounds
from engine.speculation.rounds.sequence import CachedSequence


class ProposedRounds(Rounds):
    """Rounds that `proposer` follows, if there is one."""

    def __init__(self, sequence: CachedSequence, sampler: Sampler, proposer: Proposer | None) -> None:
        super().__init__(sequence, sampler)
        self.proposer = proposer

    def propose(self, depth: int, *, timed: bool = False) -> PendingRound:
        """Start a round with a proposal of at most `depth` tokens."""
        started_at = time.perf_counter()
        proposal = self.proposer.propose(depth) if self.proposer is not None and depth else None
        return self.start(proposal, started_at, timed=timed)

    def keep(
        self, current: PendingRound, accepted: int, tokens: Sequence[int], following: PendingRound | None = None
    ) -> None:
        """Commit the round, and let the proposer follow it."""
        self.commit(accepted, tokens, following)
        if self.proposer is not None:
            self.proposer.committed(tokens, accepted if current.depth else 0, current.depth)

    def play(self, depth: int) -> DrawnTokens:
        """Run a whole round."""
        current = self.propose(depth)
        drawn = self.wait(current)
        self.keep(current, drawn.accepted, drawn.tokens)
        return drawn
