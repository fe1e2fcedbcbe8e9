"""Our attention of several rows has the bits of MLX's for one row; both are compiled from their Metal sources."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from mlx_lm.models.base import scaled_dot_product_attention

from engine.main_model.loading import load
from engine.row_kernels import attention
from engine.row_kernels.attention import attention_of_rows, key_blocks
from engine.row_kernels.attention_probe import ATTENTION
from engine.tuning import PassSize
from tests.engine.row_kernels.attention_emulation import EmulatedKernel, OneRow, choice
from tests.engine.speculation.families import build, fresh_caches
from tests.engine.tiers import by_tier
from tests.tiny_models import QWEN3, write_model

# float32 shows what rounding to 16 bits would hide.
KINDS = [(mx.float32, 64), (mx.float32, 96), (mx.float32, 128), (mx.float32, 256), (mx.float16, 128), (mx.bfloat16, 64)]
# The last letter of a chip, heads of queries and keys, keys, rows, the mask, and whether there are sinks. Rows are on
# both sides of one and two passes, and of two numbers of blocks.
CASES = [
    ("g", 2, 2, 60, 7, "causal", False), ("s", 2, 1, 1026, 5, "causal", False), ("d", 4, 2, 300, 16, None, True),
    ("s", 8, 1, 1026, 4, "causal", True), ("d", 6, 1, 1025, 3, "causal", True), ("g", 6, 1, 4097, 3, "causal", False),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture
def on_chip(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Callable[..., dict[str, EmulatedKernel]]:
    """Let our kernels run on a chip with that letter; returns them by name, once they have run."""

    def run_on(chip: str, *, counted: bool = False) -> dict[str, EmulatedKernel]:
        kernels: dict[str, EmulatedKernel] = {}

        def kernel(name: str, source: str, inputs: str, outputs: str, header: str, **_: bool) -> EmulatedKernel:
            made = EmulatedKernel(inputs.split(), outputs.split(), source, header, folder, counted=counted)
            return kernels.setdefault(name, made)

        monkeypatch.setattr(attention, "row_kernel", kernel)
        monkeypatch.setattr(mx, "device_info", lambda: {"architecture": f"applegpu_g16{chip}"})
        return kernels

    return run_on


def random(*shape: int, dtype: mx.Dtype = mx.float32) -> mx.array:
    return mx.random.normal(shape, key=mx.random.key(sum(shape))).astype(dtype)


@pytest.mark.parametrize(("dtype", "size"), by_tier(KINDS, KINDS[:1]), ids=str)
def test_rows_have_the_bits_of_rows_alone(
    dtype: mx.Dtype, size: int, folder: Path, on_chip: Callable[..., dict[str, EmulatedKernel]]
) -> None:
    for chip, heads, kv_heads, keys, rows, mask, sunk in CASES if size != KINDS[0][1] else CASES[:2]:
        on_chip(chip)
        one_row = OneRow(dtype, size, chip, folder)
        queries = random(1, heads, rows, size, dtype=dtype)
        held = [random(1, kv_heads, keys, size, dtype=dtype) + number for number in range(2)]
        sinks = random(heads, dtype=dtype) if sunk else None
        wide = attention_of_rows(queries, *held, scale=size**-0.5, mask=mask, sinks=sinks)
        for row in range(rows):
            seen = keys if mask is None else keys - rows + row + 1
            parts = [array[:, :, :seen] for array in held]
            alone = one_row(queries[:, :, row : row + 1], *parts, scale=size**-0.5, sinks=sinks)
            assert mx.array_equal(wide[:, :, row : row + 1], alone), (chip, heads, keys, row)
        exact = [array.astype(mx.float32) for array in (queries, *held)]
        expected = mx.fast.scaled_dot_product_attention(*exact, scale=size**-0.5, mask=mask, sinks=sinks)
        assert mx.allclose(wide.astype(mx.float32), expected, atol=1e-5 if dtype == mx.float32 else 2e-2)


@pytest.mark.parametrize(("size", "rows"), [*product((64, 96, 128, 256), (2, 17, 33))])
def test_no_launch_needs_more_threads_than_any_chip_has_registers_for(
    size: int, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The emulation refuses what Metal does, too, so that the bits of heads of 256 are those of such a launch."""
    launches: list[int] = []

    def launch(*, threadgroup: tuple[int, int, int], output_shapes: list[tuple[int, ...]], **_: Any) -> list[mx.array]:
        launches.append(prod(threadgroup))
        return [mx.zeros(shape) for shape in output_shapes]

    monkeypatch.setattr(attention, "row_kernel", lambda *_, **__: launch)
    monkeypatch.setattr(mx, "device_info", lambda: {"architecture": "applegpu_g13d"})
    for heads, kv_heads in ((8, 8), (16, 2), (32, 1)):
        queries, keys = mx.zeros((1, heads, rows, size)), mx.zeros((1, kv_heads, 40, size))
        attention_of_rows(queries, keys, keys, scale=1.0, mask="causal")
    assert len(launches) == 6
    assert max(launches) <= 512


@pytest.mark.first
def test_rows_are_summed_as_mlx_s_host_decides() -> None:
    switches = (300, 1024, 4096, 8192, 16384, 32768, 65536)
    for chip, share, keys in product(
        "pgsd", (1, 2, 3, 4, 5, 6, 8, 12), [n + by for n in switches for by in (-1, 0, 1)]
    ):
        two, blocks = choice(chip, keys, share, 1)
        assert key_blocks(keys, share, chip) == ((blocks, True) if two else (32, False))


@pytest.mark.parametrize(("free", "most"), [(1 << 30, 16384), (100 << 20, 8192), (60 << 20, 1)])
def test_no_context_is_raced_whose_sums_of_blocks_do_not_fit(
    free: int, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Caches of 16,384 keys would fit. For them, an Ultra writes 73 MB a layer, and 18 MB from 1,024 keys on."""
    monkeypatch.setattr(mx, "device_info", lambda: {"architecture": "applegpu_g13d"})
    heads = {"num_attention_heads": 32, "num_key_value_heads": 2, "head_dim": 64}
    main = load(write_model(tmp_path / "main", config=QWEN3 | heads | {"max_position_embeddings": 20000}))
    assert max(keys for keys, _, _ in ATTENTION.comparisons(main, free)) == most


@pytest.mark.full
@pytest.mark.parametrize(
    ("chip", "heads", "size", "keys", "rows", "mlx", "ours"),
    [
        ("g", 4, 128, 4200, 8, 32, 1), ("g", 6, 256, 4200, 5, 30, 1), ("s", 1, 64, 2000, 8, 8, 1),
        ("s", 8, 96, 2000, 4, 32, 1),
    ],
)  # fmt: skip
def test_keys_are_read_once_for_all_rows_and_heads(
    chip: str, heads: int, size: int, keys: int, rows: int, mlx: int, ours: int, folder: Path,
    on_chip: Callable[..., dict[str, EmulatedKernel]],
) -> None:  # fmt: skip
    kernels = on_chip(chip, counted=True)
    queries, *held = (
        random(1, many, tokens, size, dtype=mx.bfloat16) for many, tokens in ((heads, rows), (1, keys), (1, keys))
    )
    wide = OneRow(mx.bfloat16, size, chip, folder, counted=True)
    wide(queries, *held, scale=1.0, mask="causal")
    attention_of_rows(queries, *held, scale=1.0, mask="causal")
    whole = 2 * keys * size
    assert [round(reads / whole) for reads in (wide.reads, kernels["rows_attention"].reads)] == [mlx, ours]
    assert kernels["rows_attention"].reads <= whole


def test_a_model_uses_them_in_passes_of_the_sizes_that_were_chosen_only(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[int] = []

    def watch(queries: mx.array, keys: mx.array, values: mx.array, **more: Any) -> mx.array:
        called.append(queries.shape[2])
        return mx.fast.scaled_dot_product_attention(queries, keys, values, **more)

    for name, value in (("attention_of_rows", watch), ("SIZES", range(256)), ("HALF", {mx.float32, mx.bfloat16})):
        monkeypatch.setattr(attention, name, value)
    monkeypatch.setattr("mlx_lm.models.llama.scaled_dot_product_attention", scaled_dot_product_attention)
    for chosen, name, rows in product((True, False), ("llama", "llama:quantised"), (1, 2, 3, 4, 5)):
        model, caches = build(name), fresh_caches(name)
        ATTENTION.use(model, {PassSize(4, 1)} if chosen else set())
        for ids in ([1] * 8, [2] * rows):
            called.clear()
            mx.eval(model(mx.array([ids]), cache=caches))
        assert set(called) == ({rows} if chosen and name == "llama" and rows in (3, 4) else set())
