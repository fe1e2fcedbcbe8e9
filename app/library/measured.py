"""Measured speed-ups of pairs on this machine, from stored answers. No Qt in here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from app.conversations.request_history import Totals
from engine.methods import uses_drafter
from engine.stats import rounded_speedup

# Keyed by the names of main and draft model in the request history.
MeasuredPairs = Mapping[tuple[str, str], Totals]


def measured_pairs(summaries: Iterable[Totals]) -> dict[tuple[str, str], Totals]:
    """Return the figures of each pair with the method that generated the most tokens, if they say anything."""
    pairs: dict[tuple[str, str], Totals] = {}
    # A method with which no draft token was accepted speaks only where no other does.
    for totals in sorted(summaries, key=lambda summary: (bool(summary.accept_rate), summary.generated_tokens)):
        if totals.draft_model and uses_drafter(totals.method) and totals.drafted and (measured := _measured(totals)):
            pairs[totals.main_model, totals.draft_model] = measured
    return pairs


def _measured(totals: Totals) -> Totals | None:
    """Return the figures of a pair; None if it is not even known whether it is faster."""
    if totals.accept_rate == 0:
        # Rounds without an accepted draft token write one token each, as plain rounds do.
        return replace(totals, speedup=1.0, speedup_low=None, speedup_high=None)
    if totals.speedup is None or rounded_speedup(totals.speedup, totals.speedup_low, totals.speedup_high) is None:
        return None
    return totals
