"""Quantised layers of a main model whose products over a few rows are computed by `product_of_rows`, if chosen."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Set
from typing import TypeAlias

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_unflatten

from engine.errors import is_device_failure
from engine.files.steps import Steps
from engine.main_model.loaded_model import LoadedModel
from engine.row_kernels.product import DIGEST, TILE, product_of_rows, takes
from engine.row_kernels.row_kernel import Alike, RowKernel
from engine.tuning import PassSize

log = logging.getLogger(__name__)

Quantised: TypeAlias = nn.QuantizedLinear | nn.QuantizedEmbedding
Product = Callable[[Quantised, mx.array], mx.array]
# The rows of passes that can use the kernel, of which those above TILE read the weights twice.
WIDTHS = range(2, 2 * TILE + 1)
# The rows whose bits are compared.
ROWS = 24
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


def _use(model: nn.Module, sizes: Set[PassSize]) -> None:
    """Let the layers of `model` compute products in passes of these sizes by our kernel, and all others by MLX's."""
    widths = frozenset(size.rows for size in sizes)
    layers = {id(layer): layer for layer in quantised_layers(model) if is_suitable(layer)}
    made: dict[int, Quantised] = {}
    for key, layer in layers.items():
        if isinstance(layer, (RowsLinear, RowsEmbedding)):
            layer.widths = widths
        elif widths:
            is_linear = isinstance(layer, nn.QuantizedLinear)
            made[key] = RowsLinear(layer, widths) if is_linear else RowsEmbedding(layer, widths)
    if not made:
        return
    # A layer can be used under two names.
    replaced = [(name, made[id(module)]) for name, module in model.named_modules() if id(module) in made]
    model.update_modules(tree_unflatten(replaced))


def _compare(main: LoadedModel, _free: int, try_ours: bool) -> Steps[Mapping[PassSize, Alike]]:
    """Compare the products of all layers, one layer a step."""
    layers = quantised_layers(main.model)
    if not any(map(is_suitable, layers)):
        return {}
    alike = {PassSize(width): Alike(mlx=True, ours=try_ours) for width in WIDTHS}
    for layer in layers:
        size = inputs_of(layer)
        x = mx.random.normal((ROWS, size), key=mx.random.key(size)).astype(dtype_of(layer))
        alone = _in_passes(mlx_product, layer, x, 1)
        for wide, known in alike.items():
            same = _is_alike(mlx_product, layer, x, wide.rows, alone)
            if is_suitable(layer):
                ours = known.ours and _is_alike(our_product, layer, x, wide.rows, alone)
                alike[wide] = Alike(known.mlx and same, ours, known.others)
            else:
                alike[wide] = known._replace(others=known.others and same)
        yield None
    return alike


def _is_alike(product: Product, layer: Quantised, x: mx.array, width: int, alone: mx.array) -> bool:
    """Whether passes of `width` rows give the rows `alone`; not if the kernel cannot be compiled."""
    try:
        found = _in_passes(product, layer, x, width)
        return bool(mx.array_equal(found, alone[: len(found)]).item())
    except RuntimeError as error:
        if is_device_failure(error):
            raise
        log.info("products of %d rows stay MLX's: %s", width, " ".join(str(error).split())[:200])
        return False


def _in_passes(product: Product, layer: Quantised, x: mx.array, width: int) -> mx.array:
    """Return the products of the rows of `x`, `width` at a time; the last rows are left out if they are fewer."""
    return mx.concatenate([product(layer, x[start : start + width]) for start in range(0, ROWS - width + 1, width)])


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


PRODUCTS = RowKernel("products", DIGEST, _compare, _use)
