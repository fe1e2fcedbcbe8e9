"""What a drafter was taught for a main model, added to its layers while it is loaded."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn

from engine.errors import CannotTeach
from engine.files.disk_pool import DiskPool
from engine.files.steps import Steps, result_of
from engine.main_model.loading import LoadedModel, display_name
from engine.model_files.names import resolve_model
from engine.teaching.adapter import add_adapter, from_bytes, fuse, remove_adapter, set_adapter
from engine.teaching.kept import TaughtFiles

log = logging.getLogger(__name__)


@dataclass(slots=True)
class ChosenVersion:
    """The version of what a drafter was taught that its next load uses; `number` is 0 for none.

    `adapt` adds it to the drafter's layers. If that fails, the drafter stays as it was downloaded.
    """

    number: int = 0
    adapter: Mapping[str, mx.array] = field(default_factory=dict)

    def adapt(self, model: nn.Module) -> int:
        """Add the version to the layers of `model` and return its number, 0 if none was added."""
        if self.number:
            try:
                add_adapter(model)
                set_adapter(model, self.adapter)
            except (CannotTeach, ValueError) as error:
                log.warning("what a drafter was taught is not used: %s", error)
                remove_adapter(model)
                self.number = 0
            else:
                fuse(model)
        return self.number


def chosen_version(name_or_path: str | Path, main: LoadedModel, folder: Path | None) -> Steps[ChosenVersion]:
    """Return the version in `folder` that a drafter is to use with `main`, or none if it cannot be used."""

    def chosen(folder: Path) -> tuple[int, bytes]:
        path = resolve_model(name_or_path)
        files = TaughtFiles(folder, main, path, display_name(name_or_path, path))
        return (files.used, files.content()) if files.used and not files.problem else (0, b"")

    if folder is not None:
        try:
            with DiskPool() as disk:
                number, content = yield from result_of(disk.start(chosen, folder))
            if number:
                return ChosenVersion(number, from_bytes(content)[0])
        except ValueError as error:
            log.warning("what %s was taught is not used: %s", name_or_path, error)
    return ChosenVersion()
