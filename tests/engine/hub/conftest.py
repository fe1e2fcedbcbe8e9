"""A fake Hub with a model, an empty cache, and queues with short waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.engine.hub.downloading import Site
from tests.engine.model_files.model_folders import model_files, write_snapshot
from tests.fakehub.server import FakeHub

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with FakeHub() as server:
        yield server


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def site(hub: FakeHub, cache: Path) -> Iterator[Site]:
    site = Site(hub, cache)
    yield site
    for queue in site.opened:
        queue.close()


@pytest.fixture
def snapshot(cache: Path) -> Path:
    """The folder of an installed model."""
    return write_snapshot(cache, "org/model", model_files())
