"""Links with an added delay each way between the ranks of one machine."""

from __future__ import annotations

import itertools
import queue
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from engine.cluster import cluster
from engine.computers.hosts import Machines

# Seconds that a rank may take to listen.
_LISTEN_S = 60.0


class SlowLinks:
    """Proxies between the ranks of a ring, for a cluster that starts while they are `between` its ranks.

    Each message takes `delay_s` longer; with 0 the ranks are joined directly. Close it when the ranks have ended.
    """

    def __init__(self, delay_s: float) -> None:
        self._delay_s = delay_s
        self._listening: list[socket.socket] = []
        self._ends: list[socket.socket] = []
        self._lock = threading.Lock()
        self._stands_for: dict[str, str] = {}
        # Whether bytes pass on from a rank to the one that it connected to, and back.
        self._passing = {way: threading.Event() for way in ("there", "back")}
        for passing in self._passing.values():
            passing.set()

    def stall(self, *ways: str) -> None:
        """Take what comes, "there" or "back" on each connection, and pass nothing on from now on."""
        for way in ways:
            self._passing[way].clear()

    @contextmanager
    def between(self) -> Iterator[None]:
        """Let the ranks of a cluster that starts meanwhile find these proxies in place of each other."""
        ranks = itertools.count()

        def places_of(machines: Machines, ports: Sequence[int]) -> list[list[str]]:
            # The cluster asks for each rank, in their order.
            rank, places = next(ranks), real(machines, ports)
            return [[place if one == rank else self._stand_in(place)] for one, [place] in enumerate(places)]

        real = cluster.places_of
        if self._delay_s:
            cluster.places_of = places_of
        try:
            yield
        finally:
            cluster.places_of = real

    def close(self) -> None:
        """End all connections."""
        for passing in self._passing.values():
            passing.set()
        with self._lock:
            for end in [*self._listening, *self._ends]:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()

    def _stand_in(self, place: str) -> str:
        if place not in self._stands_for:
            listening = socket.create_server(("127.0.0.1", 0))
            self._listening.append(listening)
            self._stands_for[place] = f"127.0.0.1:{listening.getsockname()[1]}"
            threading.Thread(target=self._accept, args=(listening, place), name="slow-link", daemon=True).start()
        return self._stands_for[place]

    def _accept(self, listening: socket.socket, place: str) -> None:
        host, _, port = place.rpartition(":")
        with suppress(OSError):
            while True:
                near, _ = listening.accept()
                far = _connected(host, int(port))
                with self._lock:
                    self._ends += (near, far)
                for way, source, target in (("there", near, far), ("back", far, near)):
                    for end in (source, target):
                        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    self._join(source, target, self._passing[way])

    def _join(self, source: socket.socket, target: socket.socket, passing: threading.Event) -> None:
        under_way: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()
        for work, end in ((self._take, source), (self._deliver, target)):
            threading.Thread(target=work, args=(end, passing, under_way), name="slow-link", daemon=True).start()

    def _take(
        self, source: socket.socket, _passing: threading.Event, under_way: queue.SimpleQueue[tuple[float, bytes]]
    ) -> None:
        part = b"-"
        while part:
            try:
                part = source.recv(2**16)
            except OSError:
                part = b""
            under_way.put((time.perf_counter() + self._delay_s, part))

    def _deliver(
        self, target: socket.socket, passing: threading.Event, under_way: queue.SimpleQueue[tuple[float, bytes]]
    ) -> None:
        while True:
            at, part = under_way.get()
            time.sleep(max(0.0, at - time.perf_counter()))
            passing.wait()
            if not part:
                break
            with suppress(OSError):
                target.sendall(part)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)


def _connected(host: str, port: int) -> socket.socket:
    """Connect to a rank that is about to listen. Raises `OSError`."""
    until = time.monotonic() + _LISTEN_S
    while True:
        try:
            return socket.create_connection((host, port), timeout=None)
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)
