"""A download of many files that is killed again and again ends complete, and few bytes are sent twice."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.engine.hub.downloading import Site, download, run_until_killed
from tests.engine.model_files.model_folders import model_files

if TYPE_CHECKING:
    from pathlib import Path


BLOCK = 2**20


@pytest.mark.parametrize("kills", [2, pytest.param(50, marks=pytest.mark.campaign)])
def test_a_download_that_is_killed_again_and_again_ends_complete(site: Site, tmp_path: Path, kills: int) -> None:
    source = random.Random(kills)
    files = {name: content for name, content in model_files().items() if not name.endswith(".safetensors")}
    for number in range(12):
        files[f"model-{number + 1:05d}-of-00012.safetensors"] = source.randbytes(
            source.randint(2, 30) * 1000 * (kills + 8)
        )
    site.serve(files)
    site.hub.bytes_a_second = 300_000
    state = tmp_path / "downloads.json"
    alive = sum(run_until_killed(site, state, source.uniform(0.0, 0.8)) for _ in range(kills))
    site.hub.bytes_a_second = None
    assert download(site.queue(state_path=state)).state == "ready"
    site.assert_complete()
    once = sum(len(files[name]) for name in {sent.name for sent in site.hub.sent})
    assert sum(sent.count for sent in site.hub.sent) <= once + alive * BLOCK
