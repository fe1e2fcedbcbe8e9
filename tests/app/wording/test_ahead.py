"""Every state of drafting ahead has a sentence, and none where it is off."""

from __future__ import annotations

import pytest

from app.wording.ahead import ahead_sentence
from engine.stats import RequestStats

STATES = (
    "ready", "starting", "no-gain", "no-memory", "no-address", "no-branches", "not-usable", "other-tokenizer",
    "unreachable", "ended",
)  # fmt: skip


@pytest.mark.parametrize("state", STATES)
def test_every_state_has_a_sentence(state: str) -> None:
    assert ahead_sentence(RequestStats(ahead=state)).startswith("Drafting ahead")


def test_nothing_is_said_where_it_is_off() -> None:
    assert ahead_sentence(RequestStats()) == ""


def test_hits_are_counted_among_all_verdicts() -> None:
    stats = RequestStats(
        ahead="ready", ahead_hits=7, ahead_misses=2, ahead_late=1, ahead_branches=50, ahead_hidden_s=1.2
    )
    sentence = ahead_sentence(stats)
    assert "7 of 10" in sentence
    assert "with 5.0 prepared per round" in sentence
    assert "1.2\u00a0s of drafting" in sentence


def test_what_was_prepared_and_never_used_is_said() -> None:
    assert "tried" in ahead_sentence(RequestStats(ahead="ready", ahead_hits=8))
