"""Moves a folder to another disk safely: copy, compare, switch, and only then remove. No Qt in here.

A link to the new path replaces the old folder, so every program still finds it, and a disk that is not plugged in gives
an error instead of an empty folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from engine.errors import EngineError
from engine.files.disk_space import free_bytes
from engine.files.listing import refuse
from engine.files.removal import remove_folder

_CHUNK = 4 * 2**20
# The suffix of the new folder while it is being filled.
_FILLING = ".tandem-moving"
# The suffix of the old folder until the link has replaced it.
_REPLACED = ".tandem-moved"


class MoveRefused(EngineError):
    """The folder stays where it is.

    `reason`: "not-empty", "inside", "no-space" (needed, free), "differs" (file), "io" (detail), "stopped", "in-use" (by
    another process) or "nothing" (there is no folder).
    """

    code = "move-refused"

    def __init__(self, reason: str, **arguments: object) -> None:
        self.reason = reason
        super().__init__(f"the folder was not moved: {reason} {arguments}", reason=reason, **arguments)


class CopyProgress:
    """The bytes copied so far, read by another thread; setting `stopped` ends the move."""

    def __init__(self) -> None:
        self.done = 0
        self.total = 0
        self.stopped = False


def move_folder(old: Path, new: Path, progress: CopyProgress | None = None) -> None:
    """Move the content of `old` to `new`, which must be missing or empty, and leave a link.

    Waits for the disk. Raises `MoveRefused`; `old` is then as it was. If the old content cannot be removed, the log
    says so; `finish_interrupted_move` tries again.
    """
    progress = progress or CopyProgress()
    source = old.resolve()
    was_link = old.is_symlink()
    try:
        _check(source, new, progress)
    except OSError as error:
        raise MoveRefused("io", detail=error.strerror or str(error)) from error
    filling = new.with_name(new.name + _FILLING)
    written = filling
    try:
        remove_folder(filling)
        filling.mkdir(parents=True)
        # Before any file is copied: a private folder stays private.
        shutil.copymode(source, filling)
        _copy_all(source, filling, progress)
        if new.exists():
            new.rmdir()
        os.replace(filling, new)
        written = new
        _switch(old, new)
    except (MoveRefused, OSError) as error:
        remove_folder(written)
        if isinstance(error, MoveRefused):
            raise
        raise MoveRefused("io", detail=error.strerror or str(error)) from error
    remove_folder(source if was_link else old.with_name(old.name + _REPLACED))


def finish_interrupted_move(old: Path) -> None:
    """Restore a folder whose move was interrupted before the link replaced it, or remove what a move could not."""
    replaced = old.with_name(old.name + _REPLACED)
    if replaced.is_symlink() or not replaced.is_dir():
        return
    if not os.path.lexists(old):
        with suppress(OSError):
            os.rename(replaced, old)
    elif old.is_symlink() and old.is_dir():
        remove_folder(replaced)


def _check(source: Path, new: Path, progress: CopyProgress) -> None:
    """Raise `MoveRefused` if the move cannot succeed; set the total of the progress."""
    if not source.is_dir():
        raise MoveRefused("nothing")
    target = new.absolute()
    parents = {target.resolve(), *target.resolve().parents}
    if source in parents or target.resolve() in source.parents:
        raise MoveRefused("inside")
    if os.path.lexists(new) and not (new.is_dir() and not any(new.iterdir())):
        raise MoveRefused("not-empty")
    files = [source / name for name in _files(source)]
    progress.total = sum(file.lstat().st_size for file in files if file.is_file() and not file.is_symlink())
    free = free_bytes(next(folder for folder in (target, *target.parents) if folder.is_dir()))
    if free is not None and free < progress.total:
        raise MoveRefused("no-space", needed=progress.total, free=free)


def _files(folder: Path) -> Iterator[Path]:
    """Yield every file, link and empty folder below `folder`, as paths relative to it.

    Raises OSError for a folder that cannot be listed: what is not copied from it would be deleted with it.
    """
    for parent, folders, files in os.walk(folder, onerror=refuse):
        here = Path(parent).relative_to(folder)
        links = [name for name in folders if (Path(parent) / name).is_symlink()]
        yield from (here / name for name in (*files, *links))
        if not files and not folders and here != Path("."):
            yield here


def _copy_all(source: Path, target: Path, progress: CopyProgress) -> None:
    """Copy repeatedly until nothing was added or changed meanwhile, as other programs may write to the folder."""
    copied: dict[Path, tuple[int, int]] = {}
    while changed := [name for name in _files(source) if copied.get(name) != _state(source / name)]:
        for name in changed:
            copied[name] = _state(source / name)
            _copy(source / name, target / name, progress)


def _state(file: Path) -> tuple[int, int]:
    """Return the size and the time of change of a file, by which a change is noticed."""
    known = file.lstat()
    return known.st_size, known.st_mtime_ns


def _copy(source: Path, target: Path, progress: CopyProgress) -> None:
    """Copy one file, link or empty folder; a file is read back and compared."""
    if not target.parent.exists():
        target.parent.mkdir(parents=True)
        shutil.copymode(source.parent, target.parent)
    if target.is_symlink():
        target.unlink()
    if source.is_symlink():
        target.symlink_to(os.readlink(source))
    elif source.is_dir():
        target.mkdir(exist_ok=True)
        shutil.copymode(source, target)
    else:
        written = hashlib.sha256()
        with source.open("rb") as reader, target.open("wb") as writer:
            while chunk := reader.read(_CHUNK):
                if progress.stopped:
                    raise MoveRefused("stopped")
                writer.write(chunk)
                written.update(chunk)
                progress.done += len(chunk)
            writer.flush()
            os.fsync(writer.fileno())
        shutil.copystat(source, target)
        with target.open("rb") as reader:
            if hashlib.file_digest(reader, "sha256").digest() != written.digest():
                raise MoveRefused("differs", file=source.name)


def _switch(old: Path, new: Path) -> None:
    """Replace `old` by a link to `new`. A folder is renamed first, and back if the link cannot be made."""
    replaced = old.with_name(old.name + _REPLACED)
    if old.is_symlink():
        replaced.unlink(missing_ok=True)
        replaced.symlink_to(new.absolute())
        os.replace(replaced, old)
        return
    os.rename(old, replaced)
    try:
        old.symlink_to(new.absolute())
    except OSError:
        os.rename(replaced, old)
        raise
