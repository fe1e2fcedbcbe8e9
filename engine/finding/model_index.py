"""The index of the models on this machine: a file with their descriptions, so that a scan reads only what changed.

Whether a model changed is decided without opening any of its files: by size and time of last change of its folder, of
the folders in it, and of the files that a description depends on.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec

from engine.files.atomic_file import write_atomically
from engine.files.bounded_json import JsonLimits, UntrustedJsonError, read_object
from engine.files.folder_paths import states_of
from engine.finding.description import describe, parts_inside
from engine.finding.model_place import ModelPlace, place_of
from engine.model_files.model import Model
from engine.model_files.tokenizer_files import fingerprint, read_folder

_FORMAT = 8
_LIMITS = JsonLimits(size=16 * 2**20, depth=16, containers=200_000, commas=2_000_000)
# A folder of a model has fewer files; beyond this, only changes of the first ones are seen.
_MOST_WATCHED = 2_000
# Heads lie in a main model's folder or in folders in it, adapters also one level deeper.
_DEEPEST_WATCHED = 2
_WATCHED_SUFFIXES = (".json", ".safetensors")


class _Described(msgspec.Struct):
    """The description of one place, and the states of files that show whether the description still holds.

    `watched` are absolute paths, and `states` their sizes and times of last change in ns, one after the other: 0, 0 for
    a missing one. `heads` and `adapters` are the parts of a main model's folder as in `description.PartsInside`, their
    paths relative to the folder.
    """

    model: Model
    watched: list[str]
    states: list[int]
    heads: dict[str, str] = {}
    adapters: list[str] = []

    def holds(self) -> bool:
        """Whether all watched files and folders are as they were."""
        return _flat(states_of(map(Path, self.watched))) == self.states


class _IndexFile(msgspec.Struct):
    """Descriptions by path, and fingerprints of tokenizers by content."""

    format: int
    models: dict[str, _Described] = {}
    tokenizers: dict[str, str] = {}


class ModelIndex:
    """The index file during one scan. One of an older format, or one that cannot be read, is replaced.

    Each place is checked once: `describe` and `inside` of the same place agree, whatever happens meanwhile. Without a
    path nothing is remembered beyond the scan.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file = _IndexFile(_FORMAT)
        self._changed = False
        # The paths of the places of this scan.
        self._checked: set[str] = set()
        if path is not None:
            with contextlib.suppress(UntrustedJsonError, msgspec.ValidationError):
                stored = msgspec.convert(read_object(path, _LIMITS), _IndexFile)
                if stored.format == _FORMAT:
                    self._file = stored

    def describe(self, place: ModelPlace) -> Model | None:
        """Return the description of what is at the place, or None if it is not a language model."""
        model = self._current(place).model
        return replace(model, id=place.name, source=place.source) if _is_language_model(model) else None

    def inside(self, place: ModelPlace) -> Iterator[ModelPlace]:
        """Yield the places of the heads and adapters in a main model's folder; heads may be files of tensors."""
        described = self._current(place)
        # A head inside another model's repository is not a repository itself.
        source_of_heads = "folder" if place.source == "cache" else place.source
        for name, relative in described.heads.items():
            yield ModelPlace(place.folder.part(relative), f"{place.name}/{name}", source_of_heads)
        for relative in described.adapters:
            adapter = place.path / relative
            yield place_of(adapter, f"{place.name}:{adapter.name}", place.source)

    def described(self) -> list[Model]:
        """Return the language models of the last scan, some of which may have been deleted since."""
        return [entry.model for entry in self._file.models.values() if _is_language_model(entry.model)]

    def save(self) -> None:
        """Write the file if anything changed, without the places that this scan did not come to."""
        gone = self._file.models.keys() - self._checked
        if self._path is None or not (self._changed or gone):
            return
        for key in gone:
            del self._file.models[key]
        # Without an index only the next scan is slower.
        with contextlib.suppress(OSError):
            write_atomically(self._path, json.dumps(msgspec.to_builtins(self._file)).encode())

    def _current(self, place: ModelPlace) -> _Described:
        """Return what is known of the place; it is read only if that no longer holds."""
        key = str(place.path)
        known = self._file.models.get(key)
        if known is None or not (key in self._checked or known.holds()):
            known = self._file.models[key] = self._read(place)
            self._changed = True
        self._checked.add(key)
        return known

    def _read(self, place: ModelPlace) -> _Described:
        # Before anything is read, so that what changes meanwhile is noticed by the next scan.
        states = _watched_states(place.path)
        model = describe(place)
        if model.complete:
            model = replace(model, tokenizer=self._fingerprint(model.config_path))
        parts = parts_inside(place.folder)
        return _Described(model, list(map(str, states)), _flat(states), parts.heads, parts.adapters)

    def _fingerprint(self, folder: Path) -> str:
        """Return the fingerprint of the tokenizer, or "" without one; a blob that models share is read once."""
        try:
            status = (folder / "tokenizer.json").stat()
            path = (folder / "tokenizer.json").resolve()
        except OSError:
            return ""
        key = path.name if path.parent.name == "blobs" else f"{path}:{status.st_mtime_ns}:{status.st_size}"
        known = self._file.tokenizers
        if key not in known:
            try:
                known[key] = fingerprint(read_folder(folder))
            except UntrustedJsonError:
                return ""
        return known[key]


def _is_language_model(model: Model) -> bool:
    """Return False for data sets, image models and other folders, and for empty ones that a failed request left."""
    if model.problem == "not-a-model":
        return model.source == "cache" and model.bytes > 0
    return model.problem not in ("missing", "is-part")


def _flat(states: dict[Path, tuple[int, int]]) -> list[int]:
    return [figure for state in states.values() for figure in state]


def _watched_states(path: Path) -> dict[Path, tuple[int, int]]:
    """Return the states of all that changes if a description of `path` may no longer hold.

    A folder changes when an entry is added, removed or renamed; a file that is written in place, as by copying, changes
    only itself. So both are watched. The state of a folder is taken before its entries are listed: what arrives later
    changes it.
    """
    home = path.parent.parent if path.parent.name == "snapshots" else path
    # The other parts of a split file are next to it.
    home = path.parent if path.suffix == ".gguf" else home
    states = states_of((path, home, home / "blobs"))
    pending = [(path, 0)]
    while pending:
        folder, depth = pending.pop()
        for entry in _entries(folder):
            if len(states) >= _MOST_WATCHED:
                return states
            # Unlike `Path`, `os.path` does not raise for links that cannot be followed.
            if os.path.isdir(entry):
                if depth < _DEEPEST_WATCHED:
                    states |= states_of([entry])
                    pending.append((entry, depth + 1))
            elif entry.suffix in _WATCHED_SUFFIXES:
                states |= states_of([entry])
    return states


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []
