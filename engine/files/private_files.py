"""Folders and files that only their owner may read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

FOLDER, FILE = 0o700, 0o600


def make_folder(path: Path) -> None:
    """Make a folder with what is missing above it, or take an existing one's access from others. Raises OSError."""
    path.mkdir(FOLDER, parents=True, exist_ok=True)
    tighten([path])


def create(path: Path) -> None:
    """Make an empty file where there is none, for what else would make it readable by others.

    Where that is not possible, whatever opens the file says why.
    """
    with suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE))


def tighten(paths: Iterable[Path]) -> None:
    """Take the access of others to our own folders and files. On a disk without access rights nothing changes.

    A path that is a link counts as what it leads to. Folders with the sticky bit are for everybody on purpose.
    """
    for path in paths:
        with suppress(OSError):
            status = path.stat()
            shared = status.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
            if shared and status.st_uid == os.getuid() and not status.st_mode & stat.S_ISVTX:
                path.chmod(stat.S_IMODE(status.st_mode) & stat.S_IRWXU)
