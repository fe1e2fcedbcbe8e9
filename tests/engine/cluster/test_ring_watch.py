"""The watch reports a lost connection with its neighbour, and reads nothing from a sound one."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from engine.cluster import ring_watch
from engine.cluster.ring_watch import RingWatch, open_sockets
from tests.patience import PATIENCE_S


class Ring:
    """The two connections of a rank, and their far ends."""

    def __init__(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as own, socket.create_server(("127.0.0.1", 0)) as next_rank:
            self.port = int(own.getsockname()[1])
            before = open_sockets()
            self.next = socket.create_connection(next_rank.getsockname())
            self.far_next, _ = next_rank.accept()
            self.far_previous = socket.create_connection(own.getsockname())
            self.previous, _ = own.accept()
            far = {self.far_next.fileno(), self.far_previous.fileno()}
            self.made = open_sockets() - before - far
        self.told: list[int] = []
        self.heard = threading.Event()

    def lost(self, step: int) -> None:
        self.told.append(step)
        self.heard.set()

    def close(self) -> None:
        for end in (self.next, self.far_next, self.previous, self.far_previous):
            end.close()


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ring]:
    monkeypatch.setattr(ring_watch, "LOOK_S", 0.01)
    ring = Ring()
    yield ring
    ring.close()


@pytest.mark.parametrize(("end", "step"), [("far_next", 1), ("far_previous", -1)])
def test_the_end_of_a_connection_is_told_with_its_neighbour(ring: Ring, end: str, step: int) -> None:
    assert ring.made == {ring.next.fileno(), ring.previous.fileno()}
    watch = RingWatch(ring.made, ring.port, ring.lost)
    getattr(ring, end).close()
    assert ring.heard.wait(PATIENCE_S)
    watch.stop()
    assert ring.told == [step]


def test_an_attempt_to_connect_is_no_connection_and_what_has_come_is_left_for_the_ring(ring: Ring) -> None:
    with socket.socket() as attempt:
        watch = RingWatch({*ring.made, attempt.fileno()}, ring.port, ring.lost)
        ring.far_next.sendall(b"states")
        assert not ring.heard.wait(0.2)
        watch.stop()
    assert ring.next.recv(16) == b"states"
    assert not ring.told
