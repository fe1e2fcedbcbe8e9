"""A download of many files, killed again and again: it ends complete and hardly a byte comes twice."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from tests.engine.hub.downloading import NAME, OpenQueue, assert_complete, download, run_until_killed
from tests.engine.model_files.model_folders import model_files

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakehub.server import FakeHub

BLOCK = 2**20


def bytes_twice(hub: FakeHub, files: dict[str, bytes]) -> int:
    """How many bytes the Hub served beyond one copy of each file."""
    served: dict[str, int] = defaultdict(int)
    for sent in hub.sent:
        served[sent.name] += sent.count
    return sum(count - len(files[name]) for name, count in served.items())


@pytest.mark.parametrize("kills", [3, pytest.param(50, marks=pytest.mark.campaign)])
def test_a_download_that_is_killed_again_and_again_ends_complete(
    hub: FakeHub, cache: Path, tmp_path: Path, open_queue: OpenQueue, kills: int
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
    alive = sum(run_until_killed(hub, NAME, cache, state, source.uniform(0.0, 0.8)) for _ in range(kills))
    hub.bytes_a_second = None
    assert download(open_queue(state_path=state)).state == "ready"
    assert_complete(cache, files)
    twice = bytes_twice(hub, files)
    print(f"\n{alive} kills while running, {sum(map(len, files.values()))} bytes, {twice} served twice")
    assert twice <= alive * BLOCK
