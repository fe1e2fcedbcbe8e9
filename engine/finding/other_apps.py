"""The folders in which other apps keep their models. They are only read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

_JAN = "Library/Application Support/Jan/data"
# The apps by their ids as a model's `source`: their names, and their folders in the user's home. Models lie in folders
# of their own there, or in folders of their organisations; GGUF files also lie there directly, or as Ollama's blobs.
OTHER_APPS = {
    "lm-studio": ("LM Studio", (".lmstudio/models", ".cache/lm-studio/models")),
    "omlx": ("oMLX", (".omlx/models",)),
    "jan": ("Jan", tuple(f"{_JAN}/{part}/models" for part in ("mlx", "llamacpp"))),
    "llama.cpp": ("llama.cpp", ("Library/Caches/llama.cpp", ".cache/llama.cpp")),
    "ollama": ("Ollama", (".ollama/models",)),
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
