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


def test_a_round_in_which_the_proposer_caught_up_binds_nobody_to_its_depth() -> None:
    """Only the least depth was affordable with the catching up, which need not be done again."""
    explorer, shallow = Explorer(), ("draft", 1)
    behind = ARMS | {
        shallow: ArmEstimate(1.7, 0.04, 2.0, 1.0, 0.03, 0.07, 0.0, False),
        PROMISING: ArmEstimate(4.0, 0.05, 5.0, 1.0, 0.03, 0.2, 0.0, False),
    }
    assert explorer.choose(behind, PLAIN_ARM, PLAIN_ARM, lambda _: 0.0, anchored=True) == shallow
    explorer.reconsider(PLAIN_ARM)
    assert explorer.choose(behind | ARMS, PLAIN_ARM, PLAIN_ARM, lambda _: 0.0, anchored=True) == PROMISING


def test_retries_in_vain_become_ever_rarer_over_answers() -> None:
    explorer, slow = Explorer(), ("draft", 1)
    arms = {PLAIN_ARM: ARMS[PLAIN_ARM], slow: ArmEstimate(1.1, 0.03, 1.1, 1.0, 0.03, 0.03, 0.0, True)}
    retried = []
    for number in range(60):
        explorer.begin()
        for _ in range(64):
            arm = explorer.choose(arms, PLAIN_ARM, PLAIN_ARM, lambda _: 10.0, anchored=True) or PLAIN_ARM
            if arm == slow:
                retried.append(number)
            seconds = 0.03 if arm == slow else 0.02
            explorer.count(1, seconds)
            explorer.settle(arm, PLAIN_ARM, 1, seconds)
    assert retried == [0, 1, 2, *range(4, 60, 4)]


def test_an_answer_behind_one_that_left_plain_decoding_starts_with_a_retry() -> None:
    explorer, slow = Explorer(), ("draft", 1)
    arms = {PLAIN_ARM: ARMS[PLAIN_ARM], slow: ArmEstimate(1.1, 0.03, 1.1, 1.0, 0.03, 0.03, 0.0, True)}
    explorer.count(500, 10.0)
    explorer.settle(slow, slow, 2, 0.03)
    explorer.begin()
    assert explorer.choose(arms, PLAIN_ARM, PLAIN_ARM, lambda _: 10.0, anchored=True) == slow


def test_a_retry_whose_costs_are_known_is_one_round_if_nothing_is_accepted() -> None:
    explorer, slow = Explorer(), ("draft", 1)
    arms = {PLAIN_ARM: ARMS[PLAIN_ARM], slow: ArmEstimate(1.1, 0.03, 1.1, 1.0, 0.03, 0.03, 0.02, True)}
    explorer.count(500, 10.0)
    explorer.begin()
    tried = []
    for _ in range(4):
        arm = explorer.choose(arms, PLAIN_ARM, PLAIN_ARM, lambda _: 10.0, anchored=True)
        tried.append(arm)
        if arm is not None:
            explorer.settle(arm, PLAIN_ARM, 1, 0.03)
    assert tried == [slow, None, None, None]


def test_a_proposer_that_was_in_use_in_this_answer_is_not_retried_as_if_it_had_not_been() -> None:
    """Its first round held catching up and accepted nothing, so plain decoding goes on."""
    explorer, slow = Explorer(), ("draft", 1)
    arms = {PLAIN_ARM: ARMS[PLAIN_ARM], slow: ArmEstimate(1.1, 0.03, 1.1, 1.0, 0.03, 0.03, 0.02, True)}
    explorer.count(500, 10.0)
    explorer.begin()
    explorer.reconsider(slow)
    assert explorer.choose(arms, PLAIN_ARM, PLAIN_ARM, lambda _: 10.0, anchored=True) is None
