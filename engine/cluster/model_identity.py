"""Which model another machine means, and whether it has the same files of it, without reading all. Imports no MLX."""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Mapping
from pathlib import Path

from engine.engine import starter_pair
from engine.errors import ModelNotUsable
from engine.model_files.cache_names import name_of_snapshot
from engine.model_files.inspection import INDEX_NAME, weight_files
from engine.model_files.names import resolve_model

_STARTER = "starter"
# A header lists a tensor in about 100 bytes.
_LARGEST_HEADER = 2**26
_CONFIG = "config.json"
# Beside the files: the folder's name, which is the commit in the Hub's cache.
_FOLDER = "/"


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


def fingerprint(folder: Path) -> dict[str, str]:
    """Digests by name of a model's configuration, its index, and the size and the header of each file of weights.

    Raises `ModelNotUsable` where there is no configuration.
    """
    found = {_FOLDER: folder.name}
    try:
        found[_CONFIG] = hashlib.sha256((folder / _CONFIG).read_bytes()).hexdigest()
        if (folder / INDEX_NAME).exists():
            found[INDEX_NAME] = hashlib.sha256((folder / INDEX_NAME).read_bytes()).hexdigest()
        for path in weight_files(folder):
            if not path.exists():
                continue
            with path.open("rb") as file:
                start = file.read(8)
                length = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
                header = file.read(min(length, _LARGEST_HEADER))
            found[path.name] = hashlib.sha256(f"{path.stat().st_size} ".encode() + start + header).hexdigest()
    except OSError as error:
        raise ModelNotUsable(folder, "incomplete", Path(error.filename or "").name) from error
    return found


def are_alike(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether two fingerprints are those of one model, of which either folder may lack files of weights."""
    differ = {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)} - {_FOLDER}
    # What only one of them has cannot be compared: then both have to be the same version of the Hub's.
    lacking = (one.keys() ^ other.keys()) - {_CONFIG, INDEX_NAME}
    return not differ or (differ <= lacking and one.get(_FOLDER) == other.get(_FOLDER))
