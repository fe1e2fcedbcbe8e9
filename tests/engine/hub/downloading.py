"""Models that are large enough to be cut and resumed, and steps and checks of their downloads."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from engine.hub.client import HubAccess
from engine.hub.download_job import JobSettings
from engine.hub.downloads import DownloadQueue
from engine.hub.failures import HubError
from engine.hub.transfer import RetryPolicy
from tests.engine.model_files.model_folders import model_files
from tests.patience import PATIENCE_S, wait_until

if TYPE_CHECKING:
    from engine.hub.download_state import DownloadStatus
    from tests.fakehub.server import FakeHub, Repository

QUICK = RetryPolicy(first_s=0.01, longest_s=0.05, tries=4)
NAME = "org/model"
SHARD = "model-00002-of-00003.safetensors"


def sizeable(size: int = 200_000) -> dict[str, bytes]:
    """Return the files of a model with random shards, which are large enough to be cut, stalled and resumed."""
    source = random.Random(5)
    files = {name: content for name, content in model_files(shards=3).items() if "safetensors" not in name}
    for number in range(3):
        files[f"model-{number + 1:05d}-of-00003.safetensors"] = source.randbytes(size + number)
    return files | {"README.md": b"# not needed", "evil.py": b"raise SystemExit"}


def needed(files: dict[str, bytes]) -> dict[str, bytes]:
    return {name: content for name, content in files.items() if not name.endswith((".md", ".py"))}


def needed_bytes(files: dict[str, bytes]) -> int:
    return sum(map(len, needed(files).values()))


class Site:
    """A fake Hub with the model NAME of `files`, and queues that download it into `cache`."""

    def __init__(self, hub: FakeHub, cache: Path) -> None:
        self.hub, self.cache = hub, cache
        self.home = cache / "models--org--model"
        self.opened: list[DownloadQueue] = []
        self.serve(sizeable())

    def serve(self, files: dict[str, bytes], **settings: Any) -> Repository:
        """Let the Hub have these files of the model NAME."""
        self.files = files
        return self.hub.add(NAME, files, **settings)

    def fault(self, name: str = SHARD, **fault: Any) -> None:
        """Break a file of the model, or with name "*" all."""
        self.hub.fault(NAME, name, **fault)

    def queue(
        self, token: str | None = None, endpoint: str | None = None, stall_s: float = PATIENCE_S, **more: Any
    ) -> DownloadQueue:
        """Open a queue on the Hub with short waits; it is closed at the end of the test."""
        access = HubAccess(endpoint or self.hub.endpoint, token=token, stall_s=stall_s)
        more.setdefault("settings", JobSettings(policy=QUICK, space_margin=0))
        self.opened.append(DownloadQueue(self.cache, access, **more))
        return self.opened[-1]

    def begin_slowly(self, queue: DownloadQueue) -> None:
        """Add the model to the queue, and return when some of it has arrived, slowly."""
        self.hub.bytes_a_second = 20_000
        queue.add(NAME)
        wait_until(lambda: queue.snapshot()[0].bytes_done > 10_000)

    def assert_complete(self) -> Path:
        """Check that the cache has the model's files and nothing else, and return their folder."""
        return assert_complete(self.cache, self.files)


@contextmanager
def refused(reason: str) -> Iterator[pytest.ExceptionInfo[HubError]]:
    """Expect a `HubError` with this reason."""
    with pytest.raises(HubError) as caught:
        yield caught
    assert caught.value.reason == reason


def pages(*contents: Any) -> Any:
    """Return a client whose Hub answers with these pages."""
    answers = [(page, "next" if number < len(contents) else None) for number, page in enumerate(contents, 1)]
    return SimpleNamespace(access=HubAccess(), get_json=lambda *_: answers.pop(0))


def finish(queue: DownloadQueue, name: str = NAME) -> DownloadStatus:
    """Return the status of a download once it has ended."""
    wait_until(lambda: not runs(queue, name))
    status = queue.status(name)
    assert status is not None
    return status


def runs(queue: DownloadQueue, name: str) -> bool:
    status = queue.status(name)
    return status is not None and status.runs


def download(queue: DownloadQueue, name: str = NAME) -> DownloadStatus:
    """Add a model to the queue, and return its status at the end."""
    return finish(queue, queue.add(name))


def failure(queue: DownloadQueue) -> HubError:
    """Add the model NAME to the queue, and return the error with which it fails."""
    error = download(queue).error
    assert error is not None
    return error


_PROGRAM = """
import sys
import time
from pathlib import Path
from engine.hub.client import HubAccess
from engine.hub.download_job import JobSettings
from engine.hub.downloads import DownloadQueue

name, cache, state, endpoint = sys.argv[1:]
queue = DownloadQueue(Path(cache), HubAccess(endpoint), Path(state), settings=JobSettings(space_margin=0))
queue.add(name)
while (status := queue.status(name)) is not None and status.runs:
    time.sleep(0.005)
"""


def run_until_killed(
    site: Site, state: Path, seconds: float, name: str = NAME, behind: Callable[[], int] | None = None
) -> bool:
    """Download a model in another process, and kill that `seconds` after its first request, or after `behind()` grew.

    Return whether it was still running.
    """
    grown = behind or (lambda: len(site.hub.requests))
    before = grown()
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, name, str(site.cache), str(state), site.hub.endpoint],
        stderr=subprocess.DEVNULL,
        cwd=Path(__file__).parents[3],
    )
    while grown() == before and process.poll() is None:
        time.sleep(0.01)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True
    return False


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
