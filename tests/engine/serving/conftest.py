"""A scheduler with the tiny pair, and chunks of a fixed size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine.main_model.loaded_model import LoadedModel
from engine.serving.pacing import PrefillPacer
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from tests.engine.endurance.counting_model import CountingModel


@pytest.fixture
def model(pair: tuple[LoadedModel, LoadedModel]) -> CountingModel:
    return CountingModel(pair[0].model)


@pytest.fixture
def scheduler(pair: tuple[LoadedModel, LoadedModel], model: CountingModel) -> Iterator[Scheduler]:
    """A scheduler with the pair, whose main model counts its passes."""
    scheduler = Scheduler(EngineSettings(most_active=4, most_waiting=2))
    scheduler.changes.install(replace(pair[0], model=model), pair[1])
    yield scheduler
    scheduler.close()


@pytest.fixture
def fixed_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read prompts in chunks of a fixed size, which otherwise depends on timings."""
    monkeypatch.setattr(PrefillPacer, "chunk_size", lambda _, streaming, **__: 64 if streaming else 512)
