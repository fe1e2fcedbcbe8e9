"""Applies a LoRA adapter to a main model whose weights have not been read, with mlx-lm's layers."""

from __future__ import annotations

import re
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten, tree_unflatten

from engine.cpu_backend.backend import backend
from engine.errors import ModelNotUsable
from engine.model_files.adapters import Adapter, read_adapter

_LAYER = re.compile(r"^.*?layers\.\d{1,5}\.")


def apply_adapter(folder: Path, model: nn.Module) -> None:
    """Add the adapter in `folder` to the layers of `model`; its weights are not read here.

    Raises `ModelNotUsable`, reason "wrong-base" if it was made for a model with other layers.
    """
    # mlx-lm's tuner is imported with the first adapter: most starts need none.
    from mlx_lm.tuner.utils import linear_to_lora_layers

    adapter = read_adapter(folder)
    modules = _modules(folder, adapter, model)
    keys = {_LAYER.sub("", module) for module in modules.values()}
    settings = {"rank": adapter.rank, "scale": adapter.scale, "dropout": 0.0, "keys": keys}
    try:
        linear_to_lora_layers(model, len(model.layers), settings, use_dora=adapter.kind == "dora")
    # Layers of other kinds raise all kinds of exceptions.
    except Exception as error:
        raise ModelNotUsable(folder, "wrong-base", str(error)[:80]) from error
    weights = mx.load(str(adapter.file))
    assert isinstance(weights, dict)
    wanted = {name: array.shape for name, array in tree_flatten(model.parameters())}
    arrays = {}
    for name, (module, part) in adapter.parts.items():
        array = weights[name].T if adapter.peft else weights[name]
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
