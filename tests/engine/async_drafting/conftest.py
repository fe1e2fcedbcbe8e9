"""A scheduler with an asynchronous drafter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from tests.engine.serving_requests import load_models


@pytest.fixture
def scheduler(tiny_main: Path, tiny_draft: Path) -> Iterator[Scheduler]:
    """A scheduler whose asynchronous drafter starts with the first request."""
    scheduler = Scheduler(EngineSettings(async_drafter="cpu"))
    load_models(scheduler, tiny_main, tiny_draft)
    yield scheduler
    scheduler.close()
