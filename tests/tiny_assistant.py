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
    network = AssistantNetwork(read)
    shapes = [(name, array) for name, array in tree_flatten(network.parameters()) if name != ORDERING]
    keys = mx.random.split(mx.random.key(seed), len(shapes))
    tensors = {
        name: mx.ones(array.shape) if array.ndim == 1 else 0.2 * mx.random.normal(array.shape, key=key)
        for (name, array), key in zip(shapes, keys, strict=True)
    }
    if ordered:
        tensors[ORDERING] = mx.random.permutation(config["text_config"]["vocab_size"], key=mx.random.key(seed))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    mx.save_safetensors(str(folder / "model.safetensors"), tensors, metadata={"format": "mlx"})
    return folder
