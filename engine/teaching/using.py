"""What a drafter was taught for a main model, added to its layers while it is loaded."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn

from engine.errors import CannotTeach
from engine.files.disk_pool import DiskPool
from engine.files.steps import Steps, result_of
from engine.main_model.loading import LoadedModel, display_name
from engine.model_files.names import resolve_model
from engine.teaching.adapter import add_adapter, from_bytes, fuse, remove_adapter, set_adapter
from engine.teaching.kept import taught_files

log = logging.getLogger(__name__)


class ChosenVersion:
    """The version of what a drafter was taught that its next load uses; `number` is 0 for none.

    `adapt` adds it to the drafter's layers. If that fails, the drafter stays as it was downloaded.
    """

    def __init__(self, path: Path, number: int = 0, adapter: Mapping[str, mx.array] | None = None) -> None:
        self.number = number
        self._path, self._adapter = path, adapter or {}

    def adapt(self, model: nn.Module) -> int:
        """Add the version to the layers of `model` and return its number, 0 if none was added."""
        if self.number:
            try:
                add_adapter(model)
                set_adapter(model, self._adapter)
            except (CannotTeach, ValueError) as error:
                log.warning("what %s was taught is not used: %s", self._path, error)
                remove_adapter(model)
                self.number = 0
            else:
                fuse(model)
        return self.number


def chosen_version(name_or_path: str | Path, main: LoadedModel, folder: Path | None) -> Steps[ChosenVersion]:
    """Return the version in `folder` that a drafter is to use with `main`, or none if it cannot be used."""
    path = resolve_model(name_or_path)
    if folder is None:
        return ChosenVersion(path)
    with DiskPool() as disk:
        number, content = yield from result_of(disk.start(_chosen, folder, main, name_or_path, path))
    try:
        return ChosenVersion(path, number, from_bytes(content)[0] if number else {})
    except ValueError as error:
        log.warning("what %s was taught is damaged: %s", path, error)
        return ChosenVersion(path)


def _chosen(folder: Path, main: LoadedModel, name: str | Path, path: Path) -> tuple[int, bytes]:
    """Return the version in use and its file; 0 if there is none, or none that can be used."""
    files = taught_files(folder, main, path, display_name(name, path))
    try:
        return (files.used, files.content()) if files.used and not files.problem else (0, b"")
    except ValueError as error:
        log.warning("what %s was taught is not used: %s", path, error)
        return 0, b""
