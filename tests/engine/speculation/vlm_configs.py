"""Configurations of tiny models, one for each family that mlx-vlm has and mlx-lm has not."""

from __future__ import annotations

from typing import Any

from tests.engine.speculation.family_configs import LATENT, ROUTED, WINDOW, WINDOWS, dense

ROUTED_BY_FEW: dict[str, Any] = {"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32}

# fmt: off
VLM_FAMILIES: dict[str, dict[str, Any]] = {
    "k2_horizon": dense(),
    "xing4_0": dense(**LATENT, **ROUTED, hc_mult=2),
    "cohere2_moe": dense(**WINDOWS, num_experts=4, num_experts_per_tok=2, num_shared_experts=1,
        first_k_dense_replace=1),
    "mimo_v2": dense(**ROUTED_BY_FEW, v_head_dim=8, swa_head_dim=8, swa_v_head_dim=8, swa_num_attention_heads=4,
        swa_num_key_value_heads=2, partial_rotary_factor=0.5, sliding_window_size=WINDOW, hybrid_layer_pattern=[1, 0],
        moe_layer_freq=[0, 1]),
    "flint": dense(**WINDOWS, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=32,
        shared_expert_intermediate_size=32, mlp_only_layers=[0]),
    "kolibri1": dense(**WINDOWS, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=32,
        shared_expert_intermediate_size=32),
    "step3p7": {"text_config": dense(**WINDOWS, num_attention_groups=2, moe_num_experts=4, moe_top_k=2,
        moe_intermediate_size=32, share_expert_dim=32, moe_layers_enum="1")},
    "glm5_next": {"text_config": dense(**{**LATENT, "qk_rope_head_dim": 0}, **ROUTED_BY_FEW, num_hidden_layers=4,
        index_topk=8, index_head_dim=8, index_n_heads=2, index_kpool=4, hc_mult=2, linear_head_dim=32,
        linear_num_heads=2, first_k_dense_replace=1)},
    "qwen4_exp": {"text_config": dense(model_type="qwen4_exp_text", num_hidden_layers=4, linear_num_value_heads=2,
        linear_num_key_heads=2, linear_key_head_dim=32, linear_value_head_dim=16, linear_conv_kernel_dim=4,
        num_experts=4, num_experts_per_tok=2, shared_expert_intermediate_size=32, moe_intermediate_size=32, hc_count=2,
        hc_lowrank=8, ple_layer_ids=[1], ple_embed_dim=32, heads_per_ngram=2, ngram_vocab_size_base=64,
        make_ngram_vocab_size_divisible_by=8, split_ngram_parts=2, eos_token_id=2, indexer_n_heads=2,
        indexer_kv_heads=1, indexer_head_dim=8, indexer_budget=8, indexer_compress_ratio=4, rope_parameters={
        "type": "default", "mrope_section": [1, 1, 0], "rope_theta": 1e4, "partial_rotary_factor": 0.5})},
    "deepseek_v4": dense(**ROUTED_BY_FEW, num_hidden_layers=4, q_lora_rank=16, qk_rope_head_dim=8, head_dim=16,
        compress_ratios=[0, 4, 128, 4], hc_mult=2, num_hash_layers=1, sliding_window=WINDOW, o_groups=2,
        o_lora_rank=16, index_n_heads=2, index_head_dim=16, index_topk=4, index_block=4, index_keep=2),
}
# fmt: on
