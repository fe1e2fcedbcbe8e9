"""Loads a head's folder safely: configuration and headers are checked before anything is computed."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from mlx.utils import tree_flatten

from engine.cpu_backend.backend import as_computed
from engine.cpu_backend.narrow_products import use_narrow_products
from engine.errors import EngineError, ModelNotUsable, is_device_failure
from engine.files.disk_pool import DiskPool
from engine.files.folder_paths import states_of
from engine.files.steps import Steps, in_chunks, result_of
from engine.heads.folder import HeadContent, identity_of
from engine.heads.head import Head
from engine.heads.tensors import MASK, HeadTensorError
from engine.heads.weights import Weights, dequantised, quantise
from engine.model_files.model_folder import ModelFolder, check_unchanged
from engine.model_files.safetensors_header import read_checked_header
from engine.model_files.torch_file import SavedVector
from engine.model_files.weight_reading import read_arrays, tensor_places


def load_head(content: HeadContent, adapt: Callable[[nn.Module], str | None] = lambda _network: None) -> Steps[Head]:
    """Load a head in steps of some milliseconds.

    Raises `ModelNotUsable`, also if its files change meanwhile, and what `adapt` raises. The head has to be bound to a
    main model before it drafts. `adapt` may change the layers of its network, and then returns what tells it from
    others.
    """
    folder = content.folder
    read = states_of([ModelFolder(folder).config_folder / "config.json", *content.files])
    head: type[Head] = pkgutil.resolve_name(content.kind.head)
    with DiskPool() as disk:
        identity = yield from result_of(disk.start(identity_of, content))
        network = yield from _network(content, head, disk)
    if digest := adapt(network):
        identity = f"{identity}-taught-{digest}"
    use_narrow_products(network)
    yield from _evaluate(network, folder, read)
    _check_ids(network, content.config.vocabulary, folder)
    return head(folder, content.config, network, identity)


def _network(content: HeadContent, head: type[Head], disk: DiskPool) -> Steps[nn.Module]:
    """Return the network with the weights of the head's files, whose conversions have not been evaluated.

    Raises `ModelNotUsable`. Nothing keeps the arrays that were read, so that converting them frees their memory.
    """
    places = tensor_places({file: read_checked_header(content.folder, file) for file in content.files})
    of_head = {content.names[name]: place for name, place in places.items() if name in content.names}
    try:
        weights = yield from read_arrays(content.folder, of_head, disk)
        if content.mask is not None:
            weights[content.names[MASK]] = _array(content.mask)
        return as_computed(_built(content, head, weights))
    # mlx raises built-in errors for whatever the headers did not show.
    except Exception as error:
        if isinstance(error, EngineError) or is_device_failure(error):
            raise
        raise ModelNotUsable(content.folder, "wrong-tensors", " ".join(str(error).split())[:120]) from error


def _built(content: HeadContent, head: type[Head], weights: Weights) -> nn.Module:
    """Return the network of a head with its weights. Raises any exception for weights that are not the network's."""
    network, weights = head.build(content.config, dequantised(weights))
    quantise(network, weights)
    expected: dict[str, mx.array] = dict(tree_flatten(network.parameters()))
    for name in sorted(expected.keys() | weights.keys()):
        if name not in expected or name not in weights or weights[name].shape != expected[name].shape:
            raise HeadTensorError(name)
    network.load_weights(list(weights.items()))
    return network


def _array(saved: SavedVector) -> mx.array:
    """Return the numbers of a tensor in one dimension."""
    bits = np.frombuffer(saved.data, np.uint32 if saved.dtype == "F32" else np.uint16)
    return mx.array(bits).view({"F32": mx.float32, "F16": mx.float16, "BF16": mx.bfloat16}[saved.dtype])


def _check_ids(network: Any, vocabulary: int, folder: Path) -> None:
    """Raise `ModelNotUsable` if a table contains ids that the main model does not have."""
    if "d2t" in network:
        name = "d2t"
        ids = mx.arange(network.d2t.size) + network.d2t
    elif "masked_embedding" in network:
        name = "token_ordering"
        ids = network.masked_embedding.token_ordering
    else:
        return
    if bool(((ids < 0) | (ids >= vocabulary)).any().item()):
        raise ModelNotUsable(folder, "wrong-tensors", name)


def _evaluate(network: nn.Module, folder: Path, read: Mapping[Path, tuple[int, int]]) -> Steps[None]:
    """Evaluate the weights piece by piece. `read` are the states of the files before anything was read of them.

    Raises `ModelNotUsable` for files that have changed, for NaN and infinity, or if all matrices are zero.
    """
    parameters: list[tuple[str, mx.array]] = tree_flatten(network.parameters())
    # Scales are not zero where the numbers that they scale are; tables of ids are no weights.
    matrices = {id(array) for name, array in parameters if array.ndim > 1 and not name.endswith(".scales")}
    zero = True
    for chunk in in_chunks([array for _, array in parameters]):
        finite = [mx.isfinite(array).all() for array in chunk if mx.issubdtype(array.dtype, mx.floating)]
        used = [array.any() for array in chunk if id(array) in matrices]
        check_unchanged(folder, read)
        try:
            mx.eval(chunk, finite, used)
        except Exception as error:
            if is_device_failure(error):
                raise
            raise ModelNotUsable(folder, "damaged", " ".join(str(error).split())[:120]) from error
        if not all(flag.item() for flag in finite):
            raise ModelNotUsable(folder, "not-finite", "NaN or infinity")
        zero = zero and not any(flag.item() for flag in used)
        yield None
    check_unchanged(folder, read)
    if zero:
        raise ModelNotUsable(folder, "all-zero")
