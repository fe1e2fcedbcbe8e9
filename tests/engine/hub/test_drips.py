"""Files whose bytes keep arriving, but so slowly that they would never be complete, on a simulated clock."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest

from engine.hub.cache_layout import RepositoryCache
from engine.hub.client import HubAccess
from engine.hub.connections import Connections
from engine.hub.failures import HubError, InterruptedTransferError
from engine.hub.transfer import PACE_S, SLOWEST_BYTES_A_SECOND, Transfer
from engine.hub.values import RemoteFile
from tests.engine.hub.downloading import NAME

COMMIT = "a" * 40
TRIES = 3
# Seconds of silence, and the bytes that then arrive, again and again.
Rhythm = Callable[[], Iterator[tuple[float, int]]]


@dataclass
class SlowHub:
    """A client whose connections send `content` in the rhythms of `connections`, in turn; the last one repeats.

    Time passes here only, in `seconds`.
    """

    content: bytes
    rhythms: list[Rhythm]
    access: HubAccess = field(default_factory=HubAccess)
    connections: Connections = field(default_factory=Connections)
    seconds: float = 0.0
    asked: list[int] = field(default_factory=list)

    def file_address(self, *_: str) -> str:
        return "http://hub/file"

    @contextmanager
    def stream(self, _address: str, _name: str, headers: Mapping[str, str], **_more: Any) -> Iterator[Any]:
        start = int(headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-"))
        rhythm = self.rhythms[min(len(self.asked), len(self.rhythms) - 1)]
        self.asked.append(start)
        span = f"bytes {start}-{len(self.content) - 1}/{len(self.content)}"
        head = {"Content-Range": span} if start else {}
        yield SimpleNamespace(
            status_code=206 if start else 200,
            headers=httpx2.Headers(head),
            iter_raw=lambda: self._body(start, rhythm),
        )

    def _body(self, at: int, rhythm: Rhythm) -> Iterator[bytes]:
        for silence, count in rhythm():
            if at == len(self.content):
                return
            self.seconds += silence
            yield self.content[at : at + count]
            at += len(self.content[at : at + count])


def steady(bytes_a_second: int, pause: float = 1.0) -> Rhythm:
    """Return the rhythm of a connection that never falls silent for longer than `pause` seconds."""

    def send() -> Iterator[tuple[float, int]]:
        while True:
            yield pause, int(bytes_a_second * pause)

    return send


def burst(count: int, then: Rhythm) -> Rhythm:
    """Return the rhythm of a connection that begins with so many bytes at once."""

    def send() -> Iterator[tuple[float, int]]:
        yield 0.0, count
        yield from then()

    return send


class Download:
    """A transfer of `size` random bytes from a Hub with these rhythms, which waits for nothing."""

    def __init__(self, cache_dir: Path, size: int, *rhythms: Rhythm) -> None:
        self.content = random.Random(7).randbytes(size)
        self.hub = SlowHub(self.content, list(rhythms))
        self.cache = RepositoryCache(cache_dir, NAME)
        self.cache.prepare()
        self.failures: list[InterruptedTransferError] = []

    def failed(self, _name: str, before: int, error: InterruptedTransferError) -> int:
        self.failures.append(error)
        if before + 1 > TRIES:
            raise error
        return before + 1

    def fetch(self) -> bool:
        file = RemoteFile("model.safetensors", len(self.content), hashlib.sha256(self.content).hexdigest())
        self.file = file
        hub: Any = self.hub
        transfer = Transfer(hub, self.cache, NAME, COMMIT, lambda *_: None, self.failed, now=lambda: self.hub.seconds)
        return transfer.fetch(file)

    def assert_complete(self) -> None:
        assert self.cache.blob(self.file.digest).read_bytes() == self.content


def test_a_file_that_only_drips_is_asked_for_again_and_then_said_to_be_too_slow(tmp_path: Path) -> None:
    dripping = Download(tmp_path, 10**6, steady(30))
    with pytest.raises(HubError, match="slow-file") as refused:
        dripping.fetch()
    assert refused.value.arguments["file"] == "model.safetensors"
    assert len(dripping.hub.asked) == TRIES + 1
    # Each connection had its minute, and asked for what was missing: nothing was lost.
    assert dripping.hub.seconds == pytest.approx((TRIES + 1) * PACE_S)
    assert dripping.hub.asked == [int(30 * PACE_S) * number for number in range(TRIES + 1)]
    dripping.hub.rhythms = [steady(10**5)]
    assert dripping.fetch()
    dripping.assert_complete()
    assert dripping.hub.asked[-1] == int(30 * PACE_S) * (TRIES + 1)


def test_another_connection_that_is_fast_completes_the_file(tmp_path: Path) -> None:
    download = Download(tmp_path, 10**6, steady(30), steady(10**5))
    assert download.fetch()
    download.assert_complete()
    assert [error.reason for error in download.failures] == ["slow-file"]


@pytest.mark.parametrize("pause", [0.1, 1.0, 19.0])
def test_a_line_that_is_slow_but_alive_is_left_alone(tmp_path: Path, pause: float) -> None:
    download = Download(tmp_path, 200_000, steady(2 * SLOWEST_BYTES_A_SECOND, pause))
    assert download.fetch()
    download.assert_complete()
    assert download.hub.asked == [0]


def test_what_came_fast_at_first_does_not_hide_that_the_connection_drips_now(tmp_path: Path) -> None:
    download = Download(tmp_path, 10**6, burst(800_000, steady(30)), steady(10**5))
    assert download.fetch()
    assert download.hub.asked[1] < 800_000 + 30 * 2.1 * PACE_S


def test_connections_that_each_bring_a_good_piece_before_they_drip_do_not_use_up_the_attempts(tmp_path: Path) -> None:
    download = Download(tmp_path, 10**6, burst(50_000, steady(30)))
    assert download.fetch()
    download.assert_complete()
    assert len(download.failures) > TRIES


def test_a_computer_that_was_stopped_for_an_hour_keeps_its_connection(tmp_path: Path) -> None:
    download = Download(tmp_path, 200_000, hour_away)
    assert download.fetch()
    assert download.hub.asked == [0]


def hour_away() -> Iterator[tuple[float, int]]:
    """Send at a slow pace, with an hour in which this process is stopped."""
    for second in range(1_000):
        yield (3600.0 if second == 45 else 1.0), 1000
