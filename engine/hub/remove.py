"""Remove a model: first what it would free and whom it would touch, then the removal itself."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from engine.hub.cache_layout import RepositoryCache
from engine.hub.failures import HubError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.model_files.discovery import InstalledModel

# What of a folder is a model beyond doubt; other names could be anybody's.
_MODEL_FILES = (
    "config.json",
    "generation_config.json",
    "model*.safetensors",
    "model.safetensors.index.json",
    "tokenizer*.json",
    "tokenizer.model",
    "special_tokens_map.json",
    "added_tokens.json",
    "chat_template.*",
    "vocab.json",
    "vocab.txt",
    "merges.txt",
    "*.tiktoken",
)
# What comes along with a downloaded one: it goes where nothing else is there.
_COMPANIONS = (
    *("README*", "LICENSE*", "NOTICE*", "USE_POLICY*", ".gitattributes", ".cache", ".DS_Store"),
    *("preprocessor_config.json", "processor_config.json", "configuration.json", "params.json", "*.jinja"),
)


@dataclass(frozen=True, slots=True)
class RemovalPlan:
    """What a removal does: `folders` go, or single files of a folder that holds other things too, and `freed_bytes`
    come back.

    `shared` warns that other programs use the same cache; `revisions` counts the versions of it that go
    along.
    """

    id: str
    folders: tuple[Path, ...]
    freed_bytes: int
    shared: bool
    revisions: int


def plan_removal(model: InstalledModel, cache_dir: Path) -> RemovalPlan:
    """Work out the removal without doing it. Raises `HubError`: built-in, not-installed, in-use."""
    if model.source == "starter":
        raise HubError("built-in", model.id)
    if model.source == "folder":
        folder = Path(model.path)
        if not (folder / "config.json").exists():
            raise HubError("not-installed", model.id)
        going = _of_the_model(folder)
        return RemovalPlan(model.id, going, sum(map(_freed_bytes, going)), False, 1)
    cache = RepositoryCache(cache_dir, model.id)
    if not cache.home.is_dir():
        raise HubError("not-installed", model.id)
    if cache.is_being_written():
        raise HubError("in-use", model.id)
    snapshots = cache.home / "snapshots"
    revisions = sum(1 for _ in snapshots.iterdir()) if snapshots.is_dir() else 0
    return RemovalPlan(model.id, (cache.home, cache.locks), _freed_bytes(cache.home), True, revisions)


def remove(plan: RemovalPlan) -> None:
    """Carry the plan out. Raises `HubError` (not-writable) when something stays."""
    for folder in plan.folders:
        if folder.is_symlink() or folder.is_file():
            _unlink(folder, plan)
            continue
        # The references go first: whatever interrupts this leaves something incomplete, never something
        # wrong.
        shutil.rmtree(folder / "refs", ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)
        if folder.exists():
            raise HubError("not-writable", plan.id, path=str(folder))


def _unlink(file: Path, plan: RemovalPlan) -> None:
    try:
        file.unlink()
    except OSError as error:
        raise HubError("not-writable", plan.id, path=str(file)) from error


def _of_the_model(folder: Path) -> tuple[Path, ...]:
    """The whole folder where a model is all that lies in it, else the model's own files: it is the user's folder."""
    if folder.is_symlink():
        return (folder,)
    entries = sorted(folder.iterdir())
    own = [entry for entry in entries if _is_called(entry, _MODEL_FILES) and not entry.is_dir()]
    others = [entry for entry in entries if entry not in own and not _is_called(entry, _COMPANIONS)]
    return tuple(own) if others else (folder,)


def _is_called(path: Path, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(path.name, pattern) for pattern in patterns)


def _freed_bytes(place: Path) -> int:
    """Bytes of the file, or of those that lie in the folder itself; what links lead to elsewhere stays."""
    if place.is_symlink():
        return 0
    if place.is_file():
        return _own_bytes(place)
    return sum(_own_bytes(os.path.join(folder, name)) for folder, _, names in os.walk(place) for name in names)


def _own_bytes(file: str | Path) -> int:
    try:
        status = os.lstat(file)
    except OSError:
        return 0
    return status.st_blocks * 512 if status.st_nlink == 1 else 0
