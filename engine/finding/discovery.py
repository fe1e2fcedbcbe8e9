"""Finds the models on this machine: the Hugging Face cache, folders of the user and of other apps, the starter pair."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.errors import ModelNotUsable
from engine.files.bounded_json import read_bytes
from engine.finding import gguf_models
from engine.finding.model_index import ModelIndex
from engine.finding.other_apps import app_folders
from engine.model_files.adapters import adapted_name, adapters_in, base_of, is_adapter
from engine.model_files.model import Model
from engine.model_files.model_folder import ModelFolder
from engine.model_files.names import repository_of_folder

_LONGEST_REF = 200
_ModelPlace = tuple[Path, str, str]


def installed_models(
    cache_dir: Path, extra_folders: Sequence[Path] = (), starter_dir: Path | None = None, index_path: Path | None = None
) -> list[Model]:
    """Return every model found, sorted by name; `index_path` is the index file. Missing folders are no error."""
    index = ModelIndex(index_path)
    homes = [(repository_of_folder(home.name), home) for home in _entries(cache_dir) if os.path.isdir(home)]
    snapshots = [(repository, _snapshot(home)) for repository, home in homes if repository is not None]
    others = [*app_folders(), *(("folder", folder) for folder in extra_folders)]
    starter = _model_folders(starter_dir) if starter_dir else []
    unique: dict[str, _ModelPlace] = {}
    # A folder that the user added may be the starter's or another app's, or a link to one.
    for place in (
        *((folder, folder.name, "starter") for folder in starter),
        *(place for name, snapshot in snapshots for place in _with_inner(snapshot, name, "cache")),
        *_folders_in(others),
        *gguf_models.places(cache_dir, snapshots, others),
    ):
        unique.setdefault(os.path.realpath(place[0]), place)
    found = [index.describe(*place) for place in unique.values()]
    index.save()
    return sorted((model for model in found if model is not None), key=lambda model: model.id.lower())


def _folders_in(parents: Sequence[tuple[str, Path]]) -> Iterator[_ModelPlace]:
    """Yield the models in the folders of the user and of other apps, each given with its source."""
    for source, parent in parents:
        for folder in _model_folders(parent):
            if is_adapter(folder):
                yield folder, _adapter_id(folder), source
                continue
            name = folder.name if source == "folder" else folder.relative_to(parent).as_posix()
            yield from _with_inner(folder, name, source)


def _with_inner(path: Path, name: str, source: str) -> Iterator[_ModelPlace]:
    """Yield a model with the heads and adapters inside a main model's folder; the heads may be files of tensors."""
    folder = ModelFolder(path)
    if not _is_model(path) and any(gguf_models.ggufs_in(path)):
        return
    yield path, name, source
    if folder.head is None:
        for inner, head in folder.heads():
            if _is_model(head.path) or head.is_file:
                # A head inside another model's repository is not a repository itself.
                yield head.path, f"{name}/{inner}", "folder" if source == "cache" else source
        yield from ((adapter, f"{name}:{adapter.name}", source) for adapter in adapters_in(path))


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
        # A link to the folder itself, or to one above it, has nothing else.
        elif os.path.isdir(entry) and not Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(entry)):
            found += [inner for inner in _entries(entry) if _is_model(inner)]
    return found


def absent_folders(cache_dir: Path, extra_folders: Sequence[Path] = ()) -> list[str]:
    """Return the added folders, and the links where models are looked for, that lead nowhere: their disk is absent."""
    parents = [cache_dir, *(folder for _, folder in app_folders()), *extra_folders]
    inside = [entry for parent in parents if not _is_model(parent) for entry in _entries(parent)]
    below = [one for entry in inside if os.path.isdir(entry) and not _is_model(entry) for one in _entries(entry)]
    links = (one for one in (*parents, *inside, *below) if os.path.islink(one))
    return list(dict.fromkeys(str(one) for one in (*extra_folders, *links) if not os.path.exists(one)))


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
