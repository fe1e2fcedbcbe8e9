"""Output matrices cut to some ids, as they are stored: quantised rows stay quantised."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.cpu_backend.narrow_products import BlockedEmbedding, BlockedLinear, use_narrow_products

# The parameters of a layer that have a row for each id.
_BY_ROW = ("weight", "scales", "biases", "bias")
_LINEAR = (nn.Linear, nn.QuantizedLinear, BlockedLinear)
_EMBEDDINGS = (nn.Embedding, nn.QuantizedEmbedding, BlockedEmbedding)


class OutputRows:
    """The output matrix of `layer`, which maps to scores of all ids, cut to `ids`, ascending and int32 (n,).

    It maps (..., width) to (..., vocabulary), with -inf for all other ids.
    """

    def __init__(self, layer: Any, ids: mx.array) -> None:
        self._whole = layer
        self._ids = ids
        self._vocabulary: int = layer.weight.shape[0]
        self._rows = _cut(layer, ids)

    @property
    def arrays(self) -> list[mx.array]:
        """The arrays that it holds besides the whole matrix: ids (n,) and parameters (n, ...)."""
        return [self._ids, *self._rows.parameters().values()]

    @property
    def width(self) -> int:
        """The numbers in a row that it reads."""
        rows = self._rows
        return int(rows.scales.shape[1] * rows.group_size if "scales" in rows else self._whole.weight.shape[1])

    @property
    def dtype(self) -> mx.Dtype:
        """The type of its scores."""
        rows = self._rows
        stored: mx.Dtype = next(rows[name].dtype for name in ("biases", "weight", "blocks") if name in rows)
        return stored if mx.issubdtype(stored, mx.floating) else mx.bfloat16

    @property
    def whole(self) -> Callable[[mx.array], mx.array]:
        """The matrix with the rows of all ids: it maps (..., width) to (..., vocabulary)."""
        whole: Callable[[mx.array], mx.array] = getattr(self._whole, "as_linear", self._whole)
        return whole

    def __call__(self, x: mx.array) -> mx.array:
        """Return the scores of rows."""
        scores = self._rows.as_linear(x) if hasattr(self._rows, "as_linear") else self._rows(x)
        everywhere = mx.full((*x.shape[:-1], self._vocabulary), -mx.inf, scores.dtype)
        return mx.put_along_axis(everywhere, mx.broadcast_to(self._ids, scores.shape), scores, axis=-1)


def output_rows(matrix: Callable[[mx.array], mx.array], ids: mx.array) -> OutputRows | None:
    """Return the rows `ids`, ascending and int32 (n,), of `matrix`; None for a layer of another kind.

    `matrix` is a layer or the `as_linear` of an embedding, and maps (..., width) to (..., vocabulary).
    """
    layer = getattr(matrix, "__self__", matrix)
    return OutputRows(layer, ids) if type(layer) in (*_LINEAR, *_EMBEDDINGS) else None


def _cut(layer: Any, ids: mx.array) -> nn.Module:
    if isinstance(layer, BlockedLinear | BlockedEmbedding):
        weight = layer.weight
        rows = nn.Linear(1, 1, bias="bias" in layer)
        rows.weight = weight[ids]
        if "bias" in layer:
            rows.bias = layer.bias[ids]
    else:
        rows = copy(layer)
        for name in _BY_ROW:
            if name in rows:
                rows[name] = rows[name][ids]
    # The layer itself cannot be replaced by its blocks, a layer in another one can.
    holder = nn.Module()
    holder.rows = rows
    use_narrow_products(holder)
    return holder.rows
