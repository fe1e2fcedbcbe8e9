"""huggingface_hub finds Tandem's downloads in its cache, and both may write to it at the same time."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from huggingface_hub import scan_cache_dir, snapshot_download

from tests.engine.hub.downloading import NAME, Site, download, finish, needed, needed_bytes, sizeable
from tests.patience import PATIENCE_S, wait_until


def test_the_library_finds_the_finished_tree_offline(site: Site) -> None:
    status = download(site.queue())
    assert snapshot_download(NAME, cache_dir=site.cache, local_files_only=True) == str(status.path)
    info = scan_cache_dir(site.cache)
    assert not [*info.warnings, *info.incomplete_files]
    [found] = info.repos
    assert (found.repo_id, found.size_on_disk, list(found.refs)) == (NAME, needed_bytes(site.files), ["main"])


LIBRARY_DOWNLOAD = """
import sys
from huggingface_hub import snapshot_download
snapshot_download("org/model", cache_dir=sys.argv[1], endpoint=sys.argv[2], max_workers=4)
"""


@pytest.mark.full
def test_the_library_and_tandem_may_download_the_same_model_at_once(site: Site) -> None:
    site.serve(sizeable(size=300_000))
    site.hub.bytes_a_second = 20_000
    queue = site.queue()
    queue.add(NAME)
    wait_until(lambda: queue.snapshot()[0].bytes_done > 0)
    patience = {f"HF_HUB_{what}_TIMEOUT": str(round(PATIENCE_S)) for what in ("ETAG", "DOWNLOAD")}
    environment = os.environ | patience | {"HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    other = subprocess.Popen(
        [sys.executable, "-c", LIBRARY_DOWNLOAD, str(site.cache), site.hub.endpoint],
        env=environment,
        stderr=subprocess.PIPE,
    )
    wait_until(lambda: any("HEAD" in request for request in site.hub.requests) or other.poll() is not None)
    site.hub.bytes_a_second = None
    assert finish(queue).state == "ready"
    _, errors = other.communicate(timeout=PATIENCE_S)
    assert other.returncode == 0, errors
    assert not list(site.home.rglob("*.incomplete"))
    for name, content in needed(site.files).items():
        assert (finish(queue).path or site.home).joinpath(name).read_bytes() == content
