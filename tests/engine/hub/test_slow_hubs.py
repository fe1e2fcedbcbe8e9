"""A Hub that answers a byte at a time, not at all, or with gigabytes to parse; and no network at all."""

from __future__ import annotations

import os
import socket
import threading
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from engine.hub.client import HubAccess, HubClient
from engine.hub.download_job import JobSettings
from engine.hub.downloads import DownloadQueue
from engine.hub.failures import HubError, InterruptedTransferError
from tests.engine.hub.downloading import NAME, QUICK, Site, download, finish, needed, sizeable
from tests.engine.hub.nasty_hub import answer, gzipped
from tests.fakehub.server import FakeHub, Fault
from tests.patience import PATIENCE_S, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

API = "/api/models"
AT_ONCE = JobSettings(policy=QUICK, space_margin=0, unreached_s=0.02)
SLOW_BODY = b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n" + b"[" * 9999


@pytest.mark.full
@pytest.mark.parametrize(
    "fault",
    [
        Fault(raw=SLOW_BODY, drip=20),
        Fault(raw=b"HTTP/1.1 200 OK\r\nX: " + b"x" * 9999, drip=20),
        Fault(raw=b"", hang=True),
    ],
    ids=["slow body", "slow head", "silent"],
)
def test_a_hub_that_answers_a_byte_at_a_time_can_be_paused_and_resumed_or_cancelled_and_added_again(
    site: Site, fault: Fault
) -> None:
    site.hub.api_faults[API] = fault
    queue = site.queue(stall_s=600.0)
    queue.add(NAME)
    wait_until(lambda: bool(site.hub.requests))
    queue.cancel(NAME)
    site.hub.requests.clear()
    queue.add(NAME)
    wait_until(lambda: bool(site.hub.requests))
    queue.pause(NAME)
    site.hub.api_faults.clear()
    queue.resume(NAME)
    assert finish(queue).error is None
    site.assert_complete()


def test_closing_does_not_wait_for_it(hub: FakeHub, cache: Path) -> None:
    hub.add(NAME, sizeable(size=2000))
    hub.api_faults[API] = Fault(raw=b"", hang=True)
    queue = DownloadQueue(cache, HubAccess(hub.endpoint, stall_s=600.0))
    queue.add(NAME)
    wait_until(lambda: bool(hub.requests))
    queue.close(timeout=PATIENCE_S)
    status = queue.status(NAME)
    assert status is not None
    assert status.state == "queued"


def test_a_whole_answer_has_a_deadline(hub: FakeHub) -> None:
    hub.api_faults[API] = Fault(raw=SLOW_BODY, drip=20)
    with (
        HubClient(HubAccess(hub.endpoint, stall_s=600.0, answer_s=0.3)) as client,
        pytest.raises(InterruptedTransferError, match="too-slow"),
    ):
        client.get_json(API)


MANY, DEEP = b"[" + b"[]," * 3_000_000 + b"[]]", b"[" * 5_000_000


@pytest.mark.parametrize(
    ("answered", "most"),
    [
        # The bytes and a copy of them; parsed, they would take twenty times as much.
        (lambda: answer(MANY), 4 * len(MANY) + 8 * 2**20),
        (lambda: answer(DEEP), 4 * len(DEEP) + 8 * 2**20),
        (lambda: answer(gzipped(bytes(2**27)), b"Content-Encoding: gzip\r\n"), 2**20),
    ],
    ids=["many lists", "deep lists", "a gzip bomb"],
)
def test_an_answer_that_would_take_much_memory_is_refused_without_it(
    hub: FakeHub, answered: Callable[[], bytes], most: int
) -> None:
    hub.api_faults[API] = Fault(raw=answered())
    with HubClient(HubAccess(hub.endpoint)) as client:
        tracemalloc.start()
        try:
            with pytest.raises(HubError, match="wrong-mirror"):
                client.get_json(API)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak < most


@pytest.fixture
def gone() -> Iterator[socket.socket]:
    """A socket that does not listen, but keeps its address from other tests until it is closed."""
    with socket.socket() as unreached:
        unreached.bind(("127.0.0.1", 0))
        yield unreached


def endpoint(gone: socket.socket) -> str:
    return f"http://127.0.0.1:{gone.getsockname()[1]}"


def back(gone: socket.socket) -> FakeHub:
    """Return a Hub at the address."""
    port = gone.getsockname()[1]
    gone.close()
    return FakeHub(port=port)


def test_a_name_that_the_system_looks_up_for_ever_counts_as_no_network(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = threading.Event()
    monkeypatch.setattr(socket, "create_connection", lambda *_args, **_more: done.wait(PATIENCE_S))
    queue = site.queue(settings=AT_ONCE)
    queue.add(NAME)
    try:
        wait_until(lambda: queue.snapshot()[0].waits_for_network)
    finally:
        done.set()


@pytest.mark.parametrize("run", ["this", "the next"])
def test_a_download_goes_on_by_itself_when_the_network_is_back(
    site: Site, gone: socket.socket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: str
) -> None:
    tries, connect = [], socket.create_connection
    monkeypatch.setattr(socket, "create_connection", lambda *args, **more: tries.append(args) or connect(*args, **more))
    more = {"endpoint": endpoint(gone), "settings": AT_ONCE, "state_path": tmp_path / "downloads.json"}
    queue = site.queue(**more)
    queue.add(NAME)
    wait_until(lambda: queue.snapshot()[0].waits_for_network)
    # No number of attempts is the last.
    wait_until(lambda: len(tries) > 2 * QUICK.tries)
    if run == "the next":
        queue.close()
        queue = site.queue(**more)
    hub = back(gone)
    hub.add(NAME, site.files)
    with hub:
        wait_until(lambda: (status := queue.status(NAME)) is not None and status.state == "ready")
    site.assert_complete()


@pytest.mark.parametrize("kind", ["link", "hard link", "pipe"])
def test_a_part_is_never_written_through_what_stands_in_its_place(site: Site, tmp_path: Path, kind: str) -> None:
    repository = site.hub.repositories[NAME]
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    blobs = site.home / "blobs"
    blobs.mkdir(parents=True)
    for name in site.files:
        part = blobs / f"{repository.etag(name)}.tandem.incomplete"
        if kind == "link":
            part.symlink_to(victim)
        elif kind == "hard link":
            part.hardlink_to(victim)
        else:
            os.mkfifo(part)
    assert download(site.queue()).error is None
    assert victim.read_bytes() == b"precious"
    assert all((blobs / repository.etag(name)).read_bytes() == content for name, content in needed(site.files).items())
