"""The files in which finished turns lie on disk; `engine.prefix_store` says what is in them.

Two files a turn, a description and its data. The names of both begin with the mark of the conversation whose text they
hold, so that all of it can be found and deleted, damaged and half-written files included, without reading any.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from engine.atomic_file import PARTIAL

log = logging.getLogger(__name__)

DATA, ENTRY = ".safetensors", ".json"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """`size` in bytes; `used` is when, in ns since 1970."""

    path: Path
    size: int
    used: int


def place_of(folder: Path, name: str, content: str) -> Path:
    """Where the description of a turn with that `content` of the conversation `name` lies."""
    return folder / f"{mark_of(name)}-{_short_hash(content)}{ENTRY}"


def data_of(entry: Path) -> Path:
    """The data that a description describes."""
    return entry.with_suffix(DATA)


def partial_data_of(entry: Path) -> Path:
    """Where a description's data are written at first; mlx wants its own suffix."""
    return entry.with_suffix(f"{PARTIAL}{DATA}")


def mark_of(name: str) -> str:
    """What the files of the conversation `name` begin with, whatever signs it has."""
    return _short_hash(name)


def mark_in(path: Path) -> str:
    """Whose file it is."""
    return path.name.removeprefix(".").partition("-")[0]


def files_in(folder: Path, suffix: str = "") -> list[StoredFile]:
    """Our files with that last suffix, the least recently used first; what somebody deletes meanwhile is left out."""
    found = []
    for path in folder.glob(f"*{suffix}"):
        if path.suffix in (DATA, ENTRY, PARTIAL):
            with suppress(OSError):
                status = path.stat()
                found.append(StoredFile(path, status.st_size, status.st_mtime_ns))
    return sorted(found, key=lambda file: file.used)


def stored_bytes(folder: Path) -> int:
    """What the finished turns in `folder` take, whoever's they are."""
    return sum(file.size for file in files_in(folder, DATA))


def forget(folder: Path, names: Iterable[str]) -> None:
    """Delete what `folder` holds of these conversations, whichever model read them."""
    marks = {mark_of(name) for name in names}
    for file in files_in(folder):
        if mark_in(file.path) in marks:
            unlink(file.path)


def forget_others(folder: Path, names: Iterable[str]) -> None:
    """Delete what `folder` holds of all conversations but these."""
    marks = {mark_of(name) for name in names}
    for file in files_in(folder):
        if mark_in(file.path) not in marks:
            unlink(file.path)


def remove_partials(folder: Path) -> None:
    """Delete what was being written when a kill came."""
    for file in files_in(folder):
        if PARTIAL in file.path.suffixes:
            unlink(file.path)


def delete(entry: Path) -> None:
    """A turn's two files; first the one without which the other is nobody's."""
    unlink(entry)
    unlink(data_of(entry))


def unlink(file: Path) -> None:
    """Delete a file; one that stays is logged."""
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        log.warning("%s cannot be deleted: %s", file, error)


def touch(entry: Path) -> None:
    """The turn was used just now."""
    with suppress(OSError):
        os.utime(data_of(entry))


def checksum(path: Path) -> str:
    """The SHA-256 of a file. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
