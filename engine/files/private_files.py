"""Folders and files that only their owner may read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from itertools import takewhile
from pathlib import Path

# The mode of a folder that only its owner opens.
FOLDER = 0o700
# The mode of a file that only its owner reads.
FILE = 0o600
# The mode of a folder that is not private; the umask removes bits of it.
SHARED_FOLDER = 0o777


def make_folder(path: Path) -> None:
    """Make a private folder and its missing parents, or make an existing one private. Raises OSError."""
    make_missing(path)
    tighten([path])


def make_missing(path: Path, mode: int = FOLDER) -> None:
    """Make a folder and its parents with these permissions, those that are missing. Raises OSError."""
    # `Path.mkdir` makes parents with the default permissions.
    for folder in (*reversed([*takewhile(lambda parent: not parent.exists(), path.parents)]), path):
        folder.mkdir(mode, exist_ok=True)


def create(path: Path) -> None:
    """Make an empty private file if there is none, before a library makes one that others can read.

    Errors are left to the library that opens the file.
    """
    with suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE))


def tighten(paths: Iterable[Path]) -> None:
    """Remove the access of other users to our own folders and files. On a disk without access rights nothing changes.

    Links are followed. Folders with the sticky bit are left alone: they are shared on purpose.
    """
    for path in paths:
        with suppress(OSError):
            status = path.stat()
            shared = status.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
            if shared and status.st_uid == os.getuid() and not status.st_mode & stat.S_ISVTX:
                path.chmod(stat.S_IMODE(status.st_mode) & stat.S_IRWXU)
