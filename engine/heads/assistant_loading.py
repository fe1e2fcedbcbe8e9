"""Makes an assistant of Gemma 4 of its files, whose names are those of the network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import mlx.core as mx

from engine.heads.assistant_config import AssistantConfig
from engine.heads.assistant_network import AssistantNetwork
from engine.heads.mtp_loading import quantise


def assistant_network(config: AssistantConfig, files: Sequence[Path]) -> AssistantNetwork:
    """The network with the weights of `files`, not yet read; raises ValueError for tensors that do not fit."""
    weights: dict[str, mx.array] = {}
    for file in files:
        loaded: Mapping[str, mx.array] = mx.load(str(file))  # type: ignore[assignment]
        weights |= loaded
    if not config.own_output:
        weights = {name: array for name, array in weights.items() if not name.startswith("lm_head.")}
    if (ordering := weights.get("masked_embedding.token_ordering")) is not None:
        weights["masked_embedding.token_ordering"] = ordering.astype(mx.int32)
    network = AssistantNetwork(config)
    quantise(network, weights)
    network.load_weights(list(weights.items()))
    return network
