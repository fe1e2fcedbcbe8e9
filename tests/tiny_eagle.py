"""Writes EAGLE-3 heads with random weights for any tiny main model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten

from engine.heads.eagle_config import read_eagle_config
from engine.heads.eagle_network import EagleNetwork
from engine.heads.tensors import HeadFiles
from engine.model_files.config import text_config
from engine.model_files.safetensors_header import TensorHeader
from tests.tiny_models import random_tensors, write_tensors


def eagle_config(main: Path, taps: Sequence[int], *, drafted: int = 0, **changes: Any) -> dict[str, Any]:
    """Return the config.json, in the original format, of a head for the main model in `main`; ids are inputs."""
    text = text_config(json.loads((main / "config.json").read_text()))
    width, vocabulary = text["hidden_size"], text["vocab_size"]
    return {
        "architectures": ["LlamaForCausalLMEagle3"], "model_type": "llama", "hidden_size": width,
        "target_hidden_size": width, "intermediate_size": 2 * width, "num_hidden_layers": 1, "num_attention_heads": 4,
        "num_key_value_heads": 2, "head_dim": 8, "rms_norm_eps": 1e-6, "rope_theta": 10000.0,
        "vocab_size": vocabulary, "draft_vocab_size": drafted or vocabulary, "max_position_embeddings": 4096,
        "num_target_layers": text["num_hidden_layers"],
        "eagle_config": {"eagle_aux_hidden_state_layer_ids": [tap + 1 for tap in taps]},
        **changes,
    }  # fmt: skip


def write_eagle_head(folder: Path, main: Path, *, drafted: int = 0, seed: int = 13, **changes: Any) -> Path:
    """Write a head that taps the first and the last layer; with `drafted`, for every other id from 3 on."""
    text = text_config(json.loads((main / "config.json").read_text()))
    config = eagle_config(main, (0, text["num_hidden_layers"] - 1), drafted=drafted, **changes)
    width, vocabulary = config["hidden_size"], config["vocab_size"]
    seen = {"fc.weight": (width, 2 * width), "lm_head.weight": (drafted or vocabulary, width)}
    headers = {name: TensorHeader("F32", shape, 0) for name, shape in seen.items()}
    read, _ = read_eagle_config(HeadFiles(config, "eagle3", headers))
    shapes = {name: array.shape for name, array in tree_flatten(EagleNetwork(read).parameters()) if name != "d2t"}
    tensors = random_tensors({name.replace("layers.0.", "midlayer."): shape for name, shape in shapes.items()}, seed)
    if drafted:
        tensors["d2t"] = (mx.arange(drafted) * 2 + 3) % vocabulary - mx.arange(drafted)
    return write_tensors(folder, config, tensors)
