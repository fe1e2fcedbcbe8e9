"""Describes a model folder by its small files and the headers of its weights; nothing is imported or loaded.

Everything is read through the `ModelFolder` of the place, which keeps what it read: each header is read once.
"""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.errors import ModelNotUsable
from engine.files.folder_paths import size_of
from engine.finding import gguf_models
from engine.finding.model_place import ModelPlace, place_of
from engine.model_files.adapters import adapters_in, base_of, is_adapter, is_model_or_adapter, read_adapter
from engine.model_files.config import context_length, experts_of, read_config, text_config
from engine.model_files.head_kinds import can_run
from engine.model_files.inspection import inspect_folder
from engine.model_files.model import Model
from engine.model_files.model_folder import ModelFolder
from engine.model_files.safetensors_header import TensorHeader, parameter_count
from engine.model_files.vision_kinds import vision_kind


@dataclass(frozen=True, slots=True)
class PartsInside:
    """The heads and adapters inside a main model's folder; both are empty for anything else.

    `heads` gives for each name, such as "dflash" or "mtp.safetensors", a path relative to the folder. The two differ
    only for the head called `head_kinds.MTP` among the main model's own weights, whose path is the first file that
    holds tensors of it.
    `adapters` are relative paths of folders.
    """

    heads: dict[str, str]
    adapters: list[str]


def describe_folder(path: Path, name: str, source: str) -> Model:
    """Describe one model folder, or file, without the index."""
    return describe(place_of(path, name, source))


def describe(place: ModelPlace) -> Model:
    """Describe what is at a place. What is wrong with it is told by the model's `problem`; nothing is raised."""
    if _is_gguf(place.folder):
        return gguf_models.describe_file(place.path, place.name, place.source)
    describe_folder_at = _describe_adapter if is_adapter(place.path) else _describe_model_or_head
    return gguf_models.with_origin(describe_folder_at(place))


def parts_inside(folder: ModelFolder) -> PartsInside:
    """Return the heads and adapters inside a main model's folder."""
    if folder.is_file or is_adapter(folder.path) or folder.head is not None:
        return PartsInside({}, [])
    heads = {
        name: str(head.path.relative_to(folder.path))
        for name, head in folder.heads()
        if head.is_file or is_model_or_adapter(head.path)
    }
    adapters = [str(adapter.relative_to(folder.path)) for adapter in adapters_in(folder.path)]
    return PartsInside(heads, adapters)


def _is_gguf(folder: ModelFolder) -> bool:
    """Whether it is a GGUF file, under any name: those of Ollama have no suffix."""
    return folder.is_file and folder.path.suffix != ".safetensors"


def _describe_model_or_head(place: ModelPlace) -> Model:
    folder = place.folder
    head = folder.head or ""
    model = Model(place.name, place.source, path=str(folder.path), bytes=_disk_bytes(folder.path), head=head)
    try:
        config = folder.config
        tensors = folder.head_tensors if head else inspect_folder(folder)
    except ModelNotUsable as error:
        model = replace(model, problem=error.reason, detail=error.detail)
        with suppress(ModelNotUsable):
            return model if head else replace(model, **_described(read_config(folder.path)))
        return model
    quantisation = _quantisation(config)
    weights = sum(tensor.nbytes for tensor in tensors.values())
    # The configuration may be that of the model whose files a head was cut out of.
    quantised = any(tensor.dtype == "U32" for tensor in tensors.values())
    model = replace(
        model,
        weight_bytes=weights,
        active_bytes=weights - (0 if head else _idle_expert_bytes(config, tensors)),
        parameters=parameter_count(tensors, quantisation.get("group_size")),
        bits=(quantisation.get("bits") if quantised else None) or _plain_bits(tensors),
    )
    if not head:
        return replace(model, sees=vision_kind(config, tensors) is not None, **_described(config))
    # Advice judges whether the head fits a main model.
    model = model if can_run(head) else replace(model, problem="unknown-head", detail=head)
    return replace(model, bytes=weights) if folder.is_shard else model


def _describe_adapter(place: ModelPlace) -> Model:
    """Describe the main model of an adapter as it is with the adapter applied."""
    path = place.path
    unusable = Model(place.name, place.source, path=str(path), bytes=_disk_bytes(path))
    try:
        base = base_of(path)
        adapter = read_adapter(path)
    except ModelNotUsable as error:
        return replace(unusable, problem=error.reason, detail=error.detail)
    model = describe_folder(base, place.name, place.source)
    return replace(
        model,
        path=unusable.path,
        bytes=unusable.bytes,
        weight_bytes=model.weight_bytes + adapter.bytes,
        active_bytes=model.active_bytes + adapter.bytes,
        base=str(base),
    )


def _described(config: dict[str, Any]) -> dict[str, Any]:
    size = text_config(config).get("vocab_size")
    return {
        "context": context_length(config),
        "vocabulary_size": size if type(size) is int else None,
        "architecture": str(config.get("model_type", ""))[:80],
    }


def _disk_bytes(folder: Path) -> int:
    """Return all bytes of the repository (in the Hub cache: its blobs, partial ones too) or of the folder."""
    home = folder.parent.parent if folder.parent.name == "snapshots" else folder
    blobs = home / "blobs"
    if folder.is_file():
        return size_of(folder)
    walked = os.walk(blobs if blobs.is_dir() else folder)
    return sum(size_of(Path(path, name)) for path, _, names in walked for name in names)


def _quantisation(config: dict[str, Any]) -> dict[str, int]:
    settings = config.get("quantization") or config.get("quantization_config")
    if not isinstance(settings, dict):
        return {}
    if settings.get("quant_method") in ("mxfp4", "mxfp8"):
        return {"bits": int(settings["quant_method"][-1]), "group_size": 32}
    return {key: settings[key] for key in ("bits", "group_size") if type(settings.get(key)) is int}


def _plain_bits(tensors: dict[str, TensorHeader]) -> int | None:
    widths = {"F32": 32, "F16": 16, "BF16": 16}
    sizes: Counter[int] = Counter()
    for tensor in tensors.values():
        if tensor.dtype in widths:
            sizes[widths[tensor.dtype]] += tensor.nbytes
    return max(sizes, key=sizes.__getitem__, default=None)


def _idle_expert_bytes(config: dict[str, Any], tensors: dict[str, TensorHeader]) -> int:
    """Return the bytes of the experts that one token does not use."""
    total, visited = experts_of(config)
    if total == visited:
        return 0
    experts = sum(
        tensor.nbytes
        for name, tensor in tensors.items()
        if ".switch_mlp." in name or ".switch_glu." in name or ".experts." in name
    )
    return experts * (total - visited) // total
