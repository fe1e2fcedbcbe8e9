"""How the seconds of a round are divided between drafting and verifying."""

from __future__ import annotations

from unittest.mock import create_autospec

import pytest

from engine.speculation.choosing.costs import Costs
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
