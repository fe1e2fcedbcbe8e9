"""How ranks begin: none joins the group before all are ready to."""

from __future__ import annotations

import errno
import socket
import threading

import pytest

from engine.cluster.errors import ClusterError
from engine.cluster.rank import check_memory, start_together
from engine.cluster.wire import Connection
from tests.patience import PATIENCE_S


def pair() -> tuple[Connection, Connection]:
    listening = socket.create_server(("127.0.0.1", 0))
    with listening:
        far = socket.create_connection(listening.getsockname())
        return Connection(listening.accept()[0]), Connection(far)


def test_no_rank_joins_before_all_have_imported_what_they_need() -> None:
    here, there = zip(pair(), pair(), strict=True)
    starting = threading.Thread(target=start_together, args=({1: ("a", here[0]), 2: ("b", here[1])},))
    starting.start()
    there[0].send({"imported": True})
    there[0].set_timeout(0.05)
    with pytest.raises(TimeoutError):
        there[0].receive()
    there[1].send({"imported": True})
    for connection in there:
        connection.set_timeout(PATIENCE_S)
        assert connection.receive() == {"join": True}
    starting.join()
    for connection in (*here, *there):
        connection.close()


def test_a_rank_that_ends_before_is_named() -> None:
    here, there = pair()
    there.close()
    with pytest.raises(ClusterError, match="studio has ended"):
        start_together({1: ("studio", here)})
    here.close()


def test_a_process_that_can_have_no_more_memory_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    check_memory("studio")

    def mapped(_file: int, _count: int) -> None:
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    monkeypatch.setattr("mmap.mmap", mapped)
    with pytest.raises(ClusterError, match="studio has not enough memory"):
        check_memory("studio")
