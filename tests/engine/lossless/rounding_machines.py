"""Machines that round as Apple's do: the order of the sums in a product depends on how many rows it has.

So does the order in attention, on the number of keys too. Everything else is computed for each row by itself: products
as sums over one axis, and attention over buffers of a fixed length. Sums are rounded to bfloat16, so that near ties are
frequent. `Machine.order_of(rows)` numbers the orders; attention sums the keys in `Machine.parts(simds, keys)` parts,
where simds are the rows times the query heads that share keys. All numbers of keys are a SCALE-th of Apple's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import mlx_lm.models.base
import pytest

from engine.decoders import stalls
from engine.main_model import loading
from engine.row_kernels import attention, attention_probe, choice
from engine.row_kernels.layers import PRODUCTS
from engine.tuning import PassSize
from engine.upkeep import rounding_probe

# Attention sums over this many keys, those behind a text being zero.
KEYS = 640
SCALE = 32
WIDTHS = (2, 3, 4, 5, 6, 8, 12, 17)
# Terms that are added before the sum is rounded for the first time.
GROUP = 8


@dataclass(frozen=True)
class RoundingMachine:
    name: str
    order_of: Callable[[int], int]
    parts: Callable[[int, int], int] = lambda _simds, _keys: 1

    def __str__(self) -> str:
        return self.name

    @contextmanager
    def running(self) -> Iterator[None]:
        """Let all models compute as on this machine."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(attention_probe, "SWITCHES", tuple(end // SCALE for end in attention_probe.SWITCHES))
            patch.setattr(nn.Linear, "__call__", self._linear)
            patch.setattr(nn.Embedding, "as_linear", lambda layer, x: self._product(x, layer.weight))
            patch.setattr(mx.fast, "scaled_dot_product_attention", partial(attention_in_parts, parts=self.parts))
            patch.setattr(mlx_lm.models.base, "quantized_scaled_dot_product_attention", quantised_attention)
            patch.setattr(loading, "use_narrow_products", lambda _model: None)
            yield

    @property
    def _linear(self) -> Callable[[nn.Linear, mx.array], mx.array]:
        def call(layer: nn.Linear, x: mx.array) -> mx.array:
            product = self._product(x, layer.weight)
            return product + layer.bias if "bias" in layer else product

        return call

    def _product(self, x: mx.array, weight: mx.array) -> mx.array:
        width = weight.shape[1]
        order = (mx.arange(width) + 5 * self.order_of(x.size // width)) % width
        terms = x[..., None, order] * weight[:, order]
        groups = terms.reshape(*terms.shape[:-1], -1, GROUP if width % GROUP == 0 else width)
        return coarse(coarse(groups.sum(axis=-1)).sum(axis=-1))


# On M1 and M2, a row has one order of sums up to a limit; on M3 and later, a row alone has one of its own.
M1 = RoundingMachine("M1", lambda rows: int(rows >= 13))
M3 = RoundingMachine("M3", lambda rows: 0 if rows == 1 else 1 if rows < 13 else 2)
NOISE = RoundingMachine("noise", lambda rows: rows)


def _base(simds: int, keys: int) -> int:
    return 1 if keys < 128 else 3 if simds < 4 else 5


def _max(simds: int, keys: int) -> int:
    return 1 if keys < 32 else 2 if keys == 32 or simds <= 4 else 3 if keys <= 256 else 5 if keys <= 1024 else 7


def _ultra(simds: int, keys: int) -> int:
    many = 7 if simds >= 6 and keys >= 512 else 5 if simds <= 2 and keys > 256 else 3
    return 1 if keys < 32 else many


def _row_alone(simds: int, keys: int) -> int:
    return 4 if simds == 2 and keys >= 256 else _base(simds, keys)


# Attention in two passes over the keys, in parts that depend on the chip; the last has a kernel for a row alone.
BASE, MAX, ULTRA, ROW_ALONE = (
    RoundingMachine(name, lambda _rows: 0, parts)
    for name, parts in (("base", _base), ("Max", _max), ("Ultra", _ultra), ("row alone", _row_alone))
)


@contextmanager
def with_our_attention(family: str) -> Iterator[None]:
    """Let a machine compile our kernels for attention, for models of that module of mlx-lm, and find them fast."""
    used: dict[int, frozenset[PassSize]] = {}
    contexts = tuple(max(1, start // SCALE) for start in attention.CONTEXTS)
    with pytest.MonkeyPatch.context() as patch:
        widths = (2, 8, WIDTHS[-1])
        ours = {"attention_of_rows": rows_alone, "CONTEXTS": contexts, "ATTENTION_ROWS": widths, "used": used}
        for name, value in (ours | {"suits": lambda *_: True}).items():
            patch.setattr(attention, name, value)
        patch.setattr(choice, "KERNELS", (PRODUCTS, replace(attention_probe.ATTENTION, widths=widths)))
        for name, value in (("SETTLE_S", 0.0), ("FEWEST", 1), ("WORTH", inf), ("STALLED", inf)):
            patch.setattr(choice, name, value)
        # Rounds of a busy machine are no stalls.
        patch.setattr(stalls, "STALLED", inf)
        patch.setattr(f"mlx_lm.models.{family}.{attention.NAME}", mlx_lm.models.base.scaled_dot_product_attention)
        yield


def rows_alone(queries: mx.array, keys: mx.array, values: mx.array, *, scale: float, mask: Any, sinks: Any) -> mx.array:
    """Attend with one row after the other, as our kernels do in one pass."""
    count, rows = keys.shape[2], queries.shape[2]
    own = range(count - rows + 1, count + 1) if isinstance(mask, str) else [count] * rows
    return mx.concatenate(
        [
            mx.fast.scaled_dot_product_attention(
                queries[:, :, row : row + 1],
                keys[:, :, :seen],
                values[:, :, :seen],
                scale=scale,
                mask=mask[..., row : row + 1, :] if isinstance(mask, mx.array) else None,
                sinks=sinks,
            )
            for row, seen in enumerate(own)
        ],
        axis=2,
    )


def shorten_probe(patch: pytest.MonkeyPatch) -> None:
    """Let probes read short texts, because these machines are slow."""
    for module, name, value in (
        (rounding_probe, "SHORT_CONTEXT", 8),
        (rounding_probe, "LONG_CONTEXT", 120),
        (rounding_probe, "MOST_ROWS", 20),
        # From the 32nd key on, some of these machines sum otherwise, which the first rows must not reach.
        (rounding_probe, "PASS_ROWS", WIDTHS),
        (attention_probe, "MOST_KEYS", 600),
        (attention_probe, "FEWEST_ROWS", 20),
        (attention_probe, "MOST_ROWS", 20),
    ):
        patch.setattr(module, name, value)


def coarse(sums: mx.array) -> mx.array:
    return sums.astype(mx.bfloat16).astype(mx.float32)


def attention_in_parts(
    queries: mx.array,
    keys: mx.array,
    values: mx.array,
    *,
    scale: float,
    mask: Any = None,
    sinks: Any = None,
    parts: Callable[[int, int], int] = RoundingMachine.parts,
) -> mx.array:
    """Attend with sums of the row's own keys, where they stand in the buffers, in so many `parts`."""
    count, length = keys.shape[2], queries.shape[2]
    groups = queries.shape[1] // keys.shape[1]
    size = max(KEYS, count)
    keys, values = (
        mx.pad(mx.repeat(held, groups, axis=1), [(0, 0), (0, 0), (0, size - count), (0, 0)]) for held in (keys, values)
    )
    scores = (queries[:, :, :, None] * keys[:, :, None] * scale).sum(axis=-1)
    slots, own = mx.arange(size), mx.arange(count - length, count)[:, None]
    seen = slots <= own if isinstance(mask, str) else slots < count
    if isinstance(mask, mx.array) and mask.dtype == mx.bool_:
        seen = mx.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(0, size - count)])
    elif isinstance(mask, mx.array):
        scores = scores + mx.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(0, size - count)])
    scores = mx.where(seen, scores, -mx.inf)
    weights = mx.exp(scores - scores.max(axis=-1, keepdims=True))
    whole = weights.sum(axis=-1, keepdims=True)
    if sinks is not None:
        whole = whole + mx.exp(sinks[None, :, None, None] - scores.max(axis=-1, keepdims=True))
    terms = weights[..., None, :] * values.swapaxes(-1, -2)[:, :, None]
    found = terms.sum(axis=-1)
    if (number := parts(groups * length, count)) > 1:
        found = sum(coarse(terms[..., part::number].sum(axis=-1)) for part in range(number))
    return (found / whole).astype(queries.dtype)


def quantised_attention(
    queries: mx.array, keys: Any, values: Any, scale: float, mask: Any, group_size: int = 64, bits: int = 8
) -> mx.array:
    held = [mx.dequantize(*parts, group_size=group_size, bits=bits) for parts in (keys, values)]
    return attention_in_parts(queries, *held, scale=scale, mask=mask)
