"""Names models for other machines, and compares their files without reading them whole. Imports no MLX."""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Mapping
from pathlib import Path

from engine.errors import ModelNotUsable
from engine.files.paths import starter_pair
from engine.model_files.model_folder import INDEX_NAME, ModelFolder
from engine.model_files.names import name_of_snapshot, resolve_model

# The names of the models that come with Tandem, which may be in another folder on each computer.
_STARTER = "starter"
_STARTER_DRAFT = "starter draft"
# Large enough for any header, which takes about 100 bytes for a tensor.
_LARGEST_HEADER = 2**26
_CONFIG = "config.json"
# The entry of a fingerprint for the folder's name, which is the commit in the Hub's cache.
_FOLDER = "/"


def portable_name(name_or_path: str | Path) -> str:
    """Return a name by which another machine finds a model: one that comes with Tandem, on the Hub, or a folder there.

    Raises `ModelNotUsable` if this machine does not have the model.
    """
    path = resolve_model(name_or_path)
    for name, folder in _with_tandem().items():
        if path == folder.resolve():
            return name
    return name_of_snapshot(path) if "snapshots" in path.parts else str(path)


def is_on_hub(portable: str) -> bool:
    """Whether a machine can download the model of this portable name."""
    return portable not in _with_tandem() and not os.path.isabs(portable)


def folder_of(portable: str) -> Path:
    """Return the folder of the model of a portable name. Raises `ModelNotUsable`."""
    folder = _with_tandem().get(portable)
    return resolve_model(portable) if folder is None else folder


def _with_tandem() -> dict[str, Path]:
    """Return the folders of the models that come with Tandem, by their portable names."""
    main, draft = starter_pair()
    return {_STARTER: main, _STARTER_DRAFT: draft}


def fingerprint(folder: Path) -> dict[str, str]:
    """Return digests by name of a model's configuration, its index, and the size and header of each file of weights.

    Raises `ModelNotUsable` if there is no configuration.
    """
    digests = {_FOLDER: folder.name}
    try:
        digests[_CONFIG] = hashlib.sha256((folder / _CONFIG).read_bytes()).hexdigest()
        if (folder / INDEX_NAME).exists():
            digests[INDEX_NAME] = hashlib.sha256((folder / INDEX_NAME).read_bytes()).hexdigest()
        for path in ModelFolder(folder).weight_files:
            if not path.exists():
                continue
            with path.open("rb") as file:
                start = file.read(8)
                length = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
                header = file.read(min(length, _LARGEST_HEADER))
            digests[path.name] = hashlib.sha256(f"{path.stat().st_size} ".encode() + start + header).hexdigest()
    except OSError as error:
        raise ModelNotUsable(folder, "incomplete", Path(error.filename or "").name) from error
    return digests


def are_alike(first: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether two fingerprints are of the same model; either folder may lack files of weights."""
    differ = {name for name in first.keys() | other.keys() if first.get(name) != other.get(name)} - {_FOLDER}
    # A file that only one of them has cannot be compared; then both have to be the same version on the Hub.
    lacking = (first.keys() ^ other.keys()) - {_CONFIG, INDEX_NAME}
    return not differ or (differ <= lacking and first.get(_FOLDER) == other.get(_FOLDER))
