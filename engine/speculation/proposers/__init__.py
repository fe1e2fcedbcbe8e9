"""Ways of guessing the next tokens, one module each."""

from __future__ import annotations

from engine.speculation.proposers.ngram import NgramProposer
from engine.speculation.proposers.proposal import Proposal, Proposer, Trial

__all__ = ["NgramProposer", "Proposal", "Proposer", "Trial"]
