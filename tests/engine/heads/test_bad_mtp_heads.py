"""MTP heads that lie are refused with a reason, and a whole one beside them loads."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.errors import ModelNotUsable
from engine.heads.loading import load_head
from tests.engine.heads.golden import mtp_cases
from tests.engine.heads.golden.mtp_cases import CASES
from tests.engine.heads.heads_on_disk import main_ports, write_head
from tests.engine.heads.mtp_on_disk import config_of, published

REASONS = {"not-a-model", "incomplete", "damaged", "wrong-tensors", "not-finite", "unknown-head", "wrong-main"}
BASES = ("mtp_qwen3_5", "mtp_qwen3_5_moe", "mtp_qwen3_next", "mtp_deepseek_v32", "mtp_glm4_moe", "mtp_mimo")
SIZES = ("hidden_size", "num_attention_heads", "num_hidden_layers", "vocab_size")
LIES: tuple[object, ...] = (-1, 0, 2**40, 2**70, 1.5, "64", [64], {}, True, 1000)
Tensors = dict[str, mx.array]


def wrong_size(chance: random.Random, text: dict[str, Any], _tensors: Tensors) -> str:
    key = chance.choice(SIZES)
    text[key] = chance.choice(LIES)
    return f"{key}={text[key]!r}"


def wrong_setting(chance: random.Random, text: dict[str, Any], _tensors: Tensors) -> str:
    key, value = chance.choice(
        (
            ("rms_norm_eps", "small"),
            ("rope_parameters", [1]),
            ("rope_parameters", {"rope_type": "magic", "rope_theta": 1e4}),
            ("rope_theta", "far"),
            ("model_type", "unheard"),
            ("model_type", 7),
        )
    )
    text[key] = value
    if key == "rope_theta":
        text["rope_parameters"] = {"rope_theta": "far"}
    return f"{key}={value!r}"


def lost_tensor(chance: random.Random, _text: dict[str, Any], tensors: Tensors) -> str:
    name = chance.choice(sorted(tensors))
    del tensors[name]
    return f"without {name}"


def wrong_shape(chance: random.Random, _text: dict[str, Any], tensors: Tensors) -> str:
    name = chance.choice(sorted(tensors))
    tensors[name] = tensors[name][:-1] if chance.random() < 0.5 else mx.stack([tensors[name]] * 2)
    return f"{name} {tensors[name].shape}"


def not_finite(chance: random.Random, _text: dict[str, Any], tensors: Tensors) -> str:
    name = chance.choice(sorted(name for name in tensors if tensors[name].ndim > 1))
    tensors[name] = tensors[name] * float("nan")
    return f"NaN in {name}"


def wrong_type(chance: random.Random, _text: dict[str, Any], tensors: Tensors) -> str:
    name = chance.choice(sorted(tensors))
    tensors[name] = tensors[name].astype(mx.int32)
    return f"{name} int32"


KINDS: tuple[Callable[[random.Random, dict[str, Any], Tensors], str], ...] = (
    *(wrong_size, wrong_setting, lost_tensor, wrong_shape, not_finite, wrong_type),
)


def load_and_bind(folder: Path) -> None:
    """What a size beyond the tensors is told by only when the main model is known."""
    load_head(folder).bind(main_ports(mtp_cases.MAIN_LAYERS))


@pytest.mark.parametrize("number", range(60))
def test_a_head_that_lies_is_refused_with_a_reason(tmp_path: Path, number: int) -> None:
    chance = random.Random(number)
    case = CASES[BASES[number % len(BASES)]]
    config, tensors = copy.deepcopy(config_of(case)), published(case)
    what = KINDS[(number // len(BASES)) % len(KINDS)](chance, config["text_config"], tensors)
    with pytest.raises(ModelNotUsable) as refused:
        load_and_bind(write_head(tmp_path, config, tensors))
    assert refused.value.reason in REASONS, what
