"""Waits until a lost network is back, by connecting to the address of the Hub or its proxy at intervals."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from urllib.parse import urlsplit

from engine.hub.client import HubAccess
from engine.hub.transfer import RetryPolicy

_CONNECT_S = 4.0


class NetworkWatch:
    """Calls `on_back` once after each `start`, on a thread of its own, when the address can be reached.

    It makes one connection at a time, closes it at once and sends nothing. With offline access it never connects.
    """

    def __init__(self, access: HubAccess, polling: RetryPolicy, on_back: Callable[[], None]) -> None:
        self._access, self._polling, self._on_back = access, polling, on_back
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._attempt = 0

    def start(self) -> None:
        """Begin to wait, unless the watch is waiting already."""
        with self._lock:
            if self._thread is None and not self._stop.is_set() and not self._access.offline:
                self._thread = threading.Thread(target=self._run, name="hub-network", daemon=True)
                self._thread.start()

    def succeeded(self) -> None:
        """Begin with short waits again. Until then they grow, because a Hub may be reached while its files are not."""
        self._attempt = 0

    def close(self) -> threading.Thread | None:
        """Stop for good, and return the thread that ends."""
        with self._lock:
            self._stop.set()
            return self._thread

    def _run(self) -> None:
        back = False
        while not back and not self._stop.wait(self._polling.wait(self._attempt + 1, None)):
            back = _is_reachable(self._access)
            self._attempt += 1
        with self._lock:
            self._thread = None
        if not self._stop.is_set():
            self._on_back()


def _is_reachable(access: HubAccess) -> bool:
    parts = urlsplit(access.proxy or access.endpoint)
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
        with socket.create_connection((parts.hostname, port), timeout=_CONNECT_S):
            return True
    except (OSError, ValueError):
        return False
