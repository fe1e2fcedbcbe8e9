"""The folders in which other apps for MLX keep their models. They are only read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

# The apps by their ids as a model's `source`: their names, and their folders in the user's home. Models lie in folders
# of their own there, or in folders of their organisations.
OTHER_APPS = {
    "lm-studio": ("LM Studio", (".lmstudio/models", ".cache/lm-studio/models")),
    "omlx": ("oMLX", (".omlx/models",)),
    "jan": ("Jan", ("Library/Application Support/Jan/data/mlx/models",)),
    "mtplx": ("MTPLX", (".mtplx/models",)),
}


def name_of_app(source: str) -> str:
    """Return the name of the app whose model it is, "" for other sources."""
    return OTHER_APPS[source][0] if source in OTHER_APPS else ""


def app_folders() -> Iterator[tuple[str, Path]]:
    """Yield the id of each app and a folder that it may have."""
    for source, (_, folders) in OTHER_APPS.items():
        for folder in folders:
            yield source, Path.home() / folder
