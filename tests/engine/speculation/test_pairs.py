"""Auto beside the best fixed arm on pairs that it has never seen, in simulated seconds.

The best arm is chosen in hindsight. `choosing/test_expected.py` holds how near automatic comes to it on average;
`python -m tests.tools.compare` prints that for each pair.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from statistics import mean

import pytest

from engine.requests import MAX_DRAFTED
from tests.engine.speculation.copies import copies
from tests.engine.speculation.judging import judge
from tests.engine.speculation.pairs import busy, pairs
from tests.engine.speculation.played import Pair
from tests.engine.tiers import by_tier

# By the tokens for each edit, and with kernels that read the weights once for up to 8 rows or not.
COPIES = [*product((120, 40, 15), (False, True))]


def pair_named(name: str) -> Pair:
    return next(pair for pair in pairs() if pair.name == name)


@pytest.mark.campaign
def test_the_rows_of_every_pair() -> None:
    for pair in pairs():
        found = [judge(pair, seed) for seed in range(5)]
        assert mean(verdict.twenty for verdict in found) >= 0.96, pair.name
        assert mean(ratio >= 0.95 for verdict in found for ratio in verdict.long) >= 0.8, pair.name


@pytest.mark.full
def test_one_disturbed_round_does_not_keep_a_depth_from_being_tried_again() -> None:
    """On a machine with stalls, the controller must not stay below the depth that the first stall hit."""
    assert judge(busy(pair_named("flat GPU, 0.95")), 0).twenty >= 0.85


@pytest.mark.parametrize(("edit_every", "few_readings"), by_tier(COPIES, [(120, False), (40, False)]))
def test_a_file_is_written_again_in_rounds_of_32_where_these_cost_no_more_than_16(
    edit_every: int, few_readings: bool
) -> None:
    pair = copies(edit_every, few_readings)
    verdict, other = (judge(pair, seed, calibrated=True) for seed in range(2))
    assert mean([verdict.twenty, other.twenty]) >= 0.97
    narrow = replace(pair.machine, passes=pair.machine.passes[: MAX_DRAFTED + 1])
    most_16 = judge(replace(pair, name="most 16", machine=narrow), 0, calibrated=True)
    assert few_readings or edit_every < 120 or mean(verdict.long) > 1.1 * mean(most_16.long)
