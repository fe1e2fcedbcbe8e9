"""A fake Hub, an empty cache, and queues with short waits."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest

from engine.hub.client import HubAccess
from engine.hub.download_job import JobSettings
from engine.hub.downloads import DownloadQueue
from engine.hub.transfer import RetryPolicy
from tests.engine.model_files.model_folders import model_files, write_snapshot
from tests.fakehub.server import FakeHub
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

QUICK = RetryPolicy(first_s=0.01, longest_s=0.05, tries=4)
# Settings with which a connection counts as dead after half a second; on a busy machine sound ones are cut too.
IMPATIENT_S, MANY_TRIES = 0.5, RetryPolicy(first_s=0.01, longest_s=0.05, tries=1000)


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with FakeHub() as server:
        yield server


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def open_queue(hub: FakeHub, cache: Path) -> Iterator[Callable[..., DownloadQueue]]:
    """A function that makes queues on the fake Hub with short waits; all are closed at the end."""
    opened: list[DownloadQueue] = []

    def make(
        token: str | None = None, endpoint: str | None = None, stall_s: float = PATIENCE_S, **more: Any
    ) -> DownloadQueue:
        access = HubAccess(endpoint or hub.endpoint, token=token, stall_s=stall_s)
        more.setdefault("settings", JobSettings(policy=QUICK, space_margin=0))
        opened.append(DownloadQueue(more.pop("cache_dir", cache), access, **more))
        return opened[-1]

    yield make
    for queue in opened:
        queue.close()


@pytest.fixture
def snapshot(cache: Path) -> Path:
    """A model whose blobs are named by their content, as huggingface_hub names them."""
    files = model_files()
    path = write_snapshot(cache, "org/model", files)
    for name, content in files.items():
        digest = hashlib.sha256(content).hexdigest()
        blob = (path / name).resolve()
        blob.rename(blob.with_name(digest))
        (path / name).unlink()
        (path / name).symlink_to(f"../../blobs/{digest}")
    return path
