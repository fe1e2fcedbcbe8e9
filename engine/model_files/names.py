"""Names of models: resolving them to folders on this machine, and the folders of the Hugging Face cache."""

from __future__ import annotations

import os
import re
from pathlib import Path

from engine.errors import ModelNotUsable
from engine.files.folder_paths import MODEL_PATTERNS, SHARD_OF_MODEL
from engine.model_files.head_kinds import MTP

HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")


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
    if HUB_NAME.fullmatch(name):
        # Importing this takes longer than loading a small model.
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import LocalEntryNotFoundError

        try:
            return Path(snapshot_download(name, local_files_only=True, allow_patterns=list(MODEL_PATTERNS)))
        except (LocalEntryNotFoundError, ValueError):
            pass
    raise ModelNotUsable(name, "missing")


def cache_folder_name(repository: str) -> str:
    """Return the name of the repository's folder."""
    return "models--" + repository.replace("/", "--")


def repository_of_folder(name: str) -> str | None:
    """Return the repository of a folder of that name, or None if the folder is not a model's."""
    return name.removeprefix("models--").replace("--", "/", 1) if name.startswith("models--") else None


def name_of_snapshot(path: Path) -> str:
    """Return the display name of the model in a folder, or of a head with a main model. Does not access the disk."""
    if path.suffix == ".gguf":
        return path.stem
    if path.suffix == ".safetensors":
        folder = path.parent.parent if path.parent.name == MTP else path.parent
        # A shard of the main model stands for the head among its weights.
        inside = MTP if SHARD_OF_MODEL.fullmatch(path.name) else path.relative_to(folder).as_posix()
        return f"{name_of_snapshot(folder)}/{inside}"
    # In the Hub's cache a folder is called by its commit; the repository's name is two levels up.
    if path.parent.name == "snapshots" and (repository := repository_of_folder(path.parent.parent.name)):
        return repository
    # A head may have a folder inside its main model's.
    if path.parent.parent.name == "snapshots":
        return f"{name_of_snapshot(path.parent)}/{path.name}"
    # The starter pair's folders are called main and draft; their parent says which pair.
    return f"{path.parent.name}/{path.name}" if path.parent.name == "starter" else path.name
