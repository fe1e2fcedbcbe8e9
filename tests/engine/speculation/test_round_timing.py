"""How the seconds of a round are divided between drafting and verifying."""

from __future__ import annotations

from unittest.mock import create_autospec

import pytest

from engine.ahead.drafting_ahead import DraftingAhead
from engine.speculation.choosing.costs import Costs
from engine.speculation.choosing.kept import Controllers
from engine.speculation.choosing.texts import AnswerState
from engine.speculation.request_proposers import RequestProposers
from engine.speculation.round_timing import RoundTiming


@pytest.mark.parametrize(("source", "seconds"), [("draft", 0.06), ("ahead", 0.0)])
def test_tokens_that_a_runner_has_prepared_took_no_time_of_the_round(source: str, seconds: float) -> None:
    request = create_autospec(RequestProposers, instance=True)
    request.answer = create_autospec(AnswerState, instance=True)
    request.answer.costs = create_autospec(Costs, instance=True)
    # What drafting here took when it was last timed.
    request.timed_share = 0.3
    request.answer.costs.drafting_share.return_value = None
    assert RoundTiming.drafting_seconds(request, (source, 4), 5, 0.2, None) == pytest.approx(seconds)


@pytest.mark.parametrize("has_runner", [True, False])
def test_drafting_is_timed_until_it_is_known_how_long_to_wait_for_a_runner(has_runner: bool) -> None:
    request = create_autospec(RequestProposers, instance=True)
    request.by_source = {}
    request.alone = True
    request.ahead = create_autospec(DraftingAhead, instance=True) if has_runner else None
    request.answer = create_autospec(AnswerState, instance=True)
    request.answer.costs = Costs()
    # That of a round in which the draft model caught up, of which nothing else is learned.
    request.timed_share = 0.3
    timing = RoundTiming(create_autospec(Controllers, instance=True))
    assert timing.waits_for(request, ("draft", 4), 5) == has_runner
    for _ in range(2):
        request.answer.costs.observe(5, 0.05, ("draft", 4), 0.01)
    assert not timing.waits_for(request, ("draft", 4), 6)
