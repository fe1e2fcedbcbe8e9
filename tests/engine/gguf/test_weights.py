"""Weights of GGUF tensors in MLX: the codes of the file where MLX has such groups, else more bits than the file has."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize

from engine.gguf.weights import cast, floats_of, quantised, stored_bytes, width_of
from tests.engine.gguf.random_blocks import random_rows

Kind = GGMLQuantizationType
EXACT = ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "TQ1_0", "TQ2_0")
KEPT = (*EXACT, "Q4_K", "Q5_K", "MXFP4", "NVFP4")
ANEW = (
    *("Q6_K", "Q2_K", "Q3_K", "IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ3_XXS", "IQ3_S", "IQ4_NL", "IQ4_XS"),
)
DTYPES = {"F16": mx.float16, "BF16": mx.bfloat16, "F32": mx.float32}


def as_mlx_has_it(kind: Kind, rows: np.ndarray, dtype: str) -> np.ndarray:
    width = width_of(kind)
    assert width is not None
    arrays = {name: mx.array(array) for name, array in quantised(kind, rows, dtype).items()}
    if width.mode == "affine":
        arrays |= {name: arrays[name].view(DTYPES[dtype]).astype(mx.float32) for name in ("scales", "biases")}
    found = mx.dequantize(
        arrays["weight"],
        arrays["scales"],
        arrays.get("biases"),
        group_size=width.group,
        bits=width.bits,
        mode=width.mode,
    )
    return np.array(found.astype(mx.float32))


@pytest.mark.parametrize(("name", "dtype"), [*((name, "F32") for name in KEPT), *((name, "F16") for name in EXACT)])
def test_kept_codes_are_the_weights_of_the_file_in_the_type_of_their_scales(name: str, dtype: str) -> None:
    rows = random_rows(Kind[name], 6, 512)
    want = dequantize(rows, Kind[name])
    assert np.abs(as_mlx_has_it(Kind[name], rows, dtype) - want).max() <= np.abs(want).max() * 2**-22


@pytest.mark.parametrize(("dtype", "share"), [("F16", 2**-11), ("BF16", 2**-8)])
@pytest.mark.parametrize("name", ["Q4_K", "Q5_K"])
def test_products_of_scales_are_rounded_once(name: str, dtype: str, share: float) -> None:
    rows = random_rows(Kind[name], 6, 512)
    want = dequantize(rows, Kind[name])
    assert 0 < np.abs(as_mlx_has_it(Kind[name], rows, dtype) - want).max() <= 2 * np.abs(want).max() * share


@pytest.mark.parametrize("name", ANEW)
def test_what_is_quantised_anew_loses_less_than_the_file_did(name: str) -> None:
    """The file lost up to half the distance of two levels of a group."""
    kind = Kind[name]
    rows = random_rows(kind, 6, 512)
    want = dequantize(rows, kind)
    groups = want.reshape(-1, 32)
    lost = np.abs(as_mlx_has_it(kind, rows, "F16").reshape(-1, 32) - groups)
    block, nbytes = GGML_QUANT_SIZES[kind]
    levels = 2 ** round(8 * nbytes / block) - 1
    ranges = groups.max(-1) - groups.min(-1)
    assert (lost.max(-1) <= ranges / levels / 2 * 0.6 + np.abs(groups).max(-1) * 2**-10).all()


@pytest.mark.parametrize("value", [0.0, 0.25])
def test_groups_of_equal_weights_stay(value: float) -> None:
    rows = np.zeros((1, 210), np.uint8)
    rows[:, :192], rows[:, 192:208], rows[:, 208:] = 0, 1, np.frombuffer(np.float16(value).tobytes(), np.uint8)
    want = dequantize(rows, Kind.Q6_K)
    assert len(np.unique(want)) == 1
    assert (as_mlx_has_it(Kind.Q6_K, rows, "F16") == want).all()


@pytest.mark.parametrize("name", ["F32", "F16", "BF16"])
def test_floats_are_read_and_written_without_a_change(name: str) -> None:
    numbers = np.random.default_rng(3).standard_normal((4, 8)).astype(np.float32)
    stored = cast(numbers, name)
    read = floats_of(Kind[name], stored.view(np.uint8))
    assert (cast(read, name) == stored).all()
    assert np.abs(read - numbers).max() <= np.abs(numbers).max() * 2**-8


def test_bfloat16_is_rounded_like_mlx_rounds_it() -> None:
    numbers = np.random.default_rng(4).standard_normal(4096).astype(np.float32)
    assert (cast(numbers, "BF16") == np.array(mx.array(numbers).astype(mx.bfloat16).view(mx.uint16))).all()


@pytest.mark.parametrize("number", [np.inf, np.nan, 1e6])
def test_numbers_that_have_no_place_are_refused(number: float) -> None:
    with pytest.raises(ValueError, match="numbers"):
        cast(np.array([1, number], np.float32), "F16")


@pytest.mark.parametrize("name", [*KEPT, "Q6_K", "Q3_K", "IQ4_XS"])
def test_the_bytes_in_memory_are_known_before_a_tensor_is_read(name: str) -> None:
    rows = random_rows(Kind[name], 6, 512)
    arrays = quantised(Kind[name], rows, "F16")
    assert stored_bytes(Kind[name], 6 * 512, rows.nbytes) == sum(array.nbytes for array in arrays.values())
    assert stored_bytes(Kind.F16, 512, 1024) == stored_bytes(Kind.I32, 256, 1024) == 1024


@pytest.mark.parametrize("kind", [Kind.I32, Kind.Q8_K, Kind.F64])
def test_kinds_that_hold_no_weights_are_unknown(kind: Kind) -> None:
    with pytest.raises(KeyError):
        width_of(kind)
