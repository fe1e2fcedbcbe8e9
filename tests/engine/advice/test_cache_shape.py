"""The caches of layers by configuration, for families of which `test_fit` builds no small model."""

from __future__ import annotations

from typing import Any

import pytest

from engine.advice.cache_shape import cache_shape
from tests.engine.model_files.model_folders import llama_config


@pytest.mark.parametrize(
    ("changes", "full", "window", "recurrent"),
    [
        ({"model_type": "nemotron_h", "hybrid_override_pattern": "M-M*E"}, 1, 0, 2),
        ({"model_type": "qwen3_next", "num_hidden_layers": 8}, 2, 0, 6),
        ({"model_type": "kimi_linear", "linear_attn_config": {"kda_layers": [1, 3]}, "num_hidden_layers": 4}, 2, 0, 2),
        ({"model_type": "gemma3_text", "sliding_window": 16, "num_hidden_layers": 12}, 2, 10, 0),
        ({"model_type": "mamba2", "layer_types": ["mamba2", "mlp", "full_attention"]}, 1, 0, 1),
        ({"model_type": "qwen3", "layer_types": ["sliding_attention"] * 2, "sliding_window": 16}, 2, 0, 0),
        ({"model_type": "gemma3n", "num_hidden_layers": 6, "num_kv_shared_layers": 2}, 4, 0, 0),
    ],
)
def test_layers_are_counted_by_what_they_keep(changes: dict[str, Any], full: int, window: int, recurrent: int) -> None:
    shape = cache_shape(llama_config(**changes))
    assert (shape.full_layers, shape.window_layers, shape.recurrent_layers) == (full, window, recurrent)


@pytest.mark.parametrize(
    ("settings", "elements"),
    [
        ({"conv_L_cache": 3, "hidden_size": 10}, 2 * 10),
        ({"linear_attn_config": {"kda_layers": [1], "num_heads": 2, "head_dim": 4, "short_conv_kernel_size": 3}}, 80),
        ({"mamba_n_heads": 2, "mamba_d_head": 4, "mamba_d_state": 3, "mamba_n_groups": 1, "mamba_d_conv": 4}, 66),
    ],
)
def test_a_recurrent_layer_keeps_its_state_and_the_inputs_of_its_convolution(
    settings: dict[str, Any], elements: int
) -> None:
    shape = cache_shape({"num_hidden_layers": 1, "layer_types": ["conv"], **settings})
    assert (shape.state_elements, shape.state_bytes) == (elements, 4 * elements)
