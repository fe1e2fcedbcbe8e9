"""The controller's choices for answers at once, in simulated seconds: no answer keeps the others waiting."""

from __future__ import annotations

from itertools import product

import pytest

from engine.speculation.choosing.plans import even_tokens
from tests.engine.speculation.batches import (
    MEMORY_BOUND,
    STARTER,
    Batches,
    BatchMachine,
    Stall,
    Text,
    mean_gain,
    slowest_pace,
)
from tests.engine.tiers import by_tier

# How often the draft model is right in texts that it drafts well, and badly.
GOOD, BAD = 0.98, 0.03


@pytest.mark.full
@pytest.mark.parametrize(
    ("machine", "rates", "least"),
    [(STARTER, (GOOD, BAD), 0.96), (STARTER, (*(GOOD,) * 7, BAD), 0.97), (STARTER, (BAD,) * 4, 0.97)],
)
def test_answers_of_all_sorts_end_no_later_than_without_drafts(
    machine: BatchMachine, rates: tuple[float, ...], least: float
) -> None:
    """What counts is the time until the last one ends, as `tandem bench --concurrent` measures it.

    `test_expected.py` holds how much earlier others end, which drafts suit better.
    """
    assert mean_gain(machine, rates, seeds=4, skipped=1, batches=4) >= least


@pytest.mark.full
@pytest.mark.parametrize(("machine", "good", "bad"), [*product((STARTER, MEMORY_BOUND), (100, 200), (60, 100))])
def test_an_answer_that_drafts_badly_is_hardly_slower_beside_one_that_drafts_well(
    machine: BatchMachine, good: int, bad: int
) -> None:
    """Of their own speeds without draft tokens, whichever ends first."""
    assert slowest_pace(machine, [Text(good, GOOD), Text(bad, BAD)], seeds=3, batches=4) >= 0.85


@pytest.mark.full
@pytest.mark.parametrize(("answers", "number"), by_tier([*product((1, 2, 4, 8), (1, 2, 4))], [(1, 1), (4, 1)]))
def test_a_round_that_was_disturbed_once_does_not_keep_answers_plain(answers: int, number: int) -> None:
    """No other round of its kind was measured before, and a pair is calibrated only once the engine was idle."""
    for machine, times in product((STARTER, MEMORY_BOUND), (10.0, 50.0)):
        for calibrated in (True, False):
            batches = Batches(machine, calibrated=calibrated, stall=Stall(number, times))
            batches.answer([Text(150, 0.9)] * answers)
            assert any(batches.depths_behind_stall[:3])


def test_a_long_wait_counts_more_than_a_short_one() -> None:
    assert even_tokens([4.0]) == pytest.approx(4.0)
    assert even_tokens([9.0, 9.0]) == pytest.approx(18.0)
    assert even_tokens([17.0, 1.0]) == pytest.approx(2.8, abs=0.05)
