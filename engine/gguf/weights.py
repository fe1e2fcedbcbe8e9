"""The weights of GGUF tensors as MLX reads them: groups of 32 (NVFP4: 16) with the file's codes where that is exact.

A code q of a group with scale s and bias b stands for q * s + b. GGUF's kinds below have groups of 32, too, so their
codes stay; the remaining kinds are quantised again. Works on arrays of whole rows, with NumPy only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize
from numpy.typing import NDArray

Kind = GGMLQuantizationType
Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]
GROUP = 32
FLOATS = {Kind.F32: "F32", Kind.F16: "F16", Kind.BF16: "BF16"}
# The kinds whose codes are floats of four bits, and MLX's mode for each.
_FLOAT_CODES = {Kind.MXFP4: "mxfp4", Kind.NVFP4: "nvfp4"}
# The kinds that are quantised again, with two bits more than they have: a group's new step is then less than half of
# the file's, even where two of the file's groups of 16 become one.
_BITS_ANEW = {
    **dict.fromkeys((Kind.IQ1_S, Kind.IQ1_M), 4),
    **dict.fromkeys((Kind.Q2_K, Kind.IQ2_XXS, Kind.IQ2_XS, Kind.IQ2_S), 4),
    **dict.fromkeys((Kind.Q3_K, Kind.IQ3_XXS, Kind.IQ3_S), 5),
    **dict.fromkeys((Kind.IQ4_NL, Kind.IQ4_XS), 6),
    Kind.Q6_K: 8,
}


@dataclass(frozen=True, slots=True)
class Width:
    """How MLX stores a quantised tensor: bits a code, in `group`s of weights that share a scale.

    `codes_of_file` says whether the file's codes are kept, so that every weight stays the same number. Others
    are quantised again.
    """

    bits: int
    mode: str = "affine"
    codes_of_file: bool = True

    @property
    def group(self) -> int:
        """The number of weights in a group."""
        return 16 if self.mode == "nvfp4" else GROUP

    @property
    def settings(self) -> dict[str, Any]:
        """The entry of config.json."""
        return {"group_size": self.group, "bits": self.bits, "mode": self.mode}


def width_of(kind: GGMLQuantizationType) -> Width | None:
    """Return how a quantised kind is stored. None for floats; raises KeyError for what cannot be read."""
    if kind in FLOATS:
        return None
    if kind in _FLOAT_CODES:
        return Width(4, _FLOAT_CODES[kind])
    return Width(_KEPT[kind][0]) if kind in _KEPT else Width(_BITS_ANEW[kind], codes_of_file=False)


def stored_bytes(kind: GGMLQuantizationType, elements: int, nbytes: int) -> int:
    """Return how many bytes a tensor takes as MLX stores it.

    It has `elements` numbers and takes `nbytes` bytes in the file; floats take the same.
    """
    try:
        width = width_of(kind)
    except KeyError:
        width = None
    if width is None:
        return nbytes
    # Bits: a scale and a bias of 16 each, or a scale of 8.
    scales = 32 if width.mode == "affine" else 8
    return elements * (width.bits * width.group + scales) // (8 * width.group)


def floats_of(kind: GGMLQuantizationType, rows: Bytes) -> Floats:
    """Return the numbers, float32 (rows, weights a row), of encoded `rows` (rows, bytes a row) of any kind."""
    if kind == Kind.BF16:
        return (rows.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return np.asarray(dequantize(rows, kind), dtype=np.float32)


def quantised(kind: GGMLQuantizationType, rows: Bytes, dtype: str) -> dict[str, NDArray[Any]]:
    """Return MLX's arrays of encoded `rows` (rows, bytes a row) of a quantised kind, by the last part of their names.

    "weight" is uint32 (rows, weights a row * bits / 32). "scales" and, for affine groups, "biases" are (rows, groups)
    in `dtype`, the name of a safetensors type; the scales of mxfp4 and nvfp4 are uint8. Raises ValueError for scales
    that are not finite in `dtype`.
    """
    width = width_of(kind)
    assert width is not None
    if width.mode == "mxfp4":
        # Blocks of 17 bytes: the exponent of their scale (E8M0), 16 bytes of nibbles (E2M1).
        scaled = rows.reshape(len(rows), -1, 17)
        codes = _nibbles(scaled[..., 1:]).reshape(len(rows), -1)
        return {"weight": _packed(codes, 4), "scales": scaled[..., 0].copy()}
    if width.mode == "nvfp4":
        # Blocks of 36 bytes: four scales (E4M3 without a sign), and for each of them 8 bytes of nibbles (E2M1).
        scaled = rows.reshape(len(rows), -1, 36)
        codes = _nibbles(scaled[..., 4:].reshape(len(rows), -1, 4, 8)).reshape(len(rows), -1)
        stored = scaled[..., :4].reshape(len(rows), -1)
        # What is no number for MLX is 0 in such files.
        return {"weight": _packed(codes, 4), "scales": np.where(stored == 0x7F, np.uint8(0), stored)}
    if width.codes_of_file:
        blocks = rows.reshape(-1, GGML_QUANT_SIZES[kind][1])
        codes, scales, biases = _KEPT[kind][1](blocks)
        parts = {"scales": cast(scales, dtype), "biases": cast(biases, dtype)}
        codes = codes.reshape(len(rows), -1)
    else:
        codes, parts = _anew(floats_of(kind, rows), width.bits, dtype)
    return {"weight": _packed(codes, width.bits)} | {name: part.reshape(len(rows), -1) for name, part in parts.items()}


def cast(numbers: Floats, dtype: str) -> NDArray[Any]:
    """Return numbers in the type that safetensors names so, rounded to the nearest; BF16 as its bits in uint16.

    The shape stays, (rows, columns) or any other. Raises ValueError for numbers that are not finite, or would not be in
    this type.
    """
    if not np.isfinite(numbers).all():
        raise ValueError("numbers that are not finite")
    if dtype == "BF16":
        bits = numbers.view(np.uint32)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    with np.errstate(over="ignore"):
        converted = numbers.astype({"F16": np.float16, "F32": np.float32}[dtype])
    if not np.isfinite(converted).all():
        raise ValueError("numbers too large")
    return converted


def _anew(numbers: Floats, bits: int, dtype: str) -> tuple[Bytes, dict[str, NDArray[Any]]]:
    """Quantise numbers between the least and the largest of each group, by the scales as they are stored."""
    groups = numbers.reshape(-1, GROUP)
    least = groups.min(-1, keepdims=True)
    most = 2**bits - 1
    parts = {"scales": cast((groups.max(-1, keepdims=True) - least) / most, dtype), "biases": cast(least, dtype)}
    scales, biases = (_numbers(parts[name], dtype) for name in ("scales", "biases"))
    codes = np.rint((groups - biases) / np.where(scales == 0, 1, scales))
    return codes.clip(0, most).astype(np.uint8).reshape(len(numbers), -1), parts


def _numbers(stored: NDArray[Any], dtype: str) -> Floats:
    return (stored.astype(np.uint32) << 16).view(np.float32) if dtype == "BF16" else stored.astype(np.float32)


def _packed(codes: Bytes, bits: int) -> NDArray[np.uint32]:
    """Pack the codes of each row one after another, lowest bits first."""
    if bits == 4:
        packed = codes[:, ::2] | codes[:, 1::2] << np.uint8(4)
    elif bits == 8:
        packed = np.ascontiguousarray(codes)
    else:
        planes = np.unpackbits(codes[..., None], axis=-1, count=bits, bitorder="little")
        packed = np.packbits(planes.reshape(len(codes), -1), axis=-1, bitorder="little")
    return packed.view(np.uint32)


def _half(blocks: Bytes, at: int) -> Floats:
    return blocks[:, at : at + 2].copy().view(np.float16).astype(np.float32)


def _nibbles(packed: Bytes) -> Bytes:
    """Return the low halves of all bytes, then the high ones."""
    return np.concatenate([packed & np.uint8(15), packed >> np.uint8(4)], -1)


def _fifth_bits(packed: Bytes) -> Bytes:
    return np.unpackbits(packed, axis=-1, bitorder="little") << np.uint8(4)


# Codes, scales and biases. llama.cpp's ggml-common.h has the layouts of the blocks; a nibble is half a byte.
Parts = tuple[Bytes, Floats, Floats]


def _q4_0(blocks: Bytes) -> Parts:
    """18 bytes: scale (f16), 16 bytes of nibbles. A code counts from -8."""
    scales = _half(blocks, 0)
    return _nibbles(blocks[:, 2:]), scales, -8 * scales


def _q4_1(blocks: Bytes) -> Parts:
    """20 bytes: scale, bias (f16 each), 16 bytes of nibbles."""
    return _nibbles(blocks[:, 4:]), _half(blocks, 0), _half(blocks, 2)


def _q5_0(blocks: Bytes) -> Parts:
    """22 bytes: scale (f16), 4 bytes of fifth bits, 16 bytes of nibbles. A code counts from -16."""
    scales = _half(blocks, 0)
    return _nibbles(blocks[:, 6:]) | _fifth_bits(blocks[:, 2:6]), scales, -16 * scales


def _q5_1(blocks: Bytes) -> Parts:
    """24 bytes: scale, bias (f16 each), 4 bytes of fifth bits, 16 bytes of nibbles."""
    return _nibbles(blocks[:, 8:]) | _fifth_bits(blocks[:, 4:8]), _half(blocks, 0), _half(blocks, 2)


def _q8_0(blocks: Bytes) -> Parts:
    """34 bytes: scale (f16), 32 signed codes."""
    scales = _half(blocks, 0)
    # Two's complement with the sign bit turned over counts from -128.
    return blocks[:, 2:] ^ np.uint8(128), scales, -128 * scales


def _scales_of_eight(blocks: Bytes) -> tuple[Floats, Floats]:
    """Return the scales and biases of eight groups: a factor of each (f16), 12 bytes with 6 bits for each of both.

    Bytes 4-7 hold the scales of groups 0-3, bytes 8-11 their biases; bytes 12-15 a nibble of each scale and bias of
    groups 4-7, whose upper two bits are those of bytes 4-11.
    """
    low = blocks[:, 4:8]
    mid = blocks[:, 8:12]
    high = blocks[:, 12:16]
    scales = np.concatenate([low & 63, high & 15 | low >> 6 << 4], -1).astype(np.float32)
    biases = np.concatenate([mid & 63, high >> 4 | mid >> 6 << 4], -1).astype(np.float32)
    return _half(blocks, 0) * scales, -_half(blocks, 2) * biases


def _pairs_of_groups(packed: Bytes) -> Bytes:
    """Return the codes of blocks in which two groups share their bytes."""
    return _nibbles(packed.reshape(len(packed), -1, GROUP)).reshape(len(packed), -1)


def _q4_k(blocks: Bytes) -> Parts:
    """144 bytes: 16 of scales and biases, 128 of nibbles, two groups in each 32."""
    return _pairs_of_groups(blocks[:, 16:]), *_scales_of_eight(blocks)


def _q5_k(blocks: Bytes) -> Parts:
    """176 bytes: 16 of scales and biases, 32 of fifth bits, 128 of nibbles, two groups in each 32."""
    # Bit g of byte i belongs to weight i of group g.
    fifth = np.unpackbits(blocks[:, 16:48, None], axis=-1, bitorder="little").swapaxes(1, 2)
    codes = _pairs_of_groups(blocks[:, 48:]) | fifth.reshape(len(blocks), -1) << np.uint8(4)
    return codes, *_scales_of_eight(blocks)


def _tq1_0(blocks: Bytes) -> Parts:
    """54 bytes: 48 of five digits in base 3, 4 of four digits, scale (f16). A digit counts from -1.

    A byte b holds its digits as the fraction b / 256: digit n, from 0, is the whole part of 3 * (b * 3**n mod 256) /
    256. The digits n of 32, then 16, then 4 bytes follow one another.
    """
    powers = np.array([1, 3, 9, 27, 81], np.uint8)[:, None]
    pieces = [(blocks[:, :32], powers), (blocks[:, 32:48], powers), (blocks[:, 48:52], powers[:4])]
    fractions = [(packed[:, None] * factors).reshape(len(blocks), -1) for packed, factors in pieces]
    codes = (np.concatenate(fractions, -1).astype(np.uint16) * 3 >> 8).astype(np.uint8)
    return codes, *_scale_of_eight(blocks, 52)


def _tq2_0(blocks: Bytes) -> Parts:
    """66 bytes: 64 of four codes of two bits, scale (f16). A code counts from -1; those of 32 bytes follow by bits."""
    shifts = np.array([0, 2, 4, 6], np.uint8)[:, None]
    codes = blocks[:, :64].reshape(-1, 2, 1, GROUP) >> shifts & np.uint8(3)
    return codes.reshape(len(blocks), -1), *_scale_of_eight(blocks, 64)


def _scale_of_eight(blocks: Bytes, at: int) -> tuple[Floats, Floats]:
    """Return the scales and biases of eight groups that share the scale at byte `at`, with codes that count from -1."""
    scales = np.repeat(_half(blocks, at), 8, axis=-1)
    return scales, -scales


# The bits of each kind whose codes stay, and what takes its blocks apart: codes, scales, biases.
_KEPT: dict[GGMLQuantizationType, tuple[int, Callable[[Bytes], Parts]]] = {
    Kind.Q4_0: (4, _q4_0),
    Kind.Q4_1: (4, _q4_1),
    Kind.Q5_0: (5, _q5_0),
    Kind.Q5_1: (5, _q5_1),
    Kind.Q8_0: (8, _q8_0),
    Kind.Q4_K: (4, _q4_k),
    Kind.Q5_K: (5, _q5_k),
    Kind.TQ1_0: (2, _tq1_0),
    Kind.TQ2_0: (2, _tq2_0),
}
