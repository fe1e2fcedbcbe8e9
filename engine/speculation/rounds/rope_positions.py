"""Passes over texts with pictures by models that turn queries and keys by three coordinates; see `Positions`.

Only during such a pass, the rotary embeddings of attention are replaced. They do the turning in any case, so that the
text behind pictures is computed by the same operations as text without them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Any

import mlx.core as mx

from engine.pictures.positions import Positions
from engine.speculation.rounds.taps import layers_of


@contextmanager
def rope_positions(model: Any, positions: Positions | None) -> Iterator[None]:
    """Let the attention of `model` read these positions in passes over one text that the body builds.

    Row 0 of its caches is the first token of the text.
    """
    if positions is None:
        yield
        return
    with _replaced_ropes(model, lambda rope, x, offset: _rotate(positions, rope, x, offset)):
        yield


@contextmanager
def rope_positions_of_rows(model: Any, rows: Sequence[Positions | None]) -> Iterator[None]:
    """Let the attention of `model` read the positions of the `rows` of a batch, which are behind their pictures."""
    if not any(rows):
        yield
        return
    lags = mx.array([0 if positions is None else positions.lag for positions in rows])

    @lru_cache(maxsize=1)
    def places(offset: mx.array) -> mx.array:
        # All layers of a pass ask for the same one.
        return offset - lags

    with _replaced_ropes(model, lambda rope, x, offset: rope(x, offset=places(offset))):
        yield


def _rotate(positions: Positions, rope: Any, x: mx.array, offset: int) -> mx.array:
    """Return queries or keys (1, heads, n, size), the first of which has the index `offset`, turned by `rope`."""
    count = x.shape[2]
    if offset >= positions.end or offset + count <= positions.first:
        position = offset - positions.lag if offset >= positions.end else offset
        rotated: mx.array = rope(x, offset=position)
        return rotated
    # As rows of a batch, all tokens have positions of their own.
    apart = x.transpose(2, 1, 0, 3)
    by_time: mx.array
    by_time, by_row, by_column = (rope(apart, offset=places) for places in positions.of(offset, count))
    if rope.dims == positions.axes.dims:
        axes = positions.axes.of_numbers(x.shape[3])
        by_time = mx.where(axes == 0, by_time, mx.where(axes == 1, by_row, by_column))
    # Heads that turn other numbers than the main model know no rows and columns.
    return by_time.transpose(2, 1, 0, 3)


@contextmanager
def _replaced_ropes(model: Any, turn: Callable[..., mx.array]) -> Iterator[None]:
    """Call turn(rope, x, offset) in place of rope(x, offset) in all layers with attention."""
    attentions = [*_attentions(model)]
    ropes = [attention.rope for attention in attentions]
    try:
        for attention, rope in zip(attentions, ropes, strict=True):
            # A module is a dict of its parts; its own assignment takes three times as long.
            attention["rope"] = partial(turn, rope)
        yield
    finally:
        for attention, rope in zip(attentions, ropes, strict=True):
            attention["rope"] = rope


def _attentions(model: Any) -> Iterator[Any]:
    """Generate the attention modules of a model's layers, and of a head's depths."""
    for layer in layers_of(model):
        if "self_attn" in layer:
            yield layer.self_attn
        elif "layers" in layer:
            # A head's depth.
            yield from _attentions(layer)
