"""Heads in DeepSeek's 8-bit floating point have exactly the values that their numbers and scales define."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from engine.errors import ModelNotUsable
from engine.heads.folder import inspect_head
from engine.heads.weights import dequantised
from tests.engine.heads.golden.mtp_cases import CASES
from tests.engine.heads.heads_on_disk import HEADS, Tensors, load_head, write_head
from tests.engine.model_files.model_folders import with_header

CASE, PREFIX = HEADS["mtp_deepseek_v3"], CASES["mtp_deepseek_v3"].prefix
CONFIG = CASE.config | {"quantization_config": {"quant_method": "fp8", "fmt": "e4m3", "weight_block_size": [128, 128]}}
BLOCK = 128
# Every number of e4m3, from the definition: a sign, four bits of exponent, three of fraction.
E4M3 = np.array(
    [
        (-1.0) ** (code >> 7)
        * ((code & 7) / 8 * 2.0**-6 if not code & 0x78 else (1 + (code & 7) / 8) * 2.0 ** ((code >> 3 & 15) - 7))
        for code in range(256)
    ]
)
NOT_NUMBERS = (0x7F, 0xFF)
Numbers = np.ndarray[Any, Any]


def wide(scales: Numbers, shape: tuple[int, ...]) -> Numbers:
    found: Numbers = scales.repeat(BLOCK, 0)[: shape[0]].repeat(BLOCK, 1)[:, : shape[1]]
    return found


def exact(codes: Numbers, scales: Numbers) -> Numbers:
    found: Numbers = E4M3[codes].astype(np.float32) * wide(scales, codes.shape)
    return found


def in_eight_bits() -> Tensors:
    """Return the head with its matrices in blocks, except the router's and the fusion, which makers do not convert."""
    made = dict(CASE.tensors)
    for name, array in CASE.tensors.items():
        if array.ndim == 2 and "gate.weight" not in name and "eh_proj" not in name:
            matrix, counts = np.array(array), [-(-size // BLOCK) for size in array.shape]
            whole = np.pad(matrix, [(0, count * BLOCK - size) for count, size in zip(counts, array.shape, strict=True)])
            scales = np.abs(whole).reshape(counts[0], BLOCK, counts[1], BLOCK).max((1, 3)) / 448
            made[name] = mx.to_fp8(mx.array(matrix / wide(scales, array.shape)))
            made[f"{name}_scale_inv"] = mx.array(scales)
    return made


def write(folder: Path, tensors: Tensors) -> Path:
    """Write the head with the dtype F8_E4M3, which MLX writes as U8."""
    path = write_head(folder, CONFIG, tensors) / "model.safetensors"
    raw = path.read_bytes()
    data = 8 + struct.unpack("<Q", raw[:8])[0]
    path.write_bytes(with_header(raw[8:data].replace(b'"U8"', b'"F8_E4M3"'), raw[data:]))
    return folder


def test_every_number_of_every_block_is_what_it_stands_for() -> None:
    """Blocks at the edges are smaller."""
    chance = np.random.default_rng(4)
    for shape in ((300, 130), (64, 257), (128, 128)):
        codes = chance.integers(0, 256, shape, np.uint8)
        codes[np.isin(codes, NOT_NUMBERS)] = 0
        scales = (2.0 ** chance.integers(-14, 3, (-(-shape[0] // BLOCK), -(-shape[1] // BLOCK)))).astype(np.float32)
        weights = {"a.weight": mx.array(codes), "a.weight_scale_inv": mx.array(scales), "b.weight": mx.ones((2,))}
        made = dequantised(weights)
        assert set(made) == {"a.weight", "b.weight"}
        # The scales are powers of two, so that 16 bits hold every product.
        assert made["a.weight"].dtype == mx.bfloat16
        assert np.array_equal(np.array(made["a.weight"].astype(mx.float32)), exact(codes, scales))


def test_a_head_in_eight_bits_proposes_as_one_of_the_same_numbers(tmp_path: Path) -> None:
    eight = in_eight_bits()
    plain = {name: array for name, array in eight.items() if not name.endswith("_scale_inv")}
    for name, codes in plain.items():
        if codes.dtype == mx.uint8:
            sixteen = mx.array(exact(np.array(codes), np.array(eight[f"{name}_scale_inv"]))).astype(mx.bfloat16)
            plain[name] = sixteen.astype(mx.float32)
    folder = write(tmp_path / "fp8", eight)
    one, other = CASE.load(folder), CASE.load(write(tmp_path / "plain", plain))
    for made, wanted in zip(CASE.proposals(one), CASE.proposals(other), strict=True):
        assert mx.abs(made.scores - wanted.scores).max().item() < 1e-5
    first = replace(CASE, rounds=CASE.rounds[:1], steps=1)
    assert 0.001 < first.apart(first.proposals(one)) < 1.0
    # It takes the memory of sixteen bits.
    sizes = [array.nbytes * (2 if array.dtype == mx.uint8 else 1) for array in eight.values()]
    assert inspect_head(folder).weight_bytes == sum(sizes)


MATRIX = f"{PREFIX}self_attn.q_b_proj.weight"
SCALE = f"{MATRIX}_scale_inv"
TENSORS = in_eight_bits()
NO_NUMBER = mx.array(TENSORS[MATRIX])
NO_NUMBER[3, 5] = NOT_NUMBERS[0]
LIES: list[tuple[dict[str, mx.array | None], str]] = [
    *(({SCALE: mx.full(TENSORS[SCALE].shape, lie)}, "wrong-tensors") for lie in (mx.inf, mx.nan, -1.0, 0.0, 1e30, 1e5)),
    ({SCALE: mx.tile(TENSORS[SCALE], (1, 2))}, "wrong-tensors"),
    ({SCALE: TENSORS[SCALE][0]}, "wrong-tensors"),
    ({f"{PREFIX}enorm.weight_scale_inv": TENSORS[SCALE]}, "wrong-tensors"),
    ({MATRIX: NO_NUMBER}, "not-finite"),
    ({SCALE: None}, "wrong-tensors"),
]


@pytest.mark.parametrize(("lie", "reason"), LIES)
def test_numbers_and_scales_that_cannot_be_true_are_refused(
    tmp_path: Path, lie: dict[str, mx.array | None], reason: str
) -> None:
    """A matrix cannot be without its scales."""
    tensors = {name: array for name, array in (TENSORS | lie).items() if array is not None}
    with pytest.raises(ModelNotUsable) as refused:
        load_head(write(tmp_path, tensors))
    assert refused.value.reason == reason
