"""Finds the models on this machine: the Hugging Face cache, folders of the user and of other apps, the starter pair.

A description of a model comes from its small files and the headers of its weights; nothing is imported or loaded.
Descriptions are kept in an index file, so that the next scan reads only what has changed.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from engine.errors import ModelNotUsable
from engine.files.atomic_file import write_atomically
from engine.files.bounded_json import JsonLimits, UntrustedJsonError, read_bytes, read_object
from engine.finding import gguf_models
from engine.finding.other_apps import app_folders
from engine.model_files.adapters import CONFIG_NAME, adapted_name, adapters_in, base_of, is_adapter, read_adapter
from engine.model_files.config import context_length, experts_of, read_config, text_config
from engine.model_files.head_kinds import can_run
from engine.model_files.inspection import inspect_folder
from engine.model_files.model import Model
from engine.model_files.model_folder import ModelFolder
from engine.model_files.names import repository_of_folder
from engine.model_files.safetensors_header import TensorHeader, parameter_count
from engine.model_files.tokenizer_files import fingerprint, read_folder
from engine.model_files.vision_kinds import vision_kind

_FORMAT = 5
_LONGEST_REF = 200
# A folder with the name and the source of its model.
_Place = tuple[ModelFolder, str, str]
_INDEX_LIMITS = JsonLimits(size=16 * 2**20, depth=16, containers=200_000, commas=2_000_000)


def installed_models(
    cache_dir: Path,
    extra_folders: Sequence[Path] = (),
    starter_dir: Path | None = None,
    index_path: Path | None = None,
) -> list[Model]:
    """Return every model found, also those of other apps, sorted by name. Missing folders are no error.

    `index_path` is the index file.
    """
    index = _Index(index_path)
    others = [*app_folders(), *(("folder", folder) for folder in extra_folders)]
    starter = _model_folders(starter_dir) if starter_dir else []
    unique: dict[str, _Place] = {}
    # A folder that the user added may be the starter's or another app's, or a link to one.
    for place in (
        *((ModelFolder(folder), folder.name, "starter") for folder in starter),
        *_folders_of_cache(cache_dir),
        *_folders_in(others),
        *_gguf_files(cache_dir, others),
    ):
        unique.setdefault(os.path.realpath(place[0].path), place)
    found = [index.describe(*place) for place in unique.values()]
    index.save()
    return sorted((model for model in found if model is not None), key=lambda model: model.id.lower())


def describe_folder(path: Path, name: str, source: str) -> Model:
    """Describe one model folder without the index."""
    return _describe(ModelFolder(path), name, source)


def _describe(folder: ModelFolder, name: str, source: str) -> Model:
    if folder.is_file and folder.path.suffix != ".safetensors":
        return gguf_models.describe_file(folder.path, name, source)
    return gguf_models.with_origin(_describe_folder(folder, name, source))


def _describe_folder(folder: ModelFolder, name: str, source: str) -> Model:
    if is_adapter(folder.path):
        return _describe_adapter(folder.path, name, source)
    head = folder.head or ""
    model = Model(name, source, path=str(folder.path), bytes=_disk_bytes(folder.path), head=head)
    try:
        config = folder.config
        tensors = folder.head_tensors if head else inspect_folder(folder)
    except ModelNotUsable as error:
        known = {} if head else _of_config(folder.path)
        return replace(model, problem=error.reason, detail=error.detail, **known)
    quantisation = _quantisation(config)
    weights = sum(tensor.nbytes for tensor in tensors.values())
    # The configuration may be that of the model whose files a head was cut out of.
    quantised = any(tensor.dtype == "U32" for tensor in tensors.values())
    model = replace(
        model,
        weight_bytes=weights,
        active_bytes=weights - (0 if head else _idle_expert_bytes(config, tensors)),
        parameters=parameter_count(tensors, quantisation.get("group_size")),
        bits=(quantisation.get("bits") if quantised else None) or _plain_bits(tensors),
    )
    if not head:
        return replace(model, sees=vision_kind(config, tensors) is not None, **_described(config))
    # Advice judges whether the head fits a main model.
    model = model if can_run(head) else replace(model, problem="unknown-head", detail=head)
    return replace(model, bytes=weights) if folder.is_shard else model


def _describe_adapter(folder: Path, name: str, source: str) -> Model:
    """Describe a main model with an adapter."""
    unusable = Model(name, source, path=str(folder), bytes=_disk_bytes(folder))
    try:
        base, adapter = base_of(folder), read_adapter(folder)
    except ModelNotUsable as error:
        return replace(unusable, problem=error.reason, detail=error.detail)
    model = describe_folder(base, name, source)
    return replace(
        model,
        path=unusable.path,
        bytes=unusable.bytes,
        weight_bytes=model.weight_bytes + adapter.bytes,
        active_bytes=model.active_bytes + adapter.bytes,
        base=str(base),
    )


def _described(config: dict[str, Any]) -> dict[str, Any]:
    size = text_config(config).get("vocab_size")
    return {
        "context": context_length(config),
        "vocabulary_size": size if type(size) is int else None,
        "architecture": str(config.get("model_type", ""))[:80],
    }


def _of_config(folder: Path) -> dict[str, Any]:
    """Return the fields of an unusable model that its configuration gives, if that can be read."""
    try:
        return _described(read_config(folder))
    except ModelNotUsable:
        return {}


def _folders_of_cache(cache_dir: Path) -> Iterator[_Place]:
    for home in _entries(cache_dir):
        repository = repository_of_folder(home.name)
        if repository is not None and os.path.isdir(home):
            yield from _with_inner(_snapshot(home), repository, "cache")


def _folders_in(parents: Sequence[tuple[str, Path]]) -> Iterator[_Place]:
    """Yield the models in the folders of the user and of other apps, each given with its source."""
    for source, parent in parents:
        for folder in _model_folders(parent):
            if is_adapter(folder):
                yield ModelFolder(folder), _adapter_id(folder), source
                continue
            name = folder.name if source == "folder" else folder.relative_to(parent).as_posix()
            yield from _with_inner(folder, name, source)


def _gguf_files(cache_dir: Path, others: Sequence[tuple[str, Path]]) -> Iterator[_Place]:
    names = ((home, repository_of_folder(home.name)) for home in _entries(cache_dir))
    snapshots = [(repository, _snapshot(home)) for home, repository in names if repository is not None]
    for path, name, source in gguf_models.places(cache_dir, snapshots, others):
        yield ModelFolder(path), name, source


def _with_inner(path: Path, name: str, source: str) -> Iterator[_Place]:
    """Yield a model with the heads and adapters inside a main model's folder; the heads may be files of tensors."""
    folder = ModelFolder(path)
    yield folder, name, source
    if folder.head is None:
        for inner, head in folder.heads():
            if _is_model(head.path) or head.is_file:
                # A head inside a repository is none of its own.
                yield head, f"{name}/{inner}", "folder" if source == "cache" else source
        yield from ((ModelFolder(adapter), f"{name}:{adapter.name}", source) for adapter in adapters_in(path))


def _adapter_id(folder: Path) -> str:
    try:
        return adapted_name(folder, base_of(folder))
    except ModelNotUsable:
        return folder.name


def _model_folders(folder: Path) -> list[Path]:
    """Return the folder if it is a model, else the models among its subfolders and theirs (organisation/name)."""
    if _is_model(folder):
        return [folder]
    found = []
    for entry in _entries(folder):
        if _is_model(entry):
            found.append(entry)
        elif os.path.isdir(entry) and not entry.is_symlink():
            found += [inner for inner in _entries(entry) if _is_model(inner)]
    return found


def _is_model(folder: Path) -> bool:
    """Whether the folder is a model's or an adapter's. Unlike `Path`, `os.path` does not raise for unreadable paths."""
    return os.path.exists(folder / "config.json") or is_adapter(folder)


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError:
        return []


def _snapshot(home: Path) -> Path:
    """Return the snapshot that refs/main names, else the newest, else the repository's folder."""
    snapshots = home / "snapshots"
    try:
        named = snapshots / read_bytes(home / "refs" / "main", _LONGEST_REF).decode("ascii").strip()
        if named.is_dir() and named.parent == snapshots:
            return named
    except (OSError, ValueError):
        # UntrustedJsonError, which a missing or odd file raises, is a ValueError.
        pass
    newest = sorted(filter(os.path.isdir, _entries(snapshots)), key=os.path.getmtime)
    return newest[-1] if newest else home


def _disk_bytes(folder: Path) -> int:
    """Return all bytes of the repository (in the Hub cache: its blobs, partial ones too) or of the folder."""
    if folder.is_file():
        return folder.stat().st_size
    home = folder.parent.parent if folder.parent.name == "snapshots" else folder
    blobs = home / "blobs"
    counted = blobs if blobs.is_dir() else folder
    total = 0
    for path, _, names in os.walk(counted):
        for name in names:
            try:
                total += os.stat(os.path.join(path, name)).st_size
            except OSError:
                continue
    return total


def _quantisation(config: dict[str, Any]) -> dict[str, int]:
    settings = config.get("quantization") or config.get("quantization_config")
    if not isinstance(settings, dict):
        return {}
    if settings.get("quant_method") in ("mxfp4", "mxfp8"):
        return {"bits": int(settings["quant_method"][-1]), "group_size": 32}
    return {key: settings[key] for key in ("bits", "group_size") if type(settings.get(key)) is int}


def _plain_bits(tensors: dict[str, TensorHeader]) -> int | None:
    widths = {"F32": 32, "F16": 16, "BF16": 16}
    sizes: dict[int, int] = {}
    for tensor in tensors.values():
        if tensor.dtype in widths:
            sizes[widths[tensor.dtype]] = sizes.get(widths[tensor.dtype], 0) + tensor.nbytes
    return max(sizes, key=lambda width: sizes[width], default=None)


def _idle_expert_bytes(config: dict[str, Any], tensors: dict[str, TensorHeader]) -> int:
    """Return the bytes of the experts that one token does not use."""
    total, visited = experts_of(config)
    if total == visited:
        return 0
    experts = sum(
        tensor.nbytes
        for name, tensor in tensors.items()
        if ".switch_mlp." in name or ".switch_glu." in name or ".experts." in name
    )
    return experts * (total - visited) // total


class _Described(msgspec.Struct):
    """A description, and the times that show whether it is current."""

    signature: list[int]
    model: Model


class _IndexFile(msgspec.Struct):
    """Descriptions by folder, and fingerprints of tokenizers by content."""

    format: int
    models: dict[str, _Described] = {}
    tokenizers: dict[str, str] = {}


class _Index:
    """The index file. One of an older format, or one that cannot be read, is written anew."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._kept = _IndexFile(_FORMAT)
        self._changed = False
        self._seen: set[str] = set()
        if path is not None:
            with contextlib.suppress(UntrustedJsonError, msgspec.ValidationError):
                found = msgspec.convert(read_object(path, _INDEX_LIMITS), _IndexFile)
                self._kept = found if found.format == _FORMAT else self._kept

    def describe(self, folder: ModelFolder, name: str, source: str) -> Model | None:
        """Return the folder's description, or None if it is not a language model."""
        key = str(folder.path)
        self._seen.add(key)
        signature = _signature(folder.path)
        known = self._kept.models.get(key)
        if known is None or known.signature != signature:
            # What was read of the folder before its signature may be older than that.
            model = _describe(ModelFolder(folder.path), name, source)
            if model.complete:
                model = replace(model, tokenizer=self._fingerprint(model.config_path))
            known = self._kept.models[key] = _Described(signature, model)
            self._changed = True
        return replace(known.model, id=name, source=source) if _is_language_model(known.model) else None

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
        """Return the fingerprint of the folder's tokenizer, or "" if it cannot be read.

        In the Hub cache a file's name is the hash of its content, so a tokenizer that models share is read once.
        """
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
    paths = (folder, folder / "config.json", folder / "tokenizer.json", folder / CONFIG_NAME, home / "blobs")
    times = []
    for path in paths:
        try:
            times.append(path.stat().st_mtime_ns)
        except OSError:
            times.append(0)
    return times
