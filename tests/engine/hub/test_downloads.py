"""Downloads: the files that a finished one leaves, and those that pausing, quitting and cancelling keep."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from engine.model_files.inspection import check_folder
from tests.engine.hub.downloading import (
    NAME,
    SHARD,
    Site,
    assert_complete,
    download,
    finish,
    needed,
    needed_bytes,
    sizeable,
)
from tests.engine.model_files.model_folders import model_files
from tests.patience import PATIENCE_S, content_of, wait_until

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.first
def test_a_model_arrives_complete_and_without_what_it_does_not_need(site: Site) -> None:
    status = download(site.queue())
    assert (status.state, status.error) == ("ready", None)
    assert status.bytes_done == status.bytes_total == needed_bytes(site.files)
    assert status.path == site.assert_complete()


def test_main_and_draft_arrive_side_by_side(site: Site) -> None:
    site.hub.bytes_a_second = 2_000
    big, small = sizeable(), model_files()
    site.hub.add("org/main", big)
    site.hub.add("org/draft", small)
    queue = site.queue()
    queue.add("org/main")
    queue.add("org/draft")
    wait_until(lambda: sum(status.state == "downloading" for status in queue.snapshot()) == 2)
    site.hub.bytes_a_second = None
    assert finish(queue, "org/main").state == finish(queue, "org/draft").state == "ready"
    assert_complete(site.cache, big, "org/main")
    check_folder(assert_complete(site.cache, small, "org/draft"))


def test_pausing_keeps_what_arrived_and_resuming_fetches_the_rest(site: Site) -> None:
    queue = site.queue()
    site.begin_slowly(queue)
    queue.pause(NAME)
    assert finish(queue).state == "paused"
    kept = queue.snapshot()[0].bytes_done
    assert kept > 0
    site.hub.bytes_a_second = None
    queue.resume(NAME)
    assert finish(queue).state == "ready"
    site.assert_complete()


def test_the_queue_outlives_the_program(site: Site, tmp_path: Path) -> None:
    site.hub.add("org/other", site.files)
    state = tmp_path / "data" / "downloads.json"
    queue = site.queue(state_path=state)
    site.begin_slowly(queue)
    queue.add("org/other")
    queue.pause("org/other")
    queue.close()
    assert [entry["state"] for entry in json.loads(state.read_text())["downloads"]] == ["queued", "paused"]
    site.hub.bytes_a_second = None
    again = site.queue(state_path=state)
    assert finish(again).state == "ready"
    assert [status.state for status in again.snapshot()] == ["ready", "paused"]
    site.assert_complete()


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", 4, {"repository": "../x"}, *({"repository": NAME, "state": "queued"} | odd for odd in (
        {"state": "running"}, {"revision": "../x"}, {"commit": "../x"}, {"digests": ["../x"]}, {"bytes_done": -1},
        {"head_of": "../x"},
    ))],
)  # fmt: skip
def test_a_damaged_queue_file_is_an_empty_queue(site: Site, tmp_path: Path, content: object) -> None:
    whole = content if isinstance(content, str) else json.dumps({"format": 1, "downloads": [content]})
    (tmp_path / "downloads.json").write_text(whole)
    assert site.queue(state_path=tmp_path / "downloads.json").snapshot() == ()


def test_cancelling_takes_everything_back(site: Site) -> None:
    queue = site.queue()
    site.begin_slowly(queue)
    queue.cancel(NAME)
    assert queue.snapshot() == ()
    wait_until(lambda: not site.home.exists())


def test_cancelling_a_repair_keeps_the_model_that_was_here(site: Site) -> None:
    repository = site.hub.repositories[NAME]
    assert download(site.queue()).state == "ready"
    blob = site.home / "blobs" / repository.etag(SHARD)
    blob.write_bytes(bytes(len(site.files[SHARD])))
    part = blob.with_name(f"{blob.name}.tandem.incomplete")
    site.fault(stall_after=50_000)
    # The repair itself is interrupted once.
    state = site.cache.parent / "downloads.json"
    for run in (1, 2):
        queue = site.queue(state_path=state)
        queue.add(NAME, repository.commit)
        wait_until(lambda run=run: len(content_of(part)) >= run * 50_000)
        if run == 1:
            queue.close()
    queue.cancel(NAME)
    queue.close(PATIENCE_S)
    assert not part.exists()
    snapshot = site.home / "snapshots" / repository.commit
    there = {path.name: path.read_bytes() for path in snapshot.iterdir() if path.exists()}
    assert there == {name: content for name, content in needed(site.files).items() if name != SHARD}


def test_cancelling_at_once_keeps_a_model_that_is_complete(site: Site) -> None:
    repository = site.hub.repositories[NAME]
    assert download(site.queue()).state == "ready"
    again = site.queue()
    again.add(NAME, repository.commit)
    wait_until(lambda: again.snapshot()[0].state in ("verifying", "ready"))
    again.cancel(NAME)
    again.close(PATIENCE_S)
    site.assert_complete()
