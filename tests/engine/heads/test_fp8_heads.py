"""Heads in eight-bit floating point, as DeepSeek publishes them: exactly what their numbers and scales say."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from engine.errors import ModelNotUsable
from engine.heads.folder import inspect_head
from engine.heads.head import Head
from engine.heads.weights import dequantised
from tests.engine.heads.golden.mtp_cases import CASES
from tests.engine.heads.heads_on_disk import HEADS, load_head

CASE, PREFIX = HEADS["mtp_deepseek_v3"], CASES["mtp_deepseek_v3"].prefix
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
Parts = dict[str, tuple[str, np.ndarray[Any, Any]]]


def in_blocks(matrix: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Codes and scales of a matrix, as a maker would choose them."""
    rows, columns = matrix.shape
    codes = np.zeros(matrix.shape, np.uint8)
    scales = np.zeros((-(-rows // BLOCK), -(-columns // BLOCK)), np.float32)
    finite = [code for code in range(256) if code not in NOT_NUMBERS]
    for row, column in np.ndindex(scales.shape):
        piece = np.s_[row * BLOCK : (row + 1) * BLOCK, column * BLOCK : (column + 1) * BLOCK]
        scales[row, column] = np.abs(matrix[piece]).max() / 448
        apart = np.abs(matrix[piece][..., None] / scales[row, column] - E4M3[finite])
        codes[piece] = np.array(finite)[apart.argmin(-1)]
    return codes, scales


def exact(codes: np.ndarray[Any, Any], scales: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    rows, columns = codes.shape
    wide = scales.repeat(BLOCK, 0)[:rows].repeat(BLOCK, 1)[:, :columns]
    found: np.ndarray[Any, Any] = E4M3[codes].astype(np.float32) * wide
    return found


def parts_of_head() -> Parts:
    """The head with its matrices in blocks, except the router's and the fusion, which makers leave as they are."""
    parts: Parts = {}
    for name, array in CASE.tensors.items():
        numbers = np.array(array)
        if numbers.ndim == 2 and "gate.weight" not in name and "eh_proj" not in name:
            codes, scales = in_blocks(numbers)
            parts |= {name: ("F8_E4M3", codes), f"{name}_scale_inv": ("F32", scales)}
        else:
            parts[name] = ("F32", numbers)
    return parts


def write(folder: Path, parts: Parts) -> Path:
    """By hand: no library here writes eight-bit floating point."""
    folder.mkdir(parents=True, exist_ok=True)
    config = CASE.config | {
        "quantization_config": {"quant_method": "fp8", "fmt": "e4m3", "weight_block_size": [128, 128]}
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    header: dict[str, Any] = {}
    content = b""
    for name, (dtype, numbers) in parts.items():
        raw = numbers.tobytes()
        header[name] = {
            "dtype": dtype,
            "shape": list(numbers.shape),
            "data_offsets": [len(content), len(content) + len(raw)],
        }
        content += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    (folder / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + content)
    return folder


def loaded(folder: Path) -> Head:
    return CASE.load(folder)


def test_every_number_of_every_block_is_what_it_stands_for() -> None:
    """Blocks at the edges are smaller; on one side there is only one."""
    chance = np.random.default_rng(4)
    for shape in ((300, 130), (64, 257), (128, 128)):
        codes = chance.integers(0, 256, shape, np.uint8)
        codes[np.isin(codes, NOT_NUMBERS)] = 0
        scales = (2.0 ** chance.integers(-14, 3, (-(-shape[0] // BLOCK), -(-shape[1] // BLOCK)))).astype(np.float32)
        weights = {"a.weight": mx.array(codes), "a.weight_scale_inv": mx.array(scales), "b.weight": mx.ones((2,))}
        made = dequantised(weights)
        assert set(made) == {"a.weight", "b.weight"}
        # Powers of two, so that sixteen bits hold every product.
        assert made["a.weight"].dtype == mx.bfloat16
        assert np.array_equal(np.array(made["a.weight"].astype(mx.float32)), exact(codes, scales))


def test_a_head_in_eight_bits_proposes_as_one_of_the_same_numbers(tmp_path: Path) -> None:
    parts = parts_of_head()
    plain: Parts = {}
    for name, (dtype, numbers) in parts.items():
        if name.endswith("_scale_inv"):
            continue
        if dtype == "F8_E4M3":
            sixteen = mx.array(exact(numbers, parts[f"{name}_scale_inv"][1])).astype(mx.bfloat16)
            plain[name] = ("F32", np.array(sixteen.astype(mx.float32)))
        else:
            plain[name] = (dtype, numbers)
    one, other = loaded(write(tmp_path / "fp8", parts)), loaded(write(tmp_path / "plain", plain))
    for made, wanted in zip(CASE.proposals(one), CASE.proposals(other), strict=True):
        assert mx.abs(made.scores - wanted.scores).max().item() < 1e-5
    first = replace(CASE, rounds=CASE.rounds[:1], steps=1)
    assert 0.001 < first.apart(first.proposals(one)) < 1.0


def test_the_memory_that_it_takes_is_that_of_sixteen_bits(tmp_path: Path) -> None:
    parts = parts_of_head()
    eight = sum(numbers.nbytes for dtype, numbers in parts.values() if dtype == "F8_E4M3")
    whole = sum(numbers.nbytes for _, numbers in parts.values())
    assert inspect_head(write(tmp_path, parts)).weight_bytes == whole + eight


MATRIX = f"{PREFIX}self_attn.q_b_proj.weight"
SCALE = f"{MATRIX}_scale_inv"


@pytest.mark.parametrize("lie", [np.inf, np.nan, -1.0, 0.0, 1e30, 1e5])
def test_scales_beyond_reason_are_refused(tmp_path: Path, lie: float) -> None:
    parts = parts_of_head()
    parts[SCALE] = ("F32", np.full_like(parts[SCALE][1], lie))
    with pytest.raises(ModelNotUsable) as refused:
        load_head(write(tmp_path, parts))
    assert refused.value.reason == "wrong-tensors"


def test_scales_of_another_shape_of_nothing_or_missing_are_refused(tmp_path: Path) -> None:
    whole = parts_of_head()
    scale = whole[SCALE][1]
    for number, wrong in enumerate(({SCALE: ("F32", np.tile(scale, (1, 2)))}, {SCALE: ("F32", scale[0])})):
        with pytest.raises(ModelNotUsable, match="self_attn"):
            load_head(write(tmp_path / str(number), whole | wrong))
    without = {name: part for name, part in whole.items() if name != SCALE}
    with pytest.raises(ModelNotUsable):
        load_head(write(tmp_path / "missing", without))
    stray = whole | {f"{PREFIX}enorm.weight_scale_inv": ("F32", scale)}
    with pytest.raises(ModelNotUsable):
        load_head(write(tmp_path / "stray", stray))


def test_numbers_that_are_none_are_refused(tmp_path: Path) -> None:
    parts = parts_of_head()
    codes = parts[MATRIX][1].copy()
    codes[3, 5] = NOT_NUMBERS[0]
    with pytest.raises(ModelNotUsable) as refused:
        load_head(write(tmp_path, parts | {MATRIX: ("F8_E4M3", codes)}))
    assert refused.value.reason == "not-finite"
