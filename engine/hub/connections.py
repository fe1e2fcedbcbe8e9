"""The connections of one client, which any thread can end at once, and for how long connecting has failed."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any


class Connections:
    """The sockets of the requests in flight. Thread-safe.

    `stop` is set once and for all by `end`; a connection that is made after that is ended as soon as it exists.
    """

    def __init__(self) -> None:
        self.stop = threading.Event()
        self._lock = threading.Lock()
        self._open_requests: set[HubRequest] = set()
        self._unreached_since: float | None = None

    def end(self) -> None:
        """End every request, including those that wait for data."""
        self.stop.set()
        with self._lock:
            requests = list(self._open_requests)
        for request in requests:
            request.end()

    def unreached_s(self) -> float:
        """Return for how many seconds connecting has failed or not ended; 0 once a connection was made."""
        since = self._unreached_since
        return 0.0 if since is None else time.monotonic() - since

    @contextmanager
    def request(self, seconds: float) -> Iterator[HubRequest]:
        """Open a request that is ended after `seconds` unless its `in_time` is called before."""
        request = HubRequest(self)
        timer = threading.Timer(seconds, request.expire)
        timer.name = "hub-deadline"
        timer.daemon = True
        request.in_time = timer.cancel
        with self._lock:
            self._open_requests.add(request)
        timer.start()
        try:
            yield request
        finally:
            timer.cancel()
            timer.join()
            with self._lock:
                self._open_requests.discard(request)

    def connecting(self) -> None:
        if self._unreached_since is None:
            self._unreached_since = time.monotonic()

    def reached(self) -> None:
        """Count the Hub as reached: a connection was made, or bytes arrived."""
        self._unreached_since = None


class HubRequest:
    """The sockets of one request, redirects included. `in_time()` lifts its deadline."""

    def __init__(self, connections: Connections) -> None:
        self.expired = False
        self.in_time: Callable[[], object] = self.end
        self._connections = connections
        self._sockets: list[socket.socket] = []

    def trace(self, event: str, details: Mapping[str, Any]) -> None:
        """Handle the HTTP library's events (its `trace` extension), which report each new socket."""
        # Where a Hub that answered keeps its files may be out of reach although the network is there.
        if event.endswith(".connect_tcp.started") and not self._sockets:
            self._connections.connecting()
        if not event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            return
        self._connections.reached()
        connected = details["return_value"].get_extra_info("socket")
        if isinstance(connected, socket.socket):
            self._sockets.append(connected)
        if self.expired or self._connections.stop.is_set():
            self.end()

    def expire(self) -> None:
        self.expired = True
        self.end()

    def end(self) -> None:
        for connection in list(self._sockets):
            try:
                # The TLS socket's own method would hand the remaining bytes to the reader undeciphered.
                socket.socket.shutdown(connection, socket.SHUT_RDWR)
            except OSError:
                # Closed already, or taken over by the TLS socket that follows it.
                continue
