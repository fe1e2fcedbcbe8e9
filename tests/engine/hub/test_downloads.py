"""Downloads: the files that a finished one leaves, and those that pausing, quitting and cancelling keep."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from engine.model_files.inspection import check_folder
from tests.engine.hub.downloading import (
    NAME,
    SHARD,
    OpenQueue,
    assert_complete,
    begin_slowly,
    download,
    finish,
    needed,
    needed_bytes,
    sizeable,
    until,
)
from tests.engine.model_files.model_folders import model_files
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakehub.server import FakeHub


def test_a_model_arrives_complete_and_without_what_it_does_not_need(
    hub: FakeHub, cache: Path, open_queue: OpenQueue
) -> None:
    files = sizeable()
    hub.add(NAME, files)
    status = download(open_queue())
    assert (status.state, status.error) == ("ready", None)
    assert status.bytes_done == status.bytes_total == needed_bytes(files)
    assert status.path == assert_complete(cache, files)


def test_main_and_draft_arrive_side_by_side(hub: FakeHub, cache: Path, open_queue: OpenQueue) -> None:
    hub.bytes_a_second = 2_000
    big, small = sizeable(), model_files()
    hub.add("org/main", big)
    hub.add("org/draft", small)
    queue = open_queue()
    queue.add("org/main")
    queue.add("org/draft")
    until(lambda: sum(status.state == "downloading" for status in queue.snapshot()) == 2)
    hub.bytes_a_second = None
    assert finish(queue, "org/main").state == finish(queue, "org/draft").state == "ready"
    assert_complete(cache, big, "org/main")
    check_folder(assert_complete(cache, small, "org/draft"))


def test_pausing_keeps_what_arrived_and_resuming_fetches_the_rest(
    hub: FakeHub, cache: Path, open_queue: OpenQueue
) -> None:
    files = sizeable(size=400_000)
    hub.add(NAME, files)
    queue = open_queue()
    begin_slowly(hub, queue)
    queue.pause(NAME)
    assert finish(queue).state == "paused"
    kept = queue.snapshot()[0].bytes_done
    assert kept > 0
    hub.bytes_a_second = None
    queue.resume(NAME)
    assert finish(queue).state == "ready"
    assert_complete(cache, files)


def test_pausing_interrupts_a_connection_that_has_gone_silent(hub: FakeHub, open_queue: OpenQueue) -> None:
    hub.add(NAME, sizeable())
    hub.fault(NAME, "*", stall_after=1000)
    queue = open_queue(stall_s=600.0)
    queue.add(NAME)
    until(lambda: queue.snapshot()[0].bytes_done > 1000)
    queue.pause(NAME)
    hub.faults.clear()
    queue.resume(NAME)
    assert finish(queue).state == "ready"


def test_the_queue_outlives_the_program(hub: FakeHub, cache: Path, tmp_path: Path, open_queue: OpenQueue) -> None:
    files = sizeable(size=400_000)
    hub.add(NAME, files)
    hub.add("org/other", files)
    state = tmp_path / "data" / "downloads.json"
    queue = open_queue(state_path=state)
    begin_slowly(hub, queue)
    queue.add("org/other")
    queue.pause("org/other")
    queue.close()
    assert [entry["state"] for entry in json.loads(state.read_text())["downloads"]] == ["queued", "paused"]
    hub.bytes_a_second = None
    again = open_queue(state_path=state)
    assert finish(again).state == "ready"
    assert [status.state for status in again.snapshot()] == ["ready", "paused"]
    assert_complete(cache, files)


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", 4, {"repository": "../x"}, *({"repository": NAME} | odd for odd in (
        {"state": "running"}, {"revision": "../x"}, {"commit": "../x"}, {"digests": ["../x"]}, {"bytes_done": -1},
        {"head_of": "../x"},
    ))],
)  # fmt: skip
def test_a_damaged_queue_file_is_an_empty_queue(tmp_path: Path, open_queue: OpenQueue, content: object) -> None:
    whole = content if isinstance(content, str) else json.dumps({"format": 1, "downloads": [content]})
    (tmp_path / "downloads.json").write_text(whole)
    assert open_queue(state_path=tmp_path / "downloads.json").snapshot() == ()


def test_cancelling_takes_everything_back(hub: FakeHub, cache: Path, open_queue: OpenQueue) -> None:
    hub.add(NAME, sizeable(size=400_000))
    queue = open_queue()
    begin_slowly(hub, queue)
    queue.cancel(NAME)
    assert queue.snapshot() == ()
    until(lambda: not (cache / "models--org--model").exists())


def test_cancelling_a_repair_keeps_the_model_that_was_here(hub: FakeHub, cache: Path, open_queue: OpenQueue) -> None:
    files = sizeable()
    repository = hub.add(NAME, files)
    assert download(open_queue()).state == "ready"
    blob = cache / "models--org--model" / "blobs" / repository.etag(SHARD)
    blob.write_bytes(bytes(len(files[SHARD])))
    part = blob.with_name(f"{blob.name}.tandem.incomplete")
    hub.fault(NAME, SHARD, stall_after=50_000)
    # The repair itself is interrupted once.
    state = cache.parent / "downloads.json"
    for run in (1, 2):
        queue = open_queue(state_path=state)
        queue.add(NAME, repository.commit)
        until(lambda run=run: part.exists() and part.stat().st_size >= run * 50_000)
        if run == 1:
            queue.close()
    queue.cancel(NAME)
    queue.close(PATIENCE_S)
    assert not part.exists()
    snapshot = cache / "models--org--model" / "snapshots" / repository.commit
    there = {path.name: path.read_bytes() for path in snapshot.iterdir() if path.exists()}
    assert there == {name: content for name, content in needed(files).items() if name != SHARD}


def test_cancelling_at_once_keeps_a_model_that_is_complete(hub: FakeHub, cache: Path, open_queue: OpenQueue) -> None:
    files = sizeable()
    repository = hub.add(NAME, files)
    assert download(open_queue()).state == "ready"
    again = open_queue()
    again.add(NAME, repository.commit)
    until(lambda: again.snapshot()[0].state in ("verifying", "ready"))
    again.cancel(NAME)
    again.close(PATIENCE_S)
    assert_complete(cache, files)
