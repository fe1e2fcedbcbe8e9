"""Reads the files of folders of chats: files and whole folders of the disk. No Qt in here."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from app.conversations.database import storable
from app.conversations.records import Source, SourceFile
from app.session.attachments import LARGEST_BYTES, NotAttachable, read_attachment
from engine.errors import PictureNotUsable, PicturesNotInstalled

# More files than a context holds, and entries that would take long to list.
MOST_FILES = 200
_MOST_ENTRIES = 20_000


def read_again(source: Source, language: str, step: Callable[[], object]) -> Source:
    """Return a source as it is on the disk now; only files that have changed are read.

    What cannot be read keeps its text of before and has a `problem`. Hidden files and links in a folder are not read.
    `language` and `step` are those of `read_attachment`. Not for the Qt thread.
    """
    if not source.path:
        return source
    path, before = Path(source.path), {file.name: file for file in source.files}
    try:
        if not path.exists():
            raise NotAttachable(path.name, "gone")
        found = sorted(_files_below(path, step)) if source.is_folder else [path]
        files = []
        for file in found:
            step()
            name = storable(file.relative_to(path.parent).as_posix())
            files.append(_read(file, before.get(name, SourceFile(name)), language, step))
        if sum(len(file.text) for file in files) > LARGEST_BYTES:
            raise NotAttachable(path.name, "too-large")
        if not source.is_folder and files[0].problem:
            raise NotAttachable(path.name, files[0].problem)
    except NotAttachable as error:
        return replace(source, problem=error.reason)
    except OSError:
        return replace(source, problem="unreadable")
    return replace(source, files=tuple(files), problem="")


def _files_below(root: Path, step: Callable[[], object]) -> list[Path]:
    """Return the files below a folder. Raises NotAttachable if they are too many, and OSError."""
    found: list[Path] = []
    listed = 0
    for folder, folders, names in os.walk(root, onerror=_refuse):
        step()
        folders[:] = [name for name in folders if not name.startswith(".")]
        listed += len(folders) + len(names)
        paths = (Path(folder, name) for name in names if not name.startswith("."))
        found += [path for path in paths if path.is_file() and not path.is_symlink()]
        if listed > _MOST_ENTRIES or len(found) > MOST_FILES:
            raise NotAttachable(root.name, "too-many")
    return found


def _refuse(error: OSError) -> None:
    raise error


def _read(path: Path, known: SourceFile, language: str, step: Callable[[], object]) -> SourceFile:
    status = path.stat()
    if (known.size, known.changed) == (status.st_size, status.st_mtime_ns):
        return known
    known = replace(known, size=status.st_size, changed=status.st_mtime_ns)
    try:
        read = read_attachment(path, language, step)
    except (NotAttachable, PictureNotUsable, PicturesNotInstalled) as error:
        return replace(known, problem=error.reason if isinstance(error, NotAttachable) else "picture")
    return replace(known, problem="picture") if read.picture else replace(known, text=read.text, problem="")
