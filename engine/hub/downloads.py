"""The queue of downloads, which can be paused and survives a crash.

    queued -> resolving -> downloading -> verifying -> ready | paused | failed(reason)

Poll `snapshot()` for progress.
"""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path

from msgspec.structs import replace

from engine.hub.cache_layout import RepositoryCache
from engine.hub.client import HubAccess
from engine.hub.download_job import DownloadJob, JobSettings
from engine.hub.download_state import ACTIVE, DownloadStatus, read_queue, write_queue
from engine.hub.failures import HubError
from engine.hub.repository_names import head_of, is_revision, parse_name

_log = logging.getLogger(__name__)

_MODELS_AT_ONCE = 2


class DownloadQueue:
    """Downloads models into a Hugging Face cache, two at once.

    The queue is kept in the file `state_path` (None: nowhere); a download that was active when the program ended
    continues where it stopped. All methods may be called from any thread and return at once, except `close`. A
    repository is given by name or address; `HubError` (bad-name) is raised at once, every other error arrives as the
    state failed. If the access is offline, every download stays queued. One that reaches no network is tried again,
    less and less often, until it does.
    """

    def __init__(
        self,
        cache_dir: Path,
        access: HubAccess | None = None,
        state_path: Path | None = None,
        settings: JobSettings | None = None,
    ) -> None:
        self._cache_dir = cache_dir
        self._state_path = state_path
        self._settings = settings or JobSettings()
        self._access = access or HubAccess()
        self._lock = threading.RLock()
        self._entries: dict[str, DownloadStatus] = {}
        self._jobs: dict[str, DownloadJob] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._closed = False
        if state_path is not None:
            self._entries = {entry.repository: entry for entry in read_queue(state_path)}
        self._start_waiting()

    def add(self, repository: str, revision: str = "main") -> str:
        """Queue a model, GGUF file or head, and return its name.

        `repository` is what `parse_name` takes, or a head's name. One that is in the queue already goes on or starts
        again. Raises `HubError`: bad-name, or revision-missing for what cannot be a revision.
        """
        name = parse_name(repository)
        if not is_revision(revision):
            raise HubError("revision-missing", name, revision=revision[:80])
        with self._lock:
            entry = self._entries.get(name)
            if entry is None or entry.state == "ready" or entry.revision != revision:
                if entry is not None and entry.state in ACTIVE:
                    self._interrupt(name)
                self._entries[name] = DownloadStatus(name, "queued", revision=revision, head_of=head_of(name))
            self._requeue(name)
        return name

    def pause(self, repository: str) -> None:
        """Stop a download and keep what has arrived."""
        with self._lock:
            entry = self._entries.get(repository)
            if entry is None or not entry.runs:
                return
            self._set_state(entry, "paused")
            self._interrupt(repository)

    def resume(self, repository: str) -> None:
        """Continue a paused or failed download at the byte where it stopped."""
        with self._lock:
            if repository in self._entries:
                self._requeue(repository)

    def cancel(self, repository: str) -> None:
        """Stop a download, remove it from the queue and delete what has arrived.

        A finished model stays on disk, as do files from before the download.
        """
        with self._lock:
            entry = self._entries.pop(repository, None)
            if entry is None:
                return
            thread = self._threads.get(repository)
            self._interrupt(repository)
            self._save()
            if entry.state == "ready":
                return
            cleaner = threading.Thread(target=self._discard, args=(entry, thread), name="hub-discard", daemon=True)
            self._threads[repository] = cleaner
            cleaner.start()

    def snapshot(self) -> tuple[DownloadStatus, ...]:
        """The status of every download, in the order in which they were added."""
        with self._lock:
            return tuple(self._status(entry) for entry in self._entries.values())

    def status(self, repository: str) -> DownloadStatus | None:
        with self._lock:
            entry = self._entries.get(repository)
            return self._status(entry) if entry is not None else None

    def close(self, timeout: float = 1.0) -> None:
        """Stop everything, within `timeout` seconds. Active downloads are queued for the next run."""
        with self._lock:
            self._closed = True
            for entry in self._entries.values():
                if entry.state in ACTIVE:
                    entry.state = "queued"
            self._save()
            threads = list(self._threads.values())
            for name in list(self._jobs):
                self._interrupt(name)
        until = time.monotonic() + timeout
        for thread in threads:
            # A thread that waits for the system to look up a name cannot be ended; it does nothing afterwards.
            if thread is not threading.current_thread():
                thread.join(max(0.0, until - time.monotonic()))

    def _requeue(self, repository: str) -> None:
        entry = self._entries[repository]
        if entry.state in ACTIVE:
            return
        entry.error = None
        self._set_state(entry, "queued")
        self._start_waiting()

    def _interrupt(self, repository: str) -> None:
        job = self._jobs.pop(repository, None)
        if job is not None:
            job.connections.end()

    def _start_waiting(self) -> None:
        """Start queued downloads while fewer than the allowed number run."""
        if self._access.offline:
            return
        with self._lock:
            for entry in self._entries.values():
                if self._closed or len(self._jobs) >= _MODELS_AT_ONCE:
                    return
                if entry.state == "queued" and entry.repository not in self._jobs:
                    self._start(entry)

    def _start(self, entry: DownloadStatus) -> None:
        job = DownloadJob(
            self._access,
            self._cache_dir,
            entry,
            self._settings,
            self._job_changed,
            lambda: self._promised_to_others(entry.repository),
        )
        self._jobs[entry.repository] = job
        before = self._threads.get(entry.repository)
        thread = threading.Thread(target=self._run, args=(job, before), name="hub-download", daemon=True)
        self._threads[entry.repository] = thread
        thread.start()

    def _run(self, job: DownloadJob, before: threading.Thread | None) -> None:
        if before is not None:
            before.join()
        error: HubError | None = None
        finished = False
        try:
            finished = job.run()
        except HubError as failure:
            error = failure
        except Exception as failure:
            if self._jobs.get(job.entry.repository) is job:
                _log.exception("download failed unexpectedly")
            error = HubError("server-error", job.entry.repository, status=type(failure).__name__)
        with self._lock:
            if self._jobs.get(job.entry.repository) is not job:
                return
            del self._jobs[job.entry.repository]
            if error is not None and error.reason == "offline" and job.connections.unreached_s() > 0.0:
                # Without a network, no number of attempts is the last.
                error = None
            job.entry.error = error
            if error is not None:
                self._set_state(job.entry, "failed")
            else:
                # Without an error, one that is not finished waits for a network.
                self._set_state(job.entry, "ready" if finished else "queued")
            self._start_waiting()

    def _discard(self, entry: DownloadStatus, thread: threading.Thread | None) -> None:
        if thread is not None:
            thread.join()
        if entry.commit:
            RepositoryCache(self._cache_dir, entry.repository).discard(entry.commit, entry.digests, entry.found)

    def _job_changed(self, job: DownloadJob, state: str) -> None:
        with self._lock:
            if self._jobs.get(job.entry.repository) is job and not self._closed:
                self._set_state(job.entry, state)

    def _set_state(self, entry: DownloadStatus, state: str) -> None:
        entry.state = state
        self._save()

    def _save(self) -> None:
        if self._state_path is None:
            return
        try:
            write_queue(self._state_path, list(self._entries.values()))
        except OSError:
            _log.warning("the list of downloads cannot be written to %s", self._state_path)

    def _promised_to_others(self, repository: str) -> int:
        with self._lock:
            return sum(job.progress.remaining_bytes() for name, job in self._jobs.items() if name != repository)

    def _status(self, entry: DownloadStatus) -> DownloadStatus:
        if entry.state == "ready":
            return replace(entry, path=RepositoryCache(self._cache_dir, entry.repository).snapshot(entry.commit))
        job = self._jobs.get(entry.repository)
        if job is None:
            return replace(entry)
        return replace(
            entry,
            bytes_per_second=job.progress.bytes_per_second() if entry.state == "downloading" else 0.0,
            attempt=job.progress.worst_attempt(),
            waits_for_network=job.connections.unreached_s() >= self._settings.unreached_s,
        )
