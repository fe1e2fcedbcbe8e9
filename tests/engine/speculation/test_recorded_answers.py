"""The depth controller on recorded answers of a head, from the first one of a pair that it has never seen."""

from __future__ import annotations

import random
from statistics import mean

import pytest

from engine.speculation.depth import DepthController
from engine.speculation.proposers.head import worth_verifying
from tests.engine.speculation.recorded import MACHINES, Player, recorded_answers, speed_against_best

ANSWERS = recorded_answers()
SEEDS = range(6)
LONG = 32


@pytest.mark.parametrize("machine", MACHINES)
def test_auto_is_nearly_the_best_fixed_depth_within_three_answers_and_faster_over_twenty(machine: str) -> None:
    """The best fixed depth is chosen in hindsight, for the three and for the twenty."""
    found = [
        speed_against_best(MACHINES[machine], random.Random(seed).sample(ANSWERS, 20), seed, first=3) for seed in SEEDS
    ]
    assert min(over_all for over_all, _ in found) >= 0.97
    assert mean(at_first for _, at_first in found) >= 0.92


@pytest.mark.parametrize("machine", MACHINES)
def test_hardly_a_long_answer_is_slower_than_plain(machine: str) -> None:
    to_plain: list[float] = []
    for seed in SEEDS:
        controller, player = DepthController(), Player(MACHINES[machine], seed)
        for answer in random.Random(seed).sample(ANSWERS, 20):
            plain = Player(MACHINES[machine], seed).fixed(answer, 0)
            ratio = plain / player.controlled(answer, controller)
            if len(answer.positions) > LONG:
                to_plain.append(ratio)
    slower = [ratio for ratio in to_plain if ratio < 0.95]
    assert len(slower) <= 0.03 * len(to_plain)
    assert min(to_plain) > 0.75


@pytest.mark.parametrize(
    ("chances", "prices", "count"),
    [
        ((0.9, 0.9, 0.9), (1.0, 1.1, 1.2, 1.3), 3),
        ((0.9, 0.1, 0.9), (1.0, 1.2, 1.4, 1.6), 1),
        # The second token alone is not worth its row, but the pass is no dearer with the third.
        ((0.9, 0.4, 0.9), (1.0, 1.1, 1.6, 1.6), 3),
        # One is always verified: the drafting is paid for.
        ((0.1, 0.1), (1.0, 2.0, 3.0), 1),
    ],
)
def test_as_many_tokens_are_verified_as_gain_more_than_their_rows_cost(
    chances: tuple[float, ...], prices: tuple[float, ...], count: int
) -> None:
    assert worth_verifying(chances, prices) == count
