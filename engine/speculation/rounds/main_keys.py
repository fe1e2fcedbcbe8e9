"""The keys and values of a main model's layers, for heads that attend to them: Gemma 4's assistants.

A layer's own attention computes them from the layer's input; its output is never evaluated.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.heads.context import Rows
from engine.heads.head import Attended


class _Capture:
    """A substitute for a cache that only keeps the rows it is given."""

    def __init__(self, offset: int) -> None:
        self.offset = offset
        self.rows: Rows | None = None

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> Rows:
        self.rows = keys, values
        return keys, values


def attended_layers(layers: Sequence[nn.Module], width: int) -> dict[str, Attended]:
    """Return, by kind of attention, the last of `layers` with keys and values of its own; empty for other families."""
    found: dict[str, Attended] = {}
    for index, layer in enumerate(layers):
        attention: Any = getattr(layer, "self_attn", None)
        kind = getattr(layer, "layer_type", None)
        if not (isinstance(kind, str) and getattr(attention, "has_kv", False)):
            continue
        window = attention.config.sliding_window if kind == "sliding_attention" else None
        read = partial(_read, layer)
        keys, _ = read(mx.zeros((1, 1, width)), 0)
        found[kind] = Attended(kind, index, window, int(keys.shape[1]), int(keys.shape[3]), read)
    return found


def _read(layer: Any, rows: mx.array, start: int) -> Rows:
    capture = _Capture(start)
    layer.self_attn(layer.input_layernorm(rows), None, capture)
    if capture.rows is None:
        raise RuntimeError("the layer made no keys")
    return capture.rows
