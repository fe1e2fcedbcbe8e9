"""Auto beside the best fixed arm on pairs that it has never seen, in simulated seconds.

The campaign prints a row a pair: `pytest -m campaign -s tests/engine/speculation/test_pairs.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

import pytest

from tests.engine.speculation.bounds import LEAST_SHORT, cautious, knowing
from tests.engine.speculation.judging import Verdict, judge
from tests.engine.speculation.pairs import busy, pairs
from tests.engine.speculation.played import Pair

PAIRS = {pair.name: pair for pair in pairs()}
FEW = ("starter, draft", "starter, head", "GPU in steps, 0.85", "10M, 0.60")


def verdicts(pair: Pair, seeds: int) -> list[Verdict]:
    found = [judge(pair, seed) for seed in range(seeds)]
    print(row(pair.name, found))
    print(row("  one who knows the pair", [knowing(pair, seed) for seed in range(seeds)]))
    print(row("  and risks no answer", [cautious(pair, seed) for seed in range(seeds)]))
    return found


def row(name: str, found: Sequence[Verdict]) -> str:
    longs = [ratio for verdict in found for ratio in verdict.long]
    shorts = [ratio for verdict in found for ratio in verdict.short]
    kinds = sorted({kind for verdict in found for kind in verdict.by_kind})
    by_kind = {kind: mean(verdict.by_kind.get(kind, 1.0) for verdict in found) for kind in kinds}
    return (
        f"{name:34} {mean(one.speedup for one in found):5.2f}x of plain; to the best arm: "
        f"twenty {mean(one.twenty for one in found):.3f}, first three {mean(one.three for one in found):.3f}, "
        f"by kind {min(by_kind.values()):.2f} ({min(by_kind, key=lambda kind: by_kind[kind])}); to plain: "
        f"long {min(longs, default=1.0):.2f} ({sum(ratio < 0.95 for ratio in longs)} of {len(longs)} below 0.95), "
        f"short {min(shorts, default=1.0):.2f} ({sum(ratio < 0.9 for ratio in shorts)} of {len(shorts)} below 0.9)"
    )


@pytest.mark.parametrize("name", FEW)
def test_auto_is_nearly_the_best_fixed_arm_on_a_pair_never_seen(name: str) -> None:
    """The best arm is chosen in hindsight, for the first three answers and for all twenty."""
    found = [judge(PAIRS[name], seed) for seed in range(2)]
    assert mean(verdict.twenty for verdict in found) >= 0.96
    assert mean(verdict.three for verdict in found) >= 0.85
    assert min(ratio for verdict in found for ratio in verdict.long) >= 0.8


@pytest.mark.campaign
@pytest.mark.parametrize("name", PAIRS)
def test_auto_is_nearly_the_best_fixed_arm_on_every_pair(name: str) -> None:
    found = verdicts(PAIRS[name], 5)
    assert mean(verdict.twenty for verdict in found) >= 0.97
    assert mean(verdict.three for verdict in found) >= 0.85
    assert mean(ratio >= 0.95 for verdict in found for ratio in verdict.long) >= 0.8


@pytest.mark.campaign
@pytest.mark.parametrize("known", ["calibrated", "main_known"])
@pytest.mark.parametrize("name", PAIRS)
def test_a_pair_calibrated_or_a_new_drafter_of_a_known_main_starts_nearly_as_fast_as_its_best_arm(
    name: str, known: str
) -> None:
    """Calibrated as while the engine is idle, or with what passes of the main model take beside another drafter."""
    found = [judge(PAIRS[name], seed, **{known: True}) for seed in range(5)]
    print(row(f"{name}, {known.replace('_', ' ')}", found))
    assert mean(verdict.twenty for verdict in found) >= 0.97
    assert mean(verdict.three for verdict in found) >= 0.92


@pytest.mark.campaign
@pytest.mark.parametrize("name", PAIRS)
def test_a_busy_machine_misleads_auto_little(name: str) -> None:
    found = verdicts(busy(PAIRS[name]), 5)
    assert mean(verdict.twenty for verdict in found) >= 0.94
    assert mean(verdict.three for verdict in found) >= 0.8


def test_nobody_can_spare_every_answer_a_loss_and_be_nearly_the_best_arm() -> None:
    """Not even who knows what rounds cost and which arm is best for each kind of prompt."""
    pair = PAIRS["starter, head"]
    assert min(knowing(pair, 0).short) < LEAST_SHORT
    spared = cautious(pair, 0)
    assert min(spared.short) >= LEAST_SHORT - 0.05
    assert spared.twenty < 0.9 * knowing(pair, 0).twenty


def test_one_disturbed_round_does_not_keep_a_depth_from_being_tried_again() -> None:
    """On a machine with stalls the depth went no further than where the first of them had been."""
    assert judge(busy(PAIRS["flat GPU, 0.95"]), 0).twenty >= 0.85
