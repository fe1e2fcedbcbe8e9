"""Makes the network of an EAGLE-3 head of its files."""

from __future__ import annotations

from collections.abc import Mapping

import mlx.core as mx
import mlx.nn as nn

from engine.heads.eagle_config import EagleConfig, expected_shapes
from engine.heads.eagle_config import our_name as in_one_layer
from engine.heads.eagle_network import EagleNetwork
from engine.heads.folder import HeadContent
from engine.heads.tensors import our_name, quantisation_of


def eagle_network(config: EagleConfig, content: HeadContent) -> EagleNetwork:
    """The network with the weights of the head's files, not yet read."""
    layers = {name.rpartition(".")[0] or name for name, _ in expected_shapes(config)}
    weights: dict[str, mx.array] = {}
    in_file: dict[str, str] = {}
    for file in content.files:
        loaded: Mapping[str, mx.array] = mx.load(str(file))  # type: ignore[assignment]
        for published, array in loaded.items():
            bare = our_name(published)
            name = in_one_layer(bare)
            layer = name.rpartition(".")[0] or name
            if layer in layers:
                weights[name] = array
                in_file[layer] = bare.rpartition(".")[0]
    network = EagleNetwork(config)

    def parameters(path: str, _module: nn.Module) -> bool | dict[str, int | str]:
        if f"{path}.scales" not in weights:
            return False
        return quantisation_of(in_file[path], content.quantisation).parameters

    if any(name.endswith(".scales") for name in weights):
        nn.quantize(network, class_predicate=parameters)
    network.load_weights(list(weights.items()))
    return network
