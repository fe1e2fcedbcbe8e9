"""Finds the pictures of imported chats: in the file itself, or next to it."""

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
# LM Studio keeps pictures in this folder, next to the folder of its chats.
_OF_LM_STUDIO = "user-files"


def picture_at(container: object, paths: str, files: Files) -> bytes | None:
    """Return the content of a picture; None if it is not found.

    `container` is the picture itself (base64, or the start of its file's name), or has at one of the `paths` its bytes,
    a data URL or the start of its file's name.
    """
    if isinstance(container, str):
        return picture_of_base64(container) or files(container)
    for value in fields.values(container, paths):
        if isinstance(value, bytes):
            return value
        if isinstance(value, str) and (content := picture_of_url(value) or files(value)) is not None:
            return content
    return None


def files_of(path: Path, stack: ExitStack) -> Files:
    """Return what reads a file of an export by the beginning of its name.

    The files are those in the ZIP file, or next to the file and where LM Studio keeps them. `stack` closes the ZIP
    file.
    """
    files: dict[str, Any]
    read: Callable[[Any], bytes]
    if zipfile.is_zipfile(path):
        archive = stack.enter_context(zipfile.ZipFile(path))
        files = {_named(member.filename): member for member in archive.infolist()}
        read = archive.read
    else:
        folders = [path if path.is_dir() else path.parent, *(parent / _OF_LM_STUDIO for parent in path.parents)]
        files = {file.name: file for folder in folders for file in _listed(folder)}
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
    """Return the files in a folder; [] if it cannot be read."""
    try:
        return [file for file in folder.iterdir() if file.is_file()]
    except OSError:
        return []
