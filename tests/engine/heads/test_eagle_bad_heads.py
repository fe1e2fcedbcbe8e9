"""EAGLE-3 heads that lie are refused with a reason, before anything large is allocated."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.errors import ModelNotUsable
from engine.heads.loading import load_head
from tests.engine.heads.eagle_on_disk import bound, tensors_of
from tests.engine.heads.golden import eagle_cases
from tests.engine.heads.golden.eagle_cases import CASES
from tests.engine.heads.heads_on_disk import main_ports, write_head

IDS = "eagle_aux_hidden_state_layer_ids"
Tensors = dict[str, mx.array]


def refusal(folder: Path) -> tuple[str, str]:
    mx.reset_peak_memory()
    before = mx.get_active_memory()
    with pytest.raises(ModelNotUsable) as refused:
        load_head(folder)
    assert mx.get_peak_memory() - before < 50 * 2**20
    return refused.value.reason, refused.value.detail


def with_body(**changes: Any) -> dict[str, Any]:
    config = copy.deepcopy(dict(CASES["eagle_llama"].config))
    config["transformer_layer_config"] |= changes
    return config


@pytest.mark.parametrize(
    ("config", "detail"),
    [
        ({IDS: []}, IDS),
        ({IDS: [9, 6, 2]}, IDS),
        ({IDS: [2, 2, 9]}, IDS),
        ({IDS: [0, 6, 9]}, IDS),
        ({IDS: [2, 6, 10**9]}, IDS),
        ({IDS: [2, None, 9]}, IDS),
        ({IDS: "2, 6, 9"}, IDS),
        ({IDS: [2, 6, 9, 10, 11]}, IDS),
        ({"draft_vocab_size": 2**40}, "draft_vocab_size"),
        ({"draft_vocab_size": 0}, "draft_vocab_size"),
        ({"norm_before_residual": "yes"}, "norm_before_residual"),
        ({"norm_output": 1}, "norm_output"),
        ({"transformer_layer_config": [1]}, "transformer_layer_config"),
        (with_body(hidden_size=-1), "hidden_size"),
        (with_body(hidden_act="gelu"), "hidden_act"),
        (with_body(num_key_value_heads=3), "num_key_value_heads"),
        (with_body(num_hidden_layers=10**6), "num_hidden_layers"),
        (with_body(layer_types=["recurrent"]), "layer_types"),
        (with_body(rms_norm_eps="small"), "rms_norm_eps"),
        (with_body(rope_parameters={"rope_type": "magic"}), "rope_parameters"),
    ],
)
def test_settings_that_cannot_be_true_are_named(tmp_path: Path, config: dict[str, Any], detail: str) -> None:
    case = CASES["eagle_llama"]
    write_head(tmp_path, {**case.config, **config}, tensors_of(case))
    assert refusal(tmp_path) == ("damaged", f"config.json ({detail})")


def lost(name: str) -> Callable[[Tensors], None]:
    return lambda tensors: tensors.__delitem__(name)


def other(name: str, change: Callable[[mx.array], mx.array]) -> Callable[[Tensors], None]:
    return lambda tensors: tensors.update({name: change(tensors[name])})


PROJECTION = "layers.0.self_attn.q_proj.weight"


@pytest.mark.parametrize(
    ("mutate", "refused"),
    [
        (lost("norm.weight"), ("wrong-tensors", "norm.weight")),
        (lost("d2t"), ("wrong-tensors", "d2t")),
        (lost("lm_head.weight"), ("damaged", "config.json (draft_vocab_size)")),
        (lost(PROJECTION), ("wrong-tensors", PROJECTION)),
        (other(PROJECTION, lambda array: array[:, :64]), ("wrong-tensors", PROJECTION)),
        (other(PROJECTION, lambda array: array.astype(mx.int32)), ("wrong-tensors", PROJECTION)),
        (other("d2t", lambda array: array.astype(mx.float32)), ("wrong-tensors", "d2t")),
        (other("d2t", lambda array: array - 300), ("wrong-tensors", "d2t")),
        (other("d2t", lambda array: array + 2**40), ("wrong-tensors", "d2t")),
        (other("fc.weight", lambda array: array[:, :190]), ("damaged", f"config.json ({IDS})")),
        (other("fc.weight", lambda array: array * float("nan")), ("not-finite", "NaN or infinity")),
        (lambda tensors: tensors.update(surprise=mx.zeros((4, 4))), ("wrong-tensors", "surprise")),
        (lambda tensors: tensors.update({"midlayer.mlp.up_proj.weight": mx.zeros((4, 4))}), None),
    ],
)
def test_tensors_that_are_not_those_of_the_head_are_named(
    tmp_path: Path, mutate: Callable[[Tensors], None], refused: tuple[str, str] | None
) -> None:
    case = CASES["eagle_llama"]
    tensors = tensors_of(case)
    mutate(tensors)
    write_head(tmp_path, case.config, tensors)
    reason = refusal(tmp_path)
    # Two names of one tensor: whichever comes second.
    assert reason == refused if refused is not None else reason[0] == "wrong-tensors"


@pytest.mark.parametrize(
    ("name", "changed", "detail"),
    [
        ("eagle_original", {"layer_count": 13}, "layers: 12, 13"),
        ("eagle_llama", {"layer_count": 8}, "layers: 9, 8"),
        ("eagle_llama", {"width": 128}, "width: 64, 128"),
        ("eagle_llama", {"vocabulary": 300}, "vocabulary: 256, 300"),
    ],
)
def test_a_head_for_another_main_model_is_refused(
    tmp_path: Path, name: str, changed: dict[str, int], detail: str
) -> None:
    head = bound(tmp_path, CASES[name])
    with pytest.raises(ModelNotUsable) as refused:
        head.bind(replace(main_ports(eagle_cases.MAIN_LAYERS), **changed))  # type: ignore[arg-type]
    assert (refused.value.reason, refused.value.detail) == ("wrong-main", detail)


def test_layers_that_no_main_model_of_this_depth_has_are_refused(tmp_path: Path) -> None:
    """Without ids they depend on the depth: below six layers there are not three."""
    case = CASES["eagle_default_ids"]
    head = bound(
        tmp_path, eagle_cases.EagleCase({**case.config, "eagle_config": {}, "num_target_layers": None}, case.shapes)
    )
    assert head.taps == eagle_cases.TAPS
    other = load_head(tmp_path)
    with pytest.raises(ModelNotUsable) as refused:
        other.bind(main_ports(4))
    assert (refused.value.reason, refused.value.detail) == ("wrong-main", "layers: 4")
