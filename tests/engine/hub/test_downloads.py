"""Downloads: what a finished one leaves, what a fault does, what pausing, quitting and cancelling keep."""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import pathlib
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from engine.hub import transfer
from engine.hub.client import HubAccess, HubClient
from engine.hub.download_job import JobSettings
from engine.hub.downloads import DownloadQueue
from engine.hub.failures import HubError, InterruptedTransferError
from engine.hub.inspection import check_folder
from engine.hub.listing import resolve
from tests.engine.hub.conftest import IMPATIENT_S, MANY_TRIES, QUICK
from tests.engine.hub.model_folders import model_files
from tests.fakehub.server import Fault
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from pathlib import Path

    from engine.hub.download_state import DownloadStatus
    from tests.fakehub.server import FakeHub

OpenQueue = Callable[..., DownloadQueue]
NAME = "org/model"


def sizeable(shards: int = 3, size: int = 200_000) -> dict[str, bytes]:
    """A model whose shards are large enough to be cut, stalled and resumed; the bytes differ everywhere."""
    source = random.Random(5)
    files = {name: content for name, content in model_files(shards=shards).items() if "safetensors" not in name}
    for number in range(shards):
        files[f"model-{number + 1:05d}-of-{shards:05d}.safetensors"] = source.randbytes(size + number)
    return files | {"README.md": b"# not needed", "evil.py": b"raise SystemExit"}


SHARD = "model-00002-of-00003.safetensors"


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


def test_a_model_arrives_complete_and_without_what_it_does_not_need(
    hub: FakeHub, cache: Path, open_queue: OpenQueue
) -> None:
    files = sizeable()
    hub.add(NAME, files)
    queue = open_queue()
    queue.add(NAME)
    status = finish(queue)
    assert (status.state, status.error) == ("ready", None)
    assert status.bytes_done == status.bytes_total == sum(map(len, needed(files).values()))
    assert status.path == assert_complete(cache, files)


def test_states_come_in_their_order(hub: FakeHub, open_queue: OpenQueue) -> None:
    hub.add(NAME, sizeable())
    seen: list[str] = []
    told = threading.Event()

    def listen(status: DownloadStatus) -> None:
        seen.append(status.state)
        if status.state == "ready":
            told.set()

    queue = open_queue(listener=listen)
    queue.add(NAME)
    assert told.wait(PATIENCE_S)
    assert seen == ["resolving", "downloading", "verifying", "ready"]


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


@pytest.mark.parametrize(
    "fault",
    [
        {"cut_after": 50_000, "times": 3},
        {"drip": 400_000},
        {"wrong_length": -1000, "times": 1},
        {"wrong_bytes": True, "times": 1},
        {"status": 416, "times": 1},
        {"status": 429, "headers": {"Retry-After": "0"}, "times": 2},
        {"status": 503, "times": 2},
        {"cut_after": 0, "times": 2},
        {"ignore_range": True},
        {"to_other_port": True},
    ],
    ids=lambda fault: next(iter(fault)),
)
def test_a_download_outlives_the_fault(
    hub: FakeHub, cache: Path, open_queue: OpenQueue, fault: dict[str, object]
) -> None:
    files = sizeable()
    hub.add(NAME, files)
    hub.fault(NAME, SHARD, **fault)
    queue = open_queue()
    queue.add(NAME)
    assert finish(queue).error is None
    assert_complete(cache, files)


def test_a_download_outlives_a_connection_that_goes_silent(hub: FakeHub, cache: Path, open_queue: OpenQueue) -> None:
    files = sizeable()
    hub.add(NAME, files)
    hub.fault(NAME, SHARD, stall_after=50_000, times=1)
    queue = open_queue(stall_s=IMPATIENT_S, settings=JobSettings(policy=MANY_TRIES, space_margin=0))
    queue.add(NAME)
    assert finish(queue).error is None
    assert_complete(cache, files)


def test_a_server_that_ignores_ranges_after_a_cut_is_skipped_forward(
    hub: FakeHub, cache: Path, open_queue: OpenQueue
) -> None:
    files = sizeable()
    hub.add(NAME, files)
    hub.fault(NAME, SHARD, ignore_range=True, cut_after=150_000, times=1)
    queue = open_queue()
    queue.add(NAME)
    assert finish(queue).state == "ready"
    assert_complete(cache, files)


def test_a_cut_connection_costs_no_byte_twice(hub: FakeHub, open_queue: OpenQueue) -> None:
    files = sizeable()
    hub.add(NAME, files)
    hub.fault(NAME, SHARD, cut_after=50_000, times=3)
    queue = open_queue()
    queue.add(NAME)
    assert finish(queue).state == "ready"
    assert hub.bytes_sent(NAME) == sum(map(len, needed(files).values()))


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ({"wrong_bytes": True}, "checksum"),
        ({"wrong_length": 1000}, "checksum"),
        ({"status": 500}, "server-error"),
        ({"status": 429}, "rate-limited"),
        ({"cut_after": 0}, "offline"),
        ({"status": 416}, "checksum"),
        ({"status": 403}, "forbidden"),
        ({"status": 404, "headers": {"X-Error-Code": "EntryNotFound"}}, "file-missing"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_fault_that_stays_fails_with_its_reason_and_nothing_is_called_complete(
    hub: FakeHub, cache: Path, open_queue: OpenQueue, fault: dict[str, object], reason: str
) -> None:
    hub.add(NAME, sizeable())
    hub.fault(NAME, SHARD, **fault)
    queue = open_queue()
    queue.add(NAME)
    status = finish(queue)
    assert status.state == "failed"
    assert status.error is not None
    assert status.error.reason == reason
    assert not (cache / "models--org--model" / "refs").exists()


def test_a_failed_download_goes_on_when_the_fault_has_gone(hub: FakeHub, cache: Path, open_queue: OpenQueue) -> None:
    files = sizeable()
    hub.add(NAME, files)
    hub.fault(NAME, SHARD, status=500)
    queue = open_queue()
    queue.add(NAME)
    assert finish(queue).state == "failed"
    hub.faults.clear()
    queue.retry(NAME)
    assert finish(queue).state == "ready"
    assert_complete(cache, files)
    twice = hub.bytes_sent(NAME) - sum(map(len, needed(files).values()))
    assert 0 <= twice < 2**20


def test_a_file_that_cannot_be_had_stops_the_others_at_once(hub: FakeHub, open_queue: OpenQueue) -> None:
    hub.add(NAME, sizeable())
    hub.fault(NAME, "*", stall_after=1000)
    hub.fault(NAME, SHARD, status=403)
    queue = open_queue(stall_s=600.0)
    queue.add(NAME)
    assert finish(queue).state == "failed"


@pytest.mark.parametrize(
    ("settings", "token", "reason"),
    [
        ({"gated": True}, None, "gated"),
        ({"gated": True}, "revoked", "token-refused"),
        ({"private": True}, None, "missing"),
        (None, None, "missing"),
    ],
)
def test_a_repository_that_may_not_be_read_says_why(
    hub: FakeHub, open_queue: OpenQueue, settings: dict[str, bool] | None, token: str | None, reason: str
) -> None:
    if settings is not None:
        hub.add(NAME, sizeable(), **settings)
    queue = open_queue(token=token)
    queue.add(NAME)
    error = finish(queue).error
    assert error is not None
    assert error.reason == reason


def test_a_token_opens_a_gated_repository(hub: FakeHub, cache: Path, open_queue: OpenQueue) -> None:
    files = sizeable()
    hub.add(NAME, files, gated=True)
    hub.tokens.add("hf_secret")
    queue = open_queue(token="hf_secret")
    queue.add(NAME)
    assert finish(queue).state == "ready"
    assert_complete(cache, files)


def test_the_token_does_not_follow_a_redirect_to_another_port(hub: FakeHub, open_queue: OpenQueue) -> None:
    hub.add(NAME, sizeable(), gated=True)
    hub.tokens.add("hf_secret")
    hub.fault(NAME, "*", to_other_port=True)
    queue = open_queue(token="hf_secret")
    queue.add(NAME)
    assert finish(queue).state == "ready"
    assert hub.sent
    assert not any(sent.authorised for sent in hub.sent)


def test_the_token_is_in_no_log_file_or_repr(
    hub: FakeHub, tmp_path: Path, open_queue: OpenQueue, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    hub.add(NAME, sizeable(), gated=True)
    hub.tokens.add("hf_secret")
    hub.fault(NAME, SHARD, status=500)
    queue = open_queue(token="hf_secret", state_path=tmp_path / "downloads.json")
    queue.add(NAME)
    status = finish(queue)
    assert status.state == "failed"
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    texts = (
        caplog.text,
        repr(status),
        str(status.error),
        repr(HubAccess(token="hf_secret")),
        repr(queue.__dict__),
    )
    assert not any("hf_secret" in text for text in texts)
    assert b"hf_secret" not in written


@pytest.mark.parametrize("token", ["h\u00e4f_x", "hf_a\nb", "hf a"])
def test_a_token_that_no_header_can_hold_is_refused_before_it_is_sent(
    hub: FakeHub, open_queue: OpenQueue, token: str
) -> None:
    hub.add(NAME, sizeable())
    queue = open_queue(token=token)
    queue.add(NAME)
    error = finish(queue).error
    assert error is not None
    assert error.reason == "token-refused"
    assert hub.requests == []


def test_a_token_is_pasted_with_its_line_end(hub: FakeHub, open_queue: OpenQueue) -> None:
    hub.add(NAME, sizeable(), gated=True)
    hub.tokens.add("hf_secret")
    queue = open_queue(token=" hf_secret\n")
    queue.add(NAME)
    assert finish(queue).state == "ready"


@pytest.mark.parametrize(("asked", "least"), [("Wed, 21 Oct 2099 07:28:00 GMT", 500.0), ("2", 2.0), ("\u00b2", 0.0)])
def test_a_hub_may_ask_for_a_wait_in_seconds_or_until_a_date(hub: FakeHub, asked: str, least: float) -> None:
    hub.api_faults["/api"] = Fault(status=429, headers={"Retry-After": asked})
    with HubClient(HubAccess(hub.endpoint)) as client, pytest.raises(InterruptedTransferError) as caught:
        client.get_json("/api/models")
    assert caught.value.reason == "rate-limited"
    assert (caught.value.retry_after or 0.0) >= least


def test_the_next_page_of_a_mirror_under_a_path_is_found(hub: FakeHub) -> None:
    with HubClient(HubAccess(f"{hub.endpoint}/mirror")) as client:
        for host in ("https://huggingface.co", f"{hub.endpoint}/mirror"):
            link = f'<{host}/api/models?cursor=x>; rel="next"'
            hub.api_faults["/mirror"] = Fault(status=200, headers={"Link": link})
            assert client.get_json("/api/models") == ({}, f"{hub.endpoint}/mirror/api/models?cursor=x")


def test_a_revision_with_a_slash_is_one_part_of_the_address(hub: FakeHub) -> None:
    hub.add(NAME, sizeable())
    with HubClient(HubAccess(hub.endpoint)) as client, pytest.raises(HubError):
        resolve(client, NAME, "refs/pr/1")
    assert hub.requests == [f"GET /api/models/{NAME}/revision/refs%2Fpr%2F1"]


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1", "nonsense"])
def test_a_proxy_that_cannot_be_used_is_told(proxy: str) -> None:
    with pytest.raises(HubError) as caught:
        HubClient(HubAccess(proxy=proxy))
    assert caught.value.reason == "proxy"


def test_an_address_that_is_no_hub_is_told_apart(hub: FakeHub, open_queue: OpenQueue) -> None:
    hub.api_faults["/api"] = hub.fault("none", "none", wrong_bytes=True)
    queue = open_queue()
    queue.add(NAME)
    error = finish(queue).error
    assert error is not None
    assert error.reason == "wrong-mirror"
    assert hub.endpoint in str(error)


def test_nobody_listening_is_offline(open_queue: OpenQueue) -> None:
    queue = open_queue(endpoint="http://127.0.0.1:9")
    queue.add(NAME)
    error = finish(queue).error
    assert error is not None
    assert error.reason == "offline"


@pytest.mark.parametrize("endpoint", ["http://[x", "", "ftp://x", "huggingface.co", "http://"])
def test_an_address_without_http_is_refused_at_once(endpoint: str) -> None:
    with pytest.raises(HubError) as caught:
        HubAccess(endpoint)
    assert caught.value.reason == "wrong-mirror"


def test_too_little_space_is_refused_before_a_byte_is_fetched(hub: FakeHub, open_queue: OpenQueue) -> None:
    files = sizeable()
    hub.add(NAME, files)
    queue = open_queue(settings=JobSettings(policy=QUICK, space_margin=10, free_bytes=lambda _: 1000))
    queue.add(NAME)
    error = finish(queue).error
    assert error is not None
    total = sum(map(len, needed(files).values()))
    assert (error.reason, error.arguments["needed"], error.arguments["free"]) == (
        "no-space",
        total + 10,
        1000,
    )
    assert hub.bytes_sent(NAME) == 0


def test_a_disk_that_fills_up_fails_and_keeps_what_arrived(
    hub: FakeHub, cache: Path, open_queue: OpenQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = sizeable()
    hub.add(NAME, files)
    room = {"bytes": 300_000}
    write = os.pwrite

    def limited(descriptor: int, data: memoryview, offset: int) -> int:
        if room["bytes"] < len(data):
            raise OSError(28, "No space left on device")
        room["bytes"] -= len(data)
        return write(descriptor, data, offset)

    monkeypatch.setattr(transfer.os, "pwrite", limited)
    queue = open_queue()
    queue.add(NAME)
    status = finish(queue)
    assert status.error is not None
    assert status.error.reason == "disk-full"
    room["bytes"] = 10**9
    queue.retry(NAME)
    assert finish(queue).state == "ready"
    assert_complete(cache, files)


def test_pausing_keeps_what_arrived_and_resuming_fetches_the_rest(
    hub: FakeHub, cache: Path, open_queue: OpenQueue
) -> None:
    files = sizeable(size=400_000)
    hub.add(NAME, files)
    hub.bytes_a_second = 20_000
    queue = open_queue()
    queue.add(NAME)
    until(lambda: queue.snapshot()[0].bytes_done > 10_000)
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


def test_a_stalled_download_shows_no_speed_and_counts_its_attempts(hub: FakeHub, open_queue: OpenQueue) -> None:
    hub.add(NAME, sizeable())
    hub.fault(NAME, "*", cut_after=0)
    queue = open_queue(settings=JobSettings(policy=transfer.RetryPolicy(0.01, 0.02, 10**6), space_margin=0))
    queue.add(NAME)
    until(lambda: queue.snapshot()[0].attempt >= 3)
    status = queue.snapshot()[0]
    assert (status.bytes_per_second, status.seconds_left, status.waiting_for) == (0.0, None, "offline")


def test_the_queue_outlives_the_program(hub: FakeHub, cache: Path, tmp_path: Path, open_queue: OpenQueue) -> None:
    files = sizeable(size=400_000)
    hub.add(NAME, files)
    hub.add("org/other", files)
    hub.bytes_a_second = 20_000
    state = tmp_path / "data" / "downloads.json"
    queue = open_queue(state_path=state)
    queue.add(NAME)
    queue.add("org/other")
    queue.pause("org/other")
    until(lambda: queue.snapshot()[0].bytes_done > 10_000)
    queue.close()
    assert [entry["state"] for entry in json.loads(state.read_text())["downloads"]] == ["queued", "paused"]
    hub.bytes_a_second = None
    again = open_queue(state_path=state)
    assert finish(again).state == "ready"
    assert [status.state for status in again.snapshot()] == ["ready", "paused"]
    assert_complete(cache, files)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": 1, "downloads": [{"repository": "../x"}, 4]}'])
def test_a_damaged_queue_file_is_an_empty_queue(tmp_path: Path, open_queue: OpenQueue, content: str) -> None:
    (tmp_path / "downloads.json").write_text(content)
    assert open_queue(state_path=tmp_path / "downloads.json").snapshot() == ()


def test_cancelling_takes_everything_back(hub: FakeHub, cache: Path, open_queue: OpenQueue) -> None:
    hub.add(NAME, sizeable(size=400_000))
    hub.bytes_a_second = 20_000
    queue = open_queue()
    queue.add(NAME)
    until(lambda: queue.snapshot()[0].bytes_done > 10_000)
    queue.cancel(NAME)
    assert queue.snapshot() == ()
    until(lambda: not (cache / "models--org--model").exists())


def test_cancelling_a_repair_keeps_the_model_that_was_here(hub: FakeHub, cache: Path, open_queue: OpenQueue) -> None:
    files = sizeable(size=400_000)
    repository = hub.add(NAME, files)
    first = open_queue()
    first.add(NAME)
    assert finish(first).state == "ready"
    blob = cache / "models--org--model" / "blobs" / repository.etag(SHARD)
    blob.write_bytes(bytes(len(files[SHARD])))
    hub.bytes_a_second = 100_000
    # Another run of the program, and one that is interrupted itself.
    state = cache.parent / "downloads.json"
    for _ in range(2):
        queue = open_queue(state_path=state)
        queue.add(NAME, repository.commit)
        until(lambda queue=queue: (queue.snapshot()[0].attempt, queue.snapshot()[0].bytes_per_second > 0) == (0, True))
        queue.close()
    queue = open_queue(state_path=state)
    queue.cancel(NAME)
    queue.close()
    hub.bytes_a_second = None
    assert [path.name for path in blob.parent.iterdir() if path.read_bytes() in files.values()]
    snapshot = cache / "models--org--model" / "snapshots" / repository.commit
    there = {path.name for path in snapshot.iterdir() if path.exists()}
    assert there >= needed(files).keys() - {SHARD}


def test_cancelling_at_once_keeps_a_model_that_is_complete(hub: FakeHub, cache: Path, open_queue: OpenQueue) -> None:
    files = sizeable()
    repository = hub.add(NAME, files)
    queue = open_queue()
    queue.add(NAME)
    assert finish(queue).state == "ready"
    seen = threading.Event()
    again = open_queue(listener=lambda status: seen.set() if status.state == "verifying" else None)
    again.add(NAME, repository.commit)
    assert seen.wait(PATIENCE_S)
    again.cancel(NAME)
    again.close()
    assert_complete(cache, files)


def test_a_file_that_was_damaged_on_disk_is_fetched_again(hub: FakeHub, cache: Path, open_queue: OpenQueue) -> None:
    files = sizeable()
    repository = hub.add(NAME, files)
    blob = cache / "models--org--model" / "blobs" / repository.etag(SHARD)
    blob.parent.mkdir(parents=True)
    blob.write_bytes(bytes(len(files[SHARD])))
    queue = open_queue()
    queue.add(NAME)
    assert finish(queue).state == "ready"
    assert_complete(cache, files)


def test_a_new_commit_replaces_one_that_the_hub_has_dropped(hub: FakeHub, cache: Path, open_queue: OpenQueue) -> None:
    hub.add(NAME, sizeable())
    hub.fault(NAME, SHARD, status=500)
    queue = open_queue()
    queue.add(NAME)
    assert finish(queue).state == "failed"
    files = sizeable(size=50_000)
    hub.add(NAME, files)
    hub.faults.clear()
    queue.retry(NAME)
    assert finish(queue).state == "ready"
    assert_complete(cache, files)


def test_a_mirror_that_names_a_commit_and_does_not_have_it_is_asked_once(hub: FakeHub, open_queue: OpenQueue) -> None:
    hub.add(NAME, sizeable())
    tree = f"/api/models/{NAME}/tree"
    hub.api_faults[tree] = Fault(status=404, headers={"X-Error-Code": "RevisionNotFound"})
    queue = open_queue()
    queue.add(NAME)
    error = finish(queue).error
    assert error is not None
    assert error.reason == "revision-missing"
    assert sum(tree in asked for asked in hub.requests) == 1


def test_a_listener_that_fails_hears_the_rest(
    hub: FakeHub, open_queue: OpenQueue, caplog: pytest.LogCaptureFixture
) -> None:
    hub.add(NAME, sizeable())
    told = threading.Event()

    def listen(status: DownloadStatus) -> None:
        if status.state == "ready":
            told.set()
        else:
            raise RuntimeError("says the test")

    queue = open_queue(listener=listen)
    queue.add(NAME)
    assert told.wait(PATIENCE_S)
    assert "a listener failed on resolving" in caplog.text
    caplog.clear()


def test_where_links_are_not_supported_a_full_disk_is_called_so(
    hub: FakeHub, open_queue: OpenQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    hub.add(NAME, sizeable())
    monkeypatch.setattr(pathlib.Path, "symlink_to", lambda *_: refuse())
    monkeypatch.setattr("engine.hub.cache_layout.shutil.copyfile", refuse)
    queue = open_queue()
    queue.add(NAME)
    error = finish(queue).error
    assert error is not None
    assert error.reason == "disk-full"


@pytest.mark.parametrize("name", ["../../evil.json", "/etc/evil.json", "a\\b.json", "a//b.json", "c:x.json"])
def test_a_repository_that_names_files_outside_is_refused(
    hub: FakeHub, cache: Path, open_queue: OpenQueue, name: str
) -> None:
    hub.add(NAME, sizeable() | {name: b"{}"})
    queue = open_queue()
    queue.add(NAME)
    error = finish(queue).error
    assert error is not None
    assert error.reason == "unsafe-name"
    assert not cache.exists()


def test_a_repository_without_safetensors_is_not_mlx(hub: FakeHub, open_queue: OpenQueue) -> None:
    hub.add(NAME, {"config.json": b"{}", "model.gguf": bytes(100)})
    queue = open_queue()
    queue.add(NAME)
    error = finish(queue).error
    assert error is not None
    assert error.reason == "not-mlx"


OFFLINE_LOAD = """
import sys
from huggingface_hub import scan_cache_dir, snapshot_download
from huggingface_hub.constants import HF_HUB_CACHE
cache = sys.argv[1]
print(snapshot_download("org/model", cache_dir=cache, local_files_only=True))
info = scan_cache_dir(cache)
assert not info.warnings, info.warnings
assert not info.incomplete_files, info.incomplete_files
repo, = info.repos
print(repo.repo_id, repo.size_on_disk, sorted(ref for r in repo.revisions for ref in r.refs))
"""


def test_the_library_finds_the_finished_tree_offline(hub: FakeHub, cache: Path, open_queue: OpenQueue) -> None:
    files = sizeable()
    hub.add(NAME, files)
    queue = open_queue()
    queue.add(NAME)
    status = finish(queue)
    environment = os.environ | {"HF_HUB_OFFLINE": "1"}
    result = subprocess.run(
        [sys.executable, "-c", OFFLINE_LOAD, str(cache)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=PATIENCE_S,
    )
    assert result.returncode == 0, result.stderr
    size = sum(map(len, needed(files).values()))
    assert result.stdout.splitlines() == [str(status.path), f"org/model {size} ['main']"]


LIBRARY_DOWNLOAD = """
import sys
from huggingface_hub import snapshot_download
snapshot_download("org/model", cache_dir=sys.argv[1], endpoint=sys.argv[2], max_workers=4)
"""


def test_the_library_and_tandem_may_download_the_same_model_at_once(
    hub: FakeHub, cache: Path, open_queue: OpenQueue
) -> None:
    files = sizeable(size=300_000)
    hub.add(NAME, files)
    hub.bytes_a_second = 20_000
    queue = open_queue()
    queue.add(NAME)
    until(lambda: queue.snapshot()[0].bytes_done > 0)
    patience = {f"HF_HUB_{what}_TIMEOUT": str(round(PATIENCE_S)) for what in ("ETAG", "DOWNLOAD")}
    environment = os.environ | patience | {"HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    other = subprocess.Popen(
        [sys.executable, "-c", LIBRARY_DOWNLOAD, str(cache), hub.endpoint],
        env=environment,
        stderr=subprocess.PIPE,
    )
    until(lambda: any("HEAD" in request for request in hub.requests) or other.poll() is not None)
    hub.bytes_a_second = None
    assert finish(queue).state == "ready"
    _, errors = other.communicate(timeout=PATIENCE_S)
    assert other.returncode == 0, errors
    home = cache / "models--org--model"
    assert not list(home.rglob("*.incomplete"))
    for name, content in needed(files).items():
        assert (finish(queue).path or home).joinpath(name).read_bytes() == content
