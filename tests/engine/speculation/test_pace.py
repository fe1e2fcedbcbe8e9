from __future__ import annotations

import pytest

from engine.speculation.depth import DepthController, MeasuredRound
from engine.speculation.pace import Pace
from engine.speculation.proposers.proposal import Observation

PLAIN_S = 0.02


def round_s(depth: int) -> float:
    return PLAIN_S * (1.0 + 0.1 * depth)


def controller_where_a_third_is_right() -> DepthController:
    """One whose proposer makes all it is asked for, with costs that are known."""
    controller = DepthController()
    controller.begin(100)
    controller.measured(None, 0, 1, PLAIN_S, 0.0)
    for depth in (1, 4, 8):
        controller.measured("head", depth, depth + 1, round_s(depth), 0.0)
    for accepted in [0, 0, 8] * 6:
        controller.learn("head", Observation("", 8, accepted))
    return controller


def first_depth(controller: DepthController) -> int:
    controller.begin(100)
    return controller.choose({"head": 8}, whole={"head"}).depth


def test_the_time_of_a_first_round_is_priced_by_what_later_rounds_bring() -> None:
    controller = controller_where_a_third_is_right()
    assert first_depth(controller) == 8
    for first in [0, 0, 8] * 6:
        controller.begin(100)
        for accepted in (first, 8, 8, 8):
            controller.observe(MeasuredRound("head", 8, 9, accepted, round_s(8)))
    opening = first_depth(controller)
    assert 0 < opening < 6
    controller.observe(MeasuredRound("head", opening, opening + 1, opening, round_s(opening)))
    assert controller.choose({"head": 8}, whole={"head"}).depth > 6


def test_what_stops_early_by_itself_is_not_cut() -> None:
    controller = controller_where_a_third_is_right()
    for first in [0, 0, 8] * 6:
        controller.begin(100)
        for accepted in (first, 8, 8, 8):
            controller.observe(MeasuredRound("head", 8, 9, accepted, round_s(8)))
    controller.begin(100)
    assert controller.choose({"head": 8}).depth == 8


def test_rounds_before_the_first_verdict_do_not_count() -> None:
    pace = Pace()
    pace.observe(1, 1.0, speculative=False)
    pace.observe(1, 3.0, speculative=True)
    assert not pace.opening
    assert pace.tokens == 0.0
    pace.observe(6, 2.0, speculative=True)
    assert pace.tokens == pytest.approx(3.0)


def test_the_next_answer_opens_anew() -> None:
    pace = Pace()
    pace.observe(1, 1.0, speculative=True)
    pace.begin()
    assert pace.opening
