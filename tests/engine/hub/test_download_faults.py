"""Faults of the network, the Hub and the disk: which of them a download survives, and how it reports the others."""

from __future__ import annotations

import errno
import os
import pathlib
from typing import TYPE_CHECKING

import pytest

from engine.hub import transfer
from engine.hub.client import HubAccess, HubClient
from engine.hub.download_job import JobSettings
from engine.hub.failures import InterruptedTransferError
from tests.engine.hub.conftest import IMPATIENT_S, MANY_TRIES, QUICK
from tests.engine.hub.downloading import (
    NAME,
    SHARD,
    OpenQueue,
    assert_complete,
    download,
    failure,
    finish,
    needed_bytes,
    sizeable,
    until,
)
from tests.fakehub.server import Fault

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakehub.server import FakeHub


@pytest.mark.parametrize(
    "fault",
    [
        {"drip": 400_000},
        {"wrong_length": -1000, "times": 1},
        {"wrong_bytes": True, "times": 1},
        {"status": 416, "times": 1},
        {"status": 429, "headers": {"Retry-After": "0"}, "times": 2},
        {"status": 503, "times": 2},
        {"cut_after": 0, "times": 2},
        {"ignore_range": True},
        {"ignore_range": True, "cut_after": 150_000, "times": 1},
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
    assert download(open_queue()).error is None
    assert_complete(cache, files)


def test_a_download_outlives_a_connection_that_goes_silent(hub: FakeHub, cache: Path, open_queue: OpenQueue) -> None:
    files = sizeable()
    hub.add(NAME, files)
    hub.fault(NAME, SHARD, stall_after=50_000, times=1)
    patient = JobSettings(policy=MANY_TRIES, space_margin=0)
    assert download(open_queue(stall_s=IMPATIENT_S, settings=patient)).error is None
    assert_complete(cache, files)


def test_a_cut_connection_costs_no_byte_twice(hub: FakeHub, cache: Path, open_queue: OpenQueue) -> None:
    files = sizeable()
    hub.add(NAME, files)
    hub.fault(NAME, SHARD, cut_after=50_000, times=3)
    assert download(open_queue()).error is None
    assert hub.bytes_sent(NAME) == needed_bytes(files)
    assert_complete(cache, files)


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
    assert failure(open_queue()).reason == reason
    assert not (cache / "models--org--model" / "refs").exists()


@pytest.mark.parametrize("commit", ["the same", "another"])
def test_a_failed_download_continues_once_the_fault_is_gone(
    hub: FakeHub, cache: Path, open_queue: OpenQueue, commit: str
) -> None:
    files = sizeable()
    hub.add(NAME, files)
    hub.fault(NAME, SHARD, status=500)
    queue = open_queue()
    assert download(queue).state == "failed"
    if commit == "another":
        files = sizeable(size=50_000)
        hub.add(NAME, files)
    hub.faults.clear()
    queue.resume(NAME)
    assert finish(queue).state == "ready"
    assert_complete(cache, files)
    assert commit == "another" or needed_bytes(files) <= hub.bytes_sent(NAME) < needed_bytes(files) + 2**20


def test_a_file_that_fails_stops_the_others_at_once(hub: FakeHub, open_queue: OpenQueue) -> None:
    hub.add(NAME, sizeable())
    hub.fault(NAME, "*", stall_after=1000)
    hub.fault(NAME, SHARD, status=403)
    assert download(open_queue(stall_s=600.0)).state == "failed"


@pytest.mark.parametrize(("asked", "least"), [("Wed, 21 Oct 2099 07:28:00 GMT", 500.0), ("2", 2.0), ("\u00b2", 0.0)])
def test_a_hub_may_ask_for_a_wait_in_seconds_or_until_a_date(hub: FakeHub, asked: str, least: float) -> None:
    hub.api_faults["/api"] = Fault(status=429, headers={"Retry-After": asked})
    with HubClient(HubAccess(hub.endpoint)) as client, pytest.raises(InterruptedTransferError) as caught:
        client.get_json("/api/models")
    assert caught.value.reason == "rate-limited"
    assert (caught.value.retry_after or 0.0) >= least


def test_nobody_listening_is_no_network(open_queue: OpenQueue) -> None:
    assert failure(open_queue(endpoint="http://127.0.0.1:9")).reason == "no-network"


def test_too_little_space_is_refused_before_a_byte_is_fetched(hub: FakeHub, open_queue: OpenQueue) -> None:
    files = sizeable()
    hub.add(NAME, files)
    error = failure(open_queue(settings=JobSettings(policy=QUICK, space_margin=10, free_bytes=lambda _: 1000)))
    needed = needed_bytes(files) + 10
    assert (error.reason, error.arguments["needed"], error.arguments["free"]) == ("no-space", needed, 1000)
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
    assert failure(queue).reason == "disk-full"
    room["bytes"] = 10**9
    queue.resume(NAME)
    assert finish(queue).state == "ready"
    assert_complete(cache, files)


def test_a_stalled_download_shows_no_speed_and_counts_its_attempts(hub: FakeHub, open_queue: OpenQueue) -> None:
    hub.add(NAME, sizeable())
    hub.fault(NAME, "*", cut_after=0)
    queue = open_queue(settings=JobSettings(policy=transfer.RetryPolicy(0.01, 0.02, 10**6), space_margin=0))
    queue.add(NAME)
    until(lambda: queue.snapshot()[0].attempt >= 3)
    status = queue.snapshot()[0]
    assert (status.bytes_per_second, status.seconds_left) == (0.0, None)


def test_a_file_that_was_damaged_on_disk_is_fetched_again(hub: FakeHub, cache: Path, open_queue: OpenQueue) -> None:
    files = sizeable()
    repository = hub.add(NAME, files)
    blob = cache / "models--org--model" / "blobs" / repository.etag(SHARD)
    blob.parent.mkdir(parents=True)
    blob.write_bytes(bytes(len(files[SHARD])))
    assert download(open_queue()).state == "ready"
    assert_complete(cache, files)


def test_a_mirror_that_names_a_commit_and_does_not_have_it_is_asked_once(hub: FakeHub, open_queue: OpenQueue) -> None:
    hub.add(NAME, sizeable())
    tree = f"/api/models/{NAME}/tree"
    hub.api_faults[tree] = Fault(status=404, headers={"X-Error-Code": "RevisionNotFound"})
    assert failure(open_queue()).reason == "revision-missing"
    assert sum(tree in asked for asked in hub.requests) == 1


def test_where_links_are_not_supported_a_full_disk_is_called_so(
    hub: FakeHub, open_queue: OpenQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    hub.add(NAME, sizeable())
    monkeypatch.setattr(pathlib.Path, "symlink_to", lambda *_: refuse())
    monkeypatch.setattr("engine.hub.cache_layout.shutil.copyfile", refuse)
    assert failure(open_queue()).reason == "disk-full"
