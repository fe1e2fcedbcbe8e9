"""Turns published weights of MTP heads into the weights of mlx-lm's layers.

Only the weights of norms are read here, to decide whether they are zero-centred.
"""

from __future__ import annotations

import copy
import importlib
import re
from collections.abc import Iterable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import mlx.core as mx

from engine.heads.mtp_config import MtpConfig
from engine.heads.weights import Weights, write_out

_EXPERT = re.compile(r"(.+)\.experts\.(\d+)\.(gate_proj|up_proj|down_proj)\.(weight|scales|biases)")
_QK_NORMS = ("self_attn.q_norm.weight", "self_attn.k_norm.weight")
_OTHER_NORMS = (
    *("input_layernorm.weight", "post_attention_layernorm.weight"),
    *("pre_fc_norm_hidden.weight", "pre_fc_norm_embedding.weight"),
)
# Families whose published layers mlx-lm changes when it loads a model, with the module that has the layers.
_SANITIZED = {
    **dict.fromkeys(("deepseek_v3", "deepseek_v32", "glm_moe_dsa", "glm4_moe", "glm4_moe_lite"), "model"),
    "nemotron_h": "backbone",
}
# mlx-lm's names for the matrices of stacked experts if they differ from the published ones. mlx-lm stacks only
# unquantised experts.
_STACKED = {"nemotron_h": {"up_proj": "fc1", "down_proj": "fc2"}}
# If the weights of norms are to be added to 1, both means lie below these bounds; if they are factors, at least one
# does not. The bound of the norms of queries and keys:
_QK_MEAN = 1.25
# The bound of the other norms:
_OTHER_MEAN = 0.5


def as_in_network(config: MtpConfig, weights: Weights) -> Weights:
    """Return weights by the names of the network. Raises ValueError for missing experts."""
    if config.family.name in _SANITIZED:
        weights = _as_mlx_lm_has_it(config, weights)
    weights = dict(_with_stacked_experts(_with_split_experts(weights), {}))
    if config.family.zero_centred and are_zero_centred(weights):
        norms = (*_QK_NORMS, *_OTHER_NORMS, ".norm.weight")
        weights = {name: array + 1 if name.endswith(norms) else array for name, array in weights.items()}
    return weights


def _as_mlx_lm_has_it(config: MtpConfig, weights: Weights) -> Weights:
    """Return the weights as mlx-lm's model of the family converts published ones: experts, latent projections."""
    module: Any = importlib.import_module(f"mlx_lm.models.{config.family.name}")
    arguments = module.ModelArgs.from_dict(copy.deepcopy(dict(config.text)))
    arguments.num_hidden_layers = config.layers
    weights = _with_whole_latents(weights, config.text.get("kv_lora_rank"))
    if (names := _STACKED.get(config.family.name)) is not None:
        weights = dict(_with_stacked_experts(weights.items(), names))
    ours = "depths.0.layers."
    theirs = f"{_SANITIZED[config.family.name]}.layers."
    layers = {theirs + name.removeprefix(ours): array for name, array in weights.items() if name.startswith(ours)}
    layers = module.Model.sanitize(SimpleNamespace(args=arguments), layers)
    others = {name: array for name, array in weights.items() if not name.startswith(ours)}
    return others | {ours + name.removeprefix(theirs): array for name, array in layers.items()}


def _with_whole_latents(weights: Weights, rank: Any) -> Weights:
    """Dequantise projections of latents (outputs, `rank`): mlx-lm divides them and supports one mode only."""
    made = dict(weights)
    for name in weights:
        if name.endswith(".kv_b_proj.scales"):
            write_out(made, name.removesuffix(".scales"), rank)
    return made


def are_zero_centred(weights: Mapping[str, mx.array]) -> bool:
    """Whether the norms' weights are still to be added to 1, judged by their means (MTPLX, compressed_tensors.py).

    An export may have added 1 and kept the published names, so neither names nor formats decide.
    """
    queries, others = (
        [array.astype(mx.float32).mean() for name, array in weights.items() if name.endswith(names)]
        for names in (_QK_NORMS, _OTHER_NORMS)
    )
    if not queries or not others:
        return False
    return bool(((mx.stack(queries).max() < _QK_MEAN) & (mx.stack(others).min() < _OTHER_MEAN)).item())


def _with_split_experts(weights: Mapping[str, mx.array]) -> Iterator[tuple[str, mx.array]]:
    """Divide fused gate and up projections of all experts (experts, 2 * inner, width) in two, with mlx-lm's names.

    Fused down projections get mlx-lm's name, too.
    """
    for name, array in weights.items():
        stem, _, leaf = name.rpartition(".experts.")
        if leaf == "gate_up_proj":
            gate, up = mx.split(array, 2, axis=-2)
            yield f"{stem}.switch_mlp.gate_proj.weight", gate
            yield f"{stem}.switch_mlp.up_proj.weight", up
        elif leaf == "down_proj":
            yield f"{stem}.switch_mlp.down_proj.weight", array
        else:
            yield name, array


def _with_stacked_experts(
    weights: Iterable[tuple[str, mx.array]], names: Mapping[str, str]
) -> Iterator[tuple[str, mx.array]]:
    """Stack numbered experts into one tensor (experts, outputs, inputs), named by `names` or else as published.

    Raises `ValueError` if a number is missing.
    """
    numbered: dict[str, dict[int, mx.array]] = {}
    for name, array in weights:
        match = _EXPERT.fullmatch(name)
        if match is None:
            yield name, array
        else:
            stacked = f"{match[1]}.switch_mlp.{names.get(match[3], match[3])}.{match[4]}"
            numbered.setdefault(stacked, {})[int(match[2])] = array
    for name, experts in numbered.items():
        if sorted(experts) != list(range(len(experts))):
            raise ValueError(f"{name}: experts are missing")
        yield name, mx.stack([experts[index] for index in range(len(experts))])
