"""Drafting that takes place beside rounds: done where it was measured to pay, by the controller's gates."""

from __future__ import annotations

from engine.async_drafting.ahead import DraftingAhead
from engine.speculation.depth import DepthController
from engine.speculation.proposers.registry import DRAFTER_METHOD
from engine.speculation.round import PendingRound


class GatedDrafting:
    """Asks and teaches the gates for one main model, whichever controller decides."""

    def observe_ahead(
        self, controller: DepthController, ahead: DraftingAhead | None, current: PendingRound, seconds: float
    ) -> None:
        """Learn from a round of `seconds` whether the asynchronous drafter pays, by the tokens that it could expect."""
        gate = controller.gates.ahead
        if not (gate.settled if ahead is None else ahead.ready):
            return
        kept = controller.rates.forecast(DRAFTER_METHOD, "", current.depth).kept
        gate.observe(seconds, 1.0 + kept[current.depth])
