"""The files in which finished turns are stored; `engine.prefix.store` defines their contents.

The name of a turn's file is a hash of its conversation's name, so that all files of a conversation can be deleted
without reading any, damaged ones included, and the checksum of the file.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from engine.files.atomic_file import PARTIAL

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
    """Return the store's files, the least recently used first, without files deleted since."""
    files = []
    for path in folder.glob("*"):
        if path.suffix in (SUFFIX, _OLD_ENTRY, PARTIAL):
            with suppress(OSError):
                status = path.stat()
                files.append(StoredFile(path, status.st_size, status.st_mtime_ns))
    return sorted(files, key=lambda file: file.used)


def can_be_listed(folder: Path) -> bool:
    """Whether `files_in` sees what is in `folder`; False if the system fails to say, as with no free descriptor."""
    try:
        os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError as error:
        log.info("%s cannot be listed: %s", folder, error)
        return False
    return True


def stored_bytes(folder: Path) -> int:
    """Return the bytes of all finished turns in `folder`."""
    return sum(file.size for file in files_in(folder))


def forget(folder: Path, names: Iterable[str]) -> None:
    """Delete the turns of these conversations in `folder`, for every model."""
    hashes = {short_hash(name) for name in names}
    _unlink(folder, lambda path: hash_in_name(path) in hashes)


def forget_others(folder: Path, names: Iterable[str]) -> None:
    """Delete the turns of all other conversations in `folder`."""
    hashes = {short_hash(name) for name in names}
    _unlink(folder, lambda path: hash_in_name(path) not in hashes)


def remove_leftovers(folder: Path) -> None:
    """Delete the files that were being written when a process was killed, and those of earlier versions."""
    old = {path.stem for path in folder.glob(f"*{_OLD_ENTRY}")}
    _unlink(folder, lambda path: PARTIAL in path.suffixes or path.stem in old)


def _unlink(folder: Path, goes: Callable[[Path], bool]) -> None:
    for file in files_in(folder):
        if goes(file.path):
            unlink(file.path)


def unlink(file: Path) -> None:
    """Delete a file; a failure is logged."""
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        log.warning("%s cannot be deleted: %s", file, error)


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
