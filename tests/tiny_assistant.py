"""Writes assistants of Gemma 4 with random weights for a tiny main model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten

from engine.heads.assistant_config import read_assistant_config
from engine.heads.assistant_network import AssistantNetwork
from engine.heads.tensors import HeadFiles
from engine.model_files.config import text_config
from engine.model_files.safetensors_header import TensorHeader
from tests.tiny_models import random_tensors, write_tensors

ORDERING = "masked_embedding.token_ordering"


def assistant_config(main: Path, *, ordered: bool = False) -> dict[str, Any]:
    """Return the config.json of an assistant with one layer of each kind of attention."""
    text = text_config(json.loads((main / "config.json").read_text()))
    vocabulary = text["vocab_size"]
    own = {
        **text, "hidden_size": 32, "num_hidden_layers": 2, "num_kv_shared_layers": 2,
        "layer_types": ["sliding_attention", "full_attention"], "hidden_size_per_layer_input": 0,
        "vocab_size_per_layer_input": 0, "use_double_wide_mlp": False,
    }  # fmt: skip
    return {
        "model_type": "gemma4_assistant",
        "backbone_hidden_size": text["hidden_size"],
        "use_ordered_embeddings": ordered,
        "num_centroids": (groups := next(count for count in range(vocabulary // 4, 0, -1) if vocabulary % count == 0)),
        "centroid_intermediate_top_k": min(3, groups),
        "tie_word_embeddings": True,
        "text_config": own,
    }


def write_assistant(folder: Path, main: Path, *, ordered: bool = False, seed: int = 11) -> Path:
    config = assistant_config(main, ordered=ordered)
    seen = {"masked_embedding.centroids.weight": TensorHeader("F32", (), 0)} if ordered else {}
    read, _ = read_assistant_config(HeadFiles(config, "mtp", seen))
    arrays = tree_flatten(AssistantNetwork(read).parameters())
    tensors = random_tensors({name: array.shape for name, array in arrays if name != ORDERING}, seed)
    if ordered:
        tensors[ORDERING] = mx.random.permutation(config["text_config"]["vocab_size"], key=mx.random.key(seed))
    return write_tensors(folder, config, tensors)
