"""The sizes of caches, against the caches that mlx-lm and mlx-vlm really fill and against published figures."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from typing import Any

import mlx.core as mx
import pytest

from engine.advice.cache_shape import COUNTING, cache_shape, cached_elements
from engine.model_files.cache_counting import CacheShape, count_caches
from tests.engine.advice.real_configs import PUBLISHED
from tests.engine.model_files.model_folders import llama_config
from tests.engine.speculation.families import FAMILIES, ONE_OF_A_KIND, VLM_FAMILIES, build, fresh_caches, model_type
from tests.engine.tiers import by_tier
from tests.patience import PATIENCE_S

# Quantised caches are counted by `ModelSize.element_bytes`.
PLAIN = [name for name in (*FAMILIES, *VLM_FAMILIES) if not name.endswith(":quantised")]
# Models whose figures were wrong while another description of their caches was kept here.
ONCE_WRONG = (
    "DeepSeek-V3.2", "Youtu-LLM-2B", "LongCat-Flash", "AFM-7", "Nanbeige4.1-3B-loop", "Llama-4-Scout", "MiMo-V2-Flash",
    "Ling-mini-linear", "Falcon-Mamba-7B",
)  # fmt: skip


@pytest.mark.parametrize("name", by_tier(PLAIN, ONE_OF_A_KIND))
def test_the_sizes_are_those_of_the_caches_that_the_library_fills(name: str) -> None:
    model, caches = build(name), fresh_caches(name)
    # The last token alone: a pass over several leaves more than its window in a sliding layer.
    for tokens in (256, 256, 255, 1):
        mx.eval(model(mx.zeros((1, tokens), dtype=mx.int32), cache=caches), [cache.state for cache in caches])
    filled = sum(cache.nbytes for cache in caches)
    config = {"model_type": model_type(name), **(FAMILIES | VLM_FAMILIES)[name]}
    shape = cache_shape(config, partial(count_caches, number_bytes=4))
    assert 4 * cached_elements(shape, 768) + shape.state_bytes == pytest.approx(filled, rel=0.02)


@pytest.mark.parametrize("name", by_tier(PUBLISHED, ONCE_WRONG))
def test_a_token_of_context_takes_what_published_sizes_say(name: str) -> None:
    shape, published = count_caches(PUBLISHED[name].config), PUBLISHED[name]
    assert (2 * shape.elements_a_token, {window: 2 * elements for window, elements in shape.windows}) == (
        published.token_bytes,
        published.windows,
    )


def test_a_window_stops_growing() -> None:
    shape = CacheShape(10, ((300, 5),))
    assert [cached_elements(shape, tokens) for tokens in (1, 256, 257, 1024)] == [3840, 3840, 6620, 11740]


def test_heads_that_share_their_keys_are_told_from_heads_that_do_not() -> None:
    shared = {name: count_caches(PUBLISHED[name].config).undivided for name in ("GLM-4.7-Flash", "Youtu-LLM-2B")}
    assert shared == {"GLM-4.7-Flash": True, "Youtu-LLM-2B": False}


@pytest.mark.parametrize(
    "changes",
    [
        {"num_hidden_layers": 10**9},
        {"num_hidden_layers": 2**70},
        {"hidden_size": "wide"},
        {"num_key_value_heads": 0},
        {"vocab_size": -1},
        {"head_dim": 2**40},
        {"rope_scaling": {"type": "\ud800"}},
        {"model_type": "no such"},
        {"model_type": "../llama"},
    ],
    ids=str,
)
def test_what_cannot_be_built_has_an_empty_shape_and_harms_nothing(
    changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.advice.cache_shape.COUNT_S", 1)
    assert cache_shape(llama_config(**changes)) == CacheShape()
    assert cache_shape(llama_config(max_position_embeddings=len(str(changes)))).elements_a_token


def test_a_configuration_is_counted_once_however_it_is_quantised() -> None:
    first = cache_shape(llama_config(num_hidden_layers=5))
    COUNTING.release()
    again = cache_shape(llama_config(num_hidden_layers=5, quantization={"bits": 4, "group_size": 64}))
    assert again is first
    assert COUNTING.pid is None


@pytest.mark.full
def test_the_asking_process_imports_no_mlx() -> None:
    script = (
        "import sys; from engine.advice.cache_shape import COUNTING, cache_shape; "
        f"assert cache_shape({llama_config()!r}).elements_a_token; "
        "sys.exit(any(name in sys.modules for name in ('mlx', 'mlx.core', 'mlx_lm', 'transformers')))"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=PATIENCE_S)
