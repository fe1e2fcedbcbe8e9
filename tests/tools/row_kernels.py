"""Whether our kernels have the bits of MLX's for one row on this Mac, what they cost, and which of them are chosen.

    python -m tests.tools.row_kernels [--layers N] [--main MODEL] [--sustain SECONDS]

The products have the shapes of an 8B's, and of models whose inputs are an odd multiple of 256. Prints one table: the
microseconds of single products over 1 to 16 rows for each kind of weights, those of attention by rows and keys, and
what whole passes of the main model cost, in passes of one row. Then passes with all kernels that won run for some
minutes, also on a chip that is not in resources/confirmed_chips.json. Exits with 1 if bits differ, a kernel cannot be
compiled, or one of these passes stalls. The last line says all of that as an object, for the issue form "Figures of a
Mac": `packaging/reports.py` adds the chip there.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from unittest.mock import patch

import mlx.core as mx
import mlx.nn as nn

from engine import starter_pair
from engine.files.steps import run_to_completion
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.row_kernels import choice
from engine.row_kernels.attention import attention_of_rows
from engine.row_kernels.attention_probe import AttentionShape, passes_of
from engine.row_kernels.choice import STALLED, choose_kernels
from engine.row_kernels.layers import Product, mlx_product, our_product
from engine.row_kernels.row_kernel import widest_alike

Attention = Callable[..., mx.array]

KINDS = [
    *(("affine", bits, group) for bits in (4, 8) for group in (32, 64, 128)),
    ("affine", 3, 64), ("affine", 5, 32), ("affine", 5, 64), ("affine", 6, 32), ("affine", 6, 64),
    ("mxfp4", 4, 32), ("nvfp4", 4, 16), ("mxfp8", 8, 32),
]  # fmt: skip
# Inputs and outputs.
SHAPES = ((4096, 6144), (4096, 4096), (4096, 24576), (12288, 4096), (768, 3072), (3840, 4096))
# Of an 8B, of a 27B, and of models whose heads share keys by eight.
ATTENTION = [
    AttentionShape(32, 8, 128, mx.bfloat16), AttentionShape(24, 4, 256, mx.bfloat16),
    AttentionShape(64, 8, 128, mx.bfloat16), AttentionShape(64, 8, 64, mx.bfloat16, sinks=True),
]  # fmt: skip
KEYS = (1000, 2048, 7000, 32768, 131000)
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


def stalls(main: LoadedModel, rows: int, seconds: float) -> bool:
    """Run passes of so many rows for so long, and print how long they took; returns whether one stalled."""
    caches, times = main.new_caches(), [0.0]
    while sum(times) < seconds:
        start = time.perf_counter()
        mx.eval(main.model(mx.arange(rows)[None] % main.vocabulary, cache=caches))
        times.append(time.perf_counter() - start)
        for cache in caches:
            if cache.is_trimmable():
                cache.trim(rows)
    print(f"{rows} rows for {seconds:.0f} s: a pass takes {1e3 * median(times):.1f} ms, at most {1e3 * max(times):.1f}")
    return max(times) > STALLED * median(times)


def check_attention(shape: AttentionShape) -> bool:
    """Print a line for each number of keys and rows; returns whether all bits are equal, also on both sides of KEYS."""
    same = True
    for keys in KEYS:
        passes = passes_of(shape, keys - shape.rows // 2, attention_of_rows)
        alike = run_to_completion(widest_alike(passes, (2, 3, 4, 6, 8, 16)))
        same = same and alike == ROWS[-1]
        held = [mx.random.normal((1, shape.kv_heads, keys, shape.size)).astype(shape.dtype) for _ in range(2)]
        sinks = mx.zeros(shape.heads, shape.dtype) if shape.sinks else None
        for rows in (1, 2, 4, 8, 16):
            queries = mx.random.normal((1, shape.heads, rows, shape.size)).astype(shape.dtype)
            mx.eval(queries, held)
            ways: dict[str, Attention] = {"MLX": mx.fast.scaled_dot_product_attention}
            if rows > 1:
                ways["ours"] = attention_of_rows
            line = f"{shape.heads} to {shape.kv_heads} heads of {shape.size}, {keys} keys, {rows} rows:"
            for name, attend in ways.items():
                times = []
                for _ in range(REPEATS):
                    start = time.perf_counter()
                    mx.eval([attend(queries, *held, scale=0.1, mask="causal", sinks=sinks) for _ in range(4)])
                    times.append((time.perf_counter() - start) / 4)
                line += f" {name} {1e6 * median(times):.0f}"
            print(line + ("" if alike >= min(rows, ROWS[-1]) else " OTHER BITS"))
    return same


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--main", type=Path, default=starter_pair()[0])
    parser.add_argument("--sustain", type=float, default=180.0)
    arguments = parser.parse_args()
    try:
        same = [check(kind, shape, arguments.layers) for kind in KINDS for shape in SHAPES]
        same += [check_attention(shape) for shape in ATTENTION]
    except (RuntimeError, ValueError) as error:
        print(f"cannot be compiled: {error}")
        return 1
    print(f"{mx.device_info()['architecture']}, {'' if choice.is_confirmed() else 'not '}confirmed")
    loaded = load(arguments.main)
    with patch.object(choice, "is_confirmed", lambda: True):
        costs = run_to_completion(choose_kernels(loaded, FREE))
    for cost in costs:
        ours = "not raced or stalled" if cost.ours is None else f"ours {cost.ours:.2f}{', used' if cost.used else ''}"
        print(f"{cost.kernel}: {cost.rows} rows, {cost.keys} keys: MLX {cost.mlx:.2f}, {ours}")
    used = sorted({cost.rows for cost in costs if cost.used})
    stalled = [stalls(loaded, rows, arguments.sustain / len(used)) for rows in used]
    well = all(same) and not any(stalled)
    report = {"architecture": mx.device_info()["architecture"], "kernels": choice.sources_digest(), "well": well}
    print(json.dumps(report))
    return int(not well)


if __name__ == "__main__":
    sys.exit(main())
