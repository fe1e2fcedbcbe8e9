"""The memory arithmetic, against the caches that mlx-lm really makes."""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from engine.advice.cache_shape import cache_shape
from engine.advice.fit import ModelSize, check_fit, largest_context, working_set_limit
from engine.model_files.config import context_length
from engine.speculation.rounds.buffer_sizes import GROWTH_TOKENS
from tests.engine.model_files.model_folders import llama_config

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKENS = 40

SMALL: dict[str, dict[str, Any]] = {
    "llama": llama_config(),
    "mistral": llama_config(model_type="mistral"),
    "qwen3": llama_config(model_type="qwen3", head_dim=8),
    "gemma3_text": llama_config(
        model_type="gemma3_text", head_dim=8, num_hidden_layers=6, sliding_window=16, sliding_window_pattern=3
    ),
    "gpt_oss": llama_config(
        model_type="gpt_oss",
        head_dim=8,
        num_hidden_layers=4,
        num_local_experts=4,
        num_experts_per_tok=2,
        sliding_window=16,
        layer_types=["sliding_attention", "full_attention"] * 2,
        rope_scaling=None,
    ),
    "deepseek_v3": llama_config(
        model_type="deepseek_v3",
        num_key_value_heads=4,
        kv_lora_rank=16,
        q_lora_rank=None,
        qk_rope_head_dim=4,
        qk_nope_head_dim=8,
        v_head_dim=8,
        n_routed_experts=None,
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
    "lfm2": llama_config(
        model_type="lfm2",
        norm_eps=1e-5,
        conv_bias=False,
        conv_L_cache=3,
        block_dim=16,
        block_ff_dim=32,
        block_multiple_of=8,
        block_ffn_dim_multiplier=1.0,
        block_auto_adjust_ff_dim=False,
        full_attn_idxs=[1],
    ),
}


def cached_elements(config: dict[str, Any]) -> Iterator[tuple[str, int, int]]:
    """(kind, elements, tokens held) of every layer's cache after `TOKENS` tokens."""
    import mlx.core as mx
    from mlx_lm.models.cache import make_prompt_cache
    from mlx_lm.utils import _get_classes

    model_class, arguments_class = _get_classes(json.loads(json.dumps(config)))
    model = model_class(arguments_class.from_dict(json.loads(json.dumps(config))))
    cache = make_prompt_cache(model)
    mx.eval(model(mx.zeros((1, TOKENS), dtype=mx.int32), cache=cache))
    for layer in cache:
        if type(layer).__name__ == "ArraysCache":
            yield "recurrent", sum(array.size for array in layer.cache if array is not None), 0
        else:
            held = layer.keys.shape[2]
            yield "attention", layer.keys.size + layer.values.size, held


# One for each way of caching; the rest runs in the full tier.
KINDS = ["llama", "gemma3_text", "deepseek_v3", "qwen3_5", "lfm2"]
OTHERS = [pytest.param(name, marks=pytest.mark.full) for name in SMALL if name not in KINDS]


@pytest.mark.parametrize("name", KINDS + OTHERS)
def test_the_arithmetic_is_what_mlx_lm_allocates(name: str) -> None:
    config = SMALL[name]
    shape = cache_shape(config)
    caches = list(cached_elements(config))
    per_token = sum(elements // held for kind, elements, held in caches if kind == "attention")
    state = sum(elements for kind, elements, _ in caches if kind == "recurrent")
    assert shape.elements_a_token + sum(elements for _, elements in shape.windows) == per_token
    assert shape.state_elements == state


def test_a_window_stops_growing() -> None:
    shape = cache_shape(SMALL["gemma3_text"])
    assert (shape.full_layers, shape.window_layers) == (2, 4)
    step = shape.growing_elements(2 * GROWTH_TOKENS) - shape.growing_elements(GROWTH_TOKENS)
    assert step == GROWTH_TOKENS * shape.elements_a_token


def test_models_that_share_caches_between_layers_count_them_once() -> None:
    config = llama_config(
        model_type="gemma4_text",
        num_hidden_layers=4,
        head_dim=8,
        global_head_dim=16,
        num_kv_shared_layers=2,
        sliding_window=16,
        layer_types=["sliding_attention", "full_attention"] * 2,
    )
    shape = cache_shape(config)
    assert shape.elements_a_token == 2 * 2 * 16
    assert shape.windows == ((16, 2 * 2 * 8),)


def size(name: str, weights: int, **changes: Any) -> ModelSize:
    return ModelSize(name, weights, llama_config(**changes))


def test_the_terms_add_up_and_say_whose_they_are() -> None:
    report = check_fit(size("m", 10**9), size("d", 10**8), 4096, limit=2 * 10**9, in_use=10**8)
    assert report.needed == sum(term.bytes for term in report.terms)
    assert report.free_after == 2 * 10**9 - 10**8 - report.needed
    assert [(term.code, term.model) for term in report.terms] == [
        ("weights", "main"),
        ("cache", "main"),
        ("weights", "draft"),
        ("cache", "draft"),
        ("workspace", "both"),
    ]
    assert report.fits


def test_the_largest_context_is_the_last_one_that_fits() -> None:
    main = size("m", 10**9, max_position_embeddings=100_000, hidden_size=1024)
    limit = check_fit(main, None, 30_000, 0).needed
    best = largest_context(main, None, limit)
    assert check_fit(main, None, best, limit).fits
    assert not check_fit(main, None, best + GROWTH_TOKENS, limit).fits
    assert largest_context(main, None, 10**6) == 0


def test_the_default_limit_follows_the_size_of_the_machine() -> None:
    assert working_set_limit(24 * 2**30) == 16 * 2**30
    assert working_set_limit(128 * 2**30) == 96 * 2**30


def test_the_context_length_is_found_under_each_of_its_names() -> None:
    assert context_length({"max_position_embeddings": 10}) == 10
    assert context_length({"text_config": {"max_position_embeddings": 20}}) == 20
    assert context_length({}) is None


def test_every_module_that_the_arithmetic_names_exists() -> None:
    """A renamed module of mlx-lm would quietly be counted as if it kept every token."""
    from engine.advice.cache_shape import _LATENT, _SLIDES

    for module in sorted(_LATENT | _SLIDES):
        assert importlib.util.find_spec(f"mlx_lm.models.{module}") is not None, module


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
    assert caches == {"main": 2 * shape.growing_elements(context), "draft": 2 * shape.growing_elements(held)}
