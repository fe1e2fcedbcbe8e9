"""A download of many files, killed again and again: it ends complete and hardly a byte comes twice."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.hub.client import HubAccess
from engine.hub.download_job import JobSettings
from engine.hub.downloads import DownloadQueue
from tests.engine.hub.conftest import QUICK
from tests.engine.hub.downloading import assert_complete
from tests.engine.model_files.model_folders import model_files
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from tests.fakehub.server import FakeHub

NAME = "org/model"
BLOCK = 2**20

PROGRAM = """
import sys
import time
from pathlib import Path
from engine.hub.client import HubAccess
from engine.hub.download_job import JobSettings
from engine.hub.downloads import DownloadQueue

cache, state, endpoint = sys.argv[1:]
queue = DownloadQueue(Path(cache), HubAccess(endpoint), Path(state), settings=JobSettings(space_margin=0))
queue.add("org/model")
queue.wait("org/model")
"""


def run_until_killed(hub: FakeHub, arguments: list[str], seconds: float) -> bool:
    """Run the program and kill it with SIGKILL `seconds` after it first asked the Hub; whether it was still running."""
    before = len(hub.requests)
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments], stderr=subprocess.DEVNULL, cwd=Path(__file__).parents[3]
    )
    while len(hub.requests) == before and process.poll() is None:
        time.sleep(0.01)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True
    return False


def bytes_twice(hub: FakeHub, files: dict[str, bytes]) -> int:
    """How many bytes the Hub served beyond one copy of each file."""
    served: dict[str, int] = defaultdict(int)
    for sent in hub.sent:
        served[sent.name] += sent.count
    return sum(count - len(files[name]) for name, count in served.items())


@pytest.mark.parametrize("kills", [3, pytest.param(50, marks=pytest.mark.campaign)])
def test_a_download_that_is_killed_again_and_again_ends_complete(
    hub: FakeHub, cache: Path, tmp_path: Path, kills: int
) -> None:
    source = random.Random(kills)
    files = {name: content for name, content in model_files().items() if not name.endswith(".safetensors")}
    for number in range(24):
        files[f"model-{number + 1:05d}-of-00024.safetensors"] = source.randbytes(
            source.randint(2, 30) * 1000 * (kills + 8)
        )
    hub.add(NAME, files)
    hub.bytes_a_second = 300_000
    state = tmp_path / "downloads.json"
    arguments = [str(cache), str(state), hub.endpoint]
    alive = 0
    for _ in range(kills):
        alive += run_until_killed(hub, arguments, source.uniform(0.0, 0.8))
    hub.bytes_a_second = None

    queue = DownloadQueue(cache, HubAccess(hub.endpoint), state, settings=JobSettings(policy=QUICK, space_margin=0))
    status = queue.wait(queue.add(NAME), PATIENCE_S)
    queue.close()

    assert status is not None
    assert status.state == "ready"
    assert_complete(cache, files)
    twice = bytes_twice(hub, files)
    print(f"\n{alive} kills while running, {sum(map(len, files.values()))} bytes, {twice} served twice")
    assert twice <= alive * BLOCK
