"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from engine.files import private_files

PARTIAL = ".partial"
"""The last suffix of a file that is being written; the rest of its name is "." and the name of the final file."""


def write_atomically(path: Path, content: bytes | Iterable[bytes], mode: int = 0o600) -> None:
    """Replace the file's content: after a crash or a power cut, readers see the old content or the new, never a part.

    Missing folders are made, as private as the file. `mode` is subject to the umask. A failure raises and leaves no
    other file; only a killed process leaves one, with the suffix PARTIAL.
    """
    private_files.make_missing(path.parent, private_files.SHARED_FOLDER if mode & 0o077 else private_files.FOLDER)
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}{PARTIAL}")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        with open(descriptor, "wb") as file:
            file.writelines([content] if isinstance(content, bytes) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
