"""Reads a folder's config.json under limits, and checks the sizes in it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.errors import ModelNotUsable
from engine.files.bounded_json import CONFIG, JsonLimits, UntrustedJsonError, read_object

# Tokens of a model whose configuration gives no number.
FALLBACK_CONTEXT = 4096
_CONTEXT_SETTINGS = (
    *("max_position_embeddings", "max_sequence_length", "model_max_length", "n_positions", "max_seq_len"),
    "seq_length",
)

# Sizes that a constructor loops over or multiplies; the largest published are far below.
_BOUNDS = {
    "num_hidden_layers": 1_000,
    "n_layers": 1_000,
    "n_layer": 1_000,
    "num_attention_heads": 4_096,
    "num_key_value_heads": 4_096,
    "hidden_size": 2**18,
    "intermediate_size": 2**22,
    "moe_intermediate_size": 2**22,
    "head_dim": 2**14,
    "global_head_dim": 2**14,
    "num_global_key_value_heads": 4_096,
    "vocab_size": 2**24,
    "max_position_embeddings": 2**31,
    "num_loops": 1_000,
    "loop_num": 1_000,
    "ngram_vocab_size_base": 2**31,
}
_BOUNDS_OF_WHAT_MAY_BE_ZERO = {
    "num_layers": 1_000,
    "num_kv_reuse_layers": 1_000,
    "num_experts": 8_192,
    "n_routed_experts": 8_192,
    "num_local_experts": 8_192,
    "hc_sinkhorn_iters": 1_000,
    # Gemma 3n's code takes a stream by this number: the first, in all that are published.
    "altup_active_idx": 0,
}
_LARGEST_INTEGER = 2**53
# Counts by which MLX divides without looking: a zero would end the process. Those of towers may be unused.
_DIVISOR = re.compile(r"(?!.*(?:vision|audio)).*(?:kv_heads|key_value_heads|n_groups|group_norm_size)")
# Families that divide by `n_group`, too. For others a number below 2 means that their experts have no groups.
_ALWAYS_GROUPED = ("bailing_hybrid", "bailing_moe_v3", "dots1")


def read_json(folder: Path, name: str, limits: JsonLimits) -> dict[str, Any]:
    """Return the JSON object in that file. Raises `ModelNotUsable`, reason "damaged"."""
    try:
        return read_object(folder / name, limits)
    except UntrustedJsonError as error:
        raise ModelNotUsable(folder, "damaged", f"{name} ({error})") from error


def read_config(folder: Path) -> dict[str, Any]:
    """Return the content of the folder's config.json. Raises `ModelNotUsable`."""
    # Unlike `Path`, `os.path` does not raise for links that cannot be followed.
    if not os.path.exists(folder / "config.json"):
        raise ModelNotUsable(folder, "not-a-model")
    config = read_json(folder, "config.json", CONFIG)
    return config | layer_settings(config)


def layer_settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return what to change in a Gemma 4 configuration by transformers 5.15, so that mlx-lm reads it; {} for others.

    It gives the sizes of full attention layer by layer (`per_layer_config`), and mlx-lm knows only their older names.
    """
    if not str(config.get("model_type", "")).startswith("gemma4"):
        return {}
    if isinstance(nested := config.get("text_config"), Mapping):
        changes = _sizes_of_full_layers(nested)
        return {"text_config": {**nested, **changes}} if changes else {}
    return _sizes_of_full_layers(config)


def _sizes_of_full_layers(text: Mapping[str, Any]) -> dict[str, Any]:
    layers = text.get("per_layer_config")
    if not isinstance(layers, Mapping):
        return {}
    sizes = next((layer for layer in layers.values() if isinstance(layer, Mapping)), {})
    newer = {"global_head_dim": "head_dim", "num_global_key_value_heads": "num_key_value_heads"}
    return {older: sizes[name] for older, name in newer.items() if type(sizes.get(name)) is int and sizes[name] > 0}


def text_config(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the configuration of the language model: `text_config`, if there is one, merged over the rest."""
    nested = config.get("text_config")
    return {**config, **nested} if isinstance(nested, Mapping) else config


def context_length(config: Mapping[str, Any]) -> int | None:
    """Return how many tokens the model was trained for, or None if its configuration does not give a number."""
    text = text_config(config)
    for name in _CONTEXT_SETTINGS:
        value = text.get(name)
        if type(value) is int and value > 0:
            return value
    return None


def is_quantised(config: Mapping[str, Any]) -> bool:
    return bool(config.get("quantization") or config.get("quantization_config"))


def experts_of(config: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many experts a layer has, and how many of them a token visits; (1, 1) for a dense model."""
    text = text_config(config)
    counts = [text.get(name) for name in ("num_experts", "n_routed_experts", "num_local_experts")]
    total = next((count for count in counts if type(count) is int and count > 0), 0)
    visited = text.get("num_experts_per_tok") or text.get("top_k_experts") or text.get("num_experts_per_token")
    return (total, visited) if type(visited) is int and 0 < visited < total else (1, 1)


def _check_bounds(folder: Path, config: Mapping[str, Any]) -> None:
    """Raise `ModelNotUsable` if a known size, or one of a list of sizes, is out of its bounds or no integer."""
    for key, limit in (_BOUNDS | _BOUNDS_OF_WHAT_MAY_BE_ZERO).items():
        value = config.get(key)
        if value is None:
            continue
        smallest = 1 if key in _BOUNDS else 0
        entries = value if isinstance(value, list) else [value]
        if not all(type(entry) is int and smallest <= entry <= limit for entry in entries):
            raise ModelNotUsable(folder, "damaged", f"config.json ({key})")


def check_sizes(folder: Path, config: Mapping[str, Any]) -> None:
    """Raise `ModelNotUsable` if an integer by which a model allocates, loops, divides or takes is out of bounds."""
    for part in (config, config.get("text_config")):
        if part is None:
            continue
        if not isinstance(part, Mapping):
            raise ModelNotUsable(folder, "damaged", "config.json (text_config)")
        _check_bounds(folder, part)
    for name, value in _integers(config):
        if abs(value) > _LARGEST_INTEGER:
            raise ModelNotUsable(folder, "damaged", "config.json (a number out of bounds)")
        divides = _DIVISOR.fullmatch(name) or (name == "n_group" and config.get("model_type") in _ALWAYS_GROUPED)
        if divides and type(value) is int and value < 1:
            raise ModelNotUsable(folder, "damaged", f"config.json ({name})")
    quantisation = config.get("quantization", config.get("quantization_config"))
    if quantisation is not None:
        _check_quantisation(folder, quantisation)


def _check_quantisation(folder: Path, settings: object) -> None:
    if not isinstance(settings, Mapping):
        raise ModelNotUsable(folder, "damaged", "config.json (quantization)")
    # Layers may have settings of their own.
    for part in (settings, *(layer for layer in settings.values() if isinstance(layer, Mapping))):
        for value, allowed in ((part.get("bits"), range(1, 17)), (part.get("group_size"), range(1, 1025))):
            if value is not None and (type(value) is not int or (value not in allowed and value != -1)):
                raise ModelNotUsable(folder, "damaged", "config.json (quantization)")


def _integers(config: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Yield all integers with the names of the settings around them, joined by dots."""
    pending: list[tuple[str, object]] = list(config.items())
    while pending:
        name, item = pending.pop()
        if isinstance(item, Mapping):
            pending.extend((f"{name}.{key}", inner) for key, inner in item.items())
        elif isinstance(item, list):
            pending.extend((name, inner) for inner in item)
        elif isinstance(item, int):
            yield name, item
