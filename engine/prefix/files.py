"""The files in which finished turns are stored; `engine.prefix.store` defines their contents.

The name of a turn's file is a hash of its conversation's name, so that all files of a conversation can be deleted
without reading any, damaged ones included, and the checksum of the file.
"""

from __future__ import annotations

import hashlib
import logging
import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from engine.files.atomic_file import PARTIAL
from engine.files.listing import names_in

log = logging.getLogger(__name__)

SUFFIX = ".safetensors"
# Earlier versions kept the description of each turn in a file of its own.
_OLD_ENTRY = ".json"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of the store: `size` in bytes, and the time when it was last `used`, in ns since 1970."""

    path: Path
    size: int
    used: int


def partial_path(folder: Path, name: str) -> Path:
    """Return the path to which a turn of the conversation `name` is written; mlx requires its own suffix."""
    return folder / f"{short_hash(name)}{PARTIAL}{SUFFIX}"


def publish(partial: Path, name: str) -> Path:
    """Rename a file that is complete, and return its path. Raises OSError."""
    path = partial.with_name(f"{short_hash(name)}-{_checksum(partial)}{SUFFIX}")
    os.replace(partial, path)
    return path


def is_sound(path: Path) -> bool:
    """Whether the file has the checksum in its name. Raises OSError."""
    return _checksum(path) == path.stem.partition("-")[2]


def hash_in_name(path: Path) -> str:
    """Return the hash of the conversation to which a file belongs."""
    return path.name.removeprefix(".").partition(".")[0].partition("-")[0]


def files_in(folder: Path) -> list[StoredFile]:
    """Return the store's files, the least recently used first, without files deleted since.

    A folder that does not exist has none. Raises OSError for one that cannot be listed, as with no free descriptor: it
    may have any.
    """
    files = []
    for path in map(folder.joinpath, names_in(folder)):
        if path.suffix in (SUFFIX, _OLD_ENTRY, PARTIAL):
            with suppress(OSError):
                status = path.stat()
                files.append(StoredFile(path, status.st_size, status.st_mtime_ns))
    return sorted(files, key=lambda file: file.used)


def stored_bytes(folder: Path) -> int | None:
    """Return the bytes of all finished turns in `folder`; None if it cannot be listed."""
    try:
        return sum(file.size for file in files_in(folder))
    except OSError as error:
        log.info("%s cannot be listed: %s", folder, error)
        return None


def remove_leftovers(folder: Path) -> None:
    """Delete the files that were being written when a process was killed, and files of earlier versions.

    Raises OSError if `folder` cannot be listed.
    """
    files = [file.path for file in files_in(folder)]
    old = {path.stem for path in files if path.suffix == _OLD_ENTRY}
    for path in files:
        if PARTIAL in path.suffixes or path.stem in old:
            unlink(path)


class TurnDeletions:
    """Deletes the turns of conversations; what cannot be deleted now is deleted later, by `retry`."""

    def __init__(self) -> None:
        self._undeleted: list[Callable[[], bool]] = []

    def forget(self, folder: Path, names: Iterable[str]) -> None:
        """Delete the turns of these conversations in `folder`, for every model."""
        hashes = {short_hash(name) for name in names}

        def goes(file: StoredFile) -> bool:
            return hash_in_name(file.path) in hashes

        self._delete(folder, goes, goes)

    def forget_others(self, folder: Path, names: Iterable[str]) -> None:
        """Delete the turns of all other conversations in `folder`; later, without those stored or used since."""
        hashes = {short_hash(name) for name in names}
        asked = time.time_ns()

        def goes(file: StoredFile) -> bool:
            return hash_in_name(file.path) not in hashes

        self._delete(folder, goes, lambda file: file.used < asked and goes(file))

    def retry(self) -> None:
        """Delete what could not be deleted before."""
        self._undeleted = [delete for delete in self._undeleted if not delete()]

    def _delete(
        self, folder: Path, goes: Callable[[StoredFile], bool], goes_later: Callable[[StoredFile], bool]
    ) -> None:
        self.retry()
        if not _delete(folder, goes, logging.WARNING):
            self._undeleted.append(partial(_delete, folder, goes_later, logging.INFO))


def _delete(folder: Path, goes: Callable[[StoredFile], bool], level: int) -> bool:
    """Delete the files of `folder` for which `goes` is true; return whether all are gone. Failures are logged."""
    try:
        files = files_in(folder)
    except OSError as error:
        log.log(level, "%s cannot be listed, so its turns are deleted later: %s", folder, error)
        return False
    gone = [unlink(file.path, level) for file in files if goes(file)]
    return all(gone)


def unlink(file: Path, level: int = logging.WARNING) -> bool:
    """Delete a file and return whether it is gone; a failure is logged."""
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        log.log(level, "%s cannot be deleted: %s", file, error)
        return False
    return True


def touch(path: Path) -> None:
    """Mark the turn as used now."""
    with suppress(OSError):
        os.utime(path)


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def short_hash(text: str) -> str:
    """Return the hash of a conversation's name in the names of files."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]
