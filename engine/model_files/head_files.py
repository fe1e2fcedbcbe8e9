"""Recognises heads: folders and files whose tensors are those of a head, not of a model that can chat.

Heads name themselves in many ways, and some configurations declare heads that are not there, so tensors decide; the
architecture decides only where they cannot be seen yet, as on the Hub.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.model_files.bounded_json import CONFIG, UntrustedJsonError, read_object
from engine.model_files.config import text_config
from engine.model_files.folder_paths import SHARD_OF_MODEL, LeavesFolderError, TooManyEntriesError, list_inside
from engine.model_files.safetensors_header import CutOffFileError, DamagedHeaderError, read_header

# Families that Tandem can run.
SUPPORTED_HEADS = ("dflash", "dflash2", "dspark", "domino", "eagle3", "mtp")
# Those that make each draft token of the one before it.
CHAINED_HEADS = ("eagle3", "mtp")
# The names under which the methods of the families were published.
METHOD_NAMES = {
    "dflash": "DFlash",
    "dflash2": "DFlash 2",
    "dspark": "DSpark",
    "domino": "Domino",
    "eagle3": "EAGLE-3",
    "mtp": "MTP",
}
_MOST_FILES = 2_000
# Families of heads, by what tells their tensors apart. The first that matches counts.
_BY_TENSOR = (
    ("dflash2", re.compile(r"candidate_selector\.")),
    ("domino", re.compile(r"prefix_gru\.")),
    ("dspark", re.compile(r"markov_head\.")),
    ("peagle", re.compile(r"mask_hidden$")),
    ("eagle3", re.compile(r"midlayer\.|layers\.0\.hidden_norm\.")),
    ("dflash", re.compile(r"hidden_norm\.weight$")),
)
# MTP heads: all their tensors have one of these prefixes, or each layer has what fuses hidden state and embedding.
_MTP = ("mtp.", "mtp_layers.")
_FUSION = ("eh_proj.weight", "enorm.weight", "hidden_layernorm.weight")
# Gemma 4's assistants, which are small models between two projections.
_OF_ASSISTANT = {"pre_projection.weight", "post_projection.weight"}
_OF_HEAD = re.compile(r"(?:model\.|language_model\.)*(?:mtp\.|mtp_layers\.|layers\.(\d+)\.)")
_REPEATED = re.compile(r"embed_tokens\.|shared_head\.head\.|rotary_emb\.")
_LAYER = re.compile(r"(layers\.\d+)\.(.+)")
_PREFIX = re.compile(r"^(?:model\.|language_model\.|logit_head\.|draft_model\.)+")
_BY_NAME = (
    ("dflash2", "dflash2"),
    ("domino", "domino"),
    ("dspark", "dspark"),
    ("dflash", "dflash"),
    ("peagle", "peagle"),
    ("eagle3", "eagle3"),
    ("mtp", "mtp"),
)


def bare_name(name: str) -> str:
    """A tensor's name without the prefixes that some exports put before it."""
    return _PREFIX.sub("", name)


def kind_of_tensors(names: Collection[str]) -> str | None:
    """The family of the head that has tensors of these names, or None for anything that is not a head by itself.

    A model that carries a head beside its own embedding or output layers is a model.
    """
    bare = {bare_name(name) for name in names}
    if "fc.weight" in bare:
        for kind, pattern in _BY_TENSOR:
            if any(pattern.match(name) for name in bare):
                return kind
    return "mtp" if bare >= _OF_ASSISTANT or _is_mtp(bare) else None


def _is_mtp(names: set[str]) -> bool:
    marked = any(name.startswith((*_MTP, "pre_fc_norm_hidden.")) or name.endswith(_FUSION) for name in names)
    if "eh_proj.weight" in names:
        # Some exports of the head alone repeat the main model's tables.
        return True
    if not marked or "embed_tokens.weight" in names:
        return False
    prefixed = [name.startswith(_MTP) for name in names]
    if any(prefixed):
        # What else is there makes it a model.
        return all(prefixed)
    layers: dict[str, set[str]] = {}
    for match in filter(None, map(_LAYER.match, names)):
        layers.setdefault(match[1], set()).add(match[2])
    fused_once = any(name.startswith("pre_fc_norm_hidden.") for name in names)
    fused_once |= any(name.endswith("final_layernorm.weight") for name in names)
    return fused_once or all(inner & set(_FUSION) for inner in layers.values())


def mtp_tensors(names: Iterable[str], main_layers: int) -> list[str]:
    """Those of a main model's tensors that are an MTP head's, without the main model's tables that some repeat."""
    found = []
    for name in names:
        match = _OF_HEAD.match(name)
        if match is None or (match[1] is not None and int(match[1]) < main_layers) or _REPEATED.search(name):
            continue
        found.append(name)
    return found


def kind_of_config(config: Mapping[str, Any]) -> str | None:
    """The family that a configuration names, or None where it names none; for folders whose tensors are not known."""
    nested = config.get("dflash_config")
    words = [config.get("speculators_model_type"), config.get("model_type")]
    architectures = config.get("architectures")
    words += architectures if isinstance(architectures, list) else []
    words += [nested.get("projector_type")] if isinstance(nested, Mapping) else []
    text = " ".join(word for word in words if isinstance(word, str)).lower()
    for kind, mark in _BY_NAME:
        if mark in text:
            return kind
    return "dflash" if isinstance(nested, Mapping) else None


def kind_of_folder(folder: Path) -> str | None:
    """The family of the head in a folder, or None where it holds none or cannot be read. Reads headers only.

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
