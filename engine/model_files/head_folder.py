"""The files and tensors of a head's folder, and the heads in a main model's folder."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from engine.errors import ModelNotUsable
from engine.files.folder_paths import SHARD_OF_MODEL, list_inside
from engine.model_files.head_files import is_inner, kind_of_folder, main_layers, mtp_tensors, tensor_names
from engine.model_files.head_kinds import kind_of_tensors
from engine.model_files.inspection import files_by_tensor, missing_weights, weight_files
from engine.model_files.safetensors_header import TensorHeader, read_checked_header

_MOST_FILES = 100
_SAMPLES = 16
# The place of a head's tensors in packs, whose inner folders have no configuration.
_NESTED = ("mtp/weights.safetensors",)


@dataclass(frozen=True, slots=True)
class Sidecar:
    """A head in a main model's folder: in its own folder, or in a file of tensors without a configuration.

    `name` is that of the folder or file, or "mtp" for a head in the main model's own files.
    """

    path: Path
    kind: str
    name: str


def head_weight_files(folder: Path) -> list[Path]:
    """Return the files that hold a head's weights. Raises `ModelNotUsable` if one is missing.

    These are files named like a model's or, without any, all safetensors files of the folder. `folder` may be one such
    file, or the first of a main model's files that hold its head.
    """
    if is_inner(folder):
        return _inner_files(folder.parent)
    if os.path.isfile(folder):
        return [folder]
    named = weight_files(folder)
    files = named or sorted(folder.glob("*.safetensors"))
    absent = missing_weights(folder) if named or not files else None
    if absent is not None:
        raise ModelNotUsable(folder, "incomplete", absent)
    if len(files) > _MOST_FILES:
        raise ModelNotUsable(folder, "damaged", "hundreds of files")
    return files


def config_folder(path: Path) -> Path:
    """Return the folder whose config.json belongs to the head at `path`: for a file, the main model's folder."""
    if not os.path.isfile(path):
        return path
    around = (path.parent, path.parent.parent)
    return next((folder for folder in around if os.path.exists(folder / "config.json")), path.parent)


def sampled_hash(files: Iterable[Path], sample_bytes: int) -> str:
    """Return a hash of names, sizes and 16 evenly spread parts of files. Files that cannot be read are left out.

    Reading whole models takes too long.
    """
    digest = hashlib.sha256()
    for path in files:
        with suppress(OSError), path.open("rb") as file:
            size = path.stat().st_size
            digest.update(f"{path.name} {size}\n".encode())
            for sample in range(_SAMPLES):
                file.seek(sample * max(0, size - sample_bytes) // (_SAMPLES - 1))
                digest.update(file.read(sample_bytes))
    return digest.hexdigest()


def read_head_tensors(folder: Path, files: Sequence[Path]) -> dict[str, TensorHeader]:
    """Return the headers of the head's tensors in `files`.

    Raises `ModelNotUsable` (incomplete, damaged, wrong-tensors).
    """
    tensors: dict[str, TensorHeader] = {}
    layers = main_layers(folder.parent) if is_inner(folder) else None
    for file in files:
        header = read_checked_header(folder, file)
        if layers is not None:
            header = {name: header[name] for name in mtp_tensors(header, layers)}
        if twice := tensors.keys() & header.keys():
            raise ModelNotUsable(folder, "wrong-tensors", min(twice)[:80])
        tensors.update(header)
    return tensors


def sidecars(folder: Path) -> list[Sidecar]:
    """Return the heads in a main model's folder: in their own folders, in files beside its weights, in its weights.

    Main models are loaded without them.
    """
    try:
        names = sorted(list_inside(folder))
    except (OSError, ValueError):
        return []
    folders = sorted({name.partition("/")[0] for name in names if name.count("/") == 1})
    files = [name for name in names if "/" not in name and name.endswith(".safetensors")]
    beside = [name for name in files if not SHARD_OF_MODEL.fullmatch(name)]
    beside += [name for name in _NESTED if name in names]
    kinds = {folder / inner: kind_of_folder(folder / inner) for inner in folders}
    kinds |= {folder / name: kind_of_tensors(set(tensor_names([folder / name]))) for name in beside}
    found = [Sidecar(path, kind, str(path.relative_to(folder))) for path, kind in kinds.items() if kind is not None]
    inner = _inner_files(folder)
    return [*found, Sidecar(inner[0], "mtp", "mtp")] if inner else found


def _inner_files(folder: Path) -> list[Path]:
    """Return the main model's files that hold tensors of its head, found by the index if there is one."""
    layers = main_layers(folder)
    try:
        by_tensor = files_by_tensor(folder)
    except ModelNotUsable:
        return []
    if by_tensor:
        names = sorted({by_tensor[name] for name in mtp_tensors(by_tensor, layers)})
        candidates = [folder / name for name in names if SHARD_OF_MODEL.fullmatch(name)]
    else:
        candidates = sorted(path for path in folder.glob("model*.safetensors") if SHARD_OF_MODEL.fullmatch(path.name))
    held = {path: mtp_tensors(tensor_names([path]), layers) for path in candidates}
    found = [name for names in held.values() for name in names]
    return [path for path, names in held.items() if names] if kind_of_tensors(found) == "mtp" else []
