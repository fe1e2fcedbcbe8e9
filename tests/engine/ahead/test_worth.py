"""A runner works or rests as rounds are faster. What that gives beside the controller is a world of `choosing`."""

from __future__ import annotations

from engine.ahead.worth import Worth


def rounds(worth: Worth, count: int, working_s: float, resting_s: float) -> int:
    """Play `count` rounds; returns in how many of them the runner worked."""
    worked = 0
    for _ in range(count):
        worked += worth.works
        worth.observe(working_s if worth.works else resting_s, 1.0)
    return worked


def test_a_runner_that_makes_rounds_longer_rests_and_is_tried_again() -> None:
    worth = Worth()
    rounds(worth, 40, 1.2, 1.0)
    assert 0 < rounds(worth, 1000, 1.2, 1.0) < 60
    # Now it makes them shorter.
    rounds(worth, 300, 0.8, 1.0)
    assert rounds(worth, 1000, 0.8, 1.0) > 940


def test_rounds_without_a_duration_teach_nothing() -> None:
    worth = Worth()
    for _ in range(100):
        worth.observe(0.0, 1.0)
    assert worth.works
