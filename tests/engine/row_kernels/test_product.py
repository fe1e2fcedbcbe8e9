"""Our kernel has the bits of MLX's one-row kernel, both compiled from their Metal sources for the processor."""

from __future__ import annotations

import platform
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest

from engine.row_kernels.layers import is_suitable
from tests.engine.row_kernels.emulation import KINDS, Kernels, Kind, Matrix, clang, quantised
from tests.engine.tiers import by_tier

OFTEN = [KINDS[0], KINDS[8]]
# g++ fuses across statements, which Metal's compiler does not, and not alike in both kernels of the other kinds.
FUSED = by_tier(KINDS, KINDS[:1]) if clang() else KINDS[:1]
# Inputs and outputs: multiples of MLX's tiles, and others. Of 6 and 8 bits, 768 inputs are a multiple, too.
SHAPES = [(512, 32), (640, 21), (1024, 8), (384, 26), (768, 13), (256, 3), (3840, 5)]
# A third reading of the weights begins with the last of these.
ROWS = 17


def _features() -> str:
    """Return what Linux says of the processor; others that run these tests can fuse."""
    described = Path("/proc/cpuinfo")
    return described.read_text() if platform.machine() == "x86_64" and described.exists() else "fma"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernels")


def in_float32(x: mx.array, matrix: Matrix, kind: Kind) -> mx.array:
    """Return the product as MLX's CPU backend computes it."""
    weight, scales, biases = matrix
    if biases is not None:
        scales, biases = scales.astype(mx.float32), biases.astype(mx.float32)
    return mx.quantized_matmul(
        x.astype(mx.float32), weight, scales, biases, group_size=kind.group_size, bits=kind.bits, mode=kind.mode
    )


@pytest.mark.full
@pytest.mark.parametrize("kind", by_tier(KINDS, OFTEN), ids=str)
def test_rows_have_the_bits_of_rows_alone(kind: Kind, folder: Path) -> None:
    kernels = Kernels(kind, folder)
    for inputs, outputs in SHAPES:
        matrix = quantised(kind, mx.random.normal((outputs, inputs), key=mx.random.key(inputs)))
        x = mx.random.normal((ROWS, inputs), key=mx.random.key(outputs)).astype(kind.dtype)
        alone = kernels.one_row(x, matrix)
        for rows in range(2, ROWS + 1):
            assert mx.array_equal(kernels.ours(x[:rows], matrix), alone[:rows]), (inputs, outputs, rows)
        exact = np.array(in_float32(x, matrix, kind))
        error = np.abs(np.array(alone.astype(mx.float32)) - exact).max() / np.abs(exact).max()
        assert error < {mx.float32: 3e-6, mx.bfloat16: 5e-3, mx.float16: 1e-3}[kind.dtype]


@pytest.mark.full
@pytest.mark.skipif("fma" not in _features(), reason="this processor cannot round a product and a sum at once")
@pytest.mark.parametrize("kind", FUSED, ids=str)
def test_rows_have_these_bits_also_if_products_and_sums_are_fused(kind: Kind, folder: Path) -> None:
    """Metal's compiler may fuse them; it sees the same expressions in both kernels."""
    kernels = Kernels(kind, folder, fused=True)
    for inputs, outputs in SHAPES:
        matrix = quantised(kind, mx.random.normal((outputs, inputs), key=mx.random.key(inputs)))
        for rows in (4, 8):
            x = mx.random.normal((rows, inputs), key=mx.random.key(outputs)).astype(kind.dtype)
            assert mx.array_equal(kernels.ours(x, matrix), kernels.one_row(x, matrix)), (inputs, outputs, rows)


@pytest.mark.full
def test_the_weights_are_read_once_for_eight_rows(folder: Path) -> None:
    kernels = Kernels(KINDS[1], folder, counted=True)
    matrix = quantised(KINDS[1], mx.random.normal((32, 512), key=mx.random.key(1)))
    x = mx.random.normal((17, 512), key=mx.random.key(2)).astype(mx.bfloat16)
    times = {}
    for rows in (1, 2, 4, 5, 8, 9, 16, 17):
        (kernels.one_row if rows == 1 else kernels.ours)(x[:rows], matrix)
        times[rows] = kernels.weights_read() / matrix[0].nbytes
    assert times == {1: 1.0, 2: 1.0, 4: 1.0, 5: 1.0, 8: 1.0, 9: 2.0, 16: 2.0, 17: 3.0}
    kernels.wide(x[:8], matrix)
    assert kernels.weights_read() == 2 * matrix[0].nbytes


def test_the_rows_of_mlx_s_kernel_for_several_have_other_bits(folder: Path) -> None:
    """Else this emulation could not tell orders of sums apart."""
    kind = KINDS[0]
    kernels = Kernels(kind, folder)
    matrix = quantised(kind, mx.random.normal((32, 512), key=mx.random.key(1)))
    x = mx.random.normal((4, 512), key=mx.random.key(2))
    share = np.array(kernels.wide(x, matrix) == kernels.one_row(x, matrix)).mean()
    assert 0.05 < share < 0.3


def test_the_smallest_matrices_stay_mlx_s() -> None:
    for inputs, bits, ours in ((128, 4, False), (512, 2, False), (192, 4, True)):
        layer = nn.QuantizedLinear(inputs, 8, False, 32, bits)
        layer.set_dtype(mx.bfloat16)
        assert is_suitable(layer) == ours
