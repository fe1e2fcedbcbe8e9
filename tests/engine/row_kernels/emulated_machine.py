"""A machine whose quantised products have the bits of Apple's: those of MLX's Metal kernels, and of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.row_kernels import layers
from tests.engine.lossless.rounding_machines import attention_in_parts
from tests.engine.row_kernels.emulation import Kernels, Kind

# From so many rows on, MLX computes with tiles of the matrix, in which a row does not depend on the others.
TILED = 13


@contextmanager
def emulated(kind: Kind, folder: Path, *, ours: bool) -> Iterator[None]:
    """Let models with weights of `kind` compute as on an M3 or later; `ours` is whether our kernel can be compiled."""
    kernels = Kernels(kind, folder)

    def quantised(x: mx.array, w: mx.array, scales: mx.array, biases: mx.array, **options: Any) -> mx.array:
        assert options.get("transpose", True)
        rows = x.reshape(-1, x.shape[-1])
        if len(rows) >= TILED:
            weight = mx.dequantize(w, scales, biases, kind.group_size, kind.bits)
            return (x.astype(mx.float32) @ weight.astype(mx.float32).T).astype(x.dtype)
        run = kernels.one_row if len(rows) == 1 else kernels.wide
        return run(rows, (w, scales, biases)).reshape(*x.shape[:-1], -1)

    def own(x: mx.array, w: mx.array, scales: mx.array, biases: mx.array, **_: int) -> mx.array:
        if not ours:
            raise RuntimeError("the kernel cannot be compiled")
        return kernels.ours(x.reshape(-1, x.shape[-1]), (w, scales, biases)).reshape(*x.shape[:-1], -1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mx, "quantized_matmul", quantised)
        patch.setattr(mx.fast, "scaled_dot_product_attention", attention_in_parts)
        patch.setattr(layers, "product_of_rows", own)
        yield
