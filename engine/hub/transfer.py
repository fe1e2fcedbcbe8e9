"""The transfer of a file from the Hub into the cache: hashed as it arrives, and resumed where it stopped."""

from __future__ import annotations

import errno
import hashlib
import os
import random
import re
import stat
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2

from engine.files.folder_paths import open_regular
from engine.hub.cache_layout import RepositoryCache
from engine.hub.client import HubClient
from engine.hub.failures import HubError, InterruptedTransferError
from engine.hub.values import ByteRange, RemoteFile

_READ_BYTES = 2**20
_RESTARTS = 2
# A connection is given up that brings fewer bytes than this a second, judged after each minute of waiting for it. The
# slowest lines that people download models over, throttled to 8 kbit/s, bring as much on each of four connections at
# once; at half of it a model of 100 MB would take a week. Silence is noticed earlier, by `HubAccess.stall_s`.
SLOWEST_BYTES_A_SECOND = 256
PACE_S = 60.0
_CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Waits of `first_s`, doubled up to `longest_s` and varied by a quarter, for at most `tries` failures in a row."""

    first_s: float = 1.0
    longest_s: float = 60.0
    tries: int = 20

    def wait(self, attempt: int, asked: float | None) -> float:
        """Return the seconds before attempt number `attempt` (from 1), at least `asked`, the server's request."""
        delay = min(self.first_s * 2.0 ** min(attempt - 1, 32), self.longest_s)
        # Randomness spreads out reconnections; neither security nor any text depends on it.
        return max(asked or 0.0, delay * random.uniform(0.75, 1.25))


@dataclass(slots=True)
class Transfer:
    """Fetches files of one commit of `repository` into the cache of the same or another one.

    `on_bytes(file, arrived, length)` reports `arrived` more bytes, `length` in all. `failed(name, before, error)` waits
    after an attempt that failed, the next one after `before` in a row, and returns the new number; it raises `error`
    after the last one.

    A connection that brings fewer than SLOWEST_BYTES_A_SECOND is replaced by another one, which asks for what is
    missing. Such attempts count as failed although bytes arrived, so that a file that only drips ends with "slow-file".
    `now` is the clock, in seconds.
    """

    client: HubClient
    cache: RepositoryCache
    repository: str
    commit: str
    on_bytes: Callable[[RemoteFile, int, int], None]
    failed: Callable[[str, int, InterruptedTransferError], int]
    now: Callable[[], float] = time.monotonic

    def fetch(self, file: RemoteFile) -> bool:
        """Fetch the file's blob into the cache, verified. Return False if interrupted; what arrived is kept then.

        Raises `HubError` if it was refused, was damaged twice, or nothing or next to nothing arrived in all attempts,
        and `OSError` if the disk refuses it.
        """
        stop = self.client.connections.stop
        with self.cache.writing(file.digest, stop) as locked:
            if not locked:
                return False
            if self.cache.has(file):
                return True
            with _PartialFile(self.cache, file) as part:
                return self._until_complete(part)

    def _until_complete(self, part: _PartialFile) -> bool:
        attempt = 0
        stop = self.client.connections.stop
        part.rehash(stop)
        while not stop.is_set():
            before = part.received
            try:
                if part.is_complete():
                    part.publish()
                    return True
                self._append(part)
            except InterruptedTransferError as error:
                if stop.is_set():
                    break
                # What a connection brings before it drips may be worth the attempt.
                worth = SLOWEST_BYTES_A_SECOND * PACE_S if error.reason == "slow-file" else 1
                attempt = self.failed(part.file.name, 0 if part.received - before >= worth else attempt, error)
        return False

    def _append(self, part: _PartialFile) -> None:
        """Append the next bytes: from the header or from one request."""
        source = part.file.behind(part.length)
        if isinstance(source, ByteRange):
            self._stream_into(part, source)
        else:
            part.write(source)
            self.on_bytes(part.file, 0, part.length)

    def _stream_into(self, part: _PartialFile, span: ByteRange) -> None:
        """Request the bytes of a span and append them."""
        repository = self.repository
        address = self.client.file_address(repository, self.commit, span.name)
        last = span.stop - 1 if part.file.spans else ""
        headers = {"Range": f"bytes={span.start}-{last}"} if span.start or part.file.spans else {}
        with self.client.stream(address, repository, headers, accept=(200, 206, 416)) as response:
            try:
                skip = _skip(response, part.file, span)
                if skip is None:
                    part.restart()
                    raise InterruptedTransferError("checksum", repository, file=part.file.name)
                self._receive(response, part, skip, part.length + span.stop - span.start)
            except (httpx2.HTTPError, InterruptedTransferError):
                raise
            except (ValueError, RuntimeError, OSError) as error:
                if isinstance(error, _DiskError):
                    raise
                # Reading from a connection that was shut down fails in many ways.
                raise InterruptedTransferError("offline", repository) from error

    def _receive(self, response: httpx2.Response, part: _PartialFile, skip: int, end: int) -> None:
        """Write the body without its first `skip` bytes, up to the length `end` of the part."""
        stop = self.client.connections.stop
        pace = _Pace()
        chunks = response.iter_raw()
        while (chunk := self._next_chunk(chunks, pace)) is not None:
            data = chunk[skip:] if skip else chunk
            skip -= len(chunk) - len(data)
            if stop.is_set():
                return
            if part.file.spans:
                # A server that ignores ranges also sends what follows the span.
                data = data[: end - part.length]
            elif part.length + len(data) > end:
                part.restart()
                raise InterruptedTransferError("checksum", self.repository, file=part.file.name)
            part.write(data)
            self.on_bytes(part.file, len(chunk), part.length)
            if part.file.spans and part.length == end:
                return
            if part.length < end and pace.is_too_slow():
                raise InterruptedTransferError("slow-file", self.repository, file=part.file.name)
        if part.length < end:
            raise InterruptedTransferError("offline", self.repository)

    def _next_chunk(self, chunks: Iterator[bytes], pace: _Pace) -> bytes | None:
        """Return the next bytes of a body, or None at its end, and note how long it took to get them."""
        asked = self.now()
        chunk = next(chunks, None)
        # A process that was stopped meanwhile waited for itself: silence of the network ends the connection.
        waited = min(self.now() - asked, self.client.access.stall_s)
        pace.note(waited, len(chunk or b""))
        return chunk


class _Pace:
    """How fast a connection is, judged in stretches of PACE_S of waiting.

    Time that the disk takes is no waiting. What came fast in one stretch does not count in the next.
    """

    def __init__(self) -> None:
        self._waited = 0.0
        self._bytes = 0

    def note(self, seconds: float, count: int) -> None:
        """Count `count` bytes that arrived after these seconds of waiting."""
        self._waited += seconds
        self._bytes += count

    def is_too_slow(self) -> bool:
        """Whether a stretch ends here in which too little arrived."""
        if self._waited < PACE_S:
            return False
        too_slow = self._bytes < SLOWEST_BYTES_A_SECOND * self._waited
        self._waited = 0.0
        self._bytes = 0
        return too_slow


class _DiskError(OSError):
    """An `OSError` of the disk, not of the network."""


class _PartialFile:
    """The bytes of a file that have arrived, open for writing, and their hash."""

    def __init__(self, cache: RepositoryCache, file: RemoteFile) -> None:
        self.file = file
        self._cache = cache
        self._path = cache.part(file.digest)
        self._mismatches = 0
        self.received = 0
        self.length = 0
        self._descriptor = -1
        self._hash = _hasher(file)

    def __enter__(self) -> _PartialFile:
        self._descriptor = open_part(self._path)
        if os.fstat(self._descriptor).st_size > self.file.size:
            os.ftruncate(self._descriptor, 0)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def rehash(self, stop: threading.Event) -> None:
        """Hash the bytes of an earlier run, so that the rest can be appended."""
        while not stop.is_set():
            block = os.pread(self._descriptor, _READ_BYTES, self.length)
            if not block:
                return
            self._hash.update(block)
            self.length += len(block)

    def write(self, data: bytes) -> None:
        """Append `data` to the file and to its hash. Raises `_DiskError` if the disk refuses it."""
        view = memoryview(data)
        try:
            while view:
                count = os.pwrite(self._descriptor, view, self.length)
                self._hash.update(view[:count])
                self.length += count
                self.received += count
                view = view[count:]
        except OSError as error:
            raise _DiskError(*error.args) from error

    def is_complete(self) -> bool:
        """Whether all bytes have arrived. For a wrong hash, raises as `restart`, or `InterruptedTransferError`."""
        if self.length < self.file.size:
            return False
        if self.file.spans or self._hash.hexdigest() == self.file.digest:
            return True
        self.restart()
        raise InterruptedTransferError("checksum", self._cache.repository, file=self.file.name)

    def restart(self) -> None:
        """Discard the bytes. Raises `HubError` (checksum) the second time."""
        self._mismatches += 1
        os.ftruncate(self._descriptor, 0)
        self.length = 0
        self._hash = _hasher(self.file)
        if self._mismatches >= _RESTARTS:
            raise HubError("checksum", self._cache.repository, file=self.file.name)

    def publish(self) -> None:
        os.fsync(self._descriptor)
        os.replace(self._path, self._cache.blob(self.file.digest))


def open_part(path: Path) -> int:
    """Open the file at `path` for writing; a link, a pipe or a file with a second name is replaced by a new file.

    Raises `OSError`.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(path, flags, 0o644)
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode) and status.st_nlink == 1:
            return descriptor
        os.close(descriptor)
    except OSError as error:
        # The errors of opening a link, and a pipe that no process reads.
        if error.errno not in (errno.ELOOP, errno.EMLINK, errno.ENXIO):
            raise
    path.unlink()
    return os.open(path, flags | os.O_EXCL, 0o644)


def _hasher(file: RemoteFile) -> hashlib._Hash:
    if len(file.digest) == 64:
        return hashlib.sha256()
    return hashlib.sha1(f"blob {file.size}\0".encode(), usedforsecurity=False)


def digest_of(path: str | os.PathLike[str], file: RemoteFile, stop: threading.Event) -> str | None:
    """Return the digest of the file at `path`, of the same kind as `file.digest`; None if `stop` was set first."""
    hasher = _hasher(file)
    with open_regular(Path(path)) as stream:
        while not stop.is_set():
            block = stream.read(_READ_BYTES)
            if not block:
                return hasher.hexdigest()
            hasher.update(block)
    return None


def matches_digest(content: bytes, file: RemoteFile) -> bool:
    """Whether these bytes are the content of `file`."""
    hasher = _hasher(file)
    hasher.update(content)
    return len(content) == file.size and hasher.hexdigest() == file.digest


def _skip(response: httpx2.Response, file: RemoteFile, span: ByteRange) -> int | None:
    """Return how many bytes of the body come before `span`; None if the answer does not match the request.

    A server that ignores ranges sends the whole file (200).
    """
    if response.status_code == 200:
        return span.start
    # A file with `spans` is made of parts of others, whose sizes are not known here.
    match = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
    if response.status_code == 206 and match and int(match[1]) == span.start:
        return 0 if file.spans or match[3] in ("*", str(file.size)) else None
    return None


def disk_error(error: OSError, cache: RepositoryCache) -> HubError:
    """Return the `HubError` for an `OSError` of the disk."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return HubError("disk-full", cache.repository)
    return HubError("not-writable", cache.repository, path=str(cache.blobs))
