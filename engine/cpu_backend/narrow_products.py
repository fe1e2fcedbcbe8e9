"""Matrix products over a few rows, where MLX computes on the CPU with OpenBLAS.

For every product that is not small, OpenBLAS first copies the whole matrix into another order. With hundreds of rows
that copy pays; with the few rows of a round it takes longer than the product. In blocks that count as small each, the
matrix is read in place: with 3072 x 1024, one row takes 0.5 ms instead of 2.4, five rows 0.6 instead of 3.0, nine rows
0.8 instead of 2.9. A matrix that counts as small as a whole is one block, with its inputs first all the same: OpenBLAS
counts fewer rows of it as small where it has to transpose the matrix.

Blocks are as large as half of the widest round allows: blocks that are small for all of it made rounds of four draft
tokens a sixth slower, with 200 million parameters. The widest rounds are multiplied in two halves instead, which saves
them a fifth where OpenBLAS has kernels for small products on this processor. Elsewhere halves cost half as much again.
"""

from __future__ import annotations

from collections.abc import Set

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_unflatten

from engine.cpu_backend import blas
from engine.requests import MAX_DEPTH

# Multiplications in a product that OpenBLAS counts as small.
SMALL_PRODUCT = 1_000_000
# The rows that blocks are sized for: half of the widest round, which has one row more than draft tokens.
HALF_ROUND = MAX_DEPTH // 2 + 1
# Processors, by OpenBLAS's names, for which it has kernels that read a small matrix in place.
SMALL_KERNELS = ("skylakex", "cooperlake", "sapphirerapids")
# From so many rows on, copying the matrix pays.
MANY_ROWS = 128
# Matrices with fewer numbers stay as they are: they count as small in any case.
SMALLEST = 2**14


def use_narrow_products(model: nn.Module) -> None:
    """Let the layers of `model` multiply in blocks; values stay the same, and nothing is evaluated here.

    That includes an embedding where no layer of its shape can be the output layer, so that it must be both.
    With another BLAS nothing changes; on macOS, MLX uses Accelerate.
    """
    if not blas.BLAS.startswith("OpenBLAS"):
        return
    modules = model.named_modules()
    outputs = {module.weight.shape for _, module in modules if type(module) is nn.Linear}
    blocked: dict[int, nn.Module] = {}
    for _, module in modules:
        if type(module) is nn.Linear and (size := _block_size(*module.weight.shape)):
            # A layer can be used under two names.
            blocked.setdefault(id(module), BlockedLinear(module, size))
        elif _is_output_layer(module, outputs) and (size := _block_size(*module.weight.shape)):
            blocked.setdefault(id(module), BlockedEmbedding(module, size))
    model.update_modules(tree_unflatten([(name, blocked[id(m)]) for name, m in modules if id(m) in blocked]))


class BlockedLinear(nn.Module):  # type: ignore[misc]
    """A linear layer whose matrix is stored in blocks of `size` outputs: (outputs / size, inputs, size), or, where
    there is one block only, (inputs, outputs).
    """

    def __init__(self, linear: nn.Linear, size: int) -> None:
        super().__init__()
        self.blocks = _in_blocks(linear.weight, size)
        if "bias" in linear:
            self.bias = linear.bias

    @property
    def weight(self) -> mx.array:
        """The matrix (outputs, inputs), assembled on each access."""
        return _by_inputs(self.blocks).T

    def __call__(self, x: mx.array) -> mx.array:
        """(..., inputs) to (..., outputs)."""
        product = _product(x, self.blocks)
        return product + self.bias if "bias" in self else product


class BlockedEmbedding(nn.Module):  # type: ignore[misc]
    """An embedding that is the output layer too, in blocks of `size` ids: (vocabulary / size, width, size), or, where
    there is one block only, (width, vocabulary).
    """

    def __init__(self, embedding: nn.Embedding, size: int) -> None:
        super().__init__()
        self.blocks = _in_blocks(embedding.weight, size)

    @property
    def weight(self) -> mx.array:
        """The matrix (vocabulary, width), assembled on each access."""
        return _by_inputs(self.blocks).T

    def __call__(self, ids: mx.array) -> mx.array:
        """Ids (...) to their rows (..., width)."""
        if self.blocks.ndim == 2:
            return self.blocks[:, ids].moveaxis(0, -1)
        size = self.blocks.shape[2]
        return self.blocks[ids // size, :, ids % size]

    def as_linear(self, x: mx.array) -> mx.array:
        """(..., width) to scores of every id (..., vocabulary)."""
        return _product(x, self.blocks)


def _is_output_layer(module: nn.Module, outputs: Set[tuple[int, ...]]) -> bool:
    return type(module) is nn.Embedding and module.weight.shape not in outputs


def _in_blocks(weight: mx.array, size: int) -> mx.array:
    outputs, inputs = weight.shape
    if size == outputs:
        return mx.contiguous(weight.T)
    return mx.contiguous(weight.reshape(outputs // size, size, inputs).transpose(0, 2, 1))


def _by_inputs(blocks: mx.array) -> mx.array:
    """The matrix as (inputs, outputs)."""
    if blocks.ndim == 2:
        return blocks
    return blocks.transpose(1, 0, 2).reshape(blocks.shape[1], -1)


def _product(x: mx.array, blocks: mx.array) -> mx.array:
    if blocks.ndim == 2:
        return x @ blocks
    count, inputs, size = blocks.shape
    rows = x.size // inputs
    if rows >= MANY_ROWS:
        return x @ _by_inputs(blocks)
    product = _narrow(x.reshape(rows, inputs), blocks)
    return product.transpose(1, 0, 2).reshape(*x.shape[:-1], count * size)


def _narrow(x: mx.array, blocks: mx.array) -> mx.array:
    """(rows, inputs) by (count, inputs, size) is (count, rows, size); in halves where only those are small."""
    rows, (_, inputs, size) = len(x), blocks.shape
    half = (rows + 1) // 2
    if half * inputs * size <= SMALL_PRODUCT < rows * inputs * size and _has_small_kernels():
        return mx.concatenate([x[:half] @ blocks, x[half:] @ blocks], axis=1)
    return x @ blocks


def _has_small_kernels() -> bool:
    name_of_blas = blas.BLAS.lower()
    return any(name in name_of_blas for name in SMALL_KERNELS)


def _block_size(outputs: int, inputs: int) -> int:
    """The most outputs with which a block is small in half of the widest round; 0 where no such blocks divide them."""
    if outputs * inputs < SMALLEST:
        return 0
    most = SMALL_PRODUCT // (HALF_ROUND * inputs)
    return next((size for size in (outputs, 64, 32, 16) if size <= most and outputs % size == 0), 0)
