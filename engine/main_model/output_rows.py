"""Output matrices cut to some ids, as they are stored: quantised rows stay quantised."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.cpu_backend.narrow_products import BlockedEmbedding, BlockedLinear, use_narrow_products
from engine.main_model.loading import LoadedModel

# The parameters of a layer that have a row for each id.
_BY_ROW = ("weight", "scales", "biases", "bias")
_LINEAR = (nn.Linear, nn.QuantizedLinear, BlockedLinear)
_EMBEDDINGS = (nn.Embedding, nn.QuantizedEmbedding, BlockedEmbedding)
# The rows of the pass that shows whether a layer is the output matrix, and the largest relative difference.
_ROWS, _TOLERANCE = 8, 1e-2


class OutputRows:
    """The output matrix of `layer`, which maps to scores of all ids, cut to `ids`, ascending and int32 (n,).

    It maps (..., width) to (..., vocabulary), with -inf for all other ids. The look-up of an embedding stays whole.
    """

    def __init__(self, layer: Any, ids: mx.array) -> None:
        self._whole, self._ids = layer, ids
        self._vocabulary: int = layer.weight.shape[0]
        self._rows = _cut(layer, ids)

    @property
    def arrays(self) -> list[mx.array]:
        """The arrays that it holds besides those of the whole matrix."""
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
        found: mx.Dtype = next(rows[name].dtype for name in ("biases", "weight", "blocks") if name in rows)
        return found if mx.issubdtype(found, mx.floating) else mx.bfloat16

    @property
    def whole(self) -> Callable[[mx.array], mx.array]:
        """The matrix with the rows of all ids."""
        found: Callable[[mx.array], mx.array] = getattr(self._whole, "as_linear", self._whole)
        return found

    def __call__(self, x: mx.array) -> mx.array:
        """Embed ids if the layer is an embedding, else return scores."""
        if type(self._whole) in _EMBEDDINGS:
            embedded: mx.array = self._whole(x)
            return embedded
        return self.as_linear(x)

    def as_linear(self, x: mx.array) -> mx.array:
        """Return the scores of rows."""
        scores = self._rows.as_linear(x) if hasattr(self._rows, "as_linear") else self._rows(x)
        everywhere = mx.full((*x.shape[:-1], self._vocabulary), -mx.inf, scores.dtype)
        return mx.put_along_axis(everywhere, mx.broadcast_to(self._ids, scores.shape), scores, axis=-1)


def output_rows(matrix: Callable[[mx.array], mx.array], ids: mx.array) -> OutputRows | None:
    """Return the rows of `matrix`, a layer or the `as_linear` of an embedding; None for a layer of another kind."""
    layer = getattr(matrix, "__self__", matrix)
    return OutputRows(layer, ids) if type(layer) in (*_LINEAR, *_EMBEDDINGS) else None


def with_output_rows(loaded: LoadedModel, ids: mx.array) -> tuple[nn.Module, OutputRows] | None:
    """Return a model that shares all weights with `loaded`, but has scores of `ids` alone, and its output matrix.

    None if no layer is found to be the output matrix. Runs passes of a few rows.
    """
    tokens = mx.arange(_ROWS, dtype=mx.uint32)[None] % loaded.vocabulary
    wanted = loaded.model(tokens, cache=loaded.new_caches())
    for path, layer in _candidates(loaded.model, wanted.shape[-1]):
        rows = OutputRows(layer, ids)
        twin = _with(loaded.model, path, rows)
        found = twin(tokens, cache=loaded.new_caches())
        if _agree(found[..., ids], wanted[..., ids]) and bool((found <= wanted + _spread(wanted)).all().item()):
            return twin, rows
    return None


def _candidates(model: nn.Module, vocabulary: int) -> Iterator[tuple[str, nn.Module]]:
    """Yield the layers with a row for each id, by path; embeddings last, because not all are the output matrix too."""
    layers = [(path, layer) for path, layer in model.named_modules() if type(layer) in (*_LINEAR, *_EMBEDDINGS)]
    # A number in a path is an index, of one decoder layer among others.
    outside = [(path, layer) for path, layer in layers if not any(map(str.isdigit, path.split(".")))]
    wide = [(path, layer) for path, layer in outside if layer.weight.shape[0] == vocabulary]
    yield from sorted(wide, key=lambda one: type(one[1]) in _EMBEDDINGS)


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


def _with(module: nn.Module, path: str, part: object) -> nn.Module:
    """Return a copy of `module` that shares everything but the layer at `path`, which is `part`."""
    name, _, rest = path.partition(".")
    twin = copy(module)
    setattr(twin, name, _with(getattr(module, name), rest, part) if rest else part)
    return twin


def _spread(scores: mx.array) -> mx.array:
    return _TOLERANCE * mx.abs(scores).max()


def _agree(found: mx.array, wanted: mx.array) -> bool:
    return bool((mx.abs(found - wanted).max() <= _spread(wanted)).item())
