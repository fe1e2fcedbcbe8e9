"""Quantised layers of a main model whose products over a few rows are computed by `product_of_rows`, if chosen.

`PRODUCTS` is the entry of this kernel for `engine.row_kernels.choice`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from functools import partial
from typing import TypeAlias

import mlx.core as mx
import mlx.nn as nn

from engine.main_model.loaded_model import LoadedModel
from engine.row_kernels.product import PRODUCT_HEADER, SOURCE, TILE, product_of_rows
from engine.row_kernels.row_kernel import HALF, ComparedRows, RowKernel
from engine.tuning import PassSize

Quantised: TypeAlias = nn.QuantizedLinear | nn.QuantizedEmbedding
Product = Callable[[Quantised, mx.array], mx.array]
# The rows of passes that can use the kernel; those above TILE read the weights twice.
PRODUCT_ROWS = range(2, 2 * TILE + 1)
# The rows whose bits are compared.
ROWS = 24


class RowsLinear(nn.QuantizedLinear):  # type: ignore[misc]
    """A quantised layer whose products over `widths` rows are ours; all others are MLX's."""

    widths: frozenset[int]

    def __call__(self, x: mx.array) -> mx.array:
        """Map (..., inputs) to (..., outputs)."""
        if not _suits(self, x):
            mapped: mx.array = super().__call__(x)
            return mapped
        product = our_product(self, x)
        return product + self.bias if "bias" in self else product


class RowsEmbedding(nn.QuantizedEmbedding):  # type: ignore[misc]
    """A quantised embedding that is the output layer too; see `RowsLinear`."""

    widths: frozenset[int]

    def as_linear(self, x: mx.array) -> mx.array:
        """Map (..., width) to scores of every id (..., vocabulary)."""
        return our_product(self, x) if _suits(self, x) else super().as_linear(x)


def quantised_layers(model: nn.Module) -> list[Quantised]:
    """Return the layers of `model` that multiply by quantised weights, each once.

    Layers that several machines share are of other classes, and are not among them.
    """
    modules = {id(module): module for module in (model.modules() if isinstance(model, nn.Module) else [])}.values()
    linears = [module for module in modules if type(module) in {nn.QuantizedLinear, RowsLinear}]
    shapes = {module.weight.shape for module in linears}
    # An embedding is the output layer too if no other layer has its shape.
    embeddings = [module for module in modules if type(module) in {nn.QuantizedEmbedding, RowsEmbedding}]
    return [*linears, *(module for module in embeddings if module.weight.shape not in shapes)]


def is_suitable(layer: Quantised) -> bool:
    """Return whether the project's kernel sums as MLX's for one row does, which is another one for up to 128 inputs."""
    return inputs_of(layer) > 128 and layer.bits in {3, 4, 5, 6, 8} and dtype_of(layer) in HALF


def _use(model: nn.Module, sizes: Set[PassSize]) -> None:
    """Use the project's kernel for products of `model` in passes of these sizes, and MLX's in all others.

    Changes the classes of the layers.
    """
    widths = frozenset(size.rows for size in sizes)
    for layer in filter(is_suitable, quantised_layers(model)):
        if widths:
            # The same layer, because a model can hold it under two names.
            layer.__class__ = RowsLinear if isinstance(layer, nn.QuantizedLinear) else RowsEmbedding
        layer.widths = widths


def _comparisons(main: LoadedModel, _free: int) -> Iterator[ComparedRows]:
    """Yield the products of all quantised layers with ROWS random rows; nothing if no layer is suitable."""
    layers = quantised_layers(main.model)
    for layer in layers if any(map(is_suitable, layers)) else ():
        size = inputs_of(layer)
        x = mx.random.normal((ROWS, size), key=mx.random.key(size)).astype(dtype_of(layer))
        by_mlx = partial(_passes, mlx_product, layer, x)
        if is_suitable(layer):
            yield ComparedRows(0, "mlx", by_mlx)
            yield ComparedRows(0, "ours", partial(_passes, our_product, layer, x))
        else:
            yield ComparedRows(0, "others", by_mlx)


def _passes(product: Product, layer: Quantised, x: mx.array, width: int) -> Iterator[mx.array]:
    """Yield the products (width, outputs) of the rows of `x` (rows, inputs), `width` at a time; single ones are MLX's.

    The last rows are left out if they are fewer.
    """
    use = product if width > 1 else mlx_product
    for start in range(0, len(x) - width + 1, width):
        yield use(layer, x[start : start + width])


def inputs_of(layer: Quantised) -> int:
    """Return the number of inputs of a quantised layer, whose `weight` packs 32 / bits of them in a number."""
    return int(layer.weight.shape[1]) * 32 // int(layer.bits)


def dtype_of(layer: Quantised) -> mx.Dtype:
    """Return the type of the inputs that the layer was made for; floating-point formats take either of HALF."""
    return layer.scales.dtype if layer.get("biases") is not None else mx.bfloat16


def our_product(layer: Quantised, x: mx.array) -> mx.array:
    """Map (..., inputs) to (..., outputs) without the layer's bias, by the project's kernel; see `product_of_rows`."""
    kind = {"group_size": layer.group_size, "bits": layer.bits}
    return product_of_rows(x, layer.weight, layer.scales, layer.get("biases"), **kind)


def mlx_product(layer: Quantised, x: mx.array) -> mx.array:
    """Map (..., inputs) to (..., outputs) without the layer's bias, by MLX's kernel."""
    kind = {"group_size": layer.group_size, "bits": layer.bits, "mode": layer.mode}
    return mx.quantized_matmul(x, layer.weight, layer.scales, layer.get("biases"), **kind)


def _suits(layer: RowsLinear | RowsEmbedding, x: mx.array) -> bool:
    """Whether the project's kernel computes the product of `x` (..., inputs): `_use` chose it for this many rows."""
    if x.size // x.shape[-1] not in layer.widths:
        return False
    return x.dtype in HALF if layer.get("biases") is None else bool(x.dtype == layer.scales.dtype)


PRODUCTS = RowKernel("products", PRODUCT_HEADER + SOURCE, PRODUCT_ROWS, _comparisons, _use)
