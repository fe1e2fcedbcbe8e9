"""A scheduler with an asynchronous drafter."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.ahead.deepening import PassCosts
from engine.ahead.drafting_ahead import DraftingAhead
from engine.main_model.loaded_model import LoadedModel
from engine.serving.scheduler import Scheduler
from tests.engine.serving_requests import open_with_pair


@pytest.fixture(autouse=True)
def _always_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a drafter work whether that is faster or not: how fast the rounds of a test are depends on the machine."""
    monkeypatch.setattr(DraftingAhead, "observe_round", lambda _ahead, _seconds, _tokens: None)


@pytest.fixture(autouse=True)
def _rows_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let drafters of this process take all branches in each pass: what rows cost depends on the machine."""
    monkeypatch.setattr(PassCosts, "observe", lambda _costs, _rows, _seconds: None)


@pytest.fixture
def scheduler(pair: tuple[LoadedModel, LoadedModel]) -> Iterator[Scheduler]:
    """A scheduler whose asynchronous drafter starts with the first request."""
    with open_with_pair(pair, draft_ahead="here") as scheduler:
        yield scheduler
