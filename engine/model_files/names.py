"""Resolves the name or path of a model to its folder on this machine."""

from __future__ import annotations

import os
import re
from pathlib import Path

from engine.errors import ModelNotUsable
from engine.files.folder_paths import MODEL_PATTERNS

_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")


def resolve_model(name_or_path: str | Path) -> Path:
    """Return the folder of a model given by path, or by Hub name from the local Hub cache; never uses the network.

    Raises `ModelNotUsable` with reason "missing" if there is none.
    """
    # Unlike `Path`, `os.path` does not raise for names that are too long or for unknown users' homes.
    path = Path(os.path.expanduser(name_or_path))
    # An empty name would be the folder that the process runs in.
    if str(name_or_path) and os.path.exists(path):
        return path.resolve() if path.is_dir() else path
    name = str(name_or_path)
    if _HUB_NAME.fullmatch(name):
        # Importing this takes longer than loading a small model.
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import LocalEntryNotFoundError

        try:
            return Path(snapshot_download(name, local_files_only=True, allow_patterns=list(MODEL_PATTERNS)))
        except (LocalEntryNotFoundError, ValueError):
            pass
    raise ModelNotUsable(name, "missing")
