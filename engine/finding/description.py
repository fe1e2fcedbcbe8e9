"""Describes a model folder by its small files and the headers of its weights; nothing is imported or loaded."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.errors import ModelNotUsable
from engine.finding import gguf_models
from engine.model_files.adapters import base_of, is_adapter, read_adapter
from engine.model_files.config import context_length, experts_of, read_config, text_config
from engine.model_files.head_kinds import can_run
from engine.model_files.inspection import inspect_folder
from engine.model_files.model import Model
from engine.model_files.model_folder import ModelFolder
from engine.model_files.safetensors_header import TensorHeader, parameter_count
from engine.model_files.vision_kinds import vision_kind


def describe_folder(path: Path, name: str, source: str) -> Model:
    """Describe one model folder without the index."""
    folder = ModelFolder(path)
    if folder.is_file and folder.path.suffix != ".safetensors":
        return gguf_models.describe_file(folder.path, name, source)
    return gguf_models.with_origin(_describe_folder(folder, name, source))


def _describe_folder(folder: ModelFolder, name: str, source: str) -> Model:
    if is_adapter(folder.path):
        return _describe_adapter(folder.path, name, source)
    head = folder.head or ""
    model = Model(name, source, path=str(folder.path), bytes=_disk_bytes(folder.path), head=head)
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


def _describe_adapter(folder: Path, name: str, source: str) -> Model:
    unusable = Model(name, source, path=str(folder), bytes=_disk_bytes(folder))
    try:
        base = base_of(folder)
        adapter = read_adapter(folder)
    except ModelNotUsable as error:
        return replace(unusable, problem=error.reason, detail=error.detail)
    model = describe_folder(base, name, source)
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
        return gguf_models.size_of(folder)
    walked = os.walk(blobs if blobs.is_dir() else folder)
    return sum(gguf_models.size_of(Path(path, name)) for path, _, names in walked for name in names)


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
