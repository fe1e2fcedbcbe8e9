"""Writes LoRA adapters of random numbers for tiny models."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import mlx.core as mx
from mlx.utils import tree_flatten
from mlx_lm import utils as mlx_lm_utils
from mlx_lm.tuner.utils import linear_to_lora_layers

RANK, SCALE = 4, 3.0
KEYS = ["self_attn.q_proj", "self_attn.v_proj", "mlp.down_proj"]


def write_adapter(base: Path, folder: Path, kind: str = "lora", seed: int = 3) -> Path:
    """Write an adapter of random numbers for a main model as `mlx_lm.lora` does."""
    model = mlx_lm_utils.load_model(base)[0]
    settings = {"rank": RANK, "scale": SCALE, "dropout": 0.0, "keys": KEYS}
    linear_to_lora_layers(model, len(model.layers), dict(settings), use_dora=kind == "dora")
    own = {
        name: array for name, array in tree_flatten(model.parameters()) if name.endswith((".lora_a", ".lora_b", ".m"))
    }
    seeds = mx.random.split(mx.random.key(seed), len(own))
    drawn = {
        name: array if name.endswith(".m") else mx.random.normal(array.shape, key=key) * 0.1
        for (name, array), key in zip(sorted(own.items()), seeds, strict=True)
    }
    folder.mkdir(parents=True)
    mx.save_safetensors(str(folder / "adapters.safetensors"), drawn)
    config = {"fine_tune_type": kind, "num_layers": len(model.layers), "model": base.name, "lora_parameters": settings}
    (folder / "adapter_config.json").write_text(json.dumps(config))
    return folder


def as_peft(adapter: Path, folder: Path) -> Path:
    """Write the same adapter as PEFT does."""
    weights = mx.load(str(adapter / "adapters.safetensors"))
    assert isinstance(weights, Mapping)
    renamed = {
        f"base_model.model.{name.rpartition('.')[0]}.lora_{name[-1].upper()}.weight": mx.contiguous(array.T)
        for name, array in weights.items()
    }
    folder.mkdir(parents=True)
    mx.save_safetensors(str(folder / "adapter_model.safetensors"), renamed)
    config = {"peft_type": "LORA", "r": RANK, "lora_alpha": RANK * SCALE, "bias": "none"}
    (folder / "adapter_config.json").write_text(json.dumps(config))
    return folder
