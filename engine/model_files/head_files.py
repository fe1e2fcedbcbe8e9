"""Recognises folders and files whose tensors are those of a head, not of a model that can chat."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from engine.files.bounded_json import CONFIG, UntrustedJsonError, read_object
from engine.files.folder_paths import SHARD_OF_MODEL, LeavesFolderError, TooManyEntriesError, list_inside
from engine.model_files.config import text_config
from engine.model_files.head_kinds import kind_of_config, kind_of_tensors
from engine.model_files.safetensors_header import CutOffFileError, DamagedHeaderError, read_header

_MOST_FILES = 2_000
_OF_HEAD = re.compile(r"(?:model\.|language_model\.)*(?:mtp\.|mtp_layers\.|layers\.(\d+)\.)")
_REPEATED = re.compile(r"embed_tokens\.|shared_head\.head\.|rotary_emb\.")


def mtp_tensors(names: Iterable[str], main_layers: int) -> list[str]:
    """Those of a main model's tensors that are an MTP head's, without the main model's tables that some repeat."""
    found = []
    for name in names:
        match = _OF_HEAD.match(name)
        if match is None or (match[1] is not None and int(match[1]) < main_layers) or _REPEATED.search(name):
            continue
        found.append(name)
    return found


def kind_of_folder(folder: Path) -> str | None:
    """The kind of the head in a folder, or None where it holds none or cannot be read. Reads headers only.

    Without any weights, as while it is downloaded, its configuration decides. `folder` may be a file of tensors in the
    folder of a main model, also one of its own weights: see `is_inner`.
    """
    if is_inner(folder):
        return "mtp" if mtp_tensors(tensor_names([folder]), main_layers(folder.parent)) else None
    if os.path.isfile(folder):
        return kind_of_tensors(set(tensor_names([folder])))
    try:
        files = sorted(name for name in list_inside(folder) if "/" not in name and name.endswith(".safetensors"))
        config = read_object(folder / "config.json", CONFIG) if os.path.exists(folder / "config.json") else {}
    except (LeavesFolderError, TooManyEntriesError, UntrustedJsonError, OSError, ValueError):
        return None
    models = [name for name in files if name.startswith("model")]
    names = set(tensor_names(folder / name for name in (models or files)[:_MOST_FILES]))
    return kind_of_tensors(names) if names else kind_of_config(config)


def is_inner(head: Path) -> bool:
    """Whether the path of a head is that of a main model's own weights, in which makers publish MTP heads.

    The first file that has tensors of the head stands for it.
    """
    return SHARD_OF_MODEL.fullmatch(head.name) is not None and os.path.isfile(head)


def main_layers(folder: Path) -> int:
    """How many layers the main model in the folder has; 0 where its configuration does not say."""
    try:
        layers = text_config(read_object(folder / "config.json", CONFIG)).get("num_hidden_layers")
    except (UntrustedJsonError, OSError, ValueError):
        return 0
    return layers if type(layers) is int else 0


def tensor_names(files: Iterable[Path]) -> Iterator[str]:
    """The names of all tensors in the files that can be read."""
    for file in files:
        try:
            yield from read_header(file)
        except (CutOffFileError, DamagedHeaderError):
            continue
