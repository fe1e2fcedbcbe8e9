"""Converts weights of heads that are not plain matrices: quantised ones, and those in blocks of 8-bit floats."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.heads.tensors import FP8_BLOCK, MODES, SCALE_OF_FP8, HeadTensorError

Weights = dict[str, mx.array]

# Published scales are near 1e-4; the largest number of e4m3 is 448.
_LARGEST_SCALE = 2.0**12


def quantise(network: nn.Module, weights: Weights) -> None:
    """Quantise the layers of `network` that have scales; bits, groups and modes follow from shapes and types.

    If a layer cannot be quantised, as some routers, its entry in `weights` is dequantised. Raises ValueError.
    """
    for path, module in network.named_modules():
        if f"{path}.scales" in weights and not hasattr(module, "to_quantized"):
            write_out(weights, path, module.weight.shape[-1])

    def parameters(path: str, module: nn.Module) -> bool | dict[str, Any]:
        return f"{path}.scales" in weights and _quantisation(weights, path, module.weight.shape[-1])

    if any(name.endswith(".scales") for name in weights):
        nn.quantize(network, class_predicate=parameters)


def write_out(weights: Weights, layer: str, inputs: int) -> None:
    """Replace a quantised layer with this number of `inputs` by its dequantised numbers, in `weights`."""
    parameters = _quantisation(weights, layer, inputs)
    packed = weights.pop(f"{layer}.weight")
    scales = weights.pop(f"{layer}.scales")
    biases = weights.pop(f"{layer}.biases", None)
    weights[f"{layer}.weight"] = mx.dequantize(packed, scales, biases, **parameters)


def _quantisation(weights: Weights, layer: str, inputs: int) -> dict[str, Any]:
    """Return bits, group and mode of a layer by the argument names of `nn.quantize`. Raises ValueError."""
    scales = weights[f"{layer}.scales"]
    packed = weights[f"{layer}.weight"].shape[-1]
    bits = packed * 32 // inputs
    group = inputs // scales.shape[-1]
    mode = "affine"
    if scales.dtype == mx.uint8:
        mode = next((mode for mode, sizes in MODES.items() if sizes == (bits, group)), "")
    # MLX divides by the size of groups without looking.
    if not mode or not group or (f"{layer}.biases" in weights) != (mode == "affine"):
        raise HeadTensorError(f"{layer}.scales")
    return {"bits": bits, "group_size": group, "mode": mode}


def dequantised(weights: Weights) -> Weights:
    """Return `weights` with matrices in 8-bit floating point as lazy bfloat16 ones, and without their scales.

    In DeepSeek's format, NAME.weight (rows, columns) holds the numbers (e4m3), NAME.weight_scale_inv the factor of
    each block of 128 by 128; blocks at the edges are smaller (DeepSeek-V3, inference/fp8_cast_bf16.py). Reads the
    scales. Raises ValueError for scales without a matrix, of another shape, or out of bounds. The ValueError is a
    `HeadTensorError`.
    """
    scales = {name: array for name, array in weights.items() if name.endswith(SCALE_OF_FP8)}
    made = {name: array for name, array in weights.items() if name not in scales}
    for name, scale in scales.items():
        matrix = f"{name.removesuffix(SCALE_OF_FP8)}.weight"
        if matrix not in made or made[matrix].dtype != mx.uint8:
            raise HeadTensorError(name)
        made[matrix] = _matrix(made[matrix], scale.astype(mx.float32), name)
    return made


def _matrix(numbers: mx.array, scale: mx.array, name: str) -> mx.array:
    """Return a matrix (rows, columns) of e4m3 `numbers` times their blocks' `scale` as bfloat16.

    Raises `HeadTensorError`.
    """
    rows, columns = numbers.shape
    # Comparisons with NaN are false.
    bounded = bool(((scale > 0) & (scale <= _LARGEST_SCALE)).all().item())
    if scale.shape != (-(-rows // FP8_BLOCK), -(-columns // FP8_BLOCK)) or not bounded:
        raise HeadTensorError(name)
    factors = mx.repeat(mx.repeat(scale, FP8_BLOCK, axis=0)[:rows], FP8_BLOCK, axis=1)[:, :columns]
    return (mx.from_fp8(numbers, mx.float32) * factors).astype(mx.bfloat16)
