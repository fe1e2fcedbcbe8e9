"""The folder names of repositories in the Hugging Face cache."""

from __future__ import annotations

from pathlib import Path

from engine.files.folder_paths import SHARD_OF_MODEL


def cache_folder_name(repository: str) -> str:
    """Return the name of the repository's folder."""
    return "models--" + repository.replace("/", "--")


def repository_of_folder(name: str) -> str | None:
    """Return the repository of a folder of that name, or None if the folder is not a model's."""
    if not name.startswith("models--"):
        return None
    return name.removeprefix("models--").replace("--", "/", 1)


def name_of_snapshot(path: Path) -> str:
    """Return the display name of the model in a folder, or of a head beside a main model. Does not access the disk."""
    if path.suffix == ".safetensors":
        folder = path.parent.parent if path.parent.name == "mtp" else path.parent
        # A shard of the main model stands for the head among its weights.
        inside = "mtp" if SHARD_OF_MODEL.fullmatch(path.name) else path.relative_to(folder).as_posix()
        return f"{name_of_snapshot(folder)}/{inside}"
    # In the Hub's cache a folder is called by its commit; the repository's name is two levels up.
    if path.parent.name == "snapshots" and (repository := repository_of_folder(path.parent.parent.name)):
        return repository
    # The starter pair's folders are called main and draft; their parent says which pair.
    return f"{path.parent.name}/{path.name}" if path.parent.name == "starter" else path.name
