"""Drafting ahead is as fast in the worlds as it was when they were recorded, by one statistical rule for all."""

from __future__ import annotations

import pytest

from engine.ahead.deepening import PassCosts
from engine.ahead.drafting_ahead import DraftingAhead
from tests.engine.ahead.worlds import RECORD, figures
from tests.engine.recorded_figures import FIRST_SEEDS, SEEDS, differences, read

# What tests of this room do without.
OBSERVE_ROUND = DraftingAhead.observe_round
OBSERVE_PASS = PassCosts.observe


@pytest.mark.parametrize("seeds", [FIRST_SEEDS, pytest.param(SEEDS, marks=pytest.mark.full)])
def test_each_figure_is_as_recorded(seeds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DraftingAhead, "observe_round", OBSERVE_ROUND)
    monkeypatch.setattr(PassCosts, "observe", OBSERVE_PASS)
    record = read(RECORD)
    played = {seed: figures(seed) for seed in range(seeds)}
    assert played[0].keys() == record.keys()
    assert not differences(record, played)
