"""Measured speed-ups of pairs on this machine, from stored answers. No Qt in here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.conversations.request_history import PairSummary
from engine.methods import uses_drafter
from engine.stats import rounded_speedup


@dataclass(frozen=True)
class Measured:
    """Speed-up over plain decoding, with its bounds, and the share of draft tokens accepted.

    Where that share is 0, `speedup` is 1, the most that is possible.
    """

    speedup: float
    accept_rate: float | None
    speedup_low: float | None = None
    speedup_high: float | None = None

    @property
    def factor(self) -> float:
        """The speed-up as it is shown, of which perhaps only a bound is known."""
        found = rounded_speedup(self.speedup, self.speedup_low, self.speedup_high)
        return self.speedup if found is None else found.factor


# Keyed by the names of main and draft model in the request history.
MeasuredPairs = Mapping[tuple[str, str], Measured]


def measured_pairs(summaries: Iterable[PairSummary]) -> dict[tuple[str, str], Measured]:
    """Return the figures of each pair with the method that generated the most tokens, if they say anything."""
    found: dict[tuple[str, str], Measured] = {}
    # A method with which no draft token was accepted speaks only where no other does.
    for one in sorted(summaries, key=lambda summary: (bool(summary.accept_rate), summary.generated_tokens)):
        if one.draft_model and uses_drafter(one.method) and one.drafted and (measured := _measured(one)):
            found[one.main_model, one.draft_model] = measured
    return found


def _measured(one: PairSummary) -> Measured | None:
    """Return the figures of a pair; None if it is not even known whether it is faster."""
    if one.accept_rate == 0:
        # Rounds without an accepted draft token write one token each, as plain rounds do.
        return Measured(1.0, 0.0)
    if one.speedup is None or rounded_speedup(one.speedup, one.speedup_low, one.speedup_high) is None:
        return None
    return Measured(one.speedup, one.accept_rate, one.speedup_low, one.speedup_high)
