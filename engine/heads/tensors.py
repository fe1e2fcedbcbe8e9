"""The tensors of a head's files by the names of our networks: which are read, their types, and how they are quantised.

Only headers are read; nothing is allocated or computed. This module does not import mlx.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.model_files.head_kinds import bare_name
from engine.model_files.safetensors_header import TensorHeader

# The type of tensors in DeepSeek's format with 8 bits.
FP8 = "F8_E4M3"
# Rows and columns of the blocks that have one factor each.
FP8_BLOCK = 128
# How the names of the tensors of factors end.
SCALE_OF_FP8 = ".weight_scale_inv"
# The embedding of the mask token, in heads that have their own.
MASK = "mask_embedding"
# Bits and group size of the modes whose scales are stored as 8-bit integers.
MODES = {"mxfp4": (4, 32), "nvfp4": (4, 16), "mxfp8": (8, 32)}
_SCALE_OF_MODE = "U8"
_FLOATS = ("F32", "F16", "BF16")
_WHOLE = ("I32", "I64", "U32")
# Tables of ids: the differences between a reduced vocabulary's ids and the main model's, and the ids of groups.
_IDS = ("d2t", "masked_embedding.token_ordering")
_BITS = (2, 3, 4, 5, 6, 8)


class HeadTensorError(ValueError):
    """A tensor, named by the message, is missing, duplicate, or of a wrong shape or type."""


class UnknownHeadError(ValueError):
    """The configuration describes a head that Tandem cannot run."""


@dataclass(frozen=True, slots=True)
class HeadFiles:
    """The input of a reader of configurations: config.json, the head's kind, headers by published names."""

    config: Mapping[str, Any]
    kind: str
    tensors: Mapping[str, TensorHeader]


def by_our_names(names: Iterable[str], our_name: Callable[[str], str | None] = bare_name) -> dict[str, str]:
    """Return the names of our networks by published ones, for the tensors that are read.

    `our_name` returns None for a tensor that is not read. Tensors of the main model that some exports repeat are left
    out. Raises `HeadTensorError` if two names stand for one tensor.
    """
    name_by_ours: dict[str, str] = {}
    for name in names:
        ours = our_name(name)
        if ours is None or ours.startswith(("verifier_", "t2d", "rotary_emb.")) or ours.endswith("rotary_emb.inv_freq"):
            continue
        if (first := name_by_ours.setdefault(ours, name)) != name:
            raise HeadTensorError(first)
    return {name: ours for ours, name in name_by_ours.items()}


def inputs_of(files: HeadFiles, names: Mapping[str, str], layer: str) -> int:
    """Return the number of inputs of a matrix, quantised or not; 0 if there is none.

    Raises `HeadTensorError`. Bits and mode come from the layer's own entry in the settings, or are the common ones.
    """
    tensors = {layer_entry: files.tensors[name] for name, layer_entry in names.items()}
    weight = tensors.get(f"{layer}.weight")
    scales = tensors.get(f"{layer}.scales")
    if weight is None or not weight.shape:
        return 0
    if scales is None:
        return weight.shape[-1]
    declared = [files.config.get(name) for name in ("quantization", "quantization_config")]
    common = next((settings for settings in declared if isinstance(settings, Mapping)), {})
    layer_entry = common.get(layer)
    settings = {**common, **layer_entry} if isinstance(layer_entry, Mapping) else common
    bits = settings.get("bits")
    group = settings.get("group_size")
    mode = settings.get("mode", "affine")
    if mode == "affine":
        known = type(bits) is int and bits in _BITS and scales.dtype != _SCALE_OF_MODE
    else:
        known = isinstance(mode, str) and (bits, group) == MODES.get(mode) and scales.dtype == _SCALE_OF_MODE
    if not known:
        raise HeadTensorError(f"{layer}.scales")
    return weight.shape[-1] * 32 // bits  # type: ignore[operator]


def check_types(tensors: Mapping[str, TensorHeader]) -> None:
    """Raise `HeadTensorError` for tensors of integers, unless they are ids or a quantised matrix.

    A matrix in 8-bit floating point has a scale for each block.
    """
    for name, tensor in tensors.items():
        stem, _, leaf = name.rpartition(".")
        weight = tensors.get(f"{stem}.weight")
        scale = tensors.get(f"{stem}{SCALE_OF_FP8}")
        if leaf == "weight" and tensor.dtype == FP8 and scale is not None and len(tensor.shape) == 2:
            right = scale.shape == tuple(-(-size // FP8_BLOCK) for size in tensor.shape)
        elif leaf == "scales" and tensor.dtype == _SCALE_OF_MODE:
            right = weight is not None and weight.dtype == "U32"
        elif leaf == "weight" and f"{stem}.scales" in tensors:
            right = tensor.dtype == "U32"
        else:
            allowed = _WHOLE if name in _IDS else _FLOATS
            right = tensor.dtype in allowed
        if not right:
            raise HeadTensorError(name)
