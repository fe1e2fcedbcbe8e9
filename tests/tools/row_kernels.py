"""Whether our kernels have the bits of MLX's one-row kernel on this Mac, and what they cost beside MLX's own.

    python -m tests.tools.row_kernels [--layers N]

The layers have the shapes of an 8B's, and of models whose inputs are an odd multiple of 256. Prints a table for each
kind of weights, in products of one row, and exits with 1 if bits differ or a kernel cannot be compiled.
"""

from __future__ import annotations

import argparse
import sys

import mlx.core as mx
import mlx.nn as nn

from engine.files.steps import run_to_completion
from engine.row_kernels.choice import compare_kernels
from engine.row_kernels.layers import mlx_product, our_product

KINDS = [
    *(("affine", bits, group) for bits in (4, 8) for group in (32, 64, 128)),
    ("affine", 3, 64), ("affine", 5, 64), ("affine", 6, 64), ("mxfp4", 4, 32), ("nvfp4", 4, 16), ("mxfp8", 8, 32),
]  # fmt: skip
# Inputs and outputs.
SHAPES = ((4096, 6144), (4096, 4096), (4096, 24576), (12288, 4096), (768, 3072), (3840, 4096))


def same_bits(layer: nn.QuantizedLinear, inputs: int) -> bool:
    """Whether eight rows, and each smaller number of them, have the bits of single rows."""
    x = mx.random.normal((8, inputs)).astype(mx.bfloat16)
    alone = mx.concatenate([mlx_product(layer, x[row : row + 1]) for row in range(8)])
    return all(mx.array_equal(our_product(layer, x[:rows]), alone[:rows]).item() for rows in range(2, 9))


def check(mode: str, bits: int, group: int, layers: int) -> bool:
    """Print the table of one kind of weights; returns whether all bits are equal."""
    model = nn.Sequential(*(nn.Linear(*shape, bias=False) for _ in range(layers) for shape in SHAPES))
    model.set_dtype(mx.bfloat16)
    nn.quantize(model, group, bits, mode=mode)
    try:
        same = all(same_bits(layer, shape[0]) for layer, shape in zip(model.layers, SHAPES, strict=False))
    except RuntimeError as error:
        print(f"{mode} {bits} bits, groups of {group}: cannot be compiled: {error}")
        return False
    print(f"{mode} {bits} bits, groups of {group}: {'the bits of single rows' if same else 'OTHER BITS'}")
    for cost in run_to_completion(compare_kernels(model)):
        print(f"  {cost.rows} rows: MLX {cost.mlx:.2f}, ours {cost.ours:.2f}{', used' if cost.used else ''}")
    return same


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--layers", type=int, default=4)
    layers: int = parser.parse_args().layers
    return min(1, sum(not check(*kind, layers) for kind in KINDS))


if __name__ == "__main__":
    sys.exit(main())
