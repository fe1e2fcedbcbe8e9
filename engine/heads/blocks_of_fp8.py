"""Matrices in eight-bit floating point (e4m3) with a scale for each block, as DeepSeek publishes them.

`NAME.weight` (rows, columns) holds the numbers, `NAME.weight_scale_inv` the factor of each block of 128 by 128; blocks
at the edges are smaller (DeepSeek-V3, inference/fp8_cast_bf16.py).
"""

from __future__ import annotations

import mlx.core as mx

from engine.heads.tensors import FP8_BLOCK, SCALE_OF_FP8

# Published scales are near 1e-4; the largest number of e4m3 is 448.
_LARGEST_SCALE = 2.0**12


def dequantised(weights: dict[str, mx.array]) -> dict[str, mx.array]:
    """`weights` with such matrices as bfloat16 ones, not yet computed, and without their scales.

    Raises ValueError for scales that no matrix has, of another shape, or beyond reason. Reads the scales.
    """
    scales = {name: array for name, array in weights.items() if name.endswith(SCALE_OF_FP8)}
    made = {name: array for name, array in weights.items() if name not in scales}
    for name, scale in scales.items():
        matrix = f"{name.removesuffix(SCALE_OF_FP8)}.weight"
        if matrix not in made or made[matrix].dtype != mx.uint8:
            raise ValueError(name)
        made[matrix] = _matrix(made[matrix], scale.astype(mx.float32), name)
    return made


def _matrix(numbers: mx.array, scale: mx.array, name: str) -> mx.array:
    rows, columns = numbers.shape
    blocks = (-(-rows // FP8_BLOCK), -(-columns // FP8_BLOCK))
    if scale.shape != blocks:
        raise ValueError(name)
    # Comparisons with NaN are false.
    if not bool(((scale > 0) & (scale <= _LARGEST_SCALE)).all().item()):
        raise ValueError(name)
    factors = mx.repeat(mx.repeat(scale, FP8_BLOCK, axis=0)[:rows], FP8_BLOCK, axis=1)[:, :columns]
    return (mx.from_fp8(numbers, mx.float32) * factors).astype(mx.bfloat16)
