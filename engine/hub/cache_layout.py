"""The Hugging Face cache on disk, in the layout that every other tool reads and writes.

<cache>/models--org--name/blobs/<digest>                    a file's bytes
<cache>/models--org--name/blobs/<digest>.tandem.incomplete  the part of it that has arrived
<cache>/models--org--name/snapshots/<commit>/<file>         a relative link to its blob
<cache>/models--org--name/refs/main                         the commit; ours is written last
<cache>/.locks/models--org--name/<digest>.lock              held while that blob is written
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import threading
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from filelock import FileLock, Timeout

from engine.files.atomic_file import write_atomically
from engine.files.listing import files_below, matching
from engine.files.removal import remove_folder
from engine.hub.repository_names import is_content_hash, split_name
from engine.hub.values import RemoteFile
from engine.model_files.names import cache_folder_name

_TAG = (
    "Signature: 8a477f597d28d172789f06886806bc55\n# This folder holds downloaded models: backup programs may skip it.\n"
)
_LOCK_POLL_S = 0.2


class RepositoryCache:
    """The paths of the repository of a download in a cache folder. Creates nothing until something is written."""

    def __init__(self, cache_dir: Path, name: str) -> None:
        self.cache_dir = cache_dir
        self.repository = split_name(name)[0]
        self.home = cache_dir / cache_folder_name(self.repository)
        self.blobs = self.home / "blobs"
        self.locks = cache_dir / ".locks" / self.home.name

    def blob(self, digest: str) -> Path:
        return self.blobs / digest

    def part(self, digest: str) -> Path:
        return self.blobs / f"{digest}.tandem.incomplete"

    def snapshot(self, commit: str) -> Path:
        return self.home / "snapshots" / commit

    def prepare(self) -> None:
        """Make the folders that a download writes to."""
        fresh = not self.cache_dir.exists()
        self.blobs.mkdir(parents=True, exist_ok=True)
        self.locks.mkdir(parents=True, exist_ok=True)
        if fresh:
            with contextlib.suppress(OSError):
                (self.cache_dir / "CACHEDIR.TAG").write_text(_TAG, encoding="ascii")

    @contextlib.contextmanager
    def writing(self, digest: str, stop: threading.Event) -> Iterator[bool]:
        """Hold the blob's lock, which huggingface_hub honours too; yield False if `stop` was set first."""
        lock = FileLock(self.locks / f"{digest}.lock", mode=0o664)
        while not stop.is_set():
            try:
                lock.acquire(timeout=_LOCK_POLL_S)
            except Timeout:
                continue
            try:
                yield True
            finally:
                lock.release()
            return
        yield False

    def is_being_written(self) -> bool:
        """Whether a program holds the lock of a blob. Raises OSError if the system does not say."""
        for path in matching(self.locks, "*.lock"):
            lock = FileLock(path, mode=0o664)
            try:
                lock.acquire(timeout=0)
            except Timeout:
                return True
            lock.release()
        return False

    def has(self, file: RemoteFile) -> bool:
        """Whether the file's blob exists in its full length."""
        try:
            return self.blob(file.digest).stat().st_size == file.size
        except OSError:
            return False

    def has_in_snapshot(self, commit: str, file: RemoteFile) -> bool:
        """Whether the snapshot has the file in its full length."""
        try:
            return (self.snapshot(commit) / file.name).stat().st_size == file.size
        except OSError:
            return False

    def as_kept(self, commit: str, file: RemoteFile) -> RemoteFile:
        """Return a file joined from spans with the checksum by which the snapshot links it, if it does."""
        with contextlib.suppress(OSError):
            name = os.path.basename(os.readlink(self.snapshot(commit) / file.name))
            return replace(file, digest=name) if file.spans and is_content_hash(name) else file
        return file

    def present_bytes(self, file: RemoteFile) -> int:
        """Return the number of the file's bytes on disk: all, as many as a partial download has, or none."""
        if self.has(file):
            return file.size
        with contextlib.suppress(OSError):
            status = self.part(file.digest).lstat()
            return min(status.st_size, file.size) if stat.S_ISREG(status.st_mode) else 0
        return 0

    def link(self, commit: str, name: str, digest: str) -> None:
        """Link the snapshot's `name` to the blob; where links are not supported, copy it."""
        pointer = self.snapshot(commit) / name
        pointer.parent.mkdir(parents=True, exist_ok=True)
        target = os.path.relpath(self.blob(digest), pointer.parent)
        with contextlib.suppress(OSError):
            if os.readlink(pointer) == target:
                return
        pointer.unlink(missing_ok=True)
        try:
            pointer.symlink_to(target)
        except OSError:
            shutil.copyfile(self.blob(digest), pointer)

    def write_ref(self, revision: str, commit: str) -> None:
        """Record that `revision` is `commit`, atomically: from then on every tool finds the snapshot."""
        ref = self.home / "refs" / revision
        # Several people may share the cache, whose folders are as the umask says.
        ref.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(ref, commit.encode("ascii"))

    def discard(self, commit: str, digests: Iterable[str], earlier_blobs: Iterable[str] = ()) -> None:
        """Delete an unfinished download: its parts, its snapshot, and blobs that no other snapshot links to.

        The `earlier_blobs` were in the snapshot before the download began; they stay. Raises OSError; what other
        snapshots may link to is there then.
        """
        listed = set(digests)
        # What the snapshot has of another download, as of another quantisation, stays, too.
        kept_before = {*earlier_blobs, *(digest for _, digest in _links(self.snapshot(commit)) if digest not in listed)}
        downloaded = listed - kept_before
        for digest in listed:
            self.part(digest).unlink(missing_ok=True)
        if kept_before:
            for link, digest in _links(self.snapshot(commit)):
                if digest in downloaded:
                    link.unlink(missing_ok=True)
        else:
            remove_folder(self.snapshot(commit))
        for digest in downloaded - {digest for _, digest in _links(self.home / "snapshots")}:
            self.blob(digest).unlink(missing_ok=True)
        for folder in (self.home / "snapshots", self.blobs, self.home):
            with contextlib.suppress(OSError):
                folder.rmdir()


def _links(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield every link below `folder`, and the name of its target. Raises OSError if a folder cannot be listed."""
    for link in files_below(folder):
        with contextlib.suppress(OSError):
            yield link, os.path.basename(os.readlink(link))
