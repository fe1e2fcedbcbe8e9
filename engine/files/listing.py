"""Listings on which depends what is deleted: they fail if the system refuses them, as with no free descriptor.

`Path.glob` and `os.walk` take a folder that cannot be listed as empty, so that nothing, or too much, would be deleted.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path


def names_in(folder: Path) -> list[str]:
    """Return the names in a folder; none if there is no such folder. Raises OSError."""
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []


def matching(folder: Path, pattern: str) -> list[Path]:
    """Return the paths in a folder whose names match `pattern`. Raises OSError."""
    return [folder / name for name in names_in(folder) if fnmatchcase(name, pattern)]


def files_below(folder: Path) -> Iterator[Path]:
    """Yield all files and links to files below a folder, without following links to folders. Raises OSError."""
    for parent, _, names in os.walk(folder, onerror=refuse):
        for name in names:
            yield Path(parent, name)


def refuse(error: OSError) -> None:
    """Raise the error, which `os.walk` would ignore, unless the folder is gone."""
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        raise error
