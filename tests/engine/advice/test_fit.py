"""The sum of the memory that a main and a draft model need, and the longest context that fits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.advice.cache_shape import cache_shape, cached_elements
from engine.advice.catalog import load_catalog
from engine.advice.fit import (
    SCORED_TOKENS,
    ModelSize,
    block_bytes,
    check_fit,
    largest_context,
    memory_for_models,
    stored_bits,
    workspace_bytes,
)
from engine.model_files.config import context_length
from engine.speculation.caches.buffer_sizes import GROWTH_TOKENS
from engine.speculation.rounds.sequence import PREFILL_CHUNK
from tests.engine.model_files.model_folders import llama_config

GB = 10**9
SMALL = {
    "llama": llama_config(),
    "gemma3_text": llama_config(
        model_type="gemma3_text", head_dim=8, num_hidden_layers=6, sliding_window=16, sliding_window_pattern=3
    ),
    "qwen3_5": {
        "model_type": "qwen3_5",
        "text_config": llama_config(
            model_type="qwen3_5_text",
            head_dim=8,
            num_hidden_layers=4,
            full_attention_interval=2,
            linear_num_value_heads=4,
            linear_num_key_heads=2,
            linear_key_head_dim=32,
            linear_value_head_dim=32,
            linear_conv_kernel_dim=4,
            rope_parameters={"rope_theta": 10000.0, "partial_rotary_factor": 0.5, "type": "default"},
        ),
    },
}


@pytest.mark.parametrize(
    ("quantization", "bits"),
    [
        ({"bits": 4, "group_size": 64}, 4.5),
        ({"bits": 8, "group_size": 32, "mode": "affine"}, 9.0),
        ({"bits": 4, "group_size": 32, "mode": "mxfp4"}, 4.25),
        ({"bits": 4, "group_size": 16, "mode": "nvfp4"}, 4.5),
        ({"bits": 6}, 6.5),
    ],
)
def test_the_scales_of_a_weight_depend_on_its_group(quantization: dict[str, Any], bits: float) -> None:
    assert stored_bits({"quantization": quantization}) == bits


def size(name: str, weights: int, **changes: Any) -> ModelSize:
    return ModelSize(name, weights, llama_config(**changes))


@pytest.mark.first
def test_the_largest_context_is_the_last_one_that_fits() -> None:
    main = size("m", 10**9, max_position_embeddings=100_000, hidden_size=1024)
    limit = check_fit(main, None, 30_000, 0).needed
    best = largest_context(main, None, limit)
    assert check_fit(main, None, best, limit).fits
    assert not check_fit(main, None, best + GROWTH_TOKENS, limit).fits
    assert largest_context(main, None, 10**6) == 0
    unknown = ModelSize("m", 10**9, {**main.config, "max_position_embeddings": None})
    assert largest_context(unknown, None, limit) == 4096


def test_scores_of_attention_are_counted_where_mlx_has_no_kernel_for_the_heads() -> None:
    """Gemma 4 26B-A4B peaked at 20 GB after 8k tokens in passes of 2,048, from 15 GB (Rapid-MLX#1636)."""
    assert SCORED_TOKENS == PREFILL_CHUNK
    model = load_catalog().models["mlx-community/gemma-4-26b-a4b-it-4bit"]
    main = ModelSize(model.id, model.weight_bytes, model.config)
    assert 16.2 * GB < check_fit(main, None, 8192, 0).needed < 20 * GB
    scores = 2 * 16 * PREFILL_CHUNK * 65_536 * 2
    assert workspace_bytes(main, context=65_536) - workspace_bytes(main, context=1) == pytest.approx(scores, rel=0.1)
    fused = ModelSize("fused", 0, {**model.config, "head_dim": 128, "global_head_dim": 128})
    assert workspace_bytes(fused, context=65_536) == workspace_bytes(fused)


def test_sums_of_blocks_of_keys_are_counted_where_the_machine_s_attention_has_them() -> None:
    heads = {"num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 128, "hidden_size": 1024}
    config = llama_config(**heads, intermediate_size=1024)
    plain = ModelSize("main", 0, config)
    asked: list[tuple[int, int]] = []

    def key_blocks(keys: int, share: int) -> int:
        asked.append((keys, share))
        return 1024 if keys >= 65536 else 32

    ultra = replace(plain, key_blocks=key_blocks)
    # Two layers of 33 rows, 64 heads and 1,024 blocks, each with 128 numbers of 16 bits and two of 32.
    assert block_bytes(ultra, 65536) == workspace_bytes(ultra, context=65536) == 2 * 33 * 64 * 1024 * 264
    assert asked == [(65536, 8)] * 2
    assert workspace_bytes(ultra, context=65535) == workspace_bytes(plain, context=65536) == 2**28
    assert workspace_bytes(ultra) == 2**28
    # Where they fit only just, the longest context is before their number grows.
    at = check_fit(ultra, None, 65536, 0).needed
    assert largest_context(replace(ultra, config={**config, "max_position_embeddings": 10**6}), None, at - 1) == 65535


@pytest.mark.parametrize("config", [{}, {"num_attention_heads": 0}, {"num_attention_heads": "8"}])
def test_a_configuration_without_heads_has_no_sums_of_blocks(config: dict[str, Any]) -> None:
    assert block_bytes(ModelSize("main", 0, config, key_blocks=lambda *_: 1024), 65536) == 0


@pytest.mark.parametrize(
    ("memory", "recommended", "usable"),
    [
        (8, None, 4),
        (16, None, 10.13),
        (24, None, 15.2),
        (36, None, 25.65),
        (128, None, 91.2),
        (128, 107.5, 102.125),
        # A person can let Metal recommend nearly all of the memory, and Linux may have less of it than any Mac.
        (16, 15, 12),
        (2, None, 1),
    ],
)
def test_models_get_less_than_metal_recommends_and_leave_the_system_its_share(
    memory: int, recommended: float | None, usable: float
) -> None:
    asked = None if recommended is None else int(recommended * 2**30)
    assert memory_for_models(memory * 2**30, asked) / 2**30 == pytest.approx(usable, abs=0.005)


def test_the_context_length_is_found_under_each_of_its_names() -> None:
    assert context_length({"max_position_embeddings": 10}) == 10
    assert context_length({"text_config": {"max_position_embeddings": 20}}) == 20
    assert context_length({}) is None


@pytest.mark.parametrize(
    ("model", "context", "held"),
    [
        *(("llama", context, held) for context, held in ((100, 256), (5000, 8192), (8193, 16384), (40960, 40960))),
        *(("gemma3_text", 5000, 5000), ("qwen3_5", 5000, 5000)),
    ],
)
def test_the_buffers_of_a_draft_of_full_attention_alone_grow_in_leaps(model: str, context: int, held: int) -> None:
    size = ModelSize(model, 0, SMALL[model])
    caches = {term.model: term.bytes for term in check_fit(size, size, context, 10**12).terms if term.code == "cache"}
    shape = cache_shape(SMALL[model])
    assert caches == {"main": 2 * cached_elements(shape, context), "draft": 2 * cached_elements(shape, held)}
