"""The figures of speculation in an API's answer."""

from __future__ import annotations

from app.api.requests.usage import speculation
from engine.stats import RequestStats


def test_drafting_ahead_has_its_figures_in_a_single_answer_if_it_is_on() -> None:
    ready = RequestStats(ahead="ready", ahead_hits=9, ahead_misses=3, ahead_late=2, ahead_used=6, ahead_hidden_s=0.02)
    figures = speculation([ready])
    assert (figures["ahead"], figures["ahead_hits"], figures["ahead_hidden_s"]) == ("ready", 9, 0.02)
    assert speculation([RequestStats(ahead="head")])["ahead"] == "head"
    assert not any(name.startswith("ahead") for name in speculation([RequestStats()]) | speculation([ready, ready]))
