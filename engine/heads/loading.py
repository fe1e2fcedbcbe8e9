"""Loads a head's folder safely: everything is checked from its configuration and headers before it is computed with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten
from mlx_lm.utils import dequantize_model

from engine.cpu_backend.narrow_products import use_narrow_products
from engine.disk_pool import DiskPool
from engine.errors import ModelNotUsable
from engine.heads.block_head import BlockHead, BlockNetwork
from engine.heads.config import HeadConfig
from engine.heads.folder import HeadContent, identity_of, inspect_head
from engine.heads.head import Head
from engine.heads.tensors import expected_shapes, our_name, quantisation_of
from engine.steps import Steps, in_chunks, result_of, run_to_completion


def load_head(path: str | Path) -> Head:
    """Load the head in a folder; raises `ModelNotUsable`. It serves a main model once it is bound to it."""
    return run_to_completion(load_head_in_steps(path))


def load_head_in_steps(path: str | Path) -> Steps[Head]:
    """`load_head` in steps of some milliseconds."""
    folder = Path(path)
    with DiskPool() as disk:
        content = yield from result_of(disk.start(inspect_head, folder))
        identity = yield from result_of(disk.start(identity_of, content))
    network = BlockNetwork(content.config)
    try:
        weights = _weights(content)
        _quantise(network, content.config, weights, content.quantisation)
        network.load_weights(list(weights.items()))
        if mx.default_device() == mx.Device(mx.cpu):
            network = dequantize_model(network)
            network.set_dtype(mx.float32)
        network.backbone.join_products()
        if mx.default_device() == mx.Device(mx.cpu):
            use_narrow_products(network.backbone)
    # Whatever the headers did not show, mlx raises as built-in errors.
    except Exception as error:
        raise ModelNotUsable(folder, "wrong-tensors", " ".join(str(error).split())[:120]) from error
    yield from _evaluate(network, folder)
    return BlockHead(folder, content.config, network, identity)


def _weights(content: HeadContent) -> dict[str, mx.array]:
    """The tensors by the names of the network, not yet read."""
    config = content.config
    expected = [name for name, _ in expected_shapes(config)]
    layers = {_stem(name) for name in expected} - {""}
    found: dict[str, mx.array] = {}
    for file in content.files:
        loaded: Mapping[str, mx.array] = mx.load(str(file))  # type: ignore[assignment]
        for name, array in loaded.items():
            found.update(_split(our_name(name), array, config))
    return {_in_network(name): array for name, array in found.items() if name in expected or _stem(name) in layers}


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
    if top in ("embed_tokens", "lm_head", "d2t"):
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

    def parameters(path: str, _module: nn.Module) -> bool | dict[str, int]:
        if f"{path}.scales" not in weights:
            return False
        bits, group = quantisation_of(in_file[path], settings)
        return {"bits": bits, "group_size": group}

    in_file = {_stem(_in_network(name)): _stem(name) for name, _ in expected_shapes(config)}
    if any(name.endswith(".scales") for name in weights):
        nn.quantize(network, class_predicate=parameters)


def _evaluate(network: nn.Module, folder: Path) -> Steps[None]:
    """Read the weights piece by piece; raises `ModelNotUsable` for numbers that are none."""
    for chunk in in_chunks([array for _, array in tree_flatten(network.parameters())]):
        finite = [mx.isfinite(array).all() for array in chunk if mx.issubdtype(array.dtype, mx.floating)]
        try:
            mx.eval(chunk, finite)
        except Exception as error:
            raise ModelNotUsable(folder, "damaged", " ".join(str(error).split())[:120]) from error
        if not all(one.item() for one in finite):
            raise ModelNotUsable(folder, "not-finite", "NaN or infinity")
        yield None
