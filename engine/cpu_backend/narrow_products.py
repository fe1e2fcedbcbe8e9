"""Matrix products over a few rows, if MLX computes on the CPU with OpenBLAS.

For every product that is not small, OpenBLAS first copies the whole matrix into another order. With hundreds of rows
that copy pays; with the few rows of a round it takes longer than the product. If each block of the matrix makes a small
product, OpenBLAS reads the matrix in place. A matrix that is small as a whole becomes one block, also stored with its
inputs first: OpenBLAS treats fewer rows as small if it has to transpose the matrix.

Blocks are sized for half of the widest round, because smaller blocks slow down the usual rounds. A wider round is
multiplied in two halves if OpenBLAS has kernels for small products on this processor; otherwise halves are slower.
"""

from __future__ import annotations

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_unflatten

from engine.cpu_backend import blas
from engine.cpu_backend.backend import backend
from engine.requests import MAX_DEPTH, MAX_DRAFTED

# The most multiplications in a product that OpenBLAS treats as small.
SMALL_PRODUCT = 1_000_000
# The rows that blocks are sized for: half of the widest round, which has one row more than draft tokens.
HALF_ROUND = MAX_DRAFTED // 2 + 1
# Processors, by OpenBLAS's names, for which it has kernels that read a small matrix in place.
SMALL_KERNELS = ("skylakex", "cooperlake", "sapphirerapids")
# With this many rows, copying the matrix pays.
MANY_ROWS = 128
# Matrices with fewer numbers stay unchanged: their products are small in any case.
SMALLEST = 2**14


def use_narrow_products(model: nn.Module) -> bool:
    """Make the layers of `model` multiply in blocks; values stay the same, and nothing is evaluated here.

    Returns whether any layer does.

    This includes an embedding that has to be the output layer too, because no other layer has its shape. On a GPU, and
    with another BLAS than OpenBLAS, nothing changes.
    """
    if backend().keeps_weights or not blas.BLAS.startswith("OpenBLAS"):
        return False
    modules = model.named_modules()
    outputs = {module.weight.shape for _, module in modules if type(module) is nn.Linear}
    blocked: dict[int, nn.Module] = {}
    for _, module in modules:
        if type(module) is nn.Linear and (size := _block_size(*module.weight.shape)):
            # A layer can be used under two names.
            blocked.setdefault(id(module), BlockedLinear(module, size))
        elif (
            type(module) is nn.Embedding
            and module.weight.shape not in outputs
            and (size := _block_size(*module.weight.shape))
        ):
            blocked.setdefault(id(module), BlockedEmbedding(module, size))
    model.update_modules(tree_unflatten([(name, blocked[id(m)]) for name, m in modules if id(m) in blocked]))
    return bool(blocked)


class BlockedLinear(nn.Module):  # type: ignore[misc]
    """A linear layer whose matrix is stored in blocks of `size` outputs: (outputs / size, inputs, size).

    A single block is stored as (inputs, outputs).
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
        """Map (..., inputs) to (..., outputs)."""
        product = _product(x, self.blocks)
        return product + self.bias if "bias" in self else product


class BlockedEmbedding(nn.Module):  # type: ignore[misc]
    """An embedding that is the output layer too, in blocks of `size` ids: (vocabulary / size, width, size).

    A single block is stored as (width, vocabulary).
    """

    def __init__(self, embedding: nn.Embedding, size: int) -> None:
        super().__init__()
        self.blocks = _in_blocks(embedding.weight, size)

    @property
    def weight(self) -> mx.array:
        """The matrix (vocabulary, width), assembled on each access."""
        return _by_inputs(self.blocks).T

    def __call__(self, ids: mx.array) -> mx.array:
        """Map ids (...) to their rows (..., width)."""
        if self.blocks.ndim == 2:
            return self.blocks[:, ids].moveaxis(0, -1)
        size = self.blocks.shape[2]
        return self.blocks[ids // size, :, ids % size]

    def as_linear(self, x: mx.array) -> mx.array:
        """Map (..., width) to scores of every id (..., vocabulary)."""
        return _product(x, self.blocks)


def _in_blocks(weight: mx.array, size: int) -> mx.array:
    outputs, inputs = weight.shape
    if size == outputs:
        return mx.contiguous(weight.T)
    return mx.contiguous(weight.reshape(outputs // size, size, inputs).transpose(0, 2, 1))


def _by_inputs(blocks: mx.array) -> mx.array:
    """Return the matrix as (inputs, outputs)."""
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
    """Multiply (rows, inputs) by (count, inputs, size) to (count, rows, size), in parts if only those are small."""
    rows = len(x)
    (_, inputs, size) = blocks.shape
    parts = -(-rows * inputs * size // SMALL_PRODUCT)
    most = -(-rows // parts)
    if parts == 1 or rows > MAX_DEPTH + 1 or most * inputs * size > SMALL_PRODUCT:
        return x @ blocks
    if not any(name in blas.BLAS.lower() for name in SMALL_KERNELS):
        return x @ blocks
    return mx.concatenate([x[at : at + most] @ blocks for at in range(0, rows, most)], axis=1)


def _block_size(outputs: int, inputs: int) -> int:
    """Return the largest block size (in outputs) that is small in half of the widest round; 0 if none divides them."""
    if outputs * inputs < SMALLEST:
        return 0
    most = SMALL_PRODUCT // (HALF_ROUND * inputs)
    return next((size for size in (outputs, 64, 32, 16) if size <= most and outputs % size == 0), 0)
