"""Reads the files of folders of chats: files and whole folders of the disk. No Qt in here."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from app.conversations.database import storable
from app.conversations.projects import Source, SourceFile, Sources
from app.session.attachments import LARGEST_BYTES, NotAttachable, read_attachment

# More files than a context holds, and entries that would take long to list.
MOST_FILES = 200
_MOST_ENTRIES = 20_000
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")

# Called between two steps of the work; it may raise to stop.
Step = Callable[[], object]


def new_source(path: Path) -> Source:
    """Return a file or a folder of the disk that `read_again` is to read."""
    return Source(storable(str(path)), path.is_dir())


def read_again(source: Source, language: str, step: Step) -> Source:
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
        files = [_read(name, file, before, language, step) for name, file in _files_of(path, source.is_folder, step)]
        if sum(len(file.text) for file in files) > LARGEST_BYTES:
            raise NotAttachable(path.name, "too-large")
        if not source.is_folder and files[0].problem:
            raise NotAttachable(path.name, files[0].problem)
    except NotAttachable as error:
        return replace(source, problem=error.reason)
    except OSError:
        return replace(source, problem="unreadable")
    return replace(source, files=tuple(files), problem="")


def updated(sources: Sources, fresh: Mapping[str, Source]) -> Sources:
    """Return the sources as they were read into `fresh`, by their paths, with what is left out of them now."""

    def kept(source: Source) -> Source:
        read = fresh.get(source.path, source)
        out = {file.name for file in source.files if file.left_out}
        return replace(read, files=tuple(replace(file, left_out=file.name in out) for file in read.files))

    return tuple(kept(source) for source in sources)


def _files_of(path: Path, is_folder: bool, step: Step) -> Iterator[tuple[str, Path]]:
    """Yield the names and paths of a source's files, in an order that never changes."""
    if not is_folder:
        yield _CONTROLS.sub(" ", storable(path.name)), path
        return
    for file in sorted(_files_below(path, step)):
        yield _CONTROLS.sub(" ", storable(file.relative_to(path.parent).as_posix())), file


def _files_below(root: Path, step: Step) -> list[Path]:
    """Return the files below a folder. Raises NotAttachable if they are too many."""
    found: list[Path] = []
    waiting, listed = [root], 0
    while waiting:
        step()
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                listed += 1
                if listed > _MOST_ENTRIES or len(found) > MOST_FILES:
                    raise NotAttachable(root.name, "too-many")
                if entry.name.startswith(".") or entry.is_symlink():
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                elif entry.is_file(follow_symlinks=False):
                    found.append(Path(entry.path))
    return found


def _read(name: str, path: Path, before: Mapping[str, SourceFile], language: str, step: Step) -> SourceFile:
    step()
    known, status = before.get(name, SourceFile(name)), path.stat()
    if (known.size, known.changed) == (status.st_size, status.st_mtime_ns):
        return known
    known = replace(known, size=status.st_size, changed=status.st_mtime_ns)
    try:
        return replace(known, text=read_attachment(path, language, step).text, problem="")
    except NotAttachable as error:
        return replace(known, problem=error.reason)
