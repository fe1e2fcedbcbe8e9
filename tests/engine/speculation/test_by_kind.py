"""Auto beside the best arm by kind of prompt, on the starter with each drafter, in simulated seconds.

The campaign prints the table: `pytest -m campaign -s tests/engine/speculation/test_by_kind.py`.
"""

from __future__ import annotations

from statistics import geometric_mean

import pytest

from tests.engine.speculation.by_kind import CORES, DRAFTERS, FLAT, MACHINES, STEPS, by_kind, table

# Auto's speed to the best arm's, the mean over the drafters and the kinds of prompt: of what the controller before this
# one reached at least 0.97.
FLOORS = {CORES: 0.883, FLAT: 0.989, STEPS: 0.950}


def test_auto_keeps_near_the_best_arm_of_each_kind_of_prompt() -> None:
    """The best arm is chosen in hindsight. On two cores a rejected round takes as long as two or three plain ones."""
    found = ratios(CORES, range(2))
    assert geometric_mean(found.values()) >= 0.85, found
    assert min(found.values()) >= 0.6, found


@pytest.mark.campaign
@pytest.mark.parametrize("machine", MACHINES)
def test_the_table_of_all_drafters(machine: str) -> None:
    found = ratios(machine, range(5))
    assert geometric_mean(found.values()) >= FLOORS[machine], found


def ratios(machine: str, seeds: range) -> dict[str, float]:
    """By drafter and kind of prompt, each prompt met once."""
    found = {}
    for drafter in DRAFTERS:
        rows = by_kind(drafter, seeds, machine, own_depth=False, met_once=True)
        print(f"\n{table(drafter, machine, rows)}", end="")
        found |= {f"{drafter}, {kind}": row.ratio for kind, row in rows.items()}
    return found
