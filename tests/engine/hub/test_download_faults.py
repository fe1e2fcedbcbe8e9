"""Faults of the network, the Hub and the disk: which of them a download survives, and how it reports the others."""

from __future__ import annotations

import errno
import os
import pathlib
from typing import TYPE_CHECKING

import pytest

from engine.hub import transfer
from engine.hub.cache_layout import RepositoryCache
from engine.hub.client import HubAccess, HubClient
from engine.hub.download_job import DownloadProgress, JobSettings
from engine.hub.download_state import DownloadStatus
from engine.hub.failures import InterruptedTransferError
from tests.engine.hub.downloading import NAME, QUICK, SHARD, Site, download, failure, finish, needed_bytes, sizeable
from tests.fakehub.server import Fault
from tests.patience import wait_until

if TYPE_CHECKING:
    from tests.fakehub.server import FakeHub


# With these a connection counts as dead after half a second; on a busy machine sound ones are cut too.
IMPATIENT_S, MANY_TRIES = 0.5, transfer.RetryPolicy(first_s=0.01, longest_s=0.05, tries=1000)


@pytest.mark.parametrize(
    "fault",
    [
        {"wrong_length": -1000, "times": 1},
        {"wrong_bytes": True, "times": 1},
        {"status": 416, "times": 1},
        {"status": 503, "times": 2},
        {"ignore_range": True, "cut_after": 150_000, "times": 1},
        *(
            pytest.param(fault, marks=pytest.mark.full)
            for fault in (
                {"drip": 400_000},
                {"status": 429, "headers": {"Retry-After": "0"}, "times": 2},
                {"cut_after": 0, "times": 2},
                {"ignore_range": True},
            )
        ),
    ],
    ids=lambda fault: next(iter(fault)),
)
def test_a_download_outlives_the_fault(site: Site, fault: dict[str, object]) -> None:
    site.fault(**fault)
    assert download(site.queue()).error is None
    site.assert_complete()


@pytest.mark.full
def test_a_download_outlives_a_connection_that_goes_silent(site: Site) -> None:
    site.fault(stall_after=50_000, times=1)
    patient = JobSettings(policy=MANY_TRIES, space_margin=0)
    assert download(site.queue(stall_s=IMPATIENT_S, settings=patient)).error is None
    site.assert_complete()


def test_a_cut_connection_costs_no_byte_twice(site: Site) -> None:
    site.fault(cut_after=50_000, times=3)
    assert download(site.queue()).error is None
    assert site.hub.bytes_sent(NAME) == needed_bytes(site.files)
    site.assert_complete()


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ({"wrong_bytes": True}, "checksum"),
        ({"wrong_length": 1000}, "checksum"),
        ({"cut_after": 0}, "offline"),
        ({"status": 416}, "checksum"),
        # The Hub answers, so the network is there: only where it keeps files is not reached.
        ({"status": 302, "headers": {"Location": "http://127.0.0.1:9/"}}, "offline"),
        ({"status": 404, "headers": {"X-Error-Code": "EntryNotFound"}}, "file-missing"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_fault_that_stays_fails_with_its_reason_and_nothing_is_called_complete(
    site: Site, fault: dict[str, object], reason: str
) -> None:
    site.fault(**fault)
    assert failure(site.queue()).reason == reason
    assert not (site.home / "refs").exists()


@pytest.mark.parametrize("commit", ["the same", "another"])
def test_a_failed_download_continues_once_the_fault_is_gone(site: Site, commit: str) -> None:
    site.fault(status=500)
    queue = site.queue()
    assert download(queue).state == "failed"
    if commit == "another":
        site.serve(sizeable(size=50_000))
    site.hub.faults.clear()
    queue.resume(NAME)
    assert finish(queue).state == "ready"
    site.assert_complete()
    twice = site.hub.bytes_sent(NAME) - needed_bytes(site.files)
    assert commit == "another" or 0 <= twice < 2**20


def test_a_file_that_fails_stops_the_others_at_once(site: Site) -> None:
    site.fault("*", stall_after=1000)
    site.fault(status=403)
    assert download(site.queue(stall_s=600.0)).state == "failed"


@pytest.mark.parametrize(("asked", "least"), [("2", 2.0), ("\u00b2", 0.0)])
def test_a_hub_may_ask_for_a_wait_in_seconds(hub: FakeHub, asked: str, least: float) -> None:
    hub.api_faults["/api"] = Fault(status=429, headers={"Retry-After": asked})
    with HubClient(HubAccess(hub.endpoint)) as client, pytest.raises(InterruptedTransferError) as caught:
        client.get_json("/api/models")
    assert caught.value.reason == "rate-limited"
    assert (caught.value.retry_after or 0.0) >= least


def test_too_little_space_is_refused_before_a_byte_is_fetched(site: Site) -> None:
    error = failure(site.queue(settings=JobSettings(policy=QUICK, space_margin=10, free_bytes=lambda _: 1000)))
    needed = needed_bytes(site.files) + 10
    assert (error.reason, error.arguments["needed"], error.arguments["free"]) == ("no-space", needed, 1000)
    assert site.hub.bytes_sent(NAME) == 0


def test_what_other_downloads_still_need_counts_as_needed(site: Site) -> None:
    site.hub.add("org/other", sizeable())
    room = needed_bytes(site.files) * 3 // 2
    queue = site.queue(settings=JobSettings(policy=QUICK, space_margin=0, free_bytes=lambda _: room))
    site.begin_slowly(queue)
    error = finish(queue, queue.add("org/other")).error
    assert error is not None
    # The disk has what the system says, and not less.
    assert (error.reason, error.arguments["free"]) == ("no-space", room)
    assert room < int(error.arguments["needed"]) <= 2 * needed_bytes(site.files)


@pytest.mark.parametrize("step", ["prepare", "writing", "link", "write_ref"])
def test_a_disk_without_room_for_a_folder_a_lock_or_a_link_is_called_full(
    site: Site, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(RepositoryCache, step, refuse)
    assert failure(site.queue()).reason == "disk-full"


def test_a_disk_that_fills_up_fails_and_keeps_what_arrived(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    room = {"bytes": 300_000}
    write = os.pwrite

    def limited(descriptor: int, data: memoryview, offset: int) -> int:
        if room["bytes"] < len(data):
            raise OSError(28, "No space left on device")
        room["bytes"] -= len(data)
        return write(descriptor, data, offset)

    monkeypatch.setattr(transfer.os, "pwrite", limited)
    queue = site.queue()
    assert failure(queue).reason == "disk-full"
    room["bytes"] = 10**9
    queue.resume(NAME)
    assert finish(queue).state == "ready"
    site.assert_complete()


def test_a_stalled_download_shows_no_speed_and_counts_its_attempts(site: Site) -> None:
    site.fault("*", cut_after=0)
    queue = site.queue(settings=JobSettings(policy=transfer.RetryPolicy(0.01, 0.02, 10**6), space_margin=0))
    queue.add(NAME)
    wait_until(lambda: queue.snapshot()[0].attempt >= 3)
    status = queue.snapshot()[0]
    assert (status.bytes_per_second, status.seconds_left) == (0.0, None)


def test_after_a_stop_of_the_process_a_download_shows_no_wrong_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    now, rates = 100.0, []
    monkeypatch.setattr("engine.hub.download_job.time.monotonic", lambda: now)
    progress = DownloadProgress(DownloadStatus(NAME, "downloading"))
    for number in range(200):
        # While it was stopped, the system took what the socket has room for.
        arrived = 4_000_000 if number == 100 else 100_000
        now += 20.0 if number == 100 else 0.1
        progress.note("a", arrived, arrived)
        rates.append(progress.bytes_per_second())
    assert all(rate == 0.0 or rate == pytest.approx(1e6, rel=0.15) for rate in rates[1:])
    assert sum(rate > 0.0 for rate in rates) > 180


def test_a_file_that_was_damaged_on_disk_is_fetched_again(site: Site) -> None:
    repository = site.hub.repositories[NAME]
    blob = site.home / "blobs" / repository.etag(SHARD)
    blob.parent.mkdir(parents=True)
    blob.write_bytes(bytes(len(site.files[SHARD])))
    assert download(site.queue()).state == "ready"
    site.assert_complete()


def test_a_mirror_that_names_a_commit_and_does_not_have_it_is_asked_once(site: Site) -> None:
    tree = f"/api/models/{NAME}/tree"
    site.hub.api_faults[tree] = Fault(status=404, headers={"X-Error-Code": "RevisionNotFound"})
    assert failure(site.queue()).reason == "revision-missing"
    assert sum(tree in asked for asked in site.hub.requests) == 1


def test_where_links_are_not_supported_a_full_disk_is_called_so(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(pathlib.Path, "symlink_to", lambda *_: refuse())
    monkeypatch.setattr("engine.hub.cache_layout.shutil.copyfile", refuse)
    assert failure(site.queue()).reason == "disk-full"
