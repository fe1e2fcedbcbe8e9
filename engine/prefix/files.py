"""The files in which finished turns are stored; `engine.prefix.store` defines their contents.

A turn has two files, an entry (JSON) and its data (caches). The names of both begin with a hash of their conversation's
name, so that all files of a conversation can be deleted without reading any, damaged ones included.
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

DATA, ENTRY = ".safetensors", ".json"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of the store: `size` in bytes, and the time when it was last `used`, in ns since 1970."""

    path: Path
    size: int
    used: int


def entry_path(folder: Path, name: str, content: str) -> Path:
    """Return the path of the entry for a turn with that `content` of the conversation `name`."""
    return folder / f"{short_hash(name)}-{short_hash(content)}{ENTRY}"


def data_path(entry: Path) -> Path:
    """Return the path of the data that belongs to an entry."""
    return entry.with_suffix(DATA)


def partial_data_path(entry: Path) -> Path:
    """Return the path to which data is written before it is renamed; mlx requires its own suffix."""
    return entry.with_suffix(f"{PARTIAL}{DATA}")


def hash_in_name(path: Path) -> str:
    """Return the hash of the conversation to which a file belongs."""
    return path.name.removeprefix(".").partition("-")[0]


def files_in(folder: Path, suffix: str = "") -> list[StoredFile]:
    """Return the store's files with that last suffix, the least recently used first, without files deleted since."""
    found = []
    for path in folder.glob(f"*{suffix}"):
        if path.suffix in (DATA, ENTRY, PARTIAL):
            with suppress(OSError):
                status = path.stat()
                found.append(StoredFile(path, status.st_size, status.st_mtime_ns))
    return sorted(found, key=lambda file: file.used)


def stored_bytes(folder: Path) -> int:
    """Return the bytes of the data of all finished turns in `folder`."""
    return sum(file.size for file in files_in(folder, DATA))


def forget(folder: Path, names: Iterable[str]) -> None:
    """Delete the turns of these conversations in `folder`, for every model."""
    hashes = {short_hash(name) for name in names}
    _unlink(folder, lambda path: hash_in_name(path) in hashes)


def forget_others(folder: Path, names: Iterable[str]) -> None:
    """Delete the turns of all other conversations in `folder`."""
    hashes = {short_hash(name) for name in names}
    _unlink(folder, lambda path: hash_in_name(path) not in hashes)


def remove_partials(folder: Path) -> None:
    """Delete the files that were being written when a process was killed."""
    _unlink(folder, lambda path: PARTIAL in path.suffixes)


def _unlink(folder: Path, goes: Callable[[Path], bool]) -> None:
    for file in files_in(folder):
        if goes(file.path):
            unlink(file.path)


def delete(entry: Path) -> None:
    """Delete a turn: first its entry, because data without an entry is not used."""
    unlink(entry)
    unlink(data_path(entry))


def unlink(file: Path) -> None:
    """Delete a file; a failure is logged."""
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        log.warning("%s cannot be deleted: %s", file, error)


def touch(entry: Path) -> None:
    """Mark the turn as used now."""
    with suppress(OSError):
        os.utime(data_path(entry))


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def short_hash(text: str) -> str:
    """Return the hash of a conversation's name or a turn's content in the names of files."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]
