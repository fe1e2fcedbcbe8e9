"""Quantised layers of a main model whose products over a few rows are computed by `product_of_rows`."""

from __future__ import annotations

from typing import TypeAlias

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_unflatten

from engine.row_kernels.product import product_of_rows, takes

Quantised: TypeAlias = nn.QuantizedLinear | nn.QuantizedEmbedding
# The types of inputs that the kernel is for.
HALF = frozenset({mx.bfloat16, mx.float16})


class RowsLinear(nn.QuantizedLinear):  # type: ignore[misc]
    """The quantised `layer` in a model whose products over `widths` rows are ours; all others are MLX's."""

    def __init__(self, layer: nn.QuantizedLinear, widths: frozenset[int]) -> None:
        nn.Module.__init__(self)
        _share(self, layer)
        if "bias" in layer:
            self.bias = layer.bias
        self.widths = widths

    def __call__(self, x: mx.array) -> mx.array:
        """Map (..., inputs) to (..., outputs)."""
        if not _suits(self, x):
            return super().__call__(x)  # type: ignore[no-any-return]
        product = our_product(self, x)
        return product + self.bias if "bias" in self else product


class RowsEmbedding(nn.QuantizedEmbedding):  # type: ignore[misc]
    """A quantised embedding that is the output layer too; see `RowsLinear`."""

    def __init__(self, layer: nn.QuantizedEmbedding, widths: frozenset[int]) -> None:
        nn.Module.__init__(self)
        _share(self, layer)
        self.num_embeddings, self.dims = layer.num_embeddings, layer.dims
        self.widths = widths

    def as_linear(self, x: mx.array) -> mx.array:
        """Map (..., width) to scores of every id (..., vocabulary)."""
        return our_product(self, x) if _suits(self, x) else super().as_linear(x)


def quantised_layers(model: nn.Module) -> list[Quantised]:
    """Return the layers of `model` that multiply by quantised weights, each once; none of one that ranks share."""
    named = model.named_modules() if isinstance(model, nn.Module) else []
    modules = {id(module): module for _, module in named}.values()
    linears = [module for module in modules if type(module) in {nn.QuantizedLinear, RowsLinear}]
    shapes = {module.weight.shape for module in linears}
    # An embedding is the output layer too if no other layer has its shape.
    embeddings = [module for module in modules if type(module) in {nn.QuantizedEmbedding, RowsEmbedding}]
    return [*linears, *(module for module in embeddings if module.weight.shape not in shapes)]


def is_suitable(layer: Quantised) -> bool:
    return takes(inputs_of(layer), layer.bits) and dtype_of(layer) in HALF


def use_products(model: nn.Module, span: frozenset[int], widths: frozenset[int]) -> None:
    """Let the layers of `model` compute products over `widths`, of the rows in `span`, by our kernel.

    Products over the others of `span` are MLX's, and those over other rows stay as they are.
    """
    layers = {id(layer): layer for layer in quantised_layers(model) if is_suitable(layer)}
    made: dict[int, Quantised] = {}
    for key, layer in layers.items():
        if isinstance(layer, (RowsLinear, RowsEmbedding)):
            layer.widths = layer.widths - span | widths
        elif widths:
            is_linear = isinstance(layer, nn.QuantizedLinear)
            made[key] = RowsLinear(layer, widths) if is_linear else RowsEmbedding(layer, widths)
    if not made:
        return
    # A layer can be used under two names.
    replaced = [(name, made[id(module)]) for name, module in model.named_modules() if id(module) in made]
    model.update_modules(tree_unflatten(replaced))


def inputs_of(layer: Quantised) -> int:
    return int(layer.weight.shape[1]) * 32 // int(layer.bits)


def dtype_of(layer: Quantised) -> mx.Dtype:
    """Return the type of the inputs that the layer was made for; floating-point formats take either of HALF."""
    return layer.scales.dtype if layer.get("biases") is not None else mx.bfloat16


def our_product(layer: Quantised, x: mx.array) -> mx.array:
    """Map (..., inputs) to (..., outputs) without the layer's bias, by our kernel."""
    rows = x.reshape(-1, x.shape[-1])
    product = product_of_rows(
        rows, layer.weight, layer.scales, layer.get("biases"), group_size=layer.group_size, bits=layer.bits
    )
    return product.reshape(*x.shape[:-1], -1)


def mlx_product(layer: Quantised, x: mx.array) -> mx.array:
    """Map (..., inputs) to (..., outputs) without the layer's bias, by MLX's kernel."""
    return mx.quantized_matmul(
        x,
        layer.weight,
        layer.scales,
        layer.get("biases"),
        transpose=True,
        group_size=layer.group_size,
        bits=layer.bits,
        mode=layer.mode,
    )


def _share(made: Quantised, layer: Quantised) -> None:
    made.weight, made.scales, made.biases = layer.weight, layer.scales, layer.get("biases")
    made.group_size, made.bits, made.mode = layer.group_size, layer.bits, layer.mode
    made.freeze()


def _suits(layer: RowsLinear | RowsEmbedding, x: mx.array) -> bool:
    """Whether our kernel computes this product."""
    if x.size // x.shape[-1] not in layer.widths:
        return False
    return x.dtype in HALF if layer.get("biases") is None else bool(x.dtype == layer.scales.dtype)
