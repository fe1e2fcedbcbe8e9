"""Tiny models of families that several machines can divide, and the processes of ranks."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import mlx.core as mx
import psutil

from engine.cluster.cluster import Cluster
from tests.engine.speculation.families import model_type
from tests.engine.speculation.family_configs import FAMILIES
from tests.tiny_models import FLOAT32, Stored, write_model

# Half of the layers that `write_family(family, folder, 2)` writes for one of these include every kind.
SPLIT_BY_LAYERS = (
    "qwen2", "qwen3_moe", "glm4_moe", "glm4_moe_lite", "ministral3", "mistral4", "deepseek_v2", "deepseek_v3",
    "deepseek_v32", "qwen3_5", "qwen3_next", "bailing_hybrid", "kimi_k3", "minimax_m3_vl",
)  # fmt: skip


def rank_processes(cluster: Cluster) -> list[psutil.Process]:
    """Return the ranks on this machine; the parent of each is its keeper."""
    return [psutil.Process(process._process.pid).children()[0] for process in cluster._processes]


def write_family(family: str, folder: Path, times: int = 1, stored: Stored = FLOAT32) -> Path:
    """Write a tiny model of a family whose sizes two ranks divide, with `times` as many layers.

    Heads so small do not divide quantised matrices, and sums of bfloat16 depend on the number of ranks.
    """
    config: dict[str, Any] = {"model_type": model_type(family), "max_position_embeddings": 512, **FAMILIES[family]}
    # An even number of ids: some families divide the output layer too.
    return write_model(folder, seed=len(family), tokens=320, config=deeper(config, times), stored=stored)


def deeper(config: dict[str, Any], times: int) -> dict[str, Any]:
    """Return the configuration with its layers repeated."""
    config = dict(config)
    if "text_config" in config:
        config["text_config"] = deeper(config["text_config"], times)
    if "num_hidden_layers" in config:
        config["num_hidden_layers"] *= times
    for key in ("layer_types", "is_moe_layer"):
        if key in config:
            config[key] = config[key] * times
    if "linear_attn_config" in config:
        linear, layers = config["linear_attn_config"], config["num_hidden_layers"]
        config["linear_attn_config"] = {**linear, "kda_layers": list(range(1, layers + 1, 2))}
    return config


def write_layers_apart(folder: Path) -> dict[int, str]:
    """Split a model into one file a layer, as large models have several; return their names by layer."""
    weights: dict[str, Any] = mx.load(str(folder / "model.safetensors"))
    files: dict[int, dict[str, Any]] = defaultdict(dict)
    for name, array in weights.items():
        number = re.search(r"layers\.(\d+)\.", name)
        files[int(number[1]) + 1 if number else 0][name] = array
    names = {number: f"model-{number + 1:05d}-of-{len(files):05d}.safetensors" for number in files}
    for number, content in files.items():
        mx.save_safetensors(str(folder / names[number]), content, metadata={"format": "mlx"})
    index = {
        "metadata": {"total_size": sum(array.nbytes for array in weights.values())},
        "weight_map": {name: names[number] for number, content in files.items() for name in content},
    }
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    (folder / "model.safetensors").unlink()
    return {number - 1: name for number, name in names.items() if number}
