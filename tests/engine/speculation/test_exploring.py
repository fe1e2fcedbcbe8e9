"""What exploring may cost."""

from __future__ import annotations

from engine.speculation.arm_estimate import PLAIN_ARM, ArmEstimate
from engine.speculation.exploring import Explorer

PROMISING = ("draft", 4)
ARMS = {
    PLAIN_ARM: ArmEstimate(1.0, 0.02, 1.0, 1.0, 0.02, 0.02, 0.0, True),
    # Four tokens in 0.03 seconds, if the estimate is right.
    PROMISING: ArmEstimate(4.0, 0.03, 5.0, 1.0, 0.03, 0.04, 0.0, False),
}


def explored(tokens: int) -> int:
    """How many of 200 rounds are explored, each of which brings so many tokens, late in a long plain answer."""
    explorer = Explorer()
    explorer.count(500, 10.0)
    rounds = 0
    for _ in range(200):
        arm = explorer.choose(ARMS, PLAIN_ARM, PLAIN_ARM, lambda _: 10.0, anchored=True)
        if arm is not None:
            rounds += 1
            explorer.settle(arm, PLAIN_ARM, tokens, 0.04)
    return rounds


def test_what_promises_much_and_brings_nothing_is_not_explored_without_end() -> None:
    """Two hundredths of the answer's ten seconds, at 0.02 a round."""
    assert 5 <= explored(1) <= 12


def test_what_brings_as_much_as_it_promises_may_go_on() -> None:
    assert explored(4) == 200


def test_nothing_new_is_explored_before_the_machines_speed_is_known() -> None:
    explorer = Explorer()
    explorer.count(500, 10.0)
    assert explorer.choose(ARMS, PLAIN_ARM, PLAIN_ARM, lambda _: 10.0, anchored=False) is None
