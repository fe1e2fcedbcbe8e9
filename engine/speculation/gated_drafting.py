"""Drafting that takes place beside rounds: done where it was measured to pay, by the controller's gates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.async_drafting.ahead import DraftingAhead
from engine.speculation.depth import Choice, DepthController
from engine.speculation.proposers.proposal import Proposer
from engine.speculation.proposers.registry import DRAFTER_METHOD
from engine.speculation.round import PendingRound

# The least chance that all draft tokens of a round are accepted at which drafting behind it is tried.
LEAST_ALL_ACCEPTED = 0.5


@dataclass(frozen=True, slots=True)
class BesideRounds:
    """What is wanted: `EngineSettings.draft_behind` and `prepare_lookups`."""

    draft_behind: str = "off"
    prepare_lookups: bool = True


class GatedDrafting:
    """Asks and teaches the gates for one main model, whichever controller decides."""

    def __init__(self, wanted: Callable[[], BesideRounds]) -> None:
        self._wanted = wanted
        # Whether the round under way began behind a draft that was of no use.
        self._wasted = False

    @property
    def prepares_lookups(self) -> bool:
        """See `BesideRounds`."""
        return self._wanted().prepare_lookups

    def depth_behind(self, controller: DepthController, proposer: Proposer | None, choice: Choice) -> int:
        """How many tokens `proposer` is to draft behind the verify pass of such a round."""
        wanted, source = self._wanted().draft_behind, choice.source
        if wanted == "off" or source is None or proposer is None or not proposer.can_draft_behind:
            return 0
        if wanted == "auto":
            if not controller.gates.behind.open:
                return 0
            kept = controller.rates.forecast(source, choice.bucket, choice.depth).kept
            if kept[choice.depth] - kept[choice.depth - 1] < LEAST_ALL_ACCEPTED:
                return 0
        return choice.depth

    def observe(
        self,
        controller: DepthController,
        proposer: Proposer | None,
        choice: Choice,
        current: PendingRound,
        seconds: float,
    ) -> bool:
        """Learn from a round of `seconds` whether drafting behind pays, with the `proposer` that may do so.

        Returns whether the round had to wait for such a draft in vain.
        """
        wanted, gate = self._wanted().draft_behind, controller.gates.behind
        if wanted == "off" or proposer is None or not proposer.can_draft_behind:
            return False
        if choice.source != DRAFTER_METHOD and not self._wasted:
            return False
        if wanted == "auto" and controller.plain_s() is not None:
            passes = controller.costs.forecast(DRAFTER_METHOD)
            gate.observe(seconds, passes.expected(current.made or current.depth, current.rows))
        # What was drafted behind this round delays the next one.
        wasted, self._wasted = self._wasted, proposer.missed_behind
        return wasted

    def observe_ahead(
        self, controller: DepthController, ahead: DraftingAhead | None, current: PendingRound, seconds: float
    ) -> None:
        """Learn from a round of `seconds` whether the asynchronous drafter pays, by the tokens that it could expect."""
        gate = controller.gates.ahead
        if not (gate.settled if ahead is None else ahead.ready):
            return
        kept = controller.rates.forecast(DRAFTER_METHOD, "", current.depth).kept
        gate.observe(seconds, 1.0 + kept[current.depth])
