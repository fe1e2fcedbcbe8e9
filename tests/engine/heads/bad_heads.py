"""Heads that lie, of every kind, each by one mutation of a good one; every number makes the same folder each time."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx

from tests.engine.heads.golden.cases import VOCABULARY
from tests.engine.heads.heads_on_disk import HEADS, OnDisk, Tensors, write_head
from tests.engine.model_files.hostile_folders import RECIPES

_BASES = (
    *("full", "sliding", "dflash2", "dspark_rnn", "domino", "speculators", "laguna", "eagle_llama", "eagle_original"),
    *("mtp_qwen3_5", "mtp_qwen3_5_moe", "mtp_qwen3_next", "mtp_deepseek_v32", "mtp_glm4_moe", "mtp_mimo"),
    "assistant_gemma4",
)
_SIZES = ("hidden_size", "num_attention_heads", "num_hidden_layers", "vocab_size")
# MTP heads use those that their main model's layer has.
_MORE_SIZES = ("intermediate_size", "num_key_value_heads", "head_dim", "num_target_layers")
_LIES: tuple[object, ...] = (-1, 0, 2**40, 2**70, 1.5, "64", [64], {}, True, 1000)
_SETTINGS: tuple[tuple[str, object], ...] = (
    ("rms_norm_eps", "small"),
    ("rope_parameters", [1]),
    ("rope_parameters", {"rope_type": "magic", "rope_theta": 1e4}),
)
_SETTINGS_OF_BLOCKS: tuple[tuple[str, object], ...] = (
    ("layer_types", ["full_attention"]),
    ("layer_types", ["recurrent"] * 3),
    ("layer_types", "full_attention"),
    ("rope_parameters", {"rope_type": "linear", "factor": float("inf")}),
    ("rope_parameters", {"rope_type": "yarn"}),
    ("rms_norm_eps", -1.0),
    ("max_position_embeddings", 0),
)
_SETTINGS_OF_MTP: tuple[tuple[str, object], ...] = (
    ("rope_parameters", {"rope_theta": "far"}),
    ("model_type", "unheard"),
    ("model_type", 7),
)
# Read for nothing, or indices whose type may differ.
_FREE = ("t2d", "d2t")


def make(folder: Path, number: int) -> tuple[str, OnDisk]:
    """Write bad head `number`; returns what is wrong with it, and the good one."""
    chance = random.Random(number)
    base = _BASES[number % len(_BASES)]
    case = HEADS[base]
    config, tensors = copy.deepcopy(case.config), dict(case.tensors)
    turn = (number + number // len(_BASES)) % (len(_KINDS) + len(_FILES))
    if turn < len(_KINDS):
        what = _KINDS[turn](chance, config, tensors)
        write_head(folder, config, tensors)
    else:
        write_head(folder, config, tensors)
        what = list(_FILES)[turn - len(_KINDS)]
        _FILES[what](folder, chance)
    return f"{base}: {what}", case


def _body(config: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = config.get("transformer_layer_config", config.get("text_config", config))
    return found


def _is_mtp(config: dict[str, Any]) -> bool:
    return str(config.get("model_type", "")).endswith("_mtp")


def _wrong_size(chance: random.Random, config: dict[str, Any], _tensors: Tensors) -> str:
    body = _body(config)
    keys = [key for key in (*_SIZES, *(() if "text_config" in config else _MORE_SIZES)) if key in body]
    key = chance.choice(keys)
    body[key] = chance.choice(_LIES)
    return f"{key}={body[key]!r}"


def _wrong_taps(chance: random.Random, config: dict[str, Any], tensors: Tensors) -> str:
    key, part = "target_layer_ids", config.get("dflash_config")
    for name in ("aux_hidden_state_layer_ids", "eagle_aux_hidden_state_layer_ids"):
        for where in (config, config.get("eagle_config", {})):
            if name in where and not config.get("dflash_config"):
                key, part = name, where
    if part is None:
        return _wrong_size(chance, config, tensors)
    part[key] = chance.choice(([], [5, 3, 1], [1, 3], [1, 1, 3], [-1, 3, 5], "135", [1, 3, 10**9], [1, None, 5], 7))
    return f"taps {part[key]!r}"


def _wrong_block(chance: random.Random, config: dict[str, Any], tensors: Tensors) -> str:
    where = config.get("dflash_config", config)
    if not where.keys() & {"mask_token_id"}:
        return _wrong_setting(chance, config, tensors)
    key = chance.choice(("block_size", "mask_token_id"))
    where[key] = chance.choice((*_LIES[:7], 0 if key == "block_size" else VOCABULARY))
    return f"{key}={where[key]!r}"


def _wrong_setting(chance: random.Random, config: dict[str, Any], _tensors: Tensors) -> str:
    more = () if "text_config" in config else _SETTINGS_OF_BLOCKS
    key, value = chance.choice((*_SETTINGS, *(_SETTINGS_OF_MTP if _is_mtp(config) else more)))
    _body(config)[key] = value
    return f"{key}={value!r}"


def _lost_tensor(chance: random.Random, _config: dict[str, Any], tensors: Tensors) -> str:
    name = chance.choice(sorted(tensors.keys() - {"t2d"}))
    del tensors[name]
    return f"without {name}"


def _extra_tensor(chance: random.Random, _config: dict[str, Any], tensors: Tensors) -> str:
    name = chance.choice(("layers.7.mlp.up_proj.weight", "surprise.weight", "layers.0.self_attn.k_proj.bias"))
    tensors[name] = mx.zeros((4, 4))
    return f"with {name}"


def _wrong_shape(chance: random.Random, _config: dict[str, Any], tensors: Tensors) -> str:
    name = chance.choice(sorted(tensors.keys() - {"t2d"}))
    tensors[name] = tensors[name][:-1] if chance.random() < 0.5 else mx.stack([tensors[name]] * 2)
    return f"{name} {tensors[name].shape}"


def _wrong_type(chance: random.Random, _config: dict[str, Any], tensors: Tensors) -> str:
    name = chance.choice(sorted(tensors.keys() - set(_FREE)))
    tensors[name] = tensors[name].astype(chance.choice((mx.int32, mx.uint8, mx.bool_)))
    return f"{name} {tensors[name].dtype}"


def _not_finite(chance: random.Random, _config: dict[str, Any], tensors: Tensors) -> str:
    name = chance.choice(sorted(tensors.keys() - set(_FREE)))
    bad = chance.choice((float("nan"), float("inf")))
    flat = tensors[name].flatten()
    flat[chance.randrange(flat.size)] = bad
    tensors[name] = flat.reshape(tensors[name].shape)
    return f"{bad} in {name}"


_KINDS: tuple[Callable[[random.Random, dict[str, Any], Tensors], str], ...] = (
    *(_wrong_size, _wrong_taps, _wrong_block, _wrong_setting, _lost_tensor, _extra_tensor, _wrong_shape),
    *(_wrong_type, _not_finite),
)


def _pickle(folder: Path, chance: random.Random) -> None:
    (folder / "mask_embedding.pt").write_bytes(chance.randbytes(100))


# What is done to the files of a model's folder: with and without weights, or a config.json, that can be read.
_FILES = {
    name: RECIPES[name]
    for name in (
        *("weights cut", "header length", "shape overflows", "shape lies", "weights of noise", "weights gone"),
        *("config empty", "config as list", "deep config", "link to weights", "pipe as weights"),
    )
} | {"weights in a pickle": _pickle}
COUNT = len(_BASES) * (len(_KINDS) + len(_FILES))
