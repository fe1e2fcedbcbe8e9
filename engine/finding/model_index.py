"""The index of the models on this machine: their descriptions in a file, so that the next scan reads what changed."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from pathlib import Path

import msgspec

from engine.files.atomic_file import write_atomically
from engine.files.bounded_json import JsonLimits, UntrustedJsonError, read_object
from engine.files.folder_paths import states_of
from engine.finding.description import describe_folder
from engine.model_files.adapters import CONFIG_NAME
from engine.model_files.model import Model
from engine.model_files.tokenizer_files import fingerprint, read_folder

_FORMAT = 7
_LIMITS = JsonLimits(size=16 * 2**20, depth=16, containers=200_000, commas=2_000_000)


class _Described(msgspec.Struct):
    """A description, and the times that show whether it is current."""

    signature: list[int]
    model: Model


class _IndexFile(msgspec.Struct):
    """Descriptions by folder, and fingerprints of tokenizers by content."""

    format: int
    models: dict[str, _Described] = {}
    tokenizers: dict[str, str] = {}


class ModelIndex:
    """The index file. One of an older format, or one that cannot be read, is written anew."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._kept = _IndexFile(_FORMAT)
        self._changed = False
        self._seen: set[str] = set()
        if path is not None:
            with contextlib.suppress(UntrustedJsonError, msgspec.ValidationError):
                found = msgspec.convert(read_object(path, _LIMITS), _IndexFile)
                self._kept = found if found.format == _FORMAT else self._kept

    def describe(self, folder: Path, name: str, source: str) -> Model | None:
        """Return the folder's description, or None if it is not a language model."""
        key = str(folder)
        self._seen.add(key)
        signature = _signature(folder)
        known = self._kept.models.get(key)
        if known is None or known.signature != signature:
            model = describe_folder(folder, name, source)
            if model.complete:
                model = replace(model, tokenizer=self._fingerprint(model.config_path))
            known = self._kept.models[key] = _Described(signature, model)
            self._changed = True
        return replace(known.model, id=name, source=source) if _is_language_model(known.model) else None

    def described(self) -> list[Model]:
        """Return the language models of the last scan, which may be gone."""
        return [one.model for one in self._kept.models.values() if _is_language_model(one.model)]

    def save(self) -> None:
        gone = self._kept.models.keys() - self._seen
        if self._path is None or not (self._changed or gone):
            return
        for key in gone:
            del self._kept.models[key]
        # Without an index only the next scan is slower.
        with contextlib.suppress(OSError):
            write_atomically(self._path, json.dumps(msgspec.to_builtins(self._kept)).encode())

    def _fingerprint(self, folder: Path) -> str:
        """Return the fingerprint of the tokenizer, or "" without one; a blob that models share is read once."""
        try:
            status = (folder / "tokenizer.json").stat()
            path = (folder / "tokenizer.json").resolve()
        except OSError:
            return ""
        key = path.name if path.parent.name == "blobs" else f"{path}:{status.st_mtime_ns}:{status.st_size}"
        known = self._kept.tokenizers
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


def _signature(folder: Path) -> list[int]:
    """Return times in ns that change when a file is added, removed or replaced; 0 for a missing path."""
    home = folder.parent.parent if folder.parent.name == "snapshots" else folder
    # The other parts of a split file are beside it.
    home = folder.parent if folder.suffix == ".gguf" else home
    paths = (folder, home, folder / "config.json", folder / "tokenizer.json", folder / CONFIG_NAME, home / "blobs")
    states = states_of(paths)
    return [states[path][1] for path in paths]
