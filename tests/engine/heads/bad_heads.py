"""A hundred heads that lie, each by one mutation of a good one; every number makes the same folder each time."""

from __future__ import annotations

import copy
import json
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx

from tests.engine.heads.golden.cases import CASES, VOCABULARY
from tests.engine.heads.heads_on_disk import tensors_of, write_head

COUNT = 100
_BASES = ("full", "sliding", "dflash2", "dspark_rnn", "domino", "speculators", "laguna")
_WHOLE = (
    *("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads"),
    *("head_dim", "vocab_size", "num_target_layers"),
)
_LIES: tuple[object, ...] = (-1, 0, 2**40, 2**70, 1.5, "64", [64], {}, True)


def make(folder: Path, number: int) -> str:
    """Write bad head `number`; returns what is wrong with it."""
    chance = random.Random(number)
    base = _BASES[number % len(_BASES)]
    case = CASES[base]
    config, tensors = copy.deepcopy(dict(case.config)), tensors_of(case)
    kind = _KINDS[number % len(_KINDS)]
    what = kind(chance, config, tensors)
    write_head(folder, config, tensors)
    if kind is _nothing:
        what = _FILES[(number // len(_KINDS)) % len(_FILES)](chance, folder)
    return f"{base}: {what}"


def _body(config: dict[str, Any]) -> dict[str, Any]:
    return config.get("transformer_layer_config", config)


def _wrong_size(chance: random.Random, config: dict[str, Any], tensors: dict[str, mx.array]) -> str:
    del tensors
    key = chance.choice([key for key in _WHOLE if key in _body(config)])
    _body(config)[key] = chance.choice((*_LIES, 3, 48, 1000))
    return f"{key}={_body(config)[key]!r}"


def _wrong_taps(chance: random.Random, config: dict[str, Any], tensors: dict[str, mx.array]) -> str:
    del tensors
    key, part = "target_layer_ids", config.get("dflash_config", {})
    if "aux_hidden_state_layer_ids" in config:
        key, part = "aux_hidden_state_layer_ids", config
    part[key] = chance.choice(([], [5, 3, 1], [1, 3], [1, 1, 3], [-1, 3, 5], "135", [1, 3, 10**9], [1, None, 5], 7))
    return f"taps {part[key]!r}"


def _wrong_block(chance: random.Random, config: dict[str, Any], tensors: dict[str, mx.array]) -> str:
    del tensors
    where = config.get("dflash_config", config)
    key = chance.choice(("block_size", "mask_token_id"))
    where[key] = chance.choice((*_LIES[:7], 0 if key == "block_size" else VOCABULARY))
    return f"{key}={where[key]!r}"


def _wrong_layers(chance: random.Random, config: dict[str, Any], tensors: dict[str, mx.array]) -> str:
    del tensors
    body = _body(config)
    key, value = chance.choice(
        (
            ("layer_types", ["full_attention"]),
            ("layer_types", ["recurrent"] * 3),
            ("layer_types", "full_attention"),
            ("rope_parameters", {"rope_type": "magic"}),
            ("rope_parameters", {"rope_type": "linear", "factor": float("inf")}),
            ("rope_parameters", {"rope_type": "yarn"}),
            ("rope_parameters", [1]),
            ("rms_norm_eps", -1.0),
            ("rms_norm_eps", "small"),
            ("max_position_embeddings", 0),
        )
    )
    body[key] = value
    return f"{key}={value!r}"


def _lost_tensor(chance: random.Random, config: dict[str, Any], tensors: dict[str, mx.array]) -> str:
    del config
    name = chance.choice(sorted(set(tensors) - {"t2d"}))
    del tensors[name]
    return f"without {name}"


def _extra_tensor(chance: random.Random, config: dict[str, Any], tensors: dict[str, mx.array]) -> str:
    del config
    name = chance.choice(("layers.7.mlp.up_proj.weight", "surprise.weight", "layers.0.self_attn.q_proj.bias"))
    tensors[name] = mx.zeros((4, 4))
    return f"with {name}"


def _wrong_shape(chance: random.Random, config: dict[str, Any], tensors: dict[str, mx.array]) -> str:
    del config
    name = chance.choice(sorted(set(tensors) - {"t2d"}))
    tensors[name] = tensors[name][:-1] if chance.random() < 0.5 else mx.stack([tensors[name]] * 2)
    return f"{name} {tensors[name].shape}"


def _wrong_type(chance: random.Random, config: dict[str, Any], tensors: dict[str, mx.array]) -> str:
    del config
    name = chance.choice(sorted(set(tensors) - {"t2d", "d2t"}))
    tensors[name] = tensors[name].astype(chance.choice((mx.int32, mx.uint8, mx.bool_)))
    return f"{name} {tensors[name].dtype}"


def _not_finite(chance: random.Random, config: dict[str, Any], tensors: dict[str, mx.array]) -> str:
    del config
    name = chance.choice(sorted(set(tensors) - {"t2d", "d2t"}))
    bad = chance.choice((float("nan"), float("inf")))
    flat = tensors[name].flatten()
    flat[chance.randrange(flat.size)] = bad
    tensors[name] = flat.reshape(tensors[name].shape)
    return f"{bad} in {name}"


def _nothing(chance: random.Random, config: dict[str, Any], tensors: dict[str, mx.array]) -> str:
    del chance, config, tensors
    return ""


_KINDS: tuple[Callable[[random.Random, dict[str, Any], dict[str, mx.array]], str], ...] = (
    *(_wrong_size, _wrong_taps, _wrong_block, _wrong_layers, _lost_tensor, _extra_tensor, _wrong_shape),
    *(_wrong_type, _not_finite, _nothing),
)


def _weights(folder: Path) -> Path:
    return folder / "model.safetensors"


def _truncated(chance: random.Random, folder: Path) -> str:
    data = _weights(folder).read_bytes()
    kept = chance.randrange(len(data))
    _weights(folder).write_bytes(data[:kept])
    return f"{kept} bytes of {len(data)}"


def _huge_length(chance: random.Random, folder: Path) -> str:
    data = _weights(folder).read_bytes()
    _weights(folder).write_bytes(struct.pack("<Q", chance.choice((2**62, 2**40))) + data[8:])
    return "a huge header"


def _huge_shape(chance: random.Random, folder: Path) -> str:
    data = _weights(folder).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    name = chance.choice(sorted(set(header) - {"__metadata__"}))
    header[name]["shape"] = [2**31 - 1, 2**31 - 1]
    raw = json.dumps(header).encode()
    _weights(folder).write_bytes(struct.pack("<Q", len(raw)) + raw + data[8 + length :])
    return f"{name} declares 2**62 numbers"


def _garbage(chance: random.Random, folder: Path) -> str:
    _weights(folder).write_bytes(chance.randbytes(5000))
    return "noise"


def _no_weights(chance: random.Random, folder: Path) -> str:
    del chance
    _weights(folder).unlink()
    return "no weights"


def _no_config(chance: random.Random, folder: Path) -> str:
    (folder / "config.json").write_bytes(chance.choice((b"", b"[]", b"{", b"[" * 9000)))
    return "config.json is no object"


def _outside(chance: random.Random, folder: Path) -> str:
    del chance
    _weights(folder).unlink()
    _weights(folder).symlink_to("/dev/zero")
    return "a link to a device"


def _pickle(chance: random.Random, folder: Path) -> str:
    (folder / "mask_embedding.pt").write_bytes(chance.randbytes(100))
    return "weights in a pickle"


_FILES: tuple[Callable[[random.Random, Path], str], ...] = (
    *(_truncated, _huge_length, _huge_shape, _garbage, _no_weights, _no_config, _outside, _pickle),
)
