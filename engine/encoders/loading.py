"""Loads the folder of an encoder: its network, the layers after the pooling, and the limits of its texts.

Everything that is wrong with a folder is raised as `ModelNotUsable`. Call it on the thread that computes.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten
from mlx_lm.utils import load_model

from engine.cpu_backend.backend import as_computed
from engine.encoders.gemma_network import GemmaNetwork
from engine.encoders.nomic_network import NomicNetwork
from engine.errors import EngineError, ModelNotUsable, is_device_failure
from engine.files.bounded_json import CONFIG
from engine.files.disk_pool import DiskPool
from engine.files.folder_paths import states_of
from engine.files.steps import Steps, in_chunks, result_of
from engine.main_model.loading import sanitized
from engine.model_files.config import read_json
from engine.model_files.encoder_kinds import encoder_family, longest_text
from engine.model_files.inspection import check_encoder
from engine.model_files.model_folder import ModelFolder, check_unchanged
from engine.model_files.pooling import pooling_of
from engine.model_files.safetensors_header import read_checked_header
from engine.model_files.sentence_files import dense_folders, limits_of
from engine.model_files.weight_reading import read_arrays, tensor_places

_WEIGHTS = "model.safetensors"
# What mlx-vlm's networks are written for.
_WRITTEN_FOR = {
    "hidden_act": "gelu",
    "hidden_activation": "gelu",
    "position_embedding_type": "absolute",
    "is_decoder": False,
}
# The functions after linear layers, by the last part of their names.
_ACTIVATIONS: dict[str, Callable[[mx.array], mx.array]] = {"Identity": lambda states: states, "Tanh": mx.tanh}


@dataclass(frozen=True, eq=False)
class DenseLayer:
    """A linear layer after the pooling: `weight` is (outputs, inputs), `bias` (outputs,) or None."""

    weight: mx.array
    bias: mx.array | None
    activation: Callable[[mx.array], mx.array]

    def __call__(self, vector: mx.array) -> mx.array:
        product = self.weight @ vector
        return self.activation(product if self.bias is None else product + self.bias)


@dataclass(frozen=True, eq=False)
class Encoder:
    """A loaded encoder. `network` returns the states (texts, tokens, width) of ids (texts, tokens), all below `ids`.

    Its second argument (texts, tokens) is false where a text is padded, and None if no text is.

    `pooling` is one of `pooling_of`. A text has at most `most_tokens`, and its letters become small ones if so wanted.
    """

    path: Path
    network: Callable[[mx.array, mx.array | None], mx.array]
    dense: tuple[Callable[[mx.array], mx.array], ...]
    pooling: str
    ids: int
    most_tokens: int
    lower_case: bool

    def embeddings(self, texts: Sequence[Sequence[int]]) -> list[mx.array]:
        """Return the vector (width,) of each text, of length 1, in float32, by one pass over all of them.

        A text has at least one id, and the ids are known. Shorter texts are padded to the length of the longest, which
        changes the rounding of their vectors, and nothing else.
        """
        lengths = [len(ids) for ids in texts]
        longest = max(lengths)
        padded = mx.array([[*ids, *[0] * (longest - len(ids))] for ids in texts])
        seen = None if min(lengths) == longest else mx.arange(longest) < mx.array(lengths)[:, None]
        states = self.network(padded, seen).astype(mx.float32)
        return [self._vector(states[place, :length]) for place, length in enumerate(lengths)]

    def _vector(self, states: mx.array) -> mx.array:
        """Return the vector (width,) of a text with the `states` (tokens, width)."""
        vector = states.mean(axis=0) if self.pooling == "mean" else states[-1 if self.pooling == "last" else 0]
        for layer in self.dense:
            vector = layer(vector)
        return vector / mx.maximum(mx.linalg.norm(vector), 1e-12)


def load_encoder(path: Path) -> Steps[Encoder]:
    """Load the encoder in a folder, in steps of some milliseconds. Raises `ModelNotUsable`."""
    folder = ModelFolder(path)
    with DiskPool() as disk:
        yield from result_of(disk.start(check_encoder, folder))
        encoder = yield from _load_checked(folder, disk)
    return encoder


def _load_checked(folder: ModelFolder, disk: DiskPool) -> Steps[Encoder]:
    """Load the encoder in a folder that has been checked. Raises `ModelNotUsable`."""
    path = folder.path
    after_pooling = dense_folders(path)
    read = states_of([*folder.weight_files, *(path / name / _WEIGHTS for name in after_pooling)])
    family = encoder_family(folder.config)
    pooling = pooling_of(path)
    if not pooling:
        raise ModelNotUsable(path, "incomplete", "1_Pooling/config.json")
    try:
        network, states = yield from _network(folder, family, disk)
        dense = _inner_dense(network) or (yield from _outer_dense(path, after_pooling, disk))
        for chunk in in_chunks([array for _, array in tree_flatten(network.parameters())]):
            yield None
            mx.eval(chunk)
        check_unchanged(path, read)
        ids = int(folder.config["vocab_size"])
        most = longest_text(path, folder.config)
        encoder = Encoder(path, states, dense, pooling, ids, most, limits_of(path).lower_case)
        if not mx.isfinite(encoder.embeddings([[0, ids - 1]])[0]).all().item():
            raise ModelNotUsable(path, "not-finite", "NaN or infinity")
    # The networks can fail in any way on the folder's shapes and values.
    except Exception as error:
        if isinstance(error, EngineError) or is_device_failure(error):
            raise
        raise ModelNotUsable(path, "wrong-tensors", " ".join(str(error).split())[:120]) from error
    return encoder


def _network(
    folder: ModelFolder, family: str, disk: DiskPool
) -> Steps[tuple[nn.Module, Callable[[mx.array, mx.array | None], mx.array]]]:
    """Return the network of a folder, whose weights have not been converted, and what returns its states for ids."""
    path = folder.path
    places = tensor_places({file: folder.header(file) for file in folder.weight_files})
    weights = yield from read_arrays(path, places, disk)
    has_dense = "dense.0.weight" in weights
    classes = partial(_classes, path, family, weights, has_dense=has_dense)
    network, _ = load_model(path, lazy=True, get_model_classes=classes)
    # It refers to the network that holds it.
    vars(network).pop("sanitize", None)
    network = as_computed(network)
    if family in ("nomic_bert", "gemma3"):
        return network, network
    return network, _LastStates(network)


class _LastStates:
    """Returns the states of the last layer of one of mlx-vlm's networks."""

    def __init__(self, network: nn.Module) -> None:
        self._network = network

    def __call__(self, ids: mx.array, seen: mx.array | None) -> mx.array:
        states: mx.array = self._network(ids, seen).last_hidden_state
        return states


def _classes(
    path: Path, family: str, weights: dict[str, mx.array], config: Mapping[str, Any], *, has_dense: bool
) -> tuple[Callable[[Any], nn.Module], Any]:
    """Return what builds the network of a family, and what reads its configuration, as mlx-lm's loader asks.

    The network gets `weights` (any shape) in place of those that mlx-lm would read; nothing else keeps them.
    """
    make: Callable[[Any], nn.Module]
    arguments: Any = SimpleNamespace(from_dict=dict)
    if family == "gemma3":
        make = partial(GemmaNetwork, has_dense=has_dense)
    elif family == "nomic_bert":
        make = partial(NomicNetwork, folder=path)
    else:
        if find_spec("mlx_vlm") is None:
            raise ModelNotUsable(path, "no-mlx-vlm", family)
        for name, value in _WRITTEN_FOR.items():
            if config.get(name, value) not in (None, value):
                raise ModelNotUsable(path, "unknown-architecture", f"config.json: {name}")
        module = importlib.import_module(f"mlx_vlm.models.{family}")
        make = module.Model
        arguments = module.ModelConfig

    def built(settings: Any) -> nn.Module:
        network: Any = make(settings)
        own_names = network.sanitize

        def read_before(_unread: dict[str, mx.array]) -> Any:
            named = sanitized(network, own_names, frozenset(), weights)
            weights.clear()
            return named

        network.sanitize = read_before
        return network

    return built, arguments


def _inner_dense(network: nn.Module) -> tuple[Callable[[mx.array], mx.array], ...]:
    """Return the layers after the pooling that a network has among its own."""
    return tuple(partial(_of_vector, layer) for layer in network.get("dense", ()))


def _of_vector(layer: nn.Module, vector: mx.array) -> mx.array:
    """Call a layer with one vector; quantised ones take matrices only."""
    output: mx.array = layer(vector[None])[0]
    return output.astype(mx.float32)


def _outer_dense(folder: Path, names: Sequence[str], disk: DiskPool) -> Steps[tuple[DenseLayer, ...]]:
    """Return the linear layers in subfolders of an encoder. Raises `ModelNotUsable`."""
    layers = list[DenseLayer]()
    for name in names:
        layers.append((yield from _dense(folder, name, disk)))
    return tuple(layers)


def _dense(folder: Path, name: str, disk: DiskPool) -> Steps[DenseLayer]:
    """Return the linear layer in a subfolder. Raises `ModelNotUsable`."""
    settings = read_json(folder / name, "config.json", CONFIG)
    function = str(settings.get("activation_function", "Tanh")).rpartition(".")[2]
    if function not in _ACTIVATIONS:
        raise ModelNotUsable(folder, "unknown-architecture", f"{name}/config.json: {function[:80]}")
    file = folder / name / _WEIGHTS
    header = read_checked_header(folder, file)
    if not {"linear.weight"} <= header.keys() <= {"linear.weight", "linear.bias"}:
        raise ModelNotUsable(folder, "wrong-tensors", f"{name}/{_WEIGHTS}")
    tensors = yield from read_arrays(folder, tensor_places({file: header}), disk)
    weights = {tensor: array.astype(mx.float32) for tensor, array in tensors.items()}
    mx.eval(weights)
    return DenseLayer(weights["linear.weight"], weights.get("linear.bias"), _ACTIVATIONS[function])
