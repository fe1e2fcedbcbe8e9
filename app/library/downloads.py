"""The queue of downloads, which is replaced when the access to the Hub changes."""

from __future__ import annotations

import threading
from pathlib import Path

from engine.hub.client import HubAccess
from engine.hub.download_job import JobSettings
from engine.hub.download_state import DownloadStatus
from engine.hub.downloads import DownloadQueue
from engine.hub.failures import HubError


class Downloads:
    """Downloads into `cache`; unfinished ones are kept in the file `state` for the next start. Thread-safe.

    The methods that change a download raise `HubError`: (offline) before `connect` and after `close`, (bad-name) for
    what names no repository. Any other failure arrives as the status of the download.
    """

    def __init__(self, cache: Path, state: Path, jobs: JobSettings) -> None:
        self._cache = cache
        self._state = state
        self._jobs = jobs
        # Held while a method uses the queue, so that it is not replaced meanwhile.
        self._lock = threading.RLock()
        self._queue: DownloadQueue | None = None

    def connect(self, access: HubAccess) -> None:
        """Continue all downloads with this access."""
        with self._lock:
            self.close()
            self._queue = DownloadQueue(self._cache, access, self._state, settings=self._jobs)

    def close(self) -> None:
        """Interrupt all downloads; they stay queued for the next `connect`. Safe to call twice."""
        with self._lock:
            if self._queue is not None:
                self._queue.close()
                self._queue = None

    def statuses(self) -> tuple[DownloadStatus, ...]:
        """Return the state of every download; () while there is no connection."""
        with self._lock:
            return self._queue.snapshot() if self._queue is not None else ()

    def add(self, repository: str, revision: str = "main") -> None:
        """Download a repository, or continue to. Raises `HubError`."""
        with self._lock:
            self._connected().add(repository, revision)

    def pause(self, repository: str) -> None:
        """Stop a download and keep the parts that it has. Raises `HubError`."""
        with self._lock:
            self._connected().pause(repository)

    def resume(self, repository: str) -> None:
        """Continue a download that was paused, failed or waits for the network. Raises `HubError`."""
        with self._lock:
            self._connected().resume(repository)

    def cancel(self, repository: str) -> None:
        """Stop a download and delete its files; one that is finished is only unlisted. Raises `HubError`."""
        with self._lock:
            self._connected().cancel(repository)

    def unlist(self, repository: str) -> None:
        """Drop the entry of a model whose files were removed, if it has one."""
        with self._lock:
            if self._queue is not None:
                self._queue.cancel(repository)

    def _connected(self) -> DownloadQueue:
        if self._queue is None:
            raise HubError("offline")
        return self._queue
