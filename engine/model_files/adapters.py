"""Reads the folders of LoRA adapters, in the formats of mlx-lm and of PEFT, under the limits of model folders.

An adapter stands for its main model with the adapter applied: it is named and loaded by its own folder.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import ModelNotUsable
from engine.files.bounded_json import CONFIG
from engine.model_files.config import read_json
from engine.model_files.model_folder import ModelFolder
from engine.model_files.names import HUB_NAME, name_of_snapshot, resolve_model
from engine.model_files.safetensors_header import TensorHeader, read_checked_header

CONFIG_NAME = "adapter_config.json"
# The files of weights of the two formats.
_MLX_WEIGHTS = "adapters.safetensors"
_PEFT_WEIGHTS = "adapter_model.safetensors"
# Limits of settings: larger ones are damage.
_LARGEST_RANK = 4096
_LARGEST_SCALE = 1e6
_PEFT_TENSOR = re.compile(r"base_model\.model\.(.+)\.lora_([AB])\.weight")


@dataclass(frozen=True, slots=True)
class Adapter:
    """An adapter: low-rank matrices of `rank` that are added to matrices of its main model.

    Their product counts `scale` times. `kind` is "lora" or "dora". `peft` says that the file has PEFT's names and
    transposed matrices. `parts` maps the names of its tensors to a module and "lora_a", "lora_b" or "m".
    """

    file: Path
    kind: str
    rank: int
    scale: float
    peft: bool
    parts: Mapping[str, tuple[str, str]]
    tensors: Mapping[str, TensorHeader]

    @property
    def bytes(self) -> int:
        return sum(tensor.nbytes for tensor in self.tensors.values())


def is_adapter(folder: Path) -> bool:
    """Whether the folder is an adapter's. Unlike `Path`, `os.path` does not raise for unreadable paths."""
    return os.path.exists(folder / CONFIG_NAME) and not os.path.exists(folder / "config.json")


def is_model_or_adapter(folder: Path) -> bool:
    """Whether the folder looks like a model's or an adapter's. Like `is_adapter`, it does not raise."""
    return os.path.exists(folder / "config.json") or is_adapter(folder)


def adapters_in(folder: Path) -> Iterator[Path]:
    """Yield the adapters in a main model's folder: in it, or in folders in it."""
    for inner in _folders(folder):
        if is_adapter(inner):
            yield inner
        elif not os.path.exists(inner / "config.json"):
            yield from filter(is_adapter, _folders(inner))


def base_of(path: Path) -> Path:
    """Return the folder of the main model: the one around an adapter, next to it, or in the Hub's cache by its name.

    That is `path` itself for every other folder. Raises `ModelNotUsable`.
    """
    if not is_adapter(path):
        return path
    for around in (path.parent, path.parent.parent):
        if os.path.exists(around / "config.json"):
            return around
    config = read_json(path, CONFIG_NAME, CONFIG)
    name = str(config.get("base_model_name_or_path") or config.get("model") or "")
    # A path of another computer is of no use, and a stranger's file must not choose any folder of this one.
    beside = path.parent / Path(name).name
    if Path(name).name and os.path.exists(beside / "config.json"):
        return beside
    if HUB_NAME.fullmatch(name) and not os.path.exists(name):
        try:
            return resolve_model(name)
        except ModelNotUsable:
            pass
    raise ModelNotUsable(path, "no-base", name[:80])


def adapted_name(path: Path, base: Path) -> str:
    """Return the name of a main model with an adapter, as in "org/model:adapter"."""
    return name_of_snapshot(base) if path == base else f"{name_of_snapshot(base)}:{path.name}"


def deciding_files(path: Path) -> list[Path]:
    """Return the files that decide what a main model computes: configuration and weights, with an adapter's."""
    base = base_of(path)
    of_base = [base / "config.json", *ModelFolder(base).weight_files]
    return of_base if base == path else of_base + own_files(path)


def own_files(folder: Path) -> list[Path]:
    """Return the files of an adapter, without those that training or its main model have next to them."""
    return [path for name in (CONFIG_NAME, _MLX_WEIGHTS, _PEFT_WEIGHTS) if os.path.exists(path := folder / name)]


def read_adapter(folder: Path) -> Adapter:
    """Return the adapter in a folder, from its configuration and the headers of its weights.

    Raises `ModelNotUsable` (unsafe, incomplete, damaged, wrong-tensors, unknown-adapter).
    """
    names = ModelFolder(folder).names
    config = read_json(folder, CONFIG_NAME, CONFIG)
    peft = "peft_type" in config
    name = _PEFT_WEIGHTS if peft else _MLX_WEIGHTS
    if name not in names:
        raise ModelNotUsable(folder, "incomplete", name)
    kind, rank, scale = _settings_of_peft(folder, config) if peft else _settings_of_mlx(folder, config)
    # Whole numbers may be too large for functions of floats; comparisons with NaN are false.
    sound = type(rank) is int and 0 < rank <= _LARGEST_RANK and type(scale) in (int, float)
    if not sound or not abs(scale) <= _LARGEST_SCALE:
        raise ModelNotUsable(folder, "damaged", f"{CONFIG_NAME} (rank, scale)")
    tensors = read_checked_header(folder, folder / name)
    parts = _parts(folder, tensors, peft)
    for tensor, (_, part) in parts.items():
        rank_of_tensor = _rank_of(tensors[tensor].shape, part, peft)
        if part != "m" and rank_of_tensor != rank:
            raise ModelNotUsable(folder, "wrong-tensors", f"{tensor[:80]}: {rank_of_tensor} instead of {rank}")
    return Adapter(folder / name, kind, rank, float(scale), peft, parts, tensors)


def _rank_of(shape: Sequence[int], part: str, peft: bool) -> int:
    """Return the rank of a low-rank matrix of this shape, 0 for a scalar.

    mlx-lm has (inputs, rank) for "lora_a" and (rank, outputs) for "lora_b", PEFT their transposes. Those of experts,
    (experts, rank, inputs) and (experts, outputs, rank), are the same in both.
    """
    is_a = part == "lora_a"
    if not shape:
        return 0
    if len(shape) == 3:
        return shape[1 if is_a else 2]
    rank_is_first = is_a == peft and len(shape) == 2
    return shape[0 if rank_is_first else -1]


class _AdapterSettings(NamedTuple):
    """What a configuration says of an adapter; nothing is known of the types of its values."""

    # "lora" or "dora".
    kind: str
    rank: Any
    # The factor of the change to a layer.
    scale: Any


def _settings_of_mlx(folder: Path, config: Mapping[str, Any]) -> _AdapterSettings:
    """Read the configuration of an adapter of mlx-lm. Raises `ModelNotUsable` (unknown-adapter, damaged)."""
    kind = config.get("fine_tune_type", "lora")
    values = config.get("lora_parameters")
    if kind not in ("lora", "dora"):
        raise ModelNotUsable(folder, "unknown-adapter", str(kind)[:80])
    if not isinstance(values, dict):
        raise ModelNotUsable(folder, "damaged", f"{CONFIG_NAME} (lora_parameters)")
    return _AdapterSettings(kind, values.get("rank"), values.get("scale"))


def _settings_of_peft(folder: Path, config: Mapping[str, Any]) -> _AdapterSettings:
    """Read the configuration of an adapter of PEFT. Raises `ModelNotUsable` (unknown-adapter, damaged)."""
    other = ("modules_to_save", "rank_pattern", "alpha_pattern", "use_dora", "layer_replication", "fan_in_fan_out")
    odd = next((name for name in other if config.get(name)), "")
    if config["peft_type"] != "LORA" or odd or config.get("bias", "none") != "none":
        raise ModelNotUsable(folder, "unknown-adapter", (odd or str(config["peft_type"]))[:80])
    rank: Any = config.get("r")
    alpha: Any = config.get("lora_alpha")
    sound = type(rank) is int and 0 < rank <= _LARGEST_RANK and type(alpha) in (int, float)
    if not sound or not abs(alpha) <= _LARGEST_SCALE:
        raise ModelNotUsable(folder, "damaged", f"{CONFIG_NAME} (r, lora_alpha)")
    divisor = math.sqrt(rank) if config.get("use_rslora") else rank
    return _AdapterSettings("lora", rank, alpha / divisor)


def _parts(folder: Path, tensors: Mapping[str, TensorHeader], peft: bool) -> dict[str, tuple[str, str]]:
    """Return the module and the part ("lora_a", "lora_b" or "m") of each tensor. Raises `ModelNotUsable`."""
    parts = {}
    for name in tensors:
        if peft and (match := _PEFT_TENSOR.fullmatch(name)):
            parts[name] = (match[1], f"lora_{match[2].lower()}")
        elif not peft and name.rpartition(".")[2] in ("lora_a", "lora_b", "m"):
            parts[name] = (name.rpartition(".")[0], name.rpartition(".")[2])
        else:
            raise ModelNotUsable(folder, "unknown-adapter", name[:80])
    whole = {module for module, part in parts.values() if part == "lora_a"}
    if not parts or whole != {module for module, part in parts.values() if part == "lora_b"}:
        raise ModelNotUsable(folder, "wrong-tensors", "one of two matrices is missing")
    return parts


def _folders(folder: Path) -> list[Path]:
    try:
        return sorted(entry for entry in folder.iterdir() if entry.is_dir() and not entry.is_symlink())
    except OSError:
        return []
