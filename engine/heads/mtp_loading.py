"""Makes an MTP head of its files: published names and layouts become those of mlx-lm's layers.

Nothing is read here but scales of blocks, and the weights of norms, which say whether they are zero-centred.
"""

from __future__ import annotations

import copy
import importlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.heads.blocks_of_fp8 import dequantised
from engine.heads.depth_network import DepthNetwork
from engine.heads.mtp_config import MtpConfig, our_name
from engine.heads.mtp_network import MtpNetwork
from engine.heads.tensors import MODES
from engine.model_files.head_files import mtp_tensors

Weights = dict[str, mx.array]

_EXPERT = re.compile(r"(.+)\.experts\.(\d+)\.(gate_proj|up_proj|down_proj)\.(weight|scales|biases)")
_QK_NORMS = ("self_attn.q_norm.weight", "self_attn.k_norm.weight")
_OTHER_NORMS = (
    *("input_layernorm.weight", "post_attention_layernorm.weight"),
    *("pre_fc_norm_hidden.weight", "pre_fc_norm_embedding.weight"),
)
# Families whose published layers mlx-lm changes when it loads a model, and where its models have them.
_SANITIZED = {
    **dict.fromkeys(("deepseek_v3", "deepseek_v32", "glm_moe_dsa", "glm4_moe", "glm4_moe_lite"), "model"),
    "nemotron_h": "backbone",
}
# What mlx-lm calls the matrices of stacked experts where not as they are published; it stacks only unquantised ones.
_STACKED = {"nemotron_h": {"up_proj": "fc1", "down_proj": "fc2"}}
# Means of weights that are to be added to 1 lie below these, as of those that are factors at least one does not.
_QK_MEAN, _OTHER_MEAN = 1.25, 0.5


def mtp_network(config: MtpConfig, files: Sequence[Path], *, inner: bool = False) -> MtpNetwork | DepthNetwork:
    """The network with the weights of `files`, not yet read; raises ValueError for tensors that do not fit.

    `inner` files are a main model's, of whose tensors the head's alone count.
    """
    weights: Weights = {}
    for file in files:
        loaded: Mapping[str, mx.array] = mx.load(str(file))  # type: ignore[assignment]
        own = mtp_tensors(loaded, config.main_layers) if inner else loaded
        named = ((our_name(name, config.main_layers, config.family), loaded[name]) for name in own)
        weights |= {name: array for name, array in named if name is not None}
    weights = dequantised(weights)
    if config.family.module in _SANITIZED:
        weights = _as_mlx_lm_has_it(config, weights)
    weights = converted(weights, zero_centred=config.family.zero_centred)
    network = DepthNetwork(config, weights) if config.family.by_depth else MtpNetwork(config)
    quantise(network, weights)
    network.load_weights(list(weights.items()))
    return network


def _as_mlx_lm_has_it(config: MtpConfig, weights: Weights) -> Weights:
    """The layer's weights as mlx-lm's model of the family makes them of published ones: experts, latent projections."""
    module: Any = importlib.import_module(f"mlx_lm.models.{config.family.module}")
    arguments = module.ModelArgs.from_dict(copy.deepcopy(dict(config.text)))
    arguments.num_hidden_layers = config.layer_count
    body = _SANITIZED[config.family.module]
    weights = _with_whole_latents(weights, config.text.get("kv_lora_rank"))
    if (names := _STACKED.get(config.family.module)) is not None:
        weights = dict(_with_stacked_experts(weights.items(), names))
    layers = {f"{body}.{name}": array for name, array in weights.items() if name.startswith("layers.")}
    layers = module.Model.sanitize(SimpleNamespace(args=arguments), layers)
    rest = {name: array for name, array in weights.items() if not name.startswith("layers.")}
    return rest | {name.removeprefix(f"{body}."): array for name, array in layers.items()}


def _with_whole_latents(weights: Weights, rank: Any) -> Weights:
    """Quantised projections of latents (outputs, `rank`) as their numbers: mlx-lm divides them, and knows one mode."""
    made = dict(weights)
    for name in weights:
        if name.endswith(".kv_b_proj.scales"):
            _write_out(made, name.removesuffix(".scales"), rank)
    return made


def _write_out(weights: Weights, layer: str, inputs: int) -> None:
    """Put the numbers of a quantised layer with so many `inputs` in its place."""
    parameters, packed = _quantisation(weights, layer, inputs), weights.pop(f"{layer}.weight")
    scales, biases = weights.pop(f"{layer}.scales"), weights.pop(f"{layer}.biases", None)
    weights[f"{layer}.weight"] = mx.dequantize(packed, scales, biases, **parameters)


def converted(weights: Mapping[str, mx.array], *, zero_centred: bool) -> Weights:
    """Weights by the names of the network, from our names of the published ones. What is converted stays as it is."""
    made = dict(_with_stacked_experts(_with_split_experts(weights), {}))
    if zero_centred and are_zero_centred(made):
        norms = (*_QK_NORMS, *_OTHER_NORMS, ".norm.weight")
        made = {name: array + 1 if f".{name}".endswith(norms) else array for name, array in made.items()}
    return made


def are_zero_centred(weights: Mapping[str, mx.array]) -> bool:
    """Whether the norms' weights are still to be added to 1, going by their means (as MTPLX, compressed_tensors.py).

    An export may have added it and kept the published names, so that neither names nor formats tell.
    """
    queries, others = (
        [array.astype(mx.float32).mean() for name, array in weights.items() if name.endswith(names)]
        for names in (_QK_NORMS, _OTHER_NORMS)
    )
    if not queries or not others:
        return False
    return bool(((mx.stack(queries).max() < _QK_MEAN) & (mx.stack(others).min() < _OTHER_MEAN)).item())


def _with_split_experts(weights: Mapping[str, mx.array]) -> Iterator[tuple[str, mx.array]]:
    """Fused gate and up projections of all experts (experts, 2 * inner, width) in two, by mlx-lm's names."""
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
    """Numbered experts as one tensor (experts, outputs, inputs), by mlx-lm's names: `names`, or as published."""
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


def quantise(network: nn.Module, weights: Weights) -> None:
    """Make the layers quantised that have scales; bits, groups and modes follow from shapes and types.

    Where the network has none that could be quantised, as for some routers, `weights` get the numbers.
    """
    for path, module in network.named_modules():
        if f"{path}.scales" in weights and not hasattr(module, "to_quantized"):
            _write_out(weights, path, module.weight.shape[-1])

    def parameters(path: str, module: nn.Module) -> bool | dict[str, Any]:
        return f"{path}.scales" in weights and _quantisation(weights, path, module.weight.shape[-1])

    if any(name.endswith(".scales") for name in weights):
        nn.quantize(network, class_predicate=parameters)


def _quantisation(weights: Weights, layer: str, inputs: int) -> dict[str, Any]:
    """Bits, group and mode of a layer with so many `inputs`, by the names of `nn.quantize`. Raises ValueError."""
    scales, packed = weights[f"{layer}.scales"], weights[f"{layer}.weight"].shape[-1]
    bits, group = packed * 32 // inputs, inputs // scales.shape[-1]
    mode = "affine"
    if scales.dtype == mx.uint8:
        mode = next((mode for mode, sizes in MODES.items() if sizes == (bits, group)), "")
    if not mode or (f"{layer}.biases" in weights) != (mode == "affine"):
        raise ValueError(f"{layer}.scales")
    return {"bits": bits, "group_size": group, "mode": mode}
