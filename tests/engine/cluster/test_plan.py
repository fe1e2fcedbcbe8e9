from __future__ import annotations

from typing import Any

import pytest

from engine.advice.fit import ModelSize
from engine.cluster.errors import ClusterError
from engine.cluster.plan import choose_split, make_plan

QWEN: dict[str, Any] = {
    "model_type": "qwen3",
    "hidden_size": 1024,
    "num_hidden_layers": 7,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 128,
    "intermediate_size": 3072,
    "vocab_size": 1000,
}


def test_heads_are_divided_where_they_can_be() -> None:
    assert choose_split(QWEN, 2) == choose_split(QWEN, 4) == "tensor"


@pytest.mark.parametrize(
    ("changes", "ranks"),
    [
        ({}, 3),
        ({"num_key_value_heads": 1}, 2),
        ({"intermediate_size": 3072 + 64, "quantization": {"group_size": 64, "bits": 4}}, 2),
    ],
)
def test_sizes_that_the_machines_do_not_divide_leave_no_way_by_heads(changes: dict[str, Any], ranks: int) -> None:
    with pytest.raises(ClusterError) as refused:
        choose_split({**QWEN, **changes}, ranks)
    assert refused.value.reason == "cannot-split"


def test_layers_are_divided_where_heads_cannot_be() -> None:
    assert choose_split({**QWEN, "model_type": "qwen2"}, 3) == "pipeline"
    assert choose_split({**QWEN, "model_type": "qwen2"}, 2, "pipeline") == "pipeline"


def test_a_family_that_mlx_lm_cannot_split_is_named() -> None:
    with pytest.raises(ClusterError, match="gemma3"):
        choose_split({**QWEN, "model_type": "gemma3_text"}, 2)


def test_a_plan_by_heads_gives_each_machine_its_share() -> None:
    size = ModelSize("m", 8 * 10**9, QWEN)
    plan = make_plan(size, "m", ["a", "b"], [10**10, 10**9], 4096)
    assert [part.heads for part in plan.parts] == [(0, 4), (4, 8)]
    assert [part.layers for part in plan.parts] == [(0, 7), (0, 7)]
    assert [part.weight_bytes for part in plan.parts] == [4 * 10**9] * 2
    assert [part.fits for part in plan.parts] == [True, False]
    assert not plan.fits


def test_a_plan_by_layers_gives_rank_0_the_last_ones() -> None:
    plan = make_plan(ModelSize("m", 700, {**QWEN, "model_type": "qwen2"}), "m", ["a", "b", "c"], [None] * 3, 256)
    assert [part.layers for part in plan.parts] == [(4, 7), (2, 4), (0, 2)]
    assert [part.weight_bytes for part in plan.parts] == [300, 200, 200]
    assert plan.fits
    assert plan.parts[0].fits is None
