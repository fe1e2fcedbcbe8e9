"""Watches the connections of MLX's ring, which itself waits for ever when one is lost. Imports no MLX."""

from __future__ import annotations

import os
import socket
import stat
import sys
import threading
from collections.abc import Callable, Iterable, Iterator

# Seconds between two checks of the connections.
LOOK_S = 0.5
# Seconds of silence after which the system gives up a connection.
UNANSWERED_S = 6
# Options by their names in Python, which not every system has: probes of an idle connection, and the time for
# unacknowledged data.
_GIVING_UP = {
    "TCP_KEEPIDLE": 2,
    "TCP_KEEPALIVE": 2,
    "TCP_KEEPINTVL": 1,
    "TCP_KEEPCNT": UNANSWERED_S - 2,
    "TCP_USER_TIMEOUT": UNANSWERED_S * 1000,
}
# macOS's TCP_RXT_CONNDROPTIME, which Python has no name for.
_DROP_AFTER = 0x80


def open_sockets() -> set[int]:
    """Return the descriptors of this process's sockets."""
    descriptors = set()
    for name in os.listdir("/dev/fd"):
        try:
            if stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                descriptors.add(int(name))
        except OSError:
            # The descriptor of the listing itself is closed by now.
            continue
    return descriptors


def _step_of(end: socket.socket, own_port: int) -> int:
    """Return -1 for the connection of the previous rank, which this one accepted, and 1 for that to the next rank."""
    return -1 if end.getsockname()[1] == own_port else 1


class RingWatch:
    """Watches on a thread the sockets that the ring `made` in a rank that listens on `own_port`.

    `lost(step)` is called once when a connection has ended: step 1 is the one to the next rank, -1 to the previous.
    """

    def __init__(self, made: Iterable[int], own_port: int, lost: Callable[[int], None]) -> None:
        # Each rank connects to the next one, and accepts the connection of the previous one.
        self._ends = [(end, _step_of(end, own_port)) for end in _connected(made)]
        self._lost = lost
        self._stopped = threading.Event()
        for end, _ in self._ends:
            _give_up_early(end)
        self._thread = threading.Thread(target=self._look, name="rank-ring", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()
        for end, _ in self._ends:
            end.close()

    def _look(self) -> None:
        while not self._stopped.wait(LOOK_S):
            for end, step in self._ends:
                if _has_ended(end):
                    self._lost(step)
                    return


def _connected(made: Iterable[int]) -> Iterator[socket.socket]:
    """Duplicate the sockets that are connected; the ring leaves failed attempts to connect open."""
    for number in made:
        end = socket.socket(fileno=os.dup(number))
        try:
            end.getpeername()
            yield end
        except OSError:
            end.close()


def _give_up_early(end: socket.socket) -> None:
    """Ask the system to end a connection whose other machine does not answer for a few seconds."""
    end.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _GIVING_UP.items():
        if hasattr(socket, name):
            end.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    if sys.platform == "darwin":
        end.setsockopt(socket.IPPROTO_TCP, _DROP_AFTER, UNANSWERED_S)


def _has_ended(end: socket.socket) -> bool:
    """Whether the connection has ended. Received bytes stay for the ring to read."""
    try:
        return not end.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False
    except OSError:
        return True
