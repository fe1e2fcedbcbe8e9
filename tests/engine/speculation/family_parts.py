"""Parts of the tiny configurations in `family_configs`."""

from __future__ import annotations

from typing import Any

VOCABULARY = 96
WINDOW = 8
SLIDING, FULL, LINEAR = "sliding_attention", "full_attention", "linear_attention"

DENSE: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "max_position_embeddings": 4096,
    "tie_word_embeddings": False,
    "attention_bias": False,
    "mlp_bias": False,
}
EXPERTS: dict[str, Any] = {
    "num_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 24,
    "norm_topk_prob": True,
}
LATENT: dict[str, Any] = {
    "num_key_value_heads": 4,
    "q_lora_rank": 16,
    "kv_lora_rank": 16,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 8,
    "v_head_dim": 8,
}
ROUTED: dict[str, Any] = {
    "n_routed_experts": 4,
    "n_shared_experts": 1,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 24,
    "first_k_dense_replace": 1,
    "moe_layer_freq": 1,
    "n_group": 1,
    "topk_group": 1,
    "routed_scaling_factor": 1.0,
    "norm_topk_prob": True,
    "scoring_func": "sigmoid",
    "topk_method": "noaux_tc",
}
DELTA: dict[str, Any] = {
    "linear_num_value_heads": 2,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 32,
    "linear_value_head_dim": 16,
    "linear_conv_kernel_dim": 4,
}
ROPES: dict[str, Any] = {SLIDING: {"rope_theta": 1e4}, FULL: {"rope_theta": 1e6}}
MISTRAL_ROPE: dict[str, Any] = {
    "rope_theta": 1e4,
    "llama_4_scaling_beta": 0.1,
    "original_max_position_embeddings": 64,
}
WINDOWS: dict[str, Any] = {"sliding_window": WINDOW, "layer_types": [SLIDING, FULL]}

GEMMA3: dict[str, Any] = {
    "num_hidden_layers": 3,
    "sliding_window": WINDOW,
    "sliding_window_pattern": 2,
    "query_pre_attn_scalar": 8,
}
GPT2: dict[str, Any] = {
    "n_layer": 2,
    "n_head": 4,
    "n_embd": 32,
    "n_ctx": 512,
    "n_positions": 512,
    "layer_norm_epsilon": 1e-5,
}
KDA: dict[str, Any] = {"num_heads": 2, "head_dim": 32, "short_conv_kernel_size": 4}
SHORT_CONV: dict[str, Any] = {"norm_eps": 1e-5, "conv_bias": False, "conv_L_cache": 3}
LONG_ROPE: dict[str, Any] = {
    "short_factor": [1.0] * 4,
    "long_factor": [1.0] * 4,
    "short_mscale": 1.0,
    "long_mscale": 1.0,
    "original_max_position_embeddings": 4096,
}
YARN: dict[str, Any] = {"type": "yarn", "factor": 2.0, "mscale": 1.0, "mscale_all_dim": 1.0}


def dense(**overrides: Any) -> dict[str, Any]:
    """A small Llama-like configuration with `overrides`."""
    return {**DENSE, **overrides}
