"""Auto beside the best arm by kind of prompt, on the starter with each drafter, in simulated seconds.

The campaign prints the table: `pytest -m campaign -s tests/engine/speculation/test_by_kind.py`.
"""

from __future__ import annotations

from statistics import mean

import pytest

from tests.engine.speculation.by_kind import CORES, DRAFTERS, MACHINES, by_kind, table

# Answers that copy a line are over in four or five rounds: on two cores, where a rejected round takes as long as two or
# three plain ones, nobody can try a drafter there and be as fast as lookup alone.
SHORT = "copy"
# By machine: auto's speed to the best arm's, the mean over the kinds of prompt, in the worst of them, and in `SHORT`.
FLOORS = dict.fromkeys(MACHINES, (0.97, 0.92, 0.92)) | {CORES: (0.95, 0.95, 0.75)}


@pytest.mark.parametrize("drafter", DRAFTERS)
def test_auto_keeps_near_the_best_arm_of_each_kind_of_prompt(drafter: str) -> None:
    ratios = {kind: row.ratio for kind, row in by_kind(drafter, range(2), own_depth=False).items()}
    _judge(ratios, CORES)


@pytest.mark.campaign
@pytest.mark.parametrize("machine", MACHINES)
def test_the_table_of_all_drafters(machine: str) -> None:
    """With the drafter's own depth among the arms. How long the prompt is tells edits and copies apart."""
    for drafter in DRAFTERS:
        rows = by_kind(drafter, range(5), machine)
        print(f"\n{table(drafter, machine, rows)}", end="")
        _judge({kind: row.ratio for kind, row in rows.items()}, machine)


def _judge(ratios: dict[str, float], machine: str) -> None:
    on_average, at_least, in_short = FLOORS[machine]
    assert mean(ratios.values()) >= on_average, ratios
    assert all(ratio >= (in_short if kind == SHORT else at_least) for kind, ratio in ratios.items()), ratios
