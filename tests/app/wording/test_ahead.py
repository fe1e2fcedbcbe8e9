"""Every state of drafting ahead has a sentence, and none where it is off."""

from __future__ import annotations

import pytest

from app.wording.rounding import ahead_sentence
from engine.stats import RequestStats

STATES = (
    "ready", "starting", "no-gain", "no-memory", "no-address", "no-branches", "not-usable", "other-tokenizer",
    "unreachable", "network-denied", "ended",
)  # fmt: skip


@pytest.mark.parametrize("state", STATES)
def test_every_state_has_a_sentence(state: str) -> None:
    assert ahead_sentence(RequestStats(ahead=state)).startswith("Parallel drafting")


def test_hits_are_counted_among_all_verdicts_and_nothing_is_said_without_drafting_ahead() -> None:
    assert ahead_sentence(RequestStats()) == ""
    assert "tried" in ahead_sentence(RequestStats(ahead="ready", ahead_hits=8))
    stats = RequestStats(ahead="ready", ahead_hits=7, ahead_misses=2, ahead_late=1, ahead_used=6)
    assert "7 of 10" in ahead_sentence(stats)
