"""The sources of our kernels have types that fit, where each of Metal's address spaces is a type of its own."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import mlx.core as mx
import pytest

from engine.row_kernels.attention import SIZES, attention_of_rows
from engine.row_kernels.product import TILE, product_of_rows
from engine.row_kernels.row_kernel import HALF
from tests.engine.row_kernels.emulation import Kind
from tests.engine.row_kernels.metal_sources import MetalSource, sources_of, type_errors

WAYS = [
    *(("affine", bits, group) for bits in (3, 4, 5, 6, 8) for group in (32, 64, 128)),
    ("mxfp4", 4, 32), ("nvfp4", 4, 16), ("mxfp8", 8, 32),
]  # fmt: skip
# Of these inputs, each thread reads one pack of weights at a time, or two.
INPUTS = (640, 4096)
# The last letters of chips that add blocks of 2,000 keys in float32, or in the type of the queries.
CHIPS = ("g", "d")


def of_product(kind: Kind, rows: int, inputs: int) -> list[MetalSource]:
    """Return the source of a product with a matrix of eight outputs."""
    x = mx.zeros((rows, inputs), kind.dtype)
    weight = mx.zeros((8, inputs * kind.bits // 32), mx.uint32)
    scales = mx.zeros((8, inputs // kind.group_size), kind.dtype if kind.affine else mx.uint8)
    biases = scales if kind.affine else None
    return sources_of(lambda: product_of_rows(x, weight, scales, biases, group_size=kind.group_size, bits=kind.bits))


def of_attention(
    dtype: mx.Dtype, size: int, chip: str = "g", *, mask: str | None = "causal", sinks: int = 0
) -> list[MetalSource]:
    """Return the sources of attention, first those that sum blocks; `sinks` is how many heads have one, 0 for none."""
    heads = sinks or 8
    queries = mx.zeros((1, heads, 5, size), dtype)
    keys = mx.zeros((1, heads, 2000, size), dtype)
    logits = mx.zeros(sinks, dtype) if sinks else None
    return sources_of(lambda: attention_of_rows(queries, keys, keys, scale=0.1, mask=mask, sinks=logits), chip)


def test_address_spaces_fit(tmp_path: Path) -> None:
    """Few sinks are constants to MLX."""
    kinds = [Kind("affine", 4, 64), Kind("affine", 3, 32, mx.float16), Kind("affine", 8, 128), Kind("nvfp4", 4, 16)]
    sources = [source for kind in kinds for source in of_product(kind, 5, 4096)]
    sources += of_attention(mx.bfloat16, 128, sinks=4)
    assert len({source.name for source in sources}) == 6
    assert "const constant bfloat16_t* sinks" in sources[-2].text
    assert type_errors(sources, tmp_path) == []


@pytest.mark.full
def test_address_spaces_of_each_source_fit(tmp_path: Path) -> None:
    """These are all that there can be: rows beyond a tile are computed in tiles of these sizes."""
    sources: list[MetalSource] = []
    for way, dtype, rows, inputs in product(WAYS, HALF, range(2, TILE + 1), INPUTS):
        sources += of_product(Kind(*way, dtype), rows, inputs)
    for dtype, size, chip, mask, sinks in product(HALF, SIZES, CHIPS, ("causal", None), (0, 4, 32)):
        sources += of_attention(dtype, size, chip, mask=mask, sinks=sinks)
    # Those of products, of sums over keys, and of sums over blocks.
    assert len({source.name for source in sources}) == 18 * 2 * 7 * 2 + 2 * 4 * 2 * 2 * 3 + 2 * 4 * 2
    assert type_errors(sources, tmp_path) == []


def test_a_threadgroup_s_pointer_is_none_to_the_device(tmp_path: Path) -> None:
    summing, _ = of_attention(mx.bfloat16, 128)
    fault = "const device T* own_keys = key_tile;"
    text = summing.text.replace("const device T* own_keys = keys", f"{fault} own_keys = keys")
    _expect_error(replace(summing, text=text), fault, tmp_path)


def test_a_device_s_pointer_is_none_to_the_threadgroup(tmp_path: Path) -> None:
    """The function `read_inputs` takes memory of the threadgroup here."""
    [source] = of_product(Kind("affine", 4, 64), 5, 4096)
    text = source.text.replace("float read_inputs(const device T*", "float read_inputs(const threadgroup T*")
    _expect_error(replace(source, text=text), "read_inputs<T, BITS, AFFINE, VALUES>(row, inputs)", tmp_path)


def _expect_error(source: MetalSource, fault: str, folder: Path) -> None:
    """Expect one error, in the line of the source that has this fault."""
    [line] = [number for number, line in enumerate(source.text.splitlines(), 1) if fault in line]
    [error] = type_errors([source], folder)
    assert error.startswith(f"{source.name}:{line}:")
