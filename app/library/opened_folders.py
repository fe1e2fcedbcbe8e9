"""Finds models that were opened as folders and are not listed yet. No Qt in here."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path

from engine.model_files.cache_names import repository_of_folder


def unlisted(folders: Sequence[str], listed: Collection[str]) -> list[str]:
    """Return the folders that are neither listed, also by another path, nor snapshots of the Hugging Face cache."""
    real = {os.path.realpath(path) for path in listed}
    homes = {folder: Path(folder).parent.parent.name for folder in folders}
    return [
        folder
        for folder in folders
        if os.path.realpath(folder) not in real and repository_of_folder(homes[folder]) is None
    ]
