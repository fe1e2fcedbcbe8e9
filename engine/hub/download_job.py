"""One model's download, from name to snapshot: resolve, check the free space, transfer, verify, publish."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.files.disk_space import free_bytes
from engine.hub.cache_layout import RepositoryCache
from engine.hub.client import HubAccess, HubClient
from engine.hub.connections import Connections
from engine.hub.download_state import DownloadStatus
from engine.hub.failures import HubError, InterruptedTransferError
from engine.hub.head_plan import find_head, list_head
from engine.hub.listing import describe, gguf_listing, list_files, mlx_listing
from engine.hub.repository_names import COMMIT, split_name
from engine.hub.transfer import RetryPolicy, Transfer, digest_of, disk_error
from engine.hub.values import Listing, RemoteFile
from engine.model_files.safetensors_header import CutOffFileError, DamagedHeaderError, read_header

_FILES_AT_ONCE = 4
# Bytes that stay free for the system, whatever the model's size.
SPACE_MARGIN = 512 * 2**20
# Seconds over which the rate of a download is measured.
_RATE_S = 5.0
# Seconds after which the rate is measured anew if nothing arrived for _RATE_S (the network stalled, or this process was
# stopped): the bytes that the system has gathered meanwhile arrive at once.
_GATHERED_S = 1.0


class DownloadProgress:
    """The counters of a running job, written by its threads and read by any; `lock` guards them.

    `entry` has their sums.
    """

    def __init__(self, entry: DownloadStatus) -> None:
        self.lock = threading.Lock()
        self.attempts: dict[str, int] = {}
        self._entry = entry
        self._lengths: dict[str, int] = {}
        self._arrived: deque[tuple[float, int]] = deque()
        # Since when the rate is measured, and when bytes arrived last.
        self._started = self._latest = time.monotonic()

    def note(self, name: str, arrived: int, length: int) -> None:
        """Count bytes of a file that have arrived; the file has `length` bytes now."""
        with self.lock:
            now = time.monotonic()
            if now - self._latest > _RATE_S:
                self._started = now + _GATHERED_S
            self._latest = now
            if now >= self._started:
                self._arrived.append((now, arrived))
            self._forget_earlier(now)
            self._lengths[name] = length
            self._entry.bytes_done = sum(self._lengths.values())
            self.attempts.pop(name, None)

    def begin(self, lengths: dict[str, int], total: int) -> None:
        """Begin with the lengths that the files have now, of `total` bytes in all."""
        with self.lock:
            self.attempts.clear()
            self._lengths = lengths
            self._entry.bytes_done = sum(lengths.values())
            self._entry.bytes_total = total

    def remaining_bytes(self) -> int:
        """Return the bytes that have not arrived; 0 before the files are known."""
        return self._entry.bytes_total - self._entry.bytes_done if self._lengths else 0

    def worst_attempt(self) -> int:
        with self.lock:
            return max(self.attempts.values(), default=0)

    def bytes_per_second(self) -> float:
        """Return the rate of the last seconds, which falls to zero when nothing arrives."""
        with self.lock:
            now = time.monotonic()
            self._forget_earlier(now)
            return sum(count for _, count in self._arrived) / max(min(_RATE_S, now - self._started), 0.1)

    def _forget_earlier(self, now: float) -> None:
        while self._arrived and now - self._arrived[0][0] > _RATE_S:
            self._arrived.popleft()


@dataclass(slots=True)
class JobSettings:
    """How a job retries, and how it measures free space.

    A download without any connection for `unreached_s` seconds counts as one that waits for a network.
    """

    unreached_s: float = 4.0
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    space_margin: int = SPACE_MARGIN
    free_bytes: Callable[[Path], int | None] = free_bytes


class DownloadJob:
    """The download of one model. `run` belongs to a thread of its own, and starts one thread for each of several files.

    Only files whose names are `wanted` are fetched; a later download of all fetches the others. An MTP head is fetched
    as ranges of the shards of `entry.head_of`, or of the model that it was made from, and joined into one file. The Hub
    has no checksum for it: lengths and the header are checked here, the numbers when the head is loaded.
    """

    def __init__(
        self,
        access: HubAccess,
        cache_dir: Path,
        entry: DownloadStatus,
        settings: JobSettings,
        on_change: Callable[[DownloadJob, str], None],
        bytes_promised_elsewhere: Callable[[], int],
        wanted: Callable[[str], bool] = lambda _name: True,
    ) -> None:
        self.entry = entry
        self.cache = RepositoryCache(cache_dir, entry.repository)
        self.progress = DownloadProgress(entry)
        self.connections = Connections()
        self._access = access
        self._settings = settings
        self._on_change = on_change
        self._promised_elsewhere = bytes_promised_elsewhere
        self._wanted = wanted

    def run(self) -> bool:
        """Download the model; False if interrupted first. Raises `HubError`."""
        self._on_change(self, "resolving")
        try:
            with HubClient(self._access, self.connections) as client:
                return self._download(client)
        except OSError as error:
            raise disk_error(error, self.cache) from error

    def _download(self, client: HubClient) -> bool:
        listing = self._resolve(client)
        if listing is None:
            return False
        self.cache.prepare()
        self._check_free_space(listing)
        while not self._stopped():
            self._on_change(self, "downloading")
            if not self._transfer_all(client, listing):
                return False
            self._on_change(self, "verifying")
            if self._verify_all(listing):
                return self._publish(listing)
        return False

    def _stopped(self) -> bool:
        return self.connections.stop.is_set()

    def _resolve(self, client: HubClient) -> Listing | None:
        """List the files at the commit that an earlier run began with, if it still exists; None if interrupted."""
        entry = self.entry
        attempt = 0
        earlier = entry.commit
        downloaded = entry.digests
        earlier_blobs = entry.found
        while not self._stopped():
            try:
                listing = self._head_listing(client) if entry.head_of else self._listing(client)
                self._begin(listing)
                if earlier and entry.commit != earlier:
                    self.cache.discard(earlier, downloaded - entry.digests, earlier_blobs)
                return listing
            except InterruptedTransferError as error:
                attempt = self._failed_attempt("", attempt, error)
            except HubError as error:
                gone = error.reason == "revision-missing" and entry.commit and entry.commit == earlier
                if not gone or COMMIT.fullmatch(entry.revision):
                    raise
                entry.commit = ""
                entry.digests = set()
                entry.found = set()
        return None

    def _listing(self, client: HubClient) -> Listing:
        entry = self.entry
        repository, gguf = split_name(entry.repository)
        if not entry.commit and COMMIT.fullmatch(entry.revision):
            entry.commit = entry.revision
        elif not entry.commit:
            entry.commit, _ = describe(client, repository, entry.revision)
        files = list_files(client, repository, entry.commit)
        whole = gguf_listing(files, gguf)[1] if gguf else mlx_listing(files)
        return replace(whole, files=tuple(file for file in whole.files if self._wanted(file.name)))

    def _head_listing(self, client: HubClient) -> Listing:
        entry = self.entry
        if entry.commit:
            listing = list_head(client, entry.head_of, entry.commit)
        else:
            listing = find_head(client, entry.head_of, entry.revision)
            entry.head_of = listing.repository
            entry.commit = listing.commit
        return replace(listing, files=tuple(self.cache.as_kept(entry.commit, file) for file in listing.files))

    def _failed_attempt(self, name: str, before: int, error: InterruptedTransferError) -> int:
        """Wait before the next attempt at file `name`; return how many failed. Raises `error` after the last one."""
        attempt = before + 1
        policy = self._settings.policy
        if attempt > policy.tries:
            raise error
        with self.progress.lock:
            self.progress.attempts[name] = attempt
        self.connections.stop.wait(policy.wait(attempt, error.retry_after))
        return attempt

    def _begin(self, listing: Listing) -> None:
        entry = self.entry
        self.progress.begin({file.name: self.cache.present_bytes(file) for file in listing.files}, listing.total_bytes)
        if not entry.digests:
            entry.found = {file.digest for file in listing.files if self.cache.has_in_snapshot(listing.commit, file)}
        entry.digests = {file.digest for file in listing.files}

    def _check_free_space(self, listing: Listing) -> None:
        missing = {file.digest: file.size - self.cache.present_bytes(file) for file in listing.files}
        needed = sum(missing.values()) + self._settings.space_margin + self._promised_elsewhere()
        free = self._settings.free_bytes(self.cache.cache_dir)
        if free is None:
            # A full disk ends the transfer, which can continue.
            return
        if any(missing.values()) and needed > free:
            raise HubError("no-space", self.entry.repository, needed=needed, free=free)

    def _transfer_all(self, client: HubClient, listing: Listing) -> bool:
        """Transfer all files, several at once. False if interrupted; raises the first failure after all have ended."""
        waiting: queue.SimpleQueue[RemoteFile] = queue.SimpleQueue()
        for file in listing.files:
            waiting.put(file)
        failures: list[Exception] = []

        def work() -> None:
            try:
                while not self._stopped() and self._transfer_next(client, listing, waiting):
                    pass
            except Exception as error:
                # The thread that waits for this one raises the error; the other files need not continue.
                failures.append(error)
                self.connections.end()

        count = min(_FILES_AT_ONCE, len(listing.files))
        threads = [threading.Thread(target=work, name=f"hub-file-{index}", daemon=True) for index in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        return not self._stopped()

    def _transfer_next(self, client: HubClient, listing: Listing, waiting: queue.SimpleQueue[RemoteFile]) -> bool:
        try:
            file = waiting.get_nowait()
        except queue.Empty:
            return False
        fresh = not self.cache.has(file)
        transfer = Transfer(client, self.cache, listing.repository, listing.commit, self._count, self._failed_attempt)
        if not transfer.fetch(file):
            return False
        self.cache.link(listing.commit, file.name, file.digest)
        self.progress.note(file.name, 0, file.size)
        if fresh:
            with self.progress.lock:
                self.entry.verified.add(file.digest)
        self._on_change(self, "downloading")
        return True

    def _verify_all(self, listing: Listing) -> bool:
        """Check the blobs that existed before, and delete wrong ones, to be fetched again; True if there are none."""
        wrong = False
        for file in listing.files:
            if file.digest in self.entry.verified:
                continue
            digest = digest_of(self.cache.blob(file.digest), file, self.connections.stop)
            if digest is None or self._stopped():
                return False
            if digest == file.digest:
                self.entry.verified.add(file.digest)
                continue
            self.cache.blob(file.digest).unlink(missing_ok=True)
            self.progress.note(file.name, 0, 0)
            wrong = True
        return not wrong

    def _publish(self, listing: Listing) -> bool:
        for file in listing.files:
            if file.spans and not self._name_by_content(listing.commit, file):
                return False
        # GGUF files of another commit are found without it, but weights of MLX are not.
        is_kept = split_name(self.entry.repository)[1] and (self.cache.home / "refs" / self.entry.revision).exists()
        if not COMMIT.fullmatch(self.entry.revision) and not is_kept:
            self.cache.write_ref(self.entry.revision, listing.commit)
        return True

    def _name_by_content(self, commit: str, file: RemoteFile) -> bool:
        """Check a file joined from spans, and name its blob by its checksum; False if interrupted."""
        blob = self.cache.blob(file.digest)
        try:
            read_header(blob)
        except (CutOffFileError, DamagedHeaderError) as error:
            blob.unlink(missing_ok=True)
            raise HubError("checksum", self.entry.repository, file=file.name) from error
        content = digest_of(blob, file, self.connections.stop)
        if content is None:
            return False
        os.replace(blob, self.cache.blob(content))
        self.cache.link(commit, file.name, content)
        return True

    def _count(self, file: RemoteFile, arrived: int, length: int) -> None:
        self.connections.reached()
        self.progress.note(file.name, arrived, length)
