"""Copies, names, removes and locks the files of a store."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from app.conversations.database.errors import StoreInUse

# The end of the name of the file that marks a store as damaged.
_MARK = "-unmended"
_SIDE_FILES = ("-wal", "-shm", "-journal", _MARK)
# Seconds to wait for another process that is opening the store.
_LOCK_WAIT_S = 1.0
# Seconds between attempts to get the lock.
_LOCK_RETRY_S = 0.02


@contextmanager
def alone_in(path: Path) -> Iterator[None]:
    """Keep other processes from opening the store, also while its file is replaced and the database holds no lock.

    Waits for another process that opens it, at most _LOCK_WAIT_S, and then raises StoreInUse. Does nothing on a disk
    without file locks.
    """
    descriptor = os.open(path.parent, os.O_RDONLY)
    try:
        with suppress(OSError):
            _lock(descriptor, path)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, path: Path) -> None:
    """Lock the folder, waiting for another process. Raises StoreInUse, or OSError on a disk without locks."""
    until = time.monotonic() + _LOCK_WAIT_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError as error:
            if time.monotonic() > until:
                raise StoreInUse(path) from error
        time.sleep(_LOCK_RETRY_S)


def copy_with_log(source: Path, target: Path) -> None:
    """Copy a database file and, if there is one, its write-ahead log."""
    shutil.copy2(source, target)
    log = Path(f"{source}-wal")
    if log.exists():
        shutil.copy2(log, Path(f"{target}-wal"))


def remove_side_files(path: Path) -> None:
    """Remove the log, the shared memory, the journal and the mark of damage of a database file."""
    for side in _SIDE_FILES:
        Path(f"{path}{side}").unlink(missing_ok=True)


def mark_of(path: Path) -> Path:
    """Return the file that marks the store at `path` as damaged, so that the next start recovers it."""
    return Path(f"{path}{_MARK}")


def remove_with_side_files(path: Path) -> None:
    """Remove a database file and what belongs to it."""
    remove_side_files(path)
    path.unlink(missing_ok=True)


def stamp(clock: Callable[[], float]) -> str:
    """Return the current time as it is written in the names of copies."""
    return datetime.fromtimestamp(clock()).strftime("%Y-%m-%d-%H%M%S")


def free_name(path: Path) -> Path:
    """Return the path, with a number if such a file exists already."""
    candidate = path
    number = 2
    while candidate.exists():
        candidate = path.with_name(f"{path.stem} {number}{path.suffix}")
        number += 1
    return candidate


def sync(path: Path) -> None:
    """Make a file's content or a folder's renames durable.

    Closing the descriptor would release the locks of a database that this process has open: do not use it for one.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
