"""Tiny heads for any tiny main model: with random weights, and one that knows the answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.files.steps import Steps
from engine.model_files.config import text_config
from engine.speculation.drafters.sources import prepare_head
from engine.status import ModelInfo
from engine.teaching.kept import TaughtAdapter
from engine.upkeep.drafters import Drafter, DrafterKind, DrafterLoading
from tests.engine.speculation.oracle_head import OracleHead
from tests.tiny_models import random_tensors, write_tensors


def write_head(
    folder: Path, main: Path, *, layers: Sequence[str] = ("full_attention",), block: int = 8, positions: int = 4096
) -> Path:
    """Write a DFlash head with random weights for the main model in folder `main`, tapping its first and last layer."""
    config = text_config(json.loads((main / "config.json").read_text()))
    width, count, vocabulary = config["hidden_size"], config["num_hidden_layers"], config["vocab_size"]
    own: dict[str, Any] = {
        "architectures": ["DFlashDraftModel"], "model_type": "qwen3", "hidden_size": width,
        "intermediate_size": 2 * width, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
        "num_hidden_layers": len(layers), "layer_types": list(layers), "sliding_window": 8,
        "use_sliding_window": "sliding_attention" in layers, "rms_norm_eps": 1e-6, "rope_theta": 10000.0,
        "vocab_size": vocabulary, "num_target_layers": count, "block_size": block, "max_position_embeddings": positions,
        "dflash_config": {"mask_token_id": 0, "target_layer_ids": sorted({0, count - 1})},
    }  # fmt: skip
    shapes: dict[str, tuple[int, ...]] = {
        "fc.weight": (width, len(own["dflash_config"]["target_layer_ids"]) * width),
        "hidden_norm.weight": (width,),
        "norm.weight": (width,),
    }
    for index in range(len(layers)):
        attention, mlp = f"layers.{index}.self_attn.", f"layers.{index}.mlp."
        shapes |= {
            f"layers.{index}.input_layernorm.weight": (width,),
            f"layers.{index}.post_attention_layernorm.weight": (width,), f"{attention}q_norm.weight": (8,),
            f"{attention}k_norm.weight": (8,), f"{attention}q_proj.weight": (32, width),
            f"{attention}k_proj.weight": (16, width), f"{attention}v_proj.weight": (16, width),
            f"{attention}o_proj.weight": (width, 32), f"{mlp}gate_proj.weight": (2 * width, width),
            f"{mlp}up_proj.weight": (2 * width, width), f"{mlp}down_proj.weight": (width, 2 * width),
        }  # fmt: skip
    return write_tensors(folder, own, random_tensors(shapes, seed=7))


@dataclass
class OracleKind:
    """The kind of drafter of `folder`, whose head proposes the tokens of `head.answers`."""

    folder: Path
    head: OracleHead | None = None
    taps: tuple[int, ...] = (0, 1)

    @property
    def entry(self) -> DrafterKind:
        return DrafterKind(lambda folder: folder == self.folder, self._load, lambda _settings: None)

    def _load(self, _path: str | Path, loading: DrafterLoading, _taught: TaughtAdapter) -> Steps[Drafter]:
        yield None
        main = loading.main
        width = text_config(main.config)["hidden_size"]
        self.head = OracleHead(self.taps, width, main.vocabulary)
        info = ModelInfo("oracle", self.folder, "oracle", main.info.context_length, 0, kind="head")
        return prepare_head(main, self.head, info)
