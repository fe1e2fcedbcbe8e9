"""Applies a LoRA adapter to a main model whose weights have not been read, with mlx-lm's layers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten, tree_unflatten

from engine.cpu_backend.backend import backend
from engine.errors import ModelNotUsable
from engine.files.disk_pool import DiskPool
from engine.files.steps import Steps, result_of
from engine.model_files.adapters import Adapter, read_adapter
from engine.model_files.weight_reading import read_arrays, tensor_places

_LAYER = re.compile(r"^.*?layers\.\d{1,5}\.")


@dataclass(frozen=True, slots=True)
class AdapterWeights:
    """The adapter in `folder`, and its tensors by name, which `apply_adapter` takes out."""

    folder: Path
    adapter: Adapter
    tensors: dict[str, mx.array]


def read_weights(folder: Path, disk: DiskPool) -> Steps[AdapterWeights]:
    """Read the adapter in `folder`. Raises `ModelNotUsable` as `read_adapter` does, or if reading fails (damaged)."""
    adapter = yield from result_of(disk.start(read_adapter, folder))
    tensors = yield from read_arrays(folder, tensor_places({adapter.file: adapter.tensors}), disk)
    return AdapterWeights(folder, adapter, tensors)


def apply_adapter(read: AdapterWeights, model: nn.Module) -> None:
    """Add an adapter to the layers of `model`. Its weights are the model's afterwards.

    Raises `ModelNotUsable`, reason "wrong-base" if it was made for a model with other layers.
    """
    # mlx-lm's tuner is imported with the first adapter: most starts need none.
    from mlx_lm.tuner.utils import linear_to_lora_layers

    folder = read.folder
    adapter = read.adapter
    modules = _modules(folder, adapter, model)
    keys = {_LAYER.sub("", module) for module in modules.values()}
    settings = {"rank": adapter.rank, "scale": adapter.scale, "dropout": 0.0, "keys": keys}
    try:
        linear_to_lora_layers(model, len(model.layers), settings, use_dora=adapter.kind == "dora")
    # Layers of other kinds raise all kinds of exceptions.
    except Exception as error:
        raise ModelNotUsable(folder, "wrong-base", str(error)[:80]) from error
    wanted = {name: array.shape for name, array in tree_flatten(model.parameters())}
    arrays = {}
    for name, (module, part) in adapter.parts.items():
        stored = read.tensors.pop(name)
        array = stored.T if adapter.peft else stored
        place = f"{modules[module]}.{part}"
        if wanted.get(place) != array.shape:
            raise ModelNotUsable(folder, "wrong-base", f"{name[:80]}: {array.shape}, {wanted.get(place)}")
        arrays[place] = array if backend().keeps_weights else array.astype(mx.float32)
    model.update(tree_unflatten(list(arrays.items())))
    # mlx-lm makes layers that are being trained.
    model.eval()


def _modules(folder: Path, adapter: Adapter, model: nn.Module) -> dict[str, str]:
    """Return where the modules of the adapter are in `model`, which may be wrapped otherwise in another library."""
    known = {name for name, _ in model.named_modules()}
    modules = {}
    for module, _ in adapter.parts.values():
        ends = (module, f"language_model.{module}", module.replace("model.language_model.", "language_model.model.", 1))
        place = next((end for end in ends if end in known), None)
        if place is None:
            raise ModelNotUsable(folder, "wrong-base", module[:80])
        modules[module] = place
    return modules
