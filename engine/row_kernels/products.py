"""Our kernel for quantised products as `choice` knows it: a `RowKernel` for each way to read inputs and weights."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence

import mlx.core as mx

from engine.errors import is_device_failure
from engine.files.steps import Steps
from engine.main_model.loaded_model import LoadedModel
from engine.row_kernels.layers import (
    Quantised,
    dtype_of,
    inputs_of,
    is_suitable,
    mlx_product,
    our_product,
    quantised_layers,
    use_products,
)
from engine.row_kernels.product import DIGEST
from engine.row_kernels.row_kernel import Alike, RowKernel
from engine.tuning import PassSize

log = logging.getLogger(__name__)

Product = Callable[[Quantised, mx.array], mx.array]

# The rows whose bits are compared.
ROWS = 24


def _compare(rows: Sequence[int], main: LoadedModel, try_ours: bool) -> Steps[Mapping[PassSize, Alike]]:
    """Compare the products of all layers, one layer a step."""
    layers = quantised_layers(main.model)
    suitable = [layer for layer in layers if is_suitable(layer)]
    if not suitable:
        return {}
    ours_works = try_ours and (yield from _can_compile(suitable, rows))
    alike = {PassSize(width): Alike(mlx=True, ours=ours_works) for width in rows}
    for layer in layers:
        x = _inputs(layer)
        alone = _in_passes(mlx_product, layer, x, 1)
        for size, (mlx, ours, others) in alike.items():
            same = _is_alike(mlx_product, layer, x, size.rows, alone)
            if is_suitable(layer):
                ours = ours and _is_alike(our_product, layer, x, size.rows, alone)
                alike[size] = Alike(mlx and same, ours, others)
            else:
                alike[size] = Alike(mlx, ours, others and same)
        yield None
    return alike


def _can_compile(layers: Sequence[Quantised], rows: Sequence[int]) -> Steps[bool]:
    try:
        for layer in layers:
            x = _inputs(layer)
            mx.eval([our_product(layer, x[:width]) for width in rows])
            yield None
    # MLX raises it where a kernel is compiled, and without Metal.
    except RuntimeError as error:
        if is_device_failure(error):
            raise
        log.info("products of several rows stay MLX's: %s", " ".join(str(error).split())[:200])
        return False
    return True


def _inputs(layer: Quantised) -> mx.array:
    size = inputs_of(layer)
    return mx.random.normal((ROWS, size), key=mx.random.key(size)).astype(dtype_of(layer))


def _is_alike(product: Product, layer: Quantised, x: mx.array, width: int, alone: mx.array) -> bool:
    found = _in_passes(product, layer, x, width)
    return bool(mx.array_equal(found, alone[: len(found)]).item())


def _in_passes(product: Product, layer: Quantised, x: mx.array, width: int) -> mx.array:
    """Return the products of the rows of `x`, `width` at a time; the last rows are left out if they are fewer."""
    return mx.concatenate([product(layer, x[start : start + width]) for start in range(0, ROWS - width + 1, width)])


def _products(first: int, last: int) -> RowKernel:
    rows = range(first, last + 1)
    return RowKernel(
        f"products of {first} to {last} rows",
        DIGEST,
        compare=lambda main, _free, try_ours: _compare(rows, main, try_ours),
        use=lambda model, sizes: use_products(model, frozenset(rows), frozenset(size.rows for size in sizes)),
    )


# Up to 4 rows are computed without a threadgroup's memory, and more than 8 read the weights twice.
PRODUCTS = (_products(2, 4), _products(5, 8), _products(9, 16))
