"""Keeps records of strangers' tokenizers, one a model folder, for as long as nothing changes that they depend on."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

from engine.atomic_file import write_atomically

log = logging.getLogger(__name__)

FOLDER_NAME = "tokenizers"
# Each takes as much room as a tokenizer.json, a few megabytes.
MOST_RECORDS = 16
# Raised when records hold something else.
_FORMAT = 1
_TEMPLATES = "additional_chat_templates"
_REFUSED = ".none"
_WEIGHTS = frozenset((".safetensors", ".gguf", ".bin", ".pt", ".pth"))
# Longer files are told apart by size and time; the longest published tokenizer.json has half of that.
_MOST_READ = 2**26


class TokenizerRecords:
    """A folder beside `learned_file`; without one nothing is kept."""

    def __init__(self, learned_file: Path | None) -> None:
        self._folder = None if learned_file is None else learned_file.with_name(FOLDER_NAME)

    def likely(self, folder: Path) -> bool:
        """Whether the model folder has a record, which may be out of date."""
        found = () if self._folder is None else self._folder.glob(f"{_name(folder)}-*")
        return any(file.suffix != _REFUSED for file in found)

    def path(self, folder: Path) -> Path | None:
        """The file of the model folder's record as the folder is now, whether it exists or not. Reads the folder; None
        where nothing is kept, or a file goes or cannot be read meanwhile.
        """
        if self._folder is None:
            return None
        try:
            return self._folder / f"{_name(folder)}-{_state(folder)}"
        except OSError as error:
            log.info("no record is kept of the tokenizer in %s: %s", folder, error)
            return None

    def keep(self, path: Path, facts: dict[str, Any], backend: str) -> None:
        """Write a record in place of those that the folder had before. A failure is logged."""
        head = json.dumps(facts | {"digest": _digest(backend.encode())})
        self._write(path, head.encode(), b"\n", backend.encode())

    def refuse(self, path: Path) -> None:
        """Note that there can be no such record: to find that out takes longer than to load a small model. A failure is
        logged.
        """
        self._write(_refusal(path))

    def refused(self, path: Path) -> bool:
        """Whether there can be no such record."""
        return _refusal(path).exists()

    def _write(self, path: Path, *content: bytes) -> None:
        try:
            write_atomically(path, content)
            folder, _, _ = path.name.partition("-")
            for old in path.parent.glob(f"{folder}-*"):
                if old != path:
                    old.unlink()
            for old in sorted(path.parent.iterdir(), key=lambda file: file.stat().st_mtime_ns)[:-MOST_RECORDS]:
                old.unlink()
        except OSError as error:
            log.warning("%s cannot be written: %s", path, error)

    def drop(self, path: Path) -> None:
        """Remove a record that cannot be used."""
        with suppress(OSError):
            path.unlink()


def read_record(path: Path) -> tuple[dict[str, Any], bytes]:
    """The facts of a record, and the backend's JSON. Raises `OSError`, and `ValueError` for a damaged one."""
    head, _, backend = path.read_bytes().partition(b"\n")
    facts = json.loads(head)
    if facts.pop("digest") != _digest(backend):
        raise ValueError("the record is damaged")
    return facts, backend


def _refusal(path: Path) -> Path:
    return path.with_name(path.name + _REFUSED)


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()


def _name(folder: Path) -> str:
    return _digest(str(folder).encode())


def _state(folder: Path) -> str:
    """A hash of all that the tokenizer of a folder can depend on: its files, and what is installed."""
    found = blake2b(digest_size=16)
    found.update(json.dumps([_FORMAT, *_installed()]).encode())
    for file in sorted(_files(folder)):
        size = file.stat().st_size
        found.update(f"\n{file.relative_to(folder)} {size} ".encode())
        found.update(file.read_bytes() if size <= _MOST_READ else str(file.stat().st_mtime_ns).encode())
    return found.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    """The files of a model folder and its further templates; weights say nothing of the tokenizer."""
    for pattern in ("*", f"{_TEMPLATES}/*"):
        yield from (path for path in folder.glob(pattern) if path.is_file() and path.suffix not in _WEIGHTS)


def _installed() -> list[str]:
    """The packages that are installed, with their versions. importlib.metadata is slower than all the rest."""
    found = set()
    for place in filter(os.path.isdir, sys.path):
        found |= {name for name in os.listdir(place) if name.endswith(".dist-info")}
    return sorted(found)
