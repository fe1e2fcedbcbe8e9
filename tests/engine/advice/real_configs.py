"""Sizes of published models, as in their config.json, and what a token of context takes in their caches.

Each has the settings on which the caches depend; `COMMON` completes those that mlx-lm requires. Nothing is downloaded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

SLIDING, FULL = "sliding_attention", "full_attention"
COMMON: dict[str, Any] = {
    "vocab_size": 32000, "rms_norm_eps": 1e-6, "rope_theta": 1e6, "max_position_embeddings": 131072,
    "tie_word_embeddings": False, "attention_bias": False, "mlp_bias": False, "rope_scaling": None,
}  # fmt: skip
LATENT: dict[str, Any] = {
    "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128,
}  # fmt: skip
ROUTED: dict[str, Any] = {
    "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8, "moe_intermediate_size": 2048,
    "first_k_dense_replace": 3, "moe_layer_freq": 1, "n_group": 1, "topk_group": 1, "routed_scaling_factor": 2.5,
    "norm_topk_prob": True, "scoring_func": "sigmoid", "topk_method": "noaux_tc",
}  # fmt: skip
DELTA: dict[str, Any] = {
    "linear_num_key_heads": 16, "linear_key_head_dim": 128, "linear_value_head_dim": 128, "linear_conv_kernel_dim": 4,
}  # fmt: skip


@dataclass(frozen=True)
class Published:
    """A published model: 16-bit bytes of weights, of a token of context, and of a state; windows with bytes a token."""

    config: dict[str, Any]
    token_bytes: int
    windows: dict[int, int] = field(default_factory=dict)
    parameters: float = 8e9


def _of(kind: str, hidden: int, inner: int, layers: int, heads: int, kv_heads: int, **others: Any) -> dict[str, Any]:
    """Return a configuration by the six sizes that all have."""
    return {
        **COMMON, "model_type": kind, "hidden_size": hidden, "intermediate_size": inner, "num_hidden_layers": layers,
        "num_attention_heads": heads, "num_key_value_heads": kv_heads, **others,
    }  # fmt: skip


# fmt: off
PUBLISHED: dict[str, Published] = {
    # Full attention: 2 x layers x key-value heads x head size x 2 bytes
    "Llama-3.1-8B": Published(_of("llama", 4096, 14336, 32, 32, 8), 131_072),
    "Qwen3-8B": Published(_of("qwen3", 4096, 12288, 36, 32, 8, head_dim=128), 147_456),
    "Qwen3-30B-A3B": Published(_of("qwen3_moe", 2048, 6144, 48, 32, 4, head_dim=128, num_experts=128,
        num_experts_per_tok=8, decoder_sparse_step=1, mlp_only_layers=[], moe_intermediate_size=768,
        norm_topk_prob=True), 98_304, parameters=30.5e9),
    "Nanbeige4.1-3B-loop": Published(_of("nanbeige", 2560, 10496, 32, 20, 4, head_dim=128, num_loops=2), 131_072,
        parameters=4e9),
    "AFM-7": Published({"model_type": "afm7", "vocab_size": 153600, "hidden_dim": 2048, "num_layers": 56,
        "num_kv_reuse_layers": 21, "num_heads": 16, "num_kv_heads": 2}, 35 * 2 * 2 * 128 * 2, parameters=3.2e9),
    # Latent attention: layers x (512 + 64) x 2 bytes, and with an index 2 x 128 more: mlx-lm keeps zeros as its values
    "DeepSeek-V3": Published(_of("deepseek_v3", 7168, 18432, 61, 128, 128, **LATENT, **ROUTED), 70_272,
        parameters=671e9),
    "GLM-4.7-Flash": Published(_of("glm4_moe_lite", 2048, 10240, 47, 20, 20, **{**LATENT, "q_lora_rank": 768,
        "qk_nope_head_dim": 192, "v_head_dim": 256}, **{**ROUTED, "n_routed_experts": 64, "num_experts_per_tok": 4}),
        54_144, parameters=30e9),
    "DeepSeek-V3.2": Published(_of("deepseek_v32", 7168, 18432, 61, 128, 128, **LATENT, **ROUTED, index_head_dim=128,
        index_n_heads=64, index_topk=2048), 61 * 2 * (576 + 2 * 128), parameters=671e9),
    # mlx-lm caches what it makes of this model's latent vectors: 16 heads x (192 + 128) a layer
    "Youtu-LLM-2B": Published(_of("youtu_llm", 2048, 6144, 32, 16, 16, **LATENT), 327_680, parameters=2e9),
    # Two blocks of attention a layer
    "LongCat-Flash": Published({**COMMON, **LATENT, "model_type": "longcat_flash", "hidden_size": 6144,
        "ffn_hidden_size": 12288, "expert_ffn_hidden_size": 2048, "n_routed_experts": 512, "zero_expert_num": 256,
        "zero_expert_type": "identity", "moe_topk": 12, "num_layers": 28, "num_attention_heads": 64,
        "attention_method": "MLA", "routed_scaling_factor": 6.0, "mla_scale_q_lora": True, "mla_scale_kv_lora": True},
        64_512, parameters=560e9),
    # Windows: full layers as above, and each sliding layer up to its window (a chunk and a step of the buffer)
    "gemma-3-27b": Published(_of("gemma3_text", 5376, 21504, 62, 32, 16, head_dim=128, sliding_window=1024,
        sliding_window_pattern=6), 10 * 8192, {1024: 52 * 8192}, parameters=27.4e9),
    "gemma-4-31b": Published({"model_type": "gemma4", "text_config": _of("gemma4_text", 5376, 21504, 60, 32, 16,
        head_dim=256, global_head_dim=512, num_global_key_value_heads=4, attention_k_eq_v=True, num_kv_shared_layers=0,
        hidden_size_per_layer_input=0, use_double_wide_mlp=False, sliding_window=1024, sliding_window_pattern=6)},
        10 * 8192, {1024: 50 * 16384}, parameters=30.7e9),
    "gpt-oss-20b": Published(_of("gpt_oss", 2880, 2880, 24, 64, 8, head_dim=64, num_local_experts=32,
        num_experts_per_tok=4, sliding_window=128, layer_types=[SLIDING, FULL] * 12), 12 * 2048, {128: 12 * 2048},
        parameters=20.9e9),
    "Llama-4-Scout": Published({"model_type": "llama4", "text_config": _of("llama4_text", 5120, 8192, 48, 40, 8,
        head_dim=128, attention_chunk_size=8192, interleave_moe_layer_step=1, intermediate_size_mlp=16384,
        num_experts_per_tok=1, num_local_experts=16, use_qk_norm=True)}, 49_152, {8192 + 256: 147_456},
        parameters=109e9),
    "MiMo-V2-Flash": Published(_of("mimo_v2_flash", 4096, 16384, 48, 64, 4, **{**ROUTED,
        "moe_layer_freq": [0] + [1] * 47, "n_shared_experts": None}, head_dim=192, v_head_dim=128,
        hybrid_layer_pattern=[int(layer not in (0, 5, 11, 17, 23, 29, 35, 41, 47)) for layer in range(48)],
        add_swa_attention_sink_bias=True, add_full_attention_sink_bias=False, sliding_window_size=128,
        layernorm_epsilon=1e-5, swa_rope_theta=1e4, swa_num_attention_heads=64, swa_num_key_value_heads=8,
        swa_head_dim=192, swa_v_head_dim=128, partial_rotary_factor=0.334), 23_040, {128: 39 * 8 * 320 * 2},
        parameters=309e9),
    # Recurrent layers, alone and mixed with attention
    "Qwen3.5-27B": Published({"model_type": "qwen3_5", "text_config": _of("qwen3_5_text", 5120, 17408, 64, 24, 4,
        **DELTA, head_dim=256, linear_num_value_heads=48, full_attention_interval=4)}, 65_536, parameters=27e9),
    "Ling-mini-linear": Published(_of("bailing_moe_linear", 2048, 5120, 20, 16, 4, head_dim=128,
        moe_intermediate_size=512, num_experts=256, num_shared_experts=1, norm_topk_prob=True, num_experts_per_tok=8,
        first_k_dense_replace=1, layer_group_size=5, group_norm_size=4, use_qk_norm=True), 8_192, parameters=16e9),
    "Kimi-Linear-48B": Published(_of("kimi_linear", 2304, 9216, 27, 32, 32, **LATENT, head_dim=72,
        model_max_length=1048576, num_experts=256, num_experts_per_token=8, num_shared_experts=1, mla_use_nope=True,
        moe_intermediate_size=1024, first_k_dense_replace=1, linear_attn_config={"head_dim": 128, "num_heads": 32,
        "short_conv_kernel_size": 4, "full_attn_layers": [4, 8, 12, 16, 20, 24, 27],
        "kda_layers": [layer for layer in range(1, 28) if layer not in (4, 8, 12, 16, 20, 24, 27)]}),
        7 * 576 * 2, parameters=48e9),
    "LFM2-1.2B": Published(_of("lfm2", 2048, 12288, 16, 32, 8, norm_eps=1e-5, conv_bias=False, conv_L_cache=3,
        block_dim=2048, block_multiple_of=256, block_ffn_dim_multiplier=1.0, block_auto_adjust_ff_dim=True,
        full_attn_idxs=[2, 5, 8, 10, 12, 14]), 6 * 2048, parameters=1.2e9),
    "Falcon-Mamba-7B": Published({**COMMON, "model_type": "falcon_mamba", "hidden_size": 4096,
        "intermediate_size": 8192, "state_size": 16, "num_hidden_layers": 64, "conv_kernel": 4, "use_bias": False,
        "use_conv_bias": True, "time_step_rank": 256}, 0, parameters=7.3e9),
}
# fmt: on
