"""The files of a model folder: its own, and in the Hugging Face cache the blobs to which they link."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import BinaryIO

# The weights that mlx-lm reads, all of them in the folder itself.
WEIGHTS = "model*.safetensors"
# The files that mlx-lm reads, and those of heads. Python files are left out: code from strangers is never fetched.
MODEL_PATTERNS = (
    "*.json",
    WEIGHTS,
    # Heads next to their main model, in packs also in a folder of that name; mlx-lm does not read them.
    "mtp*.safetensors",
    "dflash/*.safetensors",
    # The layers after the pooling of an embedding model.
    "[0-9]_Dense/model.safetensors",
    # The only file of another format: `engine.model_files.torch_file` reads its numbers and never runs its pickle.
    "mask_embedding.pt",
    "dflash/mask_embedding.pt",
    "tokenizer.model",
    "*.tiktoken",
    "tiktoken.model",
    "*.txt",
    "*.jsonl",
    "*.jinja",
)
# The files of a main model, or of a head that has a folder to itself.
SHARD_OF_MODEL = re.compile(r"model(?:-\d{5}-of-\d{5})?\.safetensors")
_MOST_ENTRIES = 2_000
_DEEPEST = 4


def is_weights(name: str) -> bool:
    """Whether mlx-lm reads the file as a model's weights. An index may name others, as of a vision tower next to it."""
    return "/" not in name and fnmatchcase(name, WEIGHTS)


class LeavesFolderError(ValueError):
    """The file `name` leads outside the folder."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class TooManyEntriesError(ValueError):
    """Not a model folder: it holds thousands of files or is nested too deeply."""


def allowed_roots(folder: Path) -> tuple[Path, ...]:
    """Return the resolved folders in which a file of this folder may be.

    A snapshot of the Hugging Face cache, or a folder inside one, links into its repository's `blobs` and, for
    deduplicated ones, into the cache's own.
    """
    home = folder.resolve()
    for snapshots in list(home.parents)[:2]:
        repository = snapshots.parent
        if snapshots.name == "snapshots" and repository.name.startswith("models--"):
            return (home, repository / "blobs", repository.parent / "blobs")
    return (home,)


def list_inside(folder: Path) -> list[str]:
    """Return the relative names of all files below `folder`.

    Raises `LeavesFolderError` for a link that leads elsewhere, `TooManyEntriesError` for more than 2,000 entries.
    """
    roots = allowed_roots(folder)
    names: list[str] = []
    pending: list[tuple[Path, int]] = [(folder.resolve(), 0)]
    seen = 0
    while pending:
        directory, depth = pending.pop()
        with os.scandir(directory) as entries:
            for entry in entries:
                seen += 1
                if seen > _MOST_ENTRIES:
                    raise TooManyEntriesError(str(folder))
                name = os.path.relpath(entry.path, roots[0])
                if entry.is_symlink():
                    target = Path(os.path.realpath(entry.path))
                    if not any(target.is_relative_to(root) for root in roots):
                        raise LeavesFolderError(name)
                if entry.is_dir(follow_symlinks=False):
                    if depth == _DEEPEST:
                        raise TooManyEntriesError(str(folder))
                    pending.append((Path(entry.path), depth + 1))
                else:
                    names.append(name)
    return names


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading. Raises `OSError`, also for folders, devices and pipes; never blocks."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file")
    return os.fdopen(descriptor, "rb")


def size_of(file: Path) -> int:
    """Return a file's bytes; 0 if it is not there."""
    try:
        return file.stat().st_size
    except OSError:
        return 0


def states_of(files: Iterable[Path]) -> dict[Path, tuple[int, int]]:
    """Return, for each file, what another content changes: bytes and time of last change in ns; (0, 0) without one."""
    states = {}
    for file in files:
        try:
            status = file.stat()
            states[file] = status.st_size, status.st_mtime_ns
        except OSError:
            states[file] = 0, 0
    return states


def stays_inside(folder: Path, name: object) -> bool:
    """Whether `name`, to which a file of the folder refers, stays inside the folder."""
    if not isinstance(name, str) or "\0" in name:
        return False
    home = folder.resolve()
    return Path(os.path.normpath(home / name)).is_relative_to(home)
