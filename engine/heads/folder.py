"""Checks a head's folder from its configuration and the headers of its weights, without loading it. No mlx here."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import ModelNotUsable
from engine.heads import eagle_config, mtp_config
from engine.heads.assistant_config import ORDERED, is_assistant, read_assistant_config
from engine.heads.config import HeadConfig, HeadShape
from engine.heads.dialects import HeadConfigError, read_config
from engine.heads.tensors import (
    FP8,
    MASK,
    MODES,
    HeadTensorError,
    by_our_names,
    check_tensors,
    check_types,
    expected_shapes,
    our_name,
    whole_shapes,
)
from engine.model_files.folder_paths import open_regular
from engine.model_files.head_files import SUPPORTED_HEADS, is_inner, kind_of_tensors
from engine.model_files.head_folder import config_folder, head_weight_files, read_head_tensors
from engine.model_files.inspection import read_checked_config
from engine.model_files.safetensors_header import TensorHeader
from engine.model_files.torch_file import RunsCodeError, SavedTensor, TorchFileError, read_torch_file

# Where MiMo's heads keep the embedding of their mask token (vLLM, #46104).
_MASK_FILE = "mask_embedding.pt"
# Read at three places of each file for the identity of a head.
_SAMPLE_BYTES = 2**16


@dataclass(frozen=True, slots=True)
class HeadContent:
    """A usable head's folder: its files of weights, what it is made of, its tensors, and their quantisation.

    `mask` is the embedding of the mask token where that is in a file of its own, not in one of `files`.
    """

    folder: Path
    files: tuple[Path, ...]
    config: HeadShape
    tensors: Mapping[str, TensorHeader]
    quantisation: Mapping[str, Any]
    mask: SavedTensor | None = None

    @property
    def inner(self) -> bool:
        """Whether its files are a main model's own weights, most of which are not the head's."""
        return is_inner(self.folder)

    @property
    def weight_bytes(self) -> int:
        """Bytes in memory: numbers of eight bits in floating point become numbers of sixteen."""
        return sum(tensor.nbytes * (2 if tensor.dtype == FP8 else 1) for tensor in self.tensors.values())


def inspect_head(folder: Path) -> HeadContent:
    """What is in the folder of a head, or in a file of tensors beside a main model.

    Reads JSON, headers, and the embedding of the mask token that some heads have.

    Raises `ModelNotUsable`: missing, not-a-model, unsafe, damaged, incomplete, wrong-tensors, unknown-architecture.
    """
    raw = read_checked_config(config_folder(folder))
    files = head_weight_files(folder)
    headers = read_head_tensors(folder, files)
    kind = kind_of_tensors(headers)
    assistant = kind == "mtp" and is_assistant(raw)
    if kind not in SUPPORTED_HEADS or (kind == "mtp" and not assistant and mtp_config.family_of(raw) is None):
        raise ModelNotUsable(folder, "unknown-head", kind or str(raw.get("model_type", ""))[:80])
    mask, mask_token = _saved_mask(folder)
    if mask is not None:
        if MASK in headers:
            raise ModelNotUsable(folder, "wrong-tensors", MASK)
        headers[MASK] = TensorHeader(mask.dtype, (math.prod(mask.shape),), len(mask.data))
    quantisation = _quantisation(folder, raw)
    try:
        config, tensors = _content(raw, kind, headers, quantisation)
    except HeadConfigError as error:
        raise ModelNotUsable(folder, "damaged", f"config.json ({str(error)[:80]})") from error
    except HeadTensorError as error:
        raise ModelNotUsable(folder, "wrong-tensors", str(error)[:80]) from error
    known = (None, config.mask_token) if isinstance(config, HeadConfig) else ()
    if mask is not None and mask_token not in known:
        raise ModelNotUsable(folder, "wrong-tensors", _MASK_FILE)
    return HeadContent(folder, tuple(files), config, tensors, quantisation, mask)


def _saved_mask(folder: Path) -> tuple[SavedTensor | None, object]:
    """The embedding of the mask token in its own file, and that token if the file says it. Raises `ModelNotUsable`."""
    path = folder / _MASK_FILE
    if not os.path.lexists(path):
        return None, None
    try:
        saved = read_torch_file(path)
    except RunsCodeError as error:
        raise ModelNotUsable(folder, "unsafe", f"{_MASK_FILE} ({error})") from error
    except TorchFileError as error:
        raise ModelNotUsable(folder, "damaged", f"{_MASK_FILE} ({error})") from error
    embedding = saved.get("embedding") if isinstance(saved, dict) else saved
    if not isinstance(embedding, SavedTensor):
        raise ModelNotUsable(folder, "wrong-tensors", _MASK_FILE)
    return embedding, saved.get("mask_token_id") if isinstance(saved, dict) else None


def _content(
    raw: Mapping[str, Any], kind: str, headers: Mapping[str, TensorHeader], quantisation: Mapping[str, Any]
) -> tuple[HeadShape, Mapping[str, TensorHeader]]:
    if kind == "mtp":
        return _assistant(raw, headers) if is_assistant(raw) else _mtp(raw, headers)
    if kind == "eagle3":
        tensors = by_our_names(headers, lambda name: eagle_config.our_name(our_name(name)))
        shapes = whole_shapes(tensors, quantisation)
        eagle = eagle_config.read_eagle_config(raw, shapes)
        check_tensors(dict(eagle_config.expected_shapes(eagle)), tensors, shapes)
        return eagle, tensors
    tensors = by_our_names(headers)
    shapes = whole_shapes(tensors, quantisation)
    config = read_config(raw, kind, shapes)
    fused = "layers.0.self_attn.qkv_proj.weight" in shapes
    check_tensors(dict(expected_shapes(config, fused=fused)), tensors, shapes)
    return config, tensors


def _mtp(raw: Mapping[str, Any], headers: Mapping[str, TensorHeader]) -> tuple[HeadShape, Mapping[str, TensorHeader]]:
    """Shapes are compared when the network is built, of arrays that are not read yet."""
    layers, family = mtp_config.layers_of_main(raw), mtp_config.family_of(raw)
    assert family is not None
    named = ((mtp_config.our_name(name, layers, family), header) for name, header in headers.items())
    tensors = {name: header for name, header in named if name is not None}
    config = mtp_config.read_mtp_config(raw, tensors)
    fusions = [f"layers.{index}." for index in range(config.layer_count)] if family.by_depth else [""]
    missing = [name for where in fusions for part in mtp_config.FUSION if (name := where + part) not in tensors]
    if missing:
        raise HeadTensorError(missing[0])
    check_types(tensors)
    return config, tensors


def _assistant(
    raw: Mapping[str, Any], headers: Mapping[str, TensorHeader]
) -> tuple[HeadShape, Mapping[str, TensorHeader]]:
    """As `_mtp`: shapes are compared when the network is built."""
    check_types({name: header for name, header in headers.items() if name != ORDERED[1]})
    return read_assistant_config(raw, headers), headers


def identity_of(content: HeadContent) -> str:
    """A name for these weights and settings, from config.json, the headers and samples of the weights.

    Raises `ModelNotUsable` where they cannot be read any more.
    """
    digest = hashlib.sha256()
    digest.update(content.mask.data if content.mask is not None else b"")
    try:
        digest.update((config_folder(content.folder) / "config.json").read_bytes())
        for path in content.files:
            with open_regular(path) as file:
                size = os.fstat(file.fileno()).st_size
                digest.update(size.to_bytes(8, "little"))
                for start in (0, max(0, size // 2), max(0, size - _SAMPLE_BYTES)):
                    file.seek(start)
                    digest.update(file.read(_SAMPLE_BYTES))
    except OSError as error:
        raise ModelNotUsable(content.folder, "damaged", error.strerror or "cannot be read") from error
    return digest.hexdigest()[:32]


def _quantisation(folder: Path, config: Mapping[str, Any]) -> Mapping[str, Any]:
    settings = config.get("quantization")
    if settings is None:
        settings = config.get("quantization_config") or {}
    if not isinstance(settings, Mapping) or settings.get("mode", "affine") not in ("affine", *MODES):
        raise ModelNotUsable(folder, "damaged", "config.json (quantization)")
    return settings
