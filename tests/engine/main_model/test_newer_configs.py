"""Configurations that newer versions of transformers write load as the older ones do."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.main_model.loading import load
from tests.engine.speculation.family_configs import FAMILIES
from tests.tiny_models import write_model
from tests.tiny_vision import MODELS, write_vision_model

IDS = mx.array([[5, 9, 11, 3]], mx.uint32)


def test_gemma_4_with_sizes_layer_by_layer_loads(tmp_path: Path) -> None:
    text: dict[str, Any] = {
        **FAMILIES["gemma4"]["text_config"], "attention_k_eq_v": True, "num_global_key_value_heads": 1
    }  # fmt: skip
    folder = write_model(tmp_path / "main", config={"model_type": "gemma4", "text_config": text})
    expected = load(folder).model(IDS)
    config = json.loads((folder / "config.json").read_text())
    older = {name: config["text_config"].pop(name) for name in ("global_head_dim", "num_global_key_value_heads")}
    sizes = {"head_dim": older["global_head_dim"], "num_key_value_heads": older["num_global_key_value_heads"]}
    config["text_config"]["per_layer_config"] = {"01": sizes, "03": sizes}
    (folder / "config.json").write_text(json.dumps(config))
    assert mx.array_equal(load(folder).model(IDS), expected)


@pytest.mark.full
def test_a_tower_of_qwen_3_5_by_its_newer_name_is_loaded(tmp_path: Path) -> None:
    model = MODELS["qwen3_5"]
    vision = {**model.config["vision_config"], "model_type": "qwen3_5_vision"}
    folder = write_vision_model(tmp_path / "main", replace(model, config={**model.config, "vision_config": vision}))
    tower = load(folder).vision
    assert tower is not None
    layout = tower.rules.layout(64, 48)
    ((width, height),) = layout.sizes
    assert tower.embed(layout, [bytes(3 * width * height)]).shape[0] == layout.tokens
