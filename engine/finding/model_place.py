"""A place on the disk where discovery found something that may be a model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.model_files.model_folder import ModelFolder


@dataclass(frozen=True, slots=True)
class ModelPlace:
    """A folder or file that may be a model, a head, an adapter or a GGUF file.

    `folder` has read nothing yet, unless it is a part of a folder that was described just before. `name` is the id that
    the model gets, and `source` says where it was found: cache, folder, starter or an app of
    `engine.finding.other_apps.OTHER_APPS`.
    """

    folder: ModelFolder
    name: str
    source: str

    @property
    def path(self) -> Path:
        return self.folder.path


def place_of(path: Path, name: str, source: str) -> ModelPlace:
    """Return the place of a folder or file from which nothing has been read."""
    return ModelPlace(ModelFolder(path), name, source)
