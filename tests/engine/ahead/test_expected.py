"""Drafting ahead is as fast in the worlds as it was when they were recorded, by one statistical rule for all."""

from __future__ import annotations

import pytest

from engine.ahead.deepening import PassCosts
from engine.ahead.drafting_ahead import DraftingAhead
from tests.engine.ahead import expected
from tests.engine.ahead.worlds import SEEDS

# What tests of this room do without.
OBSERVE_ROUND = DraftingAhead.observe_round
OBSERVE_PASS = PassCosts.observe


@pytest.mark.parametrize("seeds", [expected.FIRST_SEEDS, pytest.param(SEEDS, marks=pytest.mark.full)])
def test_each_figure_is_as_recorded(seeds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DraftingAhead, "observe_round", OBSERVE_ROUND)
    monkeypatch.setattr(PassCosts, "observe", OBSERVE_PASS)
    record = expected.read()
    found = expected.means(expected.play(range(seeds)))
    assert found.keys() == record.keys()
    recorded = {name: each.mean if seeds == SEEDS else each.first for name, each in record.items()}
    worse = {
        name: (found[name], recorded[name]) for name in found if not record[name].accepts(found[name], recorded[name])
    }
    assert not worse
