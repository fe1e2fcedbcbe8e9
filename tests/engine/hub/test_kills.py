"""A download of many files that is killed again and again ends complete, and few bytes are sent twice."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.engine.hub.downloading import NAME, OpenQueue, assert_complete, download, run_until_killed
from tests.engine.model_files.model_folders import model_files

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakehub.server import FakeHub

BLOCK = 2**20


@pytest.mark.parametrize("kills", [2, pytest.param(50, marks=pytest.mark.campaign)])
def test_a_download_that_is_killed_again_and_again_ends_complete(
    hub: FakeHub, cache: Path, tmp_path: Path, open_queue: OpenQueue, kills: int
) -> None:
    source = random.Random(kills)
    files = {name: content for name, content in model_files().items() if not name.endswith(".safetensors")}
    for number in range(12):
        files[f"model-{number + 1:05d}-of-00012.safetensors"] = source.randbytes(
            source.randint(2, 30) * 1000 * (kills + 8)
        )
    hub.add(NAME, files)
    hub.bytes_a_second = 300_000
    state = tmp_path / "downloads.json"
    alive = sum(run_until_killed(hub, NAME, cache, state, source.uniform(0.0, 0.8)) for _ in range(kills))
    hub.bytes_a_second = None
    assert download(open_queue(state_path=state)).state == "ready"
    assert_complete(cache, files)
    twice = sum(sent.count for sent in hub.sent) - sum(len(files[name]) for name in {sent.name for sent in hub.sent})
    assert twice <= alive * BLOCK
