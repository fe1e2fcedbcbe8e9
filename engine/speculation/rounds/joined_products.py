"""Joined products: layers of a draft model with the same input become one matrix product.

The time of a small model's step depends on the number of operations, not on their size. Queries, keys and values become
one product, and the two halves of a gated layer another; results differ only in the order of a BLAS's sums. Whether
layers share their input is checked in a forward pass, not inferred from names alone; where they do not, they stay as
they are.
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.cpu_backend.narrow_products import BlockedLinear, in_blocks, in_one
from engine.files.steps import Steps
from engine.main_model.loading import LoadedModel
from engine.speculation.rounds.compiled_steps import MAX_ROWS

log = logging.getLogger(__name__)

# Layers of one module that have the same input in most families.
NAMES = (("q_proj", "k_proj", "v_proj"), ("gate_proj", "up_proj"))
_ARRAYS = ("weight", "scales", "biases", "bias")


def join_products(loaded: LoadedModel) -> Steps[int]:
    """Join the products of a model, one module a step; returns how many fewer products it has.

    The model must not be shared. Both copies of the weights exist for one module at a time.
    """
    joinable = yield from _shared_inputs(loaded)
    saved = 0
    while joinable:
        module, names = joinable.pop()
        _join(module, names)
        saved += len(names) - 1
        yield None
    return saved


class JoinedLinear(nn.Module):  # type: ignore[misc]
    """One of several layers that share a product: returns its own outputs of it."""

    def __init__(self, product: _Product, index: int) -> None:
        super().__init__()
        self._product, self._index = product, index
        if index == 0:
            # Among the parameters only once.
            self.layer = product.layer

    def __call__(self, x: mx.array) -> mx.array:
        """(..., inputs) to (..., outputs)."""
        return self._product.part(x, self._index)


class _Product:
    """A layer with the outputs of several; keeps the latest results until each of them was asked for."""

    def __init__(self, layer: nn.Module, outputs: Sequence[int]) -> None:
        self.layer = layer
        self._ends = list(accumulate(outputs))[:-1]
        self._input: mx.array | None = None
        self._parts: dict[int, mx.array] = {}

    def part(self, x: mx.array, index: int) -> mx.array:
        if x is not self._input or index not in self._parts:
            self._input, self._parts = x, dict(enumerate(mx.split(self.layer(x), self._ends, axis=-1)))
        part = self._parts.pop(index)
        if not self._parts:
            self._input = None
        return part


class _Recording(nn.Module):  # type: ignore[misc]
    """A layer that records its inputs."""

    def __init__(self, layer: nn.Module, inputs: list[tuple[int, mx.array]], index: int) -> None:
        super().__init__()
        self.layer, self._inputs, self._index = layer, inputs, index

    def __call__(self, x: mx.array) -> mx.array:
        self._inputs.append((self._index, x))
        outputs: mx.array = self.layer(x)
        return outputs


def _shared_inputs(loaded: LoadedModel) -> Steps[list[tuple[nn.Module, tuple[str, ...]]]]:
    """The modules whose layers of these names each have the same input, once a pass."""
    # A wrapper around a model need not be an nn.Module.
    candidates = list(_candidates(loaded.model)) if isinstance(loaded.model, nn.Module) else []
    if not candidates:
        return []
    seen: list[list[tuple[int, mx.array]]] = [[] for _ in candidates]
    layers = [[module[name] for name in names] for module, names in candidates]
    try:
        for (module, names), inputs in zip(candidates, seen, strict=True):
            for index, name in enumerate(names):
                setattr(module, name, _Recording(module[name], inputs, index))
        mx.eval(loaded.model(mx.zeros((1, 1), mx.uint32), cache=loaded.new_caches()))
    # A model that inspects its layers can raise anything.
    except Exception as error:
        log.info("products of %s cannot be joined: %s", loaded.info.name, error)
        return []
    finally:
        for (module, names), own in zip(candidates, layers, strict=True):
            for name, layer in zip(names, own, strict=True):
                setattr(module, name, layer)
    yield None
    return [candidate for candidate, inputs in zip(candidates, seen, strict=True) if _is_one(inputs, len(candidate[1]))]


def _candidates(model: nn.Module) -> Iterator[tuple[nn.Module, tuple[str, ...]]]:
    # A module can occur twice in the tree.
    for module in {id(module): module for module in model.modules()}.values():
        for names in NAMES:
            if all(name in module for name in names) and _alike([module[name] for name in names]):
                yield module, names


def _alike(layers: Sequence[Any]) -> bool:
    """Whether their matrices can be concatenated."""
    kinds = {_kind(layer) for layer in layers}
    return len({id(layer) for layer in layers}) == len(layers) and len(kinds) == 1 and None not in kinds


def _kind(layer: Any) -> tuple[object, ...] | None:
    """The properties that joined layers must share; None for a layer that cannot be joined."""
    if type(layer) in (nn.Linear, BlockedLinear):
        return ("bias" in layer, layer.weight.shape[1], layer.weight.dtype)
    if type(layer) is nn.QuantizedLinear:
        arrays = tuple((name, layer[name].shape[1:], layer[name].dtype) for name in _ARRAYS if name in layer)
        return (layer.group_size, layer.bits, layer.mode, arrays)
    return None


def _is_one(inputs: Sequence[tuple[int, mx.array]], count: int) -> bool:
    asked = sorted(index for index, _ in inputs)
    return asked == list(range(count)) and all(x is inputs[0][1] for _, x in inputs)


def _join(module: nn.Module, names: Sequence[str]) -> None:
    parts = [in_one(module[name]) for name in names]
    layer = copy.copy(parts[0])
    for name in _ARRAYS:
        if name in layer:
            layer[name] = mx.concatenate([part[name] for part in parts])
    if any(type(module[name]) is BlockedLinear for name in names):
        layer = in_blocks(layer, MAX_ROWS)
    product = _Product(layer, [part.weight.shape[0] for part in parts])
    mx.eval(layer.parameters())
    for index, name in enumerate(names):
        setattr(module, name, JoinedLinear(product, index))
