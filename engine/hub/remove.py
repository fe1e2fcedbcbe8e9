"""Remove a model: first what it would free and whom it would touch, then the removal itself."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.hub.cache_layout import RepositoryCache
from engine.hub.failures import HubError

if TYPE_CHECKING:
    from engine.hub.discovery import InstalledModel


@dataclass(frozen=True, slots=True)
class RemovalPlan:
    """What a removal does: `folders` go and `freed_bytes` come back.

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
        return RemovalPlan(model.id, (folder,), _freed_bytes(folder), False, 1)
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
        if folder.is_symlink():
            folder.unlink()
            continue
        # The references go first: whatever interrupts this leaves something incomplete, never something
        # wrong.
        shutil.rmtree(folder / "refs", ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)
        if folder.exists():
            raise HubError("not-writable", plan.id, path=str(folder))


def _freed_bytes(folder: Path) -> int:
    """Bytes of the files that lie in the folder itself; what links lead to elsewhere stays."""
    if folder.is_symlink():
        return 0
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            status = os.lstat(os.path.join(place, name))
            total += status.st_blocks * 512 if status.st_nlink == 1 else 0
    return total
