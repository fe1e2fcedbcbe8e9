"""Tiny models of families that several machines can divide."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.engine.speculation.families import model_type
from tests.engine.speculation.family_configs import FAMILIES
from tests.tiny_models import write_model


def write_family(family: str, folder: Path, times: int = 1) -> Path:
    """A tiny model of a family whose sizes two ranks divide, with `times` as many layers."""
    config: dict[str, Any] = {"model_type": model_type(family), "max_position_embeddings": 512, **FAMILIES[family]}
    # An even number of ids: some families divide the output layer too.
    return write_model(folder, seed=len(family), tokens=320, config=deeper(config, times))


def deeper(config: dict[str, Any], times: int) -> dict[str, Any]:
    """The configuration with its layers repeated."""
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
