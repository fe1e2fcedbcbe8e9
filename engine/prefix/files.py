"""The files that finished turns are stored in; `engine.prefix.store` defines their contents.

Two files a turn, an entry (JSON) and its data (caches). The names of both begin with a hash of their conversation's
name, so that all of a conversation can be found and deleted without reading any file, damaged ones included.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from engine.files.atomic_file import PARTIAL

log = logging.getLogger(__name__)

DATA, ENTRY = ".safetensors", ".json"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """`size` in bytes; `used` is the time of last use in ns since 1970."""

    path: Path
    size: int
    used: int


def entry_path(folder: Path, name: str, content: str) -> Path:
    """The path of the entry for a turn with that `content` of the conversation `name`."""
    return folder / f"{conversation_hash(name)}-{_short_hash(content)}{ENTRY}"


def data_path(entry: Path) -> Path:
    """The path of the data that belongs to an entry."""
    return entry.with_suffix(DATA)


def partial_data_path(entry: Path) -> Path:
    """The path that data is written to before it is renamed; mlx requires its own suffix."""
    return entry.with_suffix(f"{PARTIAL}{DATA}")


def conversation_hash(name: str) -> str:
    """What the file names of the conversation `name` begin with, whatever characters it has."""
    return _short_hash(name)


def hash_in_name(path: Path) -> str:
    """The hash of the conversation that a file belongs to."""
    return path.name.removeprefix(".").partition("-")[0]


def files_in(folder: Path, suffix: str = "") -> list[StoredFile]:
    """The store's files with that last suffix, least recently used first; files deleted meanwhile are left out."""
    found = []
    for path in folder.glob(f"*{suffix}"):
        if path.suffix in (DATA, ENTRY, PARTIAL):
            with suppress(OSError):
                status = path.stat()
                found.append(StoredFile(path, status.st_size, status.st_mtime_ns))
    return sorted(found, key=lambda file: file.used)


def stored_bytes(folder: Path) -> int:
    """What the finished turns of all conversations in `folder` take."""
    return sum(file.size for file in files_in(folder, DATA))


def forget(folder: Path, names: Iterable[str]) -> None:
    """Delete what `folder` holds of these conversations, for every model."""
    hashes = {conversation_hash(name) for name in names}
    for file in files_in(folder):
        if hash_in_name(file.path) in hashes:
            unlink(file.path)


def forget_others(folder: Path, names: Iterable[str]) -> None:
    """Delete what `folder` holds of all conversations but these."""
    hashes = {conversation_hash(name) for name in names}
    for file in files_in(folder):
        if hash_in_name(file.path) not in hashes:
            unlink(file.path)


def remove_partials(folder: Path) -> None:
    """Delete what was being written when the process was killed."""
    for file in files_in(folder):
        if PARTIAL in file.path.suffixes:
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
    """The SHA-256 of a file. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
