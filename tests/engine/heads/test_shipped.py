"""The size of the head that makers ship with a model is estimated from its configuration."""

from __future__ import annotations

import math

import pytest

from engine.heads.shipped import shipped_bytes
from tests.engine.heads.golden.mtp_cases import CASES

# The plain Qwen3 layer is that of the starter pair's head; no maker ships one.
SHIPPED = [name for name in CASES if name != "mtp_qwen3"]


@pytest.mark.parametrize("name", SHIPPED)
def test_the_size_is_about_that_of_the_tensors(name: str) -> None:
    case = CASES[name]
    numbers = sum(math.prod(shape) for shape in case.tensors.values())
    width = 1 if case.text["model_type"] in ("deepseek_v3", "deepseek_v32", "mimo_v2_flash") else 2
    text = {"mtp_num_hidden_layers": 1, **case.text}
    assert shipped_bytes(text) == pytest.approx(width * numbers, rel=0.15)
    assert shipped_bytes({"model_type": "any", "text_config": text}) == shipped_bytes(text)


def test_where_nothing_is_shipped_or_nothing_is_known_the_size_is_0() -> None:
    assert shipped_bytes(CASES["mtp_qwen3"].text) == 0
    glm = dict(CASES["mtp_glm4_moe"].text)
    lies = {"num_nextn_predict_layers": 0, "hidden_size": -1, "num_attention_heads": "8", "model_type": "x"}
    assert [shipped_bytes(glm | {name: lie}) for name, lie in lies.items()] == [0] * 4
    step = dict(CASES["mtp_step3p5"].text)
    assert shipped_bytes(step | {"num_nextn_predict_layers": 99}) == 0


def test_the_size_of_deepseek_s_head_is_what_its_makers_say() -> None:
    """14 billion numbers with the main model's two tables, by the README of DeepSeek-V3; these are 1.85 billion."""
    config = {
        "model_type": "deepseek_v3", "num_nextn_predict_layers": 1, "hidden_size": 7168, "num_attention_heads": 128,
        "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
        "intermediate_size": 18432, "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1,
    }  # fmt: skip
    assert shipped_bytes(config) == pytest.approx(14e9 - 2 * 129280 * 7168, rel=0.06)
