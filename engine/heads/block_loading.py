"""Makes the network of a head of the DFlash family of its files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from engine.heads.block_head import BlockNetwork
from engine.heads.config import HeadConfig
from engine.heads.folder import HeadContent
from engine.heads.tensors import MASK, expected_shapes, our_name, quantisation_of
from engine.model_files.torch_file import SavedTensor


def block_network(content: HeadContent) -> BlockNetwork:
    """The network with the weights of the head's files, not yet read."""
    config = content.config
    assert isinstance(config, HeadConfig)
    network = BlockNetwork(config)
    weights = _weights(content, config)
    _quantise(network, config, weights, content.quantisation)
    network.load_weights(list(weights.items()))
    return network


def _weights(content: HeadContent, config: HeadConfig) -> dict[str, mx.array]:
    """The tensors by the names of the network, not yet read."""
    expected = [name for name, _ in expected_shapes(config)]
    layers = {_stem(name) for name in expected} - {""}
    found: dict[str, mx.array] = {}
    for file in content.files:
        loaded: Mapping[str, mx.array] = mx.load(str(file))  # type: ignore[assignment]
        for name, array in loaded.items():
            found.update(_split(our_name(name), array, config))
    if content.mask is not None:
        found[MASK] = _array(content.mask)
    return {_in_network(name): array for name, array in found.items() if name in expected or _stem(name) in layers}


def _array(saved: SavedTensor) -> mx.array:
    """The numbers, in a row."""
    bits = np.frombuffer(saved.data, np.uint32 if saved.dtype == "F32" else np.uint16)
    return mx.array(bits).view({"F32": mx.float32, "F16": mx.float16, "BF16": mx.bfloat16}[saved.dtype])


def _stem(name: str) -> str:
    """The layer that a tensor belongs to; "" for those at the top."""
    return name.rpartition(".")[0]


def _split(name: str, array: mx.array, config: HeadConfig) -> dict[str, mx.array]:
    """A tensor by its name, or those for queries, keys and values where they are one matrix."""
    if ".qkv_proj." not in name:
        return {name: array}
    queries, keys = config.heads * config.head_dim, config.kv_heads * config.head_dim
    parts = mx.split(array, [queries, queries + keys], axis=0)
    names = (name.replace("qkv_proj", projection) for projection in ("q_proj", "k_proj", "v_proj"))
    return dict(zip(names, parts, strict=True))


def _in_network(name: str) -> str:
    top = name.partition(".")[0]
    if top in ("embed_tokens", "lm_head", "d2t", MASK):
        return name
    if top == "candidate_selector":
        return name.replace("candidate_selector", "refiner", 1)
    if top == "embed_proj":
        return f"refiner.{name}"
    return f"refiner.{name}" if top in ("markov_head", "confidence_head", "prefix_gru") else f"backbone.{name}"


def _quantise(
    network: nn.Module, config: HeadConfig, weights: Mapping[str, mx.array], settings: Mapping[str, Any]
) -> None:
    """Make the layers quantised that have scales, each as its entry of config.json says."""

    def parameters(path: str, _module: nn.Module) -> bool | dict[str, int | str]:
        if f"{path}.scales" not in weights:
            return False
        return quantisation_of(in_file[path], settings).parameters

    in_file = {_stem(_in_network(name)): _stem(name) for name, _ in expected_shapes(config)}
    if any(name.endswith(".scales") for name in weights):
        nn.quantize(network, class_predicate=parameters)
