"""Models that are large enough to be cut and resumed, and what a finished download of one leaves."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.hub.downloads import DownloadQueue
from tests.engine.model_files.model_folders import model_files
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from pathlib import Path

    from engine.hub.download_state import DownloadStatus


OpenQueue = Callable[..., DownloadQueue]

NAME = "org/model"
SHARD = "model-00002-of-00003.safetensors"


def sizeable(shards: int = 3, size: int = 200_000) -> dict[str, bytes]:
    """A model whose shards are large enough to be cut, stalled and resumed; the bytes differ everywhere."""
    source = random.Random(5)
    files = {name: content for name, content in model_files(shards=shards).items() if "safetensors" not in name}
    for number in range(shards):
        files[f"model-{number + 1:05d}-of-{shards:05d}.safetensors"] = source.randbytes(size + number)
    return files | {"README.md": b"# not needed", "evil.py": b"raise SystemExit"}


def needed(files: dict[str, bytes]) -> dict[str, bytes]:
    return {name: content for name, content in files.items() if not name.endswith((".md", ".py"))}


def finish(queue: DownloadQueue, name: str = NAME) -> DownloadStatus:
    status = queue.wait(name, PATIENCE_S)
    assert status is not None
    return status


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.005)


def assert_complete(cache: Path, files: dict[str, bytes], name: str = NAME) -> Path:
    home = cache / ("models--" + name.replace("/", "--"))
    commit = (home / "refs" / "main").read_text()
    snapshot = home / "snapshots" / commit
    found = {str(path.relative_to(snapshot)): path.read_bytes() for path in snapshot.rglob("*") if path.is_file()}
    assert found == needed(files)
    assert not list(home.rglob("*.incomplete"))
    for blob in (home / "blobs").iterdir():
        content = blob.read_bytes()
        git = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
        assert blob.name in (hashlib.sha256(content).hexdigest(), git)
    return snapshot
