"""Reads the files of folders of chats: files and whole folders of the disk. No Qt in here."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from app.conversations.database import storable
from app.conversations.records import Source, SourceFile
from app.session.attachments import LARGEST_BYTES, NotAttachable, read_attachment
from app.system.cancelled import Cancelled
from engine.errors import PictureNotUsable
from engine.files.reading_time import ReadingTime

# More files than a context holds, and entries that would take long to list.
MOST_FILES = 200
_MOST_ENTRIES = 20_000


def read_again(
    source: Source, language: str, time: ReadingTime, begins: Callable[[str], object] = lambda _name: None
) -> Source:
    """Return a source as it is on the disk now; only files that have changed are read.

    A file that cannot be read keeps its earlier text and has a `problem`. A file for which no time was left is read
    next time. Hidden files and links in a folder are not read. `begins` gets the name of each file that is read;
    `language` and `time` are those of `read_attachment`, which it raises `Cancelled` for. Not for the Qt thread.
    """
    if not source.path:
        return source
    path, before = Path(source.path), {file.name: file for file in source.files}
    files = list[SourceFile]()
    try:
        if not path.exists():
            raise NotAttachable(path.name, "gone")
        found = sorted(_files_below(path, time)) if source.is_folder else [path]
        for file in found:
            _check_wanted(time)
            name = storable(file.relative_to(path.parent).as_posix())
            files.append(_read(file, before.get(name, SourceFile(name)), language, time, begins))
        if sum(len(file.text) for file in files) > LARGEST_BYTES:
            raise NotAttachable(path.name, "too-large")
    except NotAttachable as error:
        # Files with a problem keep their earlier text and are not read again until they change.
        bad = {file.name: file for file in files if file.problem}
        return replace(source, files=tuple((before | bad).values()), problem=error.reason)
    except OSError:
        return replace(source, problem="unreadable")
    return replace(source, files=tuple(files), problem="" if source.is_folder else files[0].problem)


def _check_wanted(time: ReadingTime) -> None:
    if time.abandoned.is_set():
        raise Cancelled


def _files_below(root: Path, time: ReadingTime) -> list[Path]:
    """Return the files below a folder. Raises NotAttachable if they are too many, and OSError."""
    found: list[Path] = []
    listed = 0
    for folder, folders, names in os.walk(root, onerror=_refuse):
        _check_wanted(time)
        folders[:] = [name for name in folders if not name.startswith(".")]
        listed += len(folders) + len(names)
        paths = (Path(folder, name) for name in names if not name.startswith("."))
        found += [path for path in paths if path.is_file() and not path.is_symlink()]
        if listed > _MOST_ENTRIES or len(found) > MOST_FILES:
            raise NotAttachable(root.name, "too-many")
    return found


def _refuse(error: OSError) -> None:
    raise error


def _read(
    path: Path, known: SourceFile, language: str, time: ReadingTime, begins: Callable[[str], object]
) -> SourceFile:
    status = path.stat()
    if (known.size, known.changed) == (status.st_size, status.st_mtime_ns):
        return known
    begins(path.name)
    now = replace(known, size=status.st_size, changed=status.st_mtime_ns)
    try:
        return replace(now, text=read_attachment(path, language, time).text, problem="")
    except NotAttachable as error:
        return replace(known if error.reason == "no-time" else now, problem=error.reason)
    except PictureNotUsable:
        return replace(now, problem="picture")
