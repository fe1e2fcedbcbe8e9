"""Finds the pictures of imported chats in the file itself or beside it."""

from __future__ import annotations

import zipfile
import zlib
from bisect import bisect_left
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from app.conversations.imports import fields
from app.text.picture_data import picture_of_base64, picture_of_url
from engine.pictures.picture_file import MOST_MEGABYTES

# Returns the content of the file whose name begins so; None if there is none.
Files = Callable[[str], bytes | None]

_LARGEST = MOST_MEGABYTES * 2**20
# LM Studio keeps pictures in this folder, beside that of its chats.
_OF_LM_STUDIO = "user-files"


def picture_at(container: object, paths: str, files: Files) -> bytes | None:
    """Return a picture: base64 or a file's name alone, or at a path its bytes, a data URL or the start of a name."""
    if isinstance(container, str):
        return picture_of_base64(container) or files(container)
    for value in fields.values(container, paths):
        if isinstance(value, bytes):
            return value
        if isinstance(value, str) and (found := picture_of_url(value) or files(value)) is not None:
            return found
    return None


def files_of(path: Path, stack: ExitStack) -> Files:
    """Return what reads a file by the start of its name: in the ZIP file, or beside the file and as LM Studio does."""
    files: dict[str, Any]
    read: Callable[[Any], bytes]
    if zipfile.is_zipfile(path):
        archive = stack.enter_context(zipfile.ZipFile(path))
        files = {_named(one.filename): one for one in archive.infolist()}
        read = archive.read
    else:
        folders = [path if path.is_dir() else path.parent, *(parent / _OF_LM_STUDIO for parent in path.parents)]
        files = {one.name: one for folder in folders for one in _listed(folder)}
        read = Path.read_bytes
    names = sorted(files)

    def find(name: str) -> bytes | None:
        at = bisect_left(names, name)
        if not name or at == len(names) or not names[at].startswith(name) or _size(files[names[at]]) > _LARGEST:
            return None
        try:
            return read(files[names[at]])
        except (OSError, zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError):
            return None

    return find


def _named(member: str) -> str:
    """Return the name of a file; Grok names a file by its folder."""
    path = Path(member)
    return path.parent.name if path.name == "content" else path.name


def _size(file: Path | zipfile.ZipInfo) -> int:
    return file.file_size if isinstance(file, zipfile.ZipInfo) else file.stat().st_size


def _listed(folder: Path) -> list[Path]:
    try:
        return [file for file in folder.iterdir() if file.is_file()]
    except OSError:
        return []
