"""Recognises folders and files that hold the tensors of a head, not of a model that can chat."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from engine.files.bounded_json import CONFIG, read_object
from engine.files.folder_paths import SHARD_OF_MODEL, list_inside
from engine.model_files.config import text_config
from engine.model_files.head_kinds import kind_of_config, kind_of_tensors
from engine.model_files.safetensors_header import CutOffFileError, DamagedHeaderError, read_header

_MOST_FILES = 2_000
_OF_HEAD = re.compile(r"(?:model\.|language_model\.)*(?:mtp\.|mtp_layers\.|layers\.(\d+)\.)")
_REPEATED = re.compile(r"embed_tokens\.|shared_head\.head\.|rotary_emb\.")


def mtp_tensors(names: Iterable[str], main_layers: int) -> list[str]:
    """Return the tensors of an MTP head among a main model's, without the main model's tables that some repeat."""
    found = []
    for name in names:
        match = _OF_HEAD.match(name)
        if match is None or (match[1] is not None and int(match[1]) < main_layers) or _REPEATED.search(name):
            continue
        found.append(name)
    return found


def kind_of_folder(folder: Path) -> str | None:
    """Return the kind of the head in a folder, or None if it holds none or cannot be read. Reads headers only.

    Before any weights are downloaded, the configuration decides. `folder` may be a file of tensors in a main model's
    folder, also one of the main model's own weights: see `is_inner`.
    """
    if is_inner(folder):
        return "mtp" if mtp_tensors(tensor_names([folder]), main_layers(folder.parent)) else None
    if os.path.isfile(folder):
        return kind_of_tensors(set(tensor_names([folder])))
    try:
        files = sorted(name for name in list_inside(folder) if "/" not in name and name.endswith(".safetensors"))
        config = read_object(folder / "config.json", CONFIG) if os.path.exists(folder / "config.json") else {}
    except (OSError, ValueError):
        return None
    models = [name for name in files if name.startswith("model")]
    names = set(tensor_names(folder / name for name in (models or files)[:_MOST_FILES]))
    return kind_of_tensors(names) if names else kind_of_config(config)


def is_inner(head: Path) -> bool:
    """Whether the path of a head is a file of a main model's own weights, in which makers publish MTP heads.

    The first file with tensors of the head stands for the head.
    """
    return SHARD_OF_MODEL.fullmatch(head.name) is not None and os.path.isfile(head)


def main_layers(folder: Path) -> int:
    """Return the number of layers of the main model in the folder; 0 if its configuration does not give it."""
    try:
        layers = text_config(read_object(folder / "config.json", CONFIG)).get("num_hidden_layers")
    except (OSError, ValueError):
        return 0
    return layers if type(layers) is int else 0


def tensor_names(files: Iterable[Path]) -> Iterator[str]:
    """Yield the names of all tensors in the files that can be read."""
    for file in files:
        try:
            yield from read_header(file)
        except (CutOffFileError, DamagedHeaderError):
            continue
