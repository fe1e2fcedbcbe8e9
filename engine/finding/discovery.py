"""Finds the models on this machine: the Hugging Face cache, folders of the user and of other apps, the starter pair."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from engine.errors import ModelNotUsable
from engine.files.folder_paths import open_regular
from engine.finding import gguf_models
from engine.finding.model_index import ModelIndex
from engine.finding.model_place import ModelPlace, place_of
from engine.finding.other_apps import app_folders
from engine.model_files.adapters import adapted_name, base_of, is_adapter, is_model_or_adapter
from engine.model_files.model import Model
from engine.model_files.names import repository_of_folder

# The bytes that are read of refs/main, which names a commit.
_LONGEST_REF = 200


def installed_models(
    cache_dir: Path, extra_folders: Sequence[Path] = (), starter_dir: Path | None = None, index_path: Path | None = None
) -> list[Model]:
    """Return every model found, sorted by name. Missing folders are no error.

    `index_path` is the index file, which is updated: a scan in which nothing changed opens no model's files.
    """
    index = ModelIndex(index_path)
    homes = [(repository_of_folder(home.name), home) for home in _entries(cache_dir) if os.path.isdir(home)]
    snapshots = [(repository, _snapshot(home)) for repository, home in homes if repository is not None]
    other_folders = [*app_folders(), *(("folder", folder) for folder in extra_folders)]
    # By real path, as a folder that the user added may be the starter's or another app's, or a link to one. The first
    # place of a model counts.
    places: dict[str, ModelPlace] = {}
    for folder in _model_folders(starter_dir) if starter_dir else []:
        _add(places, place_of(folder, folder.name, "starter"))
    for place in (*_in_snapshots(snapshots), *_in_folders(other_folders)):
        first = _add(places, place)
        for part in index.inside(replace(place, folder=first.folder)):
            _add(places, part)
    for place in gguf_models.places(cache_dir, snapshots, other_folders):
        _add(places, place)
    models = [index.describe(place) for place in places.values()]
    index.save()
    return sorted((model for model in models if model is not None), key=lambda model: model.id.lower())


def _add(places: dict[str, ModelPlace], place: ModelPlace) -> ModelPlace:
    """Add a place unless the same folder or file is there already; return the one that is there then."""
    return places.setdefault(os.path.realpath(place.path), place)


def _in_snapshots(snapshots: Sequence[tuple[str, Path]]) -> Iterator[ModelPlace]:
    for repository, snapshot in snapshots:
        if not _holds_only_ggufs(snapshot):
            yield place_of(snapshot, repository, "cache")


def _in_folders(parents: Sequence[tuple[str, Path]]) -> Iterator[ModelPlace]:
    """Yield the models in the folders of the user and of other apps, each given with its source."""
    for source, parent in parents:
        for folder in _model_folders(parent):
            if is_adapter(folder):
                yield place_of(folder, _adapter_id(folder), source)
                continue
            name = folder.name if source == "folder" else folder.relative_to(parent).as_posix()
            yield place_of(folder, name, source)


def _holds_only_ggufs(folder: Path) -> bool:
    """Whether GGUF files are all that a snapshot has of a model. `gguf_models.places` finds them."""
    return not is_model_or_adapter(folder) and any(gguf_models.ggufs_in(folder))


def _adapter_id(folder: Path) -> str:
    try:
        return adapted_name(folder, base_of(folder))
    except ModelNotUsable:
        return folder.name


def _model_folders(folder: Path) -> list[Path]:
    """Return the folder if it is a model, else the models among its subfolders and theirs (organisation/name)."""
    if is_model_or_adapter(folder):
        return [folder]
    models = []
    for entry in _entries(folder):
        if is_model_or_adapter(entry):
            models.append(entry)
        # A link to the folder itself, or to one above it, has nothing else.
        elif os.path.isdir(entry) and not Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(entry)):
            models += [inner for inner in _entries(entry) if is_model_or_adapter(inner)]
    return models


def absent_folders(cache_dir: Path, extra_folders: Sequence[Path] = ()) -> list[str]:
    """Return the added folders, and the links where models are looked for, that lead nowhere: their disk is absent."""
    parents = [cache_dir, *(folder for _, folder in app_folders()), *extra_folders]
    inside = [entry for parent in parents if not is_model_or_adapter(parent) for entry in _entries(parent)]
    organisations = [entry for entry in inside if os.path.isdir(entry) and not is_model_or_adapter(entry)]
    below = [entry for organisation in organisations for entry in _entries(organisation)]
    links = (path for path in (*parents, *inside, *below) if os.path.islink(path))
    return list(dict.fromkeys(str(path) for path in (*extra_folders, *links) if not os.path.exists(path)))


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError:
        return []


def _snapshot(home: Path) -> Path:
    """Return the snapshot that refs/main names, else the newest, else the repository's folder."""
    snapshots = [entry for entry in _entries(home / "snapshots") if os.path.isdir(entry)]
    with suppress(OSError, UnicodeDecodeError), open_regular(home / "refs" / "main") as ref:
        named = home / "snapshots" / ref.read(_LONGEST_REF).decode("ascii").strip()
        if named in snapshots:
            return named
    newest = sorted(snapshots, key=os.path.getmtime)
    return newest[-1] if newest else home
