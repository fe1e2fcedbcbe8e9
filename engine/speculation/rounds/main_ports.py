"""The main model's parts that a head uses: embedding, last norm and output matrix, found by observing one pass.

Families differ in names and nesting. But in every family that can be tapped, the first layer's input is a multiple of
an embedding, and the logits follow from the last layer's output by a norm and a matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.heads.context import Rows
from engine.heads.head import AttendedLayer, MainPorts
from engine.main_model.loaded_model import LoadedModel
from engine.speculation.rounds.taps import PROBE_ROWS, CannotTap, calls_of, layers_of

# The largest relative difference between what the ports compute and the model itself.
PORT_TOLERANCE = 1e-2


def main_ports(main: LoadedModel) -> MainPorts:
    """Return the ports of `main`, which suit every head. Runs one pass of a few rows.

    Raises `CannotTap` if a pass does not have the form that heads were trained on.
    """
    model = main.model
    layers = layers_of(main.model)
    ids = mx.arange(PROBE_ROWS, dtype=mx.uint32)[None] % main.vocabulary
    embeddings = [module for module in _modules(model) if hasattr(module, "as_linear")]
    norms = _neighbours(model, layers[0])
    with calls_of([*layers, *norms]) as calls:
        logits = model(ids, cache=main.new_caches())
    ran = [(module, given, output) for module, given, output in calls if any(module is layer for layer in layers)]
    if [id(module) for module, _, _ in ran] != [id(layer) for layer in layers]:
        raise CannotTap("layer-calls")
    width = _width([given for _, given, _ in ran] + [output for _, _, output in ran])
    last = ran[-1][2]
    normed = [(module, output) for module, given, output in calls if given is last and output is not last]
    if len(normed) != 1:
        raise CannotTap("no-output")
    norm, hidden = normed[0]
    embedding, embed = _embedding(embeddings, ids, ran[0][1], norm.get("eps", getattr(norm, "eps", 1e-6)))
    matrix = _output_matrix(model, embedding, hidden, logits)
    return MainPorts(
        embed=embed,
        logits=matrix,
        final_norm=norm,
        layer_count=len(layers),
        width=width,
        vocabulary=int(logits.shape[-1]),
        attended=_attended_layers(layers, width),
    )


def _modules(model: nn.Module) -> list[nn.Module]:
    return list({id(module): module for module in model.modules()}.values())


def _neighbours(model: nn.Module, layer: nn.Module) -> list[nn.Module]:
    """Return the modules next to the list of layers; the norm that follows the last layer is one of them."""
    for module in _modules(model):
        children: list[Any] = list(module.children().values())
        if any(isinstance(child, list) and any(part is layer for part in child) for child in children):
            return [child for child in children if isinstance(child, nn.Module)]
    raise CannotTap("no-layers")


def _width(states: Sequence[Any]) -> int:
    """Return the common width of hidden states (1, rows, width)."""
    shapes = {getattr(state, "shape", None) for state in states}
    shape = shapes.pop()
    if shapes or shape is None or len(shape) != 3 or shape[:2] != (1, PROBE_ROWS):
        raise CannotTap("layer-outputs")
    return int(shape[2])


def _embedding(
    embeddings: Sequence[nn.Module], ids: mx.array, given: mx.array, eps: float
) -> tuple[Any, Callable[[mx.array], mx.array]]:
    """Return the embedding behind the first layer's input, and a function: the rows unchanged, scaled or normalised."""
    wide = given.astype(mx.float32)
    for embedding in embeddings:
        rows = embedding(ids)
        if rows.shape != given.shape:
            continue
        rows32 = rows.astype(mx.float32)
        scale: float = ((wide * rows32).sum() / mx.maximum((rows32 * rows32).sum(), 1e-12)).item()
        if _agree(rows32, wide):
            return embedding, embedding
        if _agree(rows32 * scale, wide):
            return embedding, lambda ids, rows=embedding, scale=scale: rows(ids) * scale
        if _agree(mx.fast.rms_norm(rows32, None, eps), wide):
            return embedding, lambda ids, rows=embedding: mx.fast.rms_norm(rows(ids), None, eps)
    raise CannotTap("no-embedding")


def _output_matrix(model: nn.Module, embedding: Any, hidden: mx.array, logits: mx.array) -> Any:
    """Return the matrix that maps normed hidden states to logits in the same order as the model's own."""
    # An attribute, or on the CPU a property that assembles it from blocks.
    weights = ((module, getattr(module, "weight", None)) for module in _modules(model) if module is not embedding)
    vocabulary = logits.shape[-1]
    fitting = (module for module, weight in weights if isinstance(weight, mx.array) and len(weight) == vocabulary)
    for matrix in chain(fitting, [embedding.as_linear]):
        guess = matrix(hidden)
        if guess.shape == logits.shape and _same_order(guess.astype(mx.float32), logits.astype(mx.float32)):
            return matrix
    raise CannotTap("no-output")


def _same_order(guess: mx.array, logits: mx.array) -> bool:
    """Whether `logits` are an increasing function of `guess`, such as a factor or a soft cap."""
    order = mx.argsort(logits, axis=-1)
    ordered = mx.take_along_axis(guess, order, axis=-1)
    spread = guess.max(axis=-1, keepdims=True) - guess.min(axis=-1, keepdims=True)
    falls = (ordered[..., :-1] - ordered[..., 1:]) / mx.maximum(spread, 1e-12)
    return bool((falls.max() <= PORT_TOLERANCE).item())


def _agree(guess: mx.array, wanted: mx.array) -> bool:
    return bool((mx.abs(guess - wanted).max() <= PORT_TOLERANCE * mx.maximum(mx.abs(wanted).max(), 1e-12)).item())


class _Capture:
    """A substitute for a cache that only keeps the rows it is given."""

    def __init__(self, offset: int) -> None:
        self.offset = offset
        self.rows: Rows | None = None

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> Rows:
        self.rows = keys, values
        return keys, values


def _attended_layers(layers: Sequence[nn.Module], width: int) -> dict[str, AttendedLayer]:
    """Return, by kind of attention, the last of `layers` with keys and values of its own; empty for other families.

    Heads attend to these: Gemma 4's assistants. A layer's own attention computes them from the layer's input.
    """
    attended: dict[str, AttendedLayer] = {}
    for index, layer in enumerate(layers):
        attention: Any = getattr(layer, "self_attn", None)
        kind = getattr(layer, "layer_type", None)
        if not (isinstance(kind, str) and getattr(attention, "has_kv", False)):
            continue
        window = attention.config.sliding_window if kind == "sliding_attention" else None
        read = partial(_keys_and_values, layer)
        keys, _ = read(mx.zeros((1, 1, width)), 0)
        attended[kind] = AttendedLayer(kind, index, window, int(keys.shape[1]), int(keys.shape[3]), read)
    return attended


def _keys_and_values(layer: Any, rows: mx.array, start: int) -> Rows:
    """Return the keys and values (1, heads, n, size) that a layer makes.

    Its input are `rows` (1, n, width) from position `start` on.
    """
    capture = _Capture(start)
    layer.self_attn(layer.input_layernorm(rows), None, capture)
    if capture.rows is None:
        raise RuntimeError("the layer made no keys")
    return capture.rows
