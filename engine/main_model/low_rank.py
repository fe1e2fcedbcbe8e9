"""What a drafter was taught: low-rank layers (LoRA) of mlx-lm, added to its linear layers."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten, tree_unflatten

from engine.errors import CannotTeach
from engine.model_files.safetensors_header import header_length
from engine.model_files.weight_reading import arrays_in

# A rank of 16 holds what a few hundred chats teach.
RANK = 16
# The change of a layer is the product of the two matrices times this scale.
SCALE = 2.0
SETTINGS: dict[str, Any] = {"rank": RANK, "scale": SCALE, "dropout": 0.0}


def add_adapter(model: nn.Module, seed: int = 0) -> None:
    """Add low-rank layers that change nothing yet to all blocks of `model`.

    Raises `CannotTeach` for a model whose layers mlx-lm cannot adapt.
    """
    # mlx-lm's tuner is imported with the first adapter: most starts need none.
    from mlx_lm.tuner.utils import linear_to_lora_layers

    try:
        linear_to_lora_layers(model, len(model.layers), SETTINGS)
    # Models of other shapes raise all kinds of exceptions.
    except Exception as error:
        raise CannotTeach("architecture", str(error)[:120]) from error
    weights = adapter_of(model)
    if not weights:
        raise CannotTeach("architecture")
    # mlx-lm draws them from the global random state, which other work uses, too.
    keys = mx.random.split(mx.random.key(seed), len(weights))
    drawn = {
        name: mx.random.uniform(-1.0, 1.0, array.shape, key=key) / max(array.shape[-2:]) ** 0.5
        for (name, array), key in zip(sorted(weights.items()), keys, strict=True)
        if name.endswith("lora_a")
    }
    model.update(tree_unflatten(list(drawn.items())))


def apply_low_rank(model: nn.Module, weights: Mapping[str, mx.array]) -> None:
    """Add an adapter with `weights`, in the shapes (...) of `adapter_of`, to a model that has none.

    Raises `CannotTeach` and `ValueError`; then `model` is as it was.
    """
    try:
        add_adapter(model)
        set_adapter(model, weights)
    except (CannotTeach, ValueError):
        remove_adapter(model)
        raise
    fuse(model)


def train_only_adapter(model: nn.Module) -> None:
    """Freeze all parameters but the adapter's."""
    model.freeze()
    model.unfreeze(keys=["lora_a", "lora_b"])


def adapter_of(model: nn.Module) -> dict[str, mx.array]:
    """Return the weights of the adapter by name: `lora_a` (inputs, rank) and `lora_b` (rank, outputs) of each layer.

    Layers of experts have (experts, rank, inputs) and (experts, outputs, rank).
    """
    return {name: array for name, array in tree_flatten(model.parameters()) if name.endswith((".lora_a", ".lora_b"))}


def set_adapter(model: nn.Module, weights: Mapping[str, mx.array]) -> None:
    """Set the weights of an added adapter, in the shapes (...) that `adapter_of` returns.

    Raises `ValueError` if they were made for other layers or are no numbers.
    """
    wanted = {name: array.shape for name, array in adapter_of(model).items()}
    if {name: array.shape for name, array in weights.items()} != wanted:
        raise ValueError("the adapter has other layers than the model")
    if not all(mx.isfinite(array).all().item() for array in weights.values()):
        raise ValueError("the adapter has numbers that are not finite")
    model.update(tree_unflatten(list(weights.items())))


def remove_adapter(model: nn.Module) -> None:
    """Give a model its own layers back."""
    from mlx_lm.tuner.utils import remove_lora_layers

    remove_lora_layers(model)


def fuse(model: nn.Module) -> None:
    """Add the low-rank layers into the matrices, where that loses nothing: quantised matrices would round them away."""
    fused = [
        (name, module.fuse())
        for name, module in model.named_modules()
        if "lora_a" in module and hasattr(module, "fuse") and "scales" not in module.linear
    ]
    model.update_modules(tree_unflatten(fused))


def as_bytes(arrays: Mapping[str, mx.array], metadata: Mapping[str, str]) -> bytes:
    """Return the content of a safetensors file with `arrays` of any shape (...) and texts about them."""
    file = io.BytesIO()
    mx.save_safetensors(file, dict(arrays), dict(metadata))
    return file.getvalue()


def from_bytes(content: bytes) -> tuple[dict[str, mx.array], dict[str, str]]:
    """Return the arrays, of any shape (...), and the metadata of a safetensors file. Raises `ValueError`."""
    arrays = arrays_in(content)
    metadata = json.loads(content[8 : 8 + header_length(content[:8])]).get("__metadata__", {})
    return arrays, metadata
