"""A pass of a model over a few rows, tapped if a head follows, and sent to the device whole or in parts.

A round with draft tokens cannot be built before the preceding round was read, and the device has nothing to do until
the host sends it something. In parts, it computes the first layers while the host builds the others. A plain round is
built while the device computes the one before, but `mx.async_eval` returns only when little of that is left, so the
parts help there, too. These are the operations of the whole pass, so every value keeps its bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.cache import RotatingKVCache

from engine.pictures.placed import PassInput
from engine.speculation.rounds.taps import CannotTap, Taps, first_output, layers_of, with_classes


def model_pass(
    model: Any,
    ids: mx.array,
    caches: Sequence[Any],
    taps: Taps | None,
    *,
    in_parts: bool = False,
    seen: PassInput | None = None,
) -> tuple[mx.array, list[mx.array]]:
    """Return lazy logits (rows, width, V) of token ids (rows, width), and the outputs that `taps` recorded.

    With `in_parts`, most layers have been sent to the device when it returns, unless the model has no list of layers.
    With pictures among the rows, the model reads what is `seen`.
    """
    launching = launched_after(ends_of_parts(model)) if in_parts else nullcontext()
    recording: AbstractContextManager[list[mx.array]] = nullcontext([]) if taps is None else taps.record()
    with recording as outputs, launching:
        if seen is None:
            logits: mx.array = model(ids, cache=caches)
        else:
            with _seeing(model, caches, seen):
                logits = model(seen.ids, cache=caches, input_embeddings=seen.embeddings)
    return logits, outputs


@contextmanager
def _seeing(model: Any, caches: Sequence[Any], seen: PassInput) -> Iterator[None]:
    """Let the pass that the body builds read what is `seen` besides embeddings."""
    left = [*seen.deeper]

    def adding(base: type[nn.Module]) -> type[nn.Module]:
        def call(layer: nn.Module, *args: Any, **kwargs: Any) -> Any:
            return base.__call__(layer, *args, **kwargs) + left.pop(0)

        return type(f"Adding{base.__name__}", (base,), {"__call__": call})

    first = layers_of(model)[: len(left)] if left else []
    with (
        with_classes(first, [adding(type(layer)) for layer in first]),
        _reading_bidirectionally(caches, seen) if seen.blocks else nullcontext(),
    ):
        yield


@contextmanager
def _reading_bidirectionally(caches: Sequence[Any], seen: PassInput) -> Iterator[None]:
    """Let the rows of each block read each other in the pass that the body builds, perhaps in windows only."""
    kind: Any = RotatingKVCache if seen.in_windows else object
    seeing = [cache for cache in caches if hasattr(cache, "make_mask") and isinstance(cache, kind)]
    classes = {base: _seeing_blocks(base, seen.blocks) for base in {type(cache) for cache in seeing}}
    with with_classes(seeing, [classes[type(cache)] for cache in seeing]):
        yield


def _seeing_blocks(base: type[Any], blocks: Sequence[tuple[int, int]]) -> type[Any]:
    """Return a subclass of a cache whose masks also show each row of a block the rows of the block behind it."""

    def make_mask(cache: Any, rows: int, *args: Any, **options: Any) -> mx.array:
        mask: mx.array = base.make_mask(cache, rows, *args, **(options | {"return_array": True}))
        queries = mx.arange(rows)[:, None]
        keys = mx.arange(mask.shape[-1])[None] - (mask.shape[-1] - rows)
        for start, stop in blocks:
            mask = mask | ((queries >= start) & (queries < keys) & (keys < stop))
        return mask

    return type(f"BothWays{base.__name__}", (base,), {"make_mask": make_mask})


def ends_of_parts(model: Any) -> list[nn.Module]:
    """Return the layers after which a pass in parts is sent to the device: the first, second, fourth, eighth, ...

    There are none if the model has no list of layers. Each part takes the device as long as all before it together, and
    the host builds the next one meanwhile.
    """
    try:
        layers = layers_of(model)
    except CannotTap:
        return []
    # The output matrix follows the last layer at once.
    return [layers[2**power - 1] for power in range((len(layers) - 1).bit_length())]


@contextmanager
def launched_after(ends: Sequence[nn.Module]) -> Iterator[None]:
    """Send the pass that the body builds to the device after each of these layers."""
    with with_classes(ends, [_launching(type(layer)) for layer in ends]):  # type: ignore[arg-type]
        yield


# Each head has tapped classes of its own.
@lru_cache(maxsize=64)
def _launching(base: type[nn.Module]) -> type[nn.Module]:
    """Return a subclass whose output is sent to the device."""

    def call(layer: nn.Module, *args: Any, **kwargs: Any) -> Any:
        output = base.__call__(layer, *args, **kwargs)
        mx.async_eval(first_output(output))  # type: ignore[no-untyped-call]
        return output

    return type(f"Launching{base.__name__}", (base,), {"__call__": call})
