"""Auto beside the best arm by kind of prompt, on the starter with each drafter, in simulated seconds.

The campaign prints the table: `pytest -m campaign -s tests/engine/speculation/test_by_kind.py`.
"""

from __future__ import annotations

from statistics import mean

import pytest

from tests.engine.speculation.by_kind import DRAFTERS, by_kind, table

# By drafter: auto's speed to the best arm's, the mean over the kinds of prompt, and in the worst of them.
FLOORS = {"draft": (0.97, 0.93), "head": (0.96, 0.88), "eagle3": (0.97, 0.93), "mtp": (0.97, 0.93)}


@pytest.mark.parametrize("drafter", DRAFTERS)
def test_auto_keeps_near_the_best_arm_of_each_kind_of_prompt(drafter: str) -> None:
    ratios = {kind: row.ratio for kind, row in by_kind(drafter, range(2), own_depth=False).items()}
    on_average, at_least = FLOORS[drafter]
    assert mean(ratios.values()) >= on_average, ratios
    assert min(ratios.values()) >= at_least, ratios


@pytest.mark.campaign
def test_the_table_of_all_drafters() -> None:
    """With the drafter's own depth among the arms. How long the prompt is tells edits and copies apart."""
    for drafter in DRAFTERS:
        rows = by_kind(drafter, range(5))
        print(f"\n{table(drafter, rows)}", end="")
        assert mean(row.ratio for row in rows.values()) >= FLOORS[drafter][0]
