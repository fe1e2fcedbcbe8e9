"""How ranks begin: none joins the group before all are ready to."""

from __future__ import annotations

import errno
import socket
import threading

import pytest

from engine.cluster.errors import ClusterError
from engine.cluster.messages import TO_LEADER, TO_RANK, Imported, Join, ToLeader, ToRank
from engine.cluster.rank import check_memory, start_together
from engine.wire.channel import Channel
from tests.patience import PATIENCE_S


def pair() -> tuple[Channel[ToLeader], Channel[ToRank]]:
    here, there = socket.socketpair()
    return Channel(here, TO_LEADER), Channel(there, TO_RANK)


def test_no_rank_joins_before_all_have_imported_what_they_need() -> None:
    here, there = zip(pair(), pair(), strict=True)
    starting = threading.Thread(target=start_together, args=({1: ("a", here[0]), 2: ("b", here[1])},))
    starting.start()
    there[0].send(Imported())
    assert there[0].receive(0.05) is None
    there[1].send(Imported())
    for channel in there:
        assert channel.receive(PATIENCE_S) == Join()
    starting.join()
    for channel in (*here, *there):
        channel.close()


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
