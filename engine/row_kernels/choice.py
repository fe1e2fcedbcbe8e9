"""Chooses the widths whose products our kernel computes on this machine, by comparing it with MLX's own."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from statistics import median

import mlx.core as mx
import mlx.nn as nn

from engine.errors import is_device_failure
from engine.files.steps import Steps
from engine.row_kernels.layers import (
    Quantised,
    dtype_of,
    inputs_of,
    is_suitable,
    mlx_product,
    our_product,
    quantised_layers,
)
from engine.row_kernels.product import TILE
from engine.tuning import WidthCost

log = logging.getLogger(__name__)

# The widths of most rounds; from five rows on, our kernel reads the weights twice.
WIDTHS = tuple(range(2, 9))
REPEATS = 5
# The rows whose bits are compared.
ROWS = 24
# A smaller gain is not worth another kernel, and so much is what the rounding of single rows is worth.
WORTH = 0.03

Product = Callable[[Quantised, mx.array], mx.array]
_Inputs = dict[tuple[int, mx.Dtype], mx.array]


def compare_kernels(model: nn.Module) -> Steps[tuple[WidthCost, ...]]:
    """Return what the products of all layers of `model` cost over a few rows, and for which widths ours are used.

    They are used only where every bit equals that of MLX's products of single rows. The result is empty if no layer is
    suitable.
    """
    layers = quantised_layers(model)
    suitable = [layer for layer in layers if is_suitable(layer)]
    if not suitable:
        return ()
    inputs = _inputs(layers)
    products = [mlx_product]
    if (yield from _can_compile(suitable, inputs)):
        products.append(our_product)
    alike = {(product, width): True for product in products for width in WIDTHS}
    # The products of other layers are always MLX's.
    others = dict.fromkeys(WIDTHS, True)
    for layer in layers:
        x = inputs[inputs_of(layer), dtype_of(layer)]
        alone = _in_passes(mlx_product, layer, x, 1)
        for product, width in alike if is_suitable(layer) else [(mlx_product, width) for width in WIDTHS]:
            found = _in_passes(product, layer, x, width)
            same = bool(mx.array_equal(found, alone[: len(found)]).item())
            if is_suitable(layer):
                alike[product, width] &= same
            else:
                others[width] &= same
        yield None
    one_row_s, *_ = yield from _seconds(suitable, inputs, [mlx_product], 1)
    costs = []
    for width in WIDTHS:
        mlx_s, *ours_s = yield from _seconds(suitable, inputs, products, width)
        best = mlx_s * (1 - WORTH if alike[mlx_product, width] else 1 + WORTH)
        used = any(alike[our_product, width] and our_s <= best for our_s in ours_s)
        ours = ours_s[0] / one_row_s if ours_s else None
        same = others[width] and (used or alike[mlx_product, width])
        costs.append(WidthCost(width, mlx_s / one_row_s, ours, used, same))
    log.info("products of several rows: %s", costs)
    return tuple(costs)


def _inputs(layers: Sequence[Quantised]) -> _Inputs:
    """Return random inputs (ROWS, size) for layers by their size and type."""
    shapes = {(inputs_of(layer), dtype_of(layer)) for layer in layers}
    return {
        (size, dtype): mx.random.normal((ROWS, size), key=mx.random.key(size)).astype(dtype) for size, dtype in shapes
    }


def _can_compile(layers: Sequence[Quantised], inputs: _Inputs) -> Steps[bool]:
    """Compute each product by the kernels for all WIDTHS, of which none has more than TILE rows."""
    try:
        for layer in layers:
            x = inputs[inputs_of(layer), dtype_of(layer)]
            mx.eval([our_product(layer, x[:rows]) for rows in range(2, TILE + 1)])
            yield None
    # MLX raises it where a kernel is compiled, and without Metal.
    except RuntimeError as error:
        if is_device_failure(error):
            raise
        log.info("products of several rows stay MLX's: %s", " ".join(str(error).split())[:200])
        return False
    return True


def _in_passes(product: Product, layer: Quantised, x: mx.array, width: int) -> mx.array:
    """Return the products of the rows of `x`, `width` at a time; the last rows are left out if they are fewer."""
    return mx.concatenate([product(layer, x[start : start + width]) for start in range(0, ROWS - width + 1, width)])


def _seconds(
    layers: Sequence[Quantised], inputs: _Inputs, products: Sequence[Product], width: int
) -> Steps[list[float]]:
    """Return the median seconds of all products over `width` rows, for each way to compute them, timed alternately."""
    times: list[list[float]] = [[] for _ in products]
    for _ in range(REPEATS):
        for product, seconds in zip(products, times, strict=True):
            start = time.perf_counter()
            mx.eval([product(layer, inputs[inputs_of(layer), dtype_of(layer)][:width]) for layer in layers])
            seconds.append(time.perf_counter() - start)
            yield None
    return [median(seconds) for seconds in times]
