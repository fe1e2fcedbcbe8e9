"""Whether our kernels have the bits of MLX's for one row on this Mac, what they cost, and which of them are chosen.

    python -m tests.tools.row_kernels [--layers N] [--main MODEL]

The products have the shapes of an 8B's, and of models whose inputs are an odd multiple of 256. Prints microseconds of
single products over 1 to 16 rows for each kind of weights, and what whole passes of the main model cost, in passes of
one row. Exits with 1 if bits differ or a kernel cannot be compiled.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import mlx.core as mx
import mlx.nn as nn

from engine import starter_pair
from engine.files.steps import run_to_completion
from engine.main_model.loading import load
from engine.row_kernels.choice import choose_kernels, is_confirmed
from engine.row_kernels.layers import Product, mlx_product, our_product

KINDS = [
    *(("affine", bits, group) for bits in (4, 8) for group in (32, 64, 128)),
    ("affine", 3, 64), ("affine", 5, 64), ("affine", 6, 64), ("mxfp4", 4, 32), ("nvfp4", 4, 16), ("mxfp8", 8, 32),
]  # fmt: skip
# Inputs and outputs.
SHAPES = ((4096, 6144), (4096, 4096), (4096, 24576), (12288, 4096), (768, 3072), (3840, 4096))
ROWS = range(1, 17)
REPEATS = 20
FREE = 1 << 30


def made(mode: str, bits: int, group: int, shape: tuple[int, int], count: int) -> list[nn.QuantizedLinear]:
    """Return `count` layers, so many that a cache does not hold their weights."""
    layers = nn.Sequential(*(nn.Linear(*shape, bias=False) for _ in range(count)))
    layers.set_dtype(mx.bfloat16)
    nn.quantize(layers, group, bits, mode=mode)
    mx.eval(layers.parameters())
    return list(layers.layers)


def microseconds(product: Product, layers: Sequence[nn.QuantizedLinear], x: mx.array) -> float:
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        mx.eval([product(layer, x) for layer in layers])
        times.append((time.perf_counter() - start) / len(layers))
    return 1e6 * median(times)


def check(kind: tuple[str, int, int], shape: tuple[int, int], count: int) -> bool:
    """Print a line for each number of rows; returns whether all bits are equal."""
    layers, name = made(*kind, shape, count), "{} {} bits, groups of {}".format(*kind)
    x = mx.random.normal((ROWS[-1], shape[0])).astype(mx.bfloat16)
    alone = mx.concatenate([mlx_product(layers[0], row[None]) for row in x])
    same = True
    for rows in ROWS:
        line = f"{name}, {shape[0]} x {shape[1]}, {rows} rows: MLX {microseconds(mlx_product, layers, x[:rows]):.0f}"
        if rows > 1:
            alike = mx.array_equal(our_product(layers[0], x[:rows]), alone[:rows]).item()
            same = same and bool(alike)
            line += f", ours {microseconds(our_product, layers, x[:rows]):.0f}{'' if alike else ' OTHER BITS'}"
        print(line)
    return same


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--main", type=Path, default=starter_pair()[0])
    arguments = parser.parse_args()
    try:
        same = [check(kind, shape, arguments.layers) for kind in KINDS for shape in SHAPES]
    except RuntimeError as error:
        print(f"cannot be compiled: {error}")
        return 1
    print(f"{mx.device_info()['architecture']}{'' if is_confirmed() else ', where no kernel of ours is confirmed'}")
    for cost in run_to_completion(choose_kernels(load(arguments.main), FREE)):
        ours = "not raced or stalled" if cost.ours is None else f"ours {cost.ours:.2f}{', used' if cost.used else ''}"
        print(f"{cost.kernel}: {cost.rows} rows, {cost.keys} keys: MLX {cost.mlx:.2f}, {ours}")
    return int(not all(same))


if __name__ == "__main__":
    sys.exit(main())
