"""The division of a model over machines, by heads and by layers, and the room for each part."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from mlx_lm.utils import _get_classes

from engine.advice.fit import ModelSize
from engine.cluster.plan import check_room, choose_split, fits_together, layers_of, make_plan, part_of
from engine.cluster.splitting import with_layers_of_ranks
from engine.computers.errors import ClusterError
from tests.engine.cluster.families import SPLIT_BY_LAYERS, deeper
from tests.engine.speculation.families import model_type
from tests.engine.speculation.family_configs import FAMILIES

QWEN: dict[str, Any] = {"model_type": "qwen3", "hidden_size": 1024, "num_hidden_layers": 7, "num_attention_heads": 8}
QWEN |= {"num_key_value_heads": 4, "head_dim": 128, "intermediate_size": 3072}


def test_heads_are_divided_where_they_can_be_and_layers_where_heads_cannot_be() -> None:
    assert choose_split(QWEN, 2) == choose_split(QWEN, 4) == "tensor"
    assert choose_split({**QWEN, "model_type": "qwen2"}, 3) == "pipeline"
    assert choose_split({**QWEN, "model_type": "qwen2"}, 2, "pipeline") == "pipeline"


@pytest.mark.parametrize(
    ("changes", "ranks", "problem"),
    [
        ({}, 3, "8 num_attention_heads over 3 computers"),
        ({"num_key_value_heads": 1}, 2, "1 num_key_value_heads over 2 computers"),
        ({"intermediate_size": 3072 + 64, "quantization": {"group_size": 64, "bits": 4}}, 2, "3136 intermediate_size"),
        ({"model_type": "gemma3_text"}, 2, "mlx-lm has no way to split gemma3_text"),
    ],
)
def test_sizes_that_the_machines_do_not_divide_leave_no_way_by_heads(
    changes: dict[str, Any], ranks: int, problem: str
) -> None:
    with pytest.raises(ClusterError, match=f"cannot-split.*{problem}"):
        choose_split({**QWEN, **changes}, ranks)


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


@pytest.mark.parametrize("family", SPLIT_BY_LAYERS)
@pytest.mark.parametrize("ranks", [2, 3])
def test_layers_are_divided_as_mlx_lm_divides_them(family: str, ranks: int) -> None:
    config = deeper({"model_type": model_type(family), **FAMILIES[family], "vocab_size": 64}, 4)
    text = config.get("text_config", config)
    # A number of layers that the ranks do not divide.
    text["num_hidden_layers"] += 1
    for key in ("layer_types", "is_moe_layer"):
        if key in text:
            text[key] = [*text[key], text[key][0]]
    divided = []
    for rank in range(ranks):
        model_class, arguments = _get_classes(config)
        model = model_class(arguments.from_dict(config))
        trunk = with_layers_of_ranks(model)
        trunk.pipeline(SimpleNamespace(rank=lambda rank=rank: rank, size=lambda: ranks))
        divided.append((trunk.start_idx, trunk.end_idx))
    assert [layers_of(config, rank, ranks) for rank in range(ranks)] == divided


@pytest.mark.parametrize(("split", "share"), [("tensor", 0.5), ("pipeline", 4 / 7)])
def test_every_rank_holds_the_embedding_and_the_output_matrix(split: str, share: float) -> None:
    config = {**QWEN, "vocab_size": 10**5, "quantization": {"bits": 4, "group_size": 64}}
    beside = 2 * 10**5 * 1024 * 4.5 / 8
    part = part_of(ModelSize("m", 10**9, config), split, 0, 2)
    assert part.weight_bytes == pytest.approx(beside + (10**9 - beside) * share, abs=1)
    assert part.element_bytes == 2.0 * share
    tied = part_of(ModelSize("m", 10**9, {**config, "tie_word_embeddings": True}), split, 0, 2)
    assert tied.weight_bytes == pytest.approx(beside / 2 + (10**9 - beside / 2) * share, abs=1)


def test_latent_vectors_are_whole_on_every_rank() -> None:
    size = ModelSize("m", 10**9, {**QWEN, "model_type": "deepseek_v3"})
    assert part_of(size, "tensor", 1, 2).element_bytes == 2.0


def test_a_machine_without_room_for_its_part_is_told_what_that_needs() -> None:
    size = ModelSize("m", 8 * 10**9, QWEN)
    check_room(size, "tensor", 1, 2, 4096, 5 * 10**9)
    with pytest.raises(ClusterError, match=r"no-memory, 4\.3 GB needed, 3\.0 GB free"):
        check_room(size, "tensor", 1, 2, 4096, 3 * 10**9)


def test_the_draft_takes_its_room_from_the_first_machine() -> None:
    size = ModelSize("m", 8 * 10**9, QWEN)
    assert fits_together(size, 0, [5 * 10**9] * 2, 4096)
    assert not fits_together(size, 10**9, [5 * 10**9] * 2, 4096)
    assert fits_together(size, 10**9, [6 * 10**9, 5 * 10**9], 4096)
    assert not fits_together(size, 0, [10**10], 4096)
