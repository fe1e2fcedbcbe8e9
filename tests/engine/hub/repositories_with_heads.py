"""Repositories of main models that have an MTP head among their shards."""

from __future__ import annotations

import json
from typing import Any

import mlx.core as mx
import numpy as np
from safetensors.numpy import save

from tests.engine.heads.golden.mtp_cases import CASES
from tests.engine.heads.heads_on_disk import HEADS

SOURCE = "org/main"
SHARDS = 10
# The indices of the shards that hold parts of the head.
WITH_HEAD = (3, 8)
HEAD = HEADS["mtp_qwen3_5"].tensors


def shard_name(index: int) -> str:
    return f"model-{index + 1:05d}-of-{SHARDS:05d}.safetensors"


def config_of_main() -> dict[str, Any]:
    return {"model_type": "qwen3_5", "text_config": {**CASES["mtp_qwen3_5"].text, "mtp_num_hidden_layers": 1}}


def repository(*, head: bool = True, config: dict[str, Any] | None = None) -> dict[str, bytes]:
    """Return the files of a model in 10 shards of 200 kB; the head is in two of them, between other tensors."""
    chance = np.random.default_rng(3)
    files: dict[str, bytes] = {"config.json": json.dumps(config or config_of_main()).encode()}
    weight_map: dict[str, str] = {}
    names = sorted(HEAD)
    for index in range(SHARDS):
        tensors = {
            f"model.layers.{index % 4}.{part}.{index}.weight": chance.standard_normal((160, 160)).astype(np.float32)
            for part in ("aaa", "zzz")
        }
        if head and index in WITH_HEAD:
            mine = names[WITH_HEAD.index(index) :: len(WITH_HEAD)]
            tensors |= {name: np.array(HEAD[name]) for name in mine}
        weight_map |= dict.fromkeys(tensors, shard_name(index))
        files[shard_name(index)] = save(tensors)
    files["model.safetensors.index.json"] = json.dumps({"metadata": {}, "weight_map": weight_map}).encode()
    return files


def head_bytes() -> int:
    """Return the bytes of the head's tensors."""
    return sum(array.nbytes for array in HEAD.values())


def same_tensors(found: dict[str, mx.array]) -> bool:
    return found.keys() == HEAD.keys() and all(bool(mx.array_equal(found[name], HEAD[name]).item()) for name in HEAD)
