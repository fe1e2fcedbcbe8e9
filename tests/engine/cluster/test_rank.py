"""A rank says truly why it cannot go on, and so does who starts it."""

from __future__ import annotations

import errno
import socket
import threading
from contextlib import suppress

import pytest

from engine.cluster.cluster import Cluster
from engine.cluster.errors import OutOfStep, failure_of
from engine.cluster.messages import TO_ENGINE
from engine.cluster.rank import check_memory
from engine.computers.errors import ClusterError
from engine.computers.hosts import Machine, parse_machines
from engine.computers.versions import versions
from engine.wire.handshake import Listener


def test_a_process_that_can_have_no_more_memory_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    check_memory("studio")

    def mapped(_file: int, _count: int) -> None:
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    monkeypatch.setattr("mmap.mmap", mapped)
    with pytest.raises(ClusterError, match="no-memory, studio"):
        check_memory("studio")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OutOfStep("rewind came to 4, and on rank 0 to 5"), "out-of-step"),
        (MemoryError(), "no-memory"),
        (RuntimeError("[malloc] Unable to allocate 9 bytes"), "no-memory"),
        (RuntimeError("[METAL] Command buffer execution failed: Insufficient Memory"), "no-memory"),
        (ValueError("shapes"), "ended"),
    ],
)
def test_only_a_rank_that_computed_something_else_is_out_of_step(error: Exception, reason: str) -> None:
    assert failure_of(error, "studio").reason == reason


class RankOfAnotherRun:
    """Stands for the process of a rank whose listener has another secret."""

    def __init__(self, machine: Machine, label: str, _on_lost: object) -> None:
        self.machine, self.label, self.joined = machine, label, False
        self._listener = Listener(socket.create_server(("127.0.0.1", 0)), b"another", TO_ENGINE)
        self._accepting = threading.Thread(target=self._accept)
        self._accepting.start()

    def _accept(self) -> None:
        with suppress(OSError):
            self._listener.accept(1.0)

    def tell(self, _message: object) -> None:
        pass

    def wait_for(self, _what: str, _seconds: float) -> dict[str, object]:
        return {"ring": 1, "control": 1, "client": self._listener.port, "versions": versions()}

    def kill(self) -> None:
        self._listener.close()
        self._accepting.join()


def test_a_rank_with_the_key_of_another_run_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.cluster.cluster.RankProcess", RankOfAnotherRun)
    with pytest.raises(ClusterError) as found:
        Cluster(parse_machines("127.0.0.1,127.0.0.1"))
    assert (found.value.reason, found.value.host) == ("ended", parse_machines("127.0.0.1,127.0.0.1").labels[0])
