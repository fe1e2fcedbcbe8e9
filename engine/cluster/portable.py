"""Names of models that mean the same on every machine. Imports no MLX."""

from __future__ import annotations

import os
from pathlib import Path

from engine.engine import starter_pair
from engine.model_files.cache_names import name_of_snapshot
from engine.model_files.names import resolve_model

_STARTER = "starter"


def portable_name(name_or_path: str | Path) -> str:
    """How another machine finds the model `name_or_path`: the starter, a name on the Hub, or the same folder there.

    Raises `ModelNotUsable` where this machine does not have it.
    """
    path = resolve_model(name_or_path)
    if path == starter_pair()[0].resolve():
        return _STARTER
    return name_of_snapshot(path) if "snapshots" in path.parts else str(path)


def is_on_hub(portable: str) -> bool:
    """Whether a machine that lacks the model of this portable name can download it."""
    return portable != _STARTER and not os.path.isabs(portable)


def folder_of(portable: str) -> Path:
    """The folder of a model that another machine calls `portable`. Raises `ModelNotUsable`."""
    return starter_pair()[0] if portable == _STARTER else resolve_model(portable)
