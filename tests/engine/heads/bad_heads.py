"""Bad heads of every kind, each by one mutation of a good one; a number makes the same folder each time."""

from __future__ import annotations

import copy
import random
from pathlib import Path
from typing import Any

import mlx.core as mx

from tests.engine.heads.golden.cases import VOCABULARY
from tests.engine.heads.heads_on_disk import HEADS, OnDisk, Tensors, write_head
from tests.engine.model_files.hostile_folders import RECIPES, Recipe

_BASES = (
    *("full", "sliding", "dflash2", "dspark_rnn", "domino", "speculators", "laguna", "eagle_llama", "eagle_original"),
    *("mtp_qwen3_5", "mtp_qwen3_5_moe", "mtp_qwen3_next", "mtp_deepseek_v32", "mtp_glm4_moe", "mtp_mimo"),
    "assistant_gemma4",
)
# MTP heads and assistants read only the first four, or those of their main model's layer.
_SIZES = (
    *("hidden_size", "num_attention_heads", "num_hidden_layers", "vocab_size", "intermediate_size"),
    *("num_key_value_heads", "head_dim", "num_target_layers"),
)
_LIES: tuple[object, ...] = (-1, 0, 2**40, 2**70, 1.5, "64", [64], {}, True, 1000)
_TAPS = ("target_layer_ids", "aux_hidden_state_layer_ids", "eagle_aux_hidden_state_layer_ids")
_BAD_TAPS: tuple[object, ...] = (
    *([], [5, 3, 1], [1, 3], [1, 1, 3], [-1, 3, 5], "135", [1, 3, 10**9], [1, None, 5], 7),
)
_OF_ALL: dict[str, tuple[object, ...]] = {
    "rms_norm_eps": ("small",),
    "rope_parameters": ([1], {"rope_type": "magic", "rope_theta": 1e4}),
}
_OF_MTP: dict[str, tuple[object, ...]] = {"rope_parameters": ({"rope_theta": "far"},), "model_type": ("unheard", 7)}
_OF_OTHERS: dict[str, tuple[object, ...]] = {
    "layer_types": (["full_attention"], ["recurrent"] * 3, "full_attention"),
    "rope_parameters": ({"rope_type": "linear", "factor": float("inf")}, {"rope_type": "yarn"}),
    "rms_norm_eps": (-1.0,),
    "max_position_embeddings": (0,),
}
# Tables of indices, whose type may differ; t2d is not read at all.
_INDICES = ("t2d", "d2t")


def make(folder: Path, number: int) -> tuple[str, OnDisk]:
    """Write bad head `number`; return what is wrong with it, and the good head."""
    chance = random.Random(number)
    base = _BASES[number % len(_BASES)]
    case = HEADS[base]
    config, tensors = copy.deepcopy(case.config), dict(case.tensors)
    turn = (number + number // len(_BASES)) % (_MUTATIONS + len(_FILES))
    if turn < 4:
        where, key, values = chance.choice(_settings(config))
        where[key] = chance.choice(values)
        what = f"{key}={where[key]!r}"
    elif turn < _MUTATIONS:
        what = _damage(turn - 4, chance, tensors)
    else:
        what = list(_FILES)[turn - _MUTATIONS]
    write_head(folder, config, tensors)
    if what in _FILES:
        _FILES[what](folder, chance)
    return f"{base}: {what}", case


def _settings(config: dict[str, Any]) -> list[tuple[dict[str, Any], str, tuple[object, ...]]]:
    """Return settings as (object, key, wrong values)."""
    of_main, nested = "text_config" in config, config.get("dflash_config")
    body = config.get("transformer_layer_config", config.get("text_config", config))
    found = [(body, key, _LIES) for key in _SIZES[: 4 if of_main else None] if key in body]
    tables = [_OF_ALL] if of_main else [_OF_ALL, _OF_OTHERS]
    tables += [_OF_MTP] if str(config.get("model_type", "")).endswith("_mtp") else []
    found += [(body, key, values) for table in tables for key, values in table.items()]
    for where in (nested,) if nested else (config, config.get("eagle_config", {})):
        found += [(where, key, _BAD_TAPS) for key in _TAPS if key in where]
    if "mask_token_id" in (where := nested or config):
        found += [(where, "block_size", _LIES[:7]), (where, "mask_token_id", (*_LIES[2:7], -1, VOCABULARY))]
    return found


def _damage(kind: int, chance: random.Random, tensors: Tensors) -> str:
    """Lose or add a tensor, or change the shape, the type or a number of one; return what was done."""
    name = chance.choice(sorted(tensors.keys() - ({"t2d"} if kind < 3 else {*_INDICES})))
    array = tensors[name]
    if kind == 0:
        del tensors[name]
        return f"without {name}"
    if kind == 1:
        name = chance.choice(("layers.7.mlp.up_proj.weight", "surprise.weight", "layers.0.self_attn.k_proj.bias"))
        tensors[name] = mx.zeros((4, 4))
    elif kind == 2:
        tensors[name] = array[:-1] if chance.random() < 0.5 else mx.stack([array] * 2)
    elif kind == 3:
        tensors[name] = array.astype(chance.choice((mx.int32, mx.uint8, mx.bool_)))
    else:
        flat = array.flatten()
        flat[chance.randrange(flat.size)] = chance.choice((float("nan"), float("inf")))
        tensors[name] = flat.reshape(array.shape)
    return f"{name} {tensors[name].shape} {tensors[name].dtype}, damage {kind}"


def _pickle(folder: Path, chance: random.Random) -> None:
    (folder / "mask_embedding.pt").write_bytes(chance.randbytes(100))


# Damage to the files of any model's folder.
_FILES: dict[str, Recipe] = {
    name: RECIPES[name]
    for name in (
        *("weights cut", "header length", "shape overflows", "shape lies", "weights of noise", "weights gone"),
        *("config empty", "config as list", "deep config", "link to weights", "pipe as weights"),
    )
} | {"weights in a pickle": _pickle}
_MUTATIONS = 9
COUNT = len(_BASES) * (_MUTATIONS + len(_FILES))
