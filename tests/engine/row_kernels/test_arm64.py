"""On arm64, whose compilers fuse products and sums, our kernels have the bits of MLX's for one row, too."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import pytest

from tests.engine.row_kernels.arm64 import NEEDED, Arm64Kernels, is_playable
from tests.engine.row_kernels.emulation import KINDS, Kernels, Kind, quantised

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not is_playable(), reason=f"needs the packages {', '.join(NEEDED)}"),
]
# Inputs and outputs: a multiple of MLX's tiles, and another.
SHAPES = [(1024, 16), (640, 21)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernels")


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_rows_have_the_bits_of_rows_alone_and_of_this_processor(kind: Kind, folder: Path) -> None:
    kernels = Arm64Kernels(kind, folder)
    here = Kernels(kind, folder)
    for inputs, outputs in SHAPES:
        matrix = quantised(kind, mx.random.normal((outputs, inputs), key=mx.random.key(inputs)))
        x = mx.random.normal((9, inputs), key=mx.random.key(outputs)).astype(kind.dtype)
        alone = kernels.one_row(x, matrix)
        assert mx.array_equal(alone, here.one_row(x, matrix))
        for rows in (2, 5, 9):
            assert mx.array_equal(kernels.ours(x[:rows], matrix), alone[:rows]), (inputs, outputs, rows)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_rows_have_these_bits_also_if_products_and_sums_are_fused(kind: Kind, folder: Path) -> None:
    kernels = Arm64Kernels(kind, folder, fused=True)
    apart = Arm64Kernels(kind, folder)
    matrix = quantised(kind, mx.random.normal((21, 640), key=mx.random.key(1)))
    x = mx.random.normal((8, 640), key=mx.random.key(2)).astype(kind.dtype)
    alone = kernels.one_row(x, matrix)
    for rows in (4, 8):
        assert mx.array_equal(kernels.ours(x[:rows], matrix), alone[:rows])
    if kind.dtype == mx.float32:
        # Else nothing has been fused.
        assert not mx.array_equal(alone, apart.one_row(x, matrix))
