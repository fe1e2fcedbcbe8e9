"""Configurations of tiny models, one for each family of mlx-lm whose caches or layers differ.

Each is a dict in the shape of that family's config.json, small enough to run a pass in milliseconds. Windows are 8
tokens wide and chunks 16, so that a short run wraps them several times.
"""

from __future__ import annotations

from typing import Any

VOCABULARY = 96
WINDOW = 8
SLIDING, FULL, LINEAR = "sliding_attention", "full_attention", "linear_attention"

DENSE: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 64,
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
    "moe_intermediate_size": 32,
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
    "moe_intermediate_size": 32,
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
MISTRAL_ROPE: dict[str, Any] = {"rope_theta": 1e4, "llama_4_scaling_beta": 0.1, "original_max_position_embeddings": 64}
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
    """Return a small Llama-like configuration with `overrides`."""
    return {**DENSE, **overrides}


# fmt: off
FAMILIES: dict[str, dict[str, Any]] = {
    # Full attention
    "llama": dense(),
    "qwen2": dense(),
    "qwen3": dense(),
    "qwen3_moe": dense(**EXPERTS, decoder_sparse_step=1, mlp_only_layers=[]),
    "gemma2": dense(num_attention_heads=2, num_key_value_heads=1),
    "phi3": dense(),
    "glm4": dense(partial_rotary_factor=0.5),
    "glm4_moe": dense(**ROUTED, rope_scaling=None, use_qk_norm=True, partial_rotary_factor=0.5),
    "llama:quantised": dense(head_dim=32),
    "smollm3": dense(num_hidden_layers=4),
    "mixtral": dense(num_local_experts=4),
    "starcoder2": dense(tie_word_embeddings=True),
    "afm7": {"vocab_size": VOCABULARY, "hidden_dim": 32, "num_layers": 3, "num_kv_reuse_layers": 1, "num_heads": 4,
        "num_kv_heads": 2},
    "nanbeige": dense(num_loops=2),
    # Latent attention, with and without an index
    "deepseek_v3": dense(**LATENT, **ROUTED),
    "glm4_moe_lite": dense(**LATENT, **ROUTED),
    "minicpm3": dense(**LATENT, dim_model_base=32, scale_depth=1.4, scale_emb=1.0,
        rope_scaling={"original_max_position_embeddings": 4096}),
    "youtu_llm": dense(**LATENT),
    "deepseek_v32": dense(**LATENT, **ROUTED, index_head_dim=16, index_n_heads=2, index_topk=12),
    "longcat_flash": dense(**LATENT, num_layers=2, ffn_hidden_size=64, expert_ffn_hidden_size=32, n_routed_experts=4,
        zero_expert_num=1, zero_expert_type="identity", moe_topk=2, attention_method="MLA", routed_scaling_factor=1.0,
        mla_scale_q_lora=True, mla_scale_kv_lora=True),
    "minimax_m3_vl": {"text_config": dense(num_local_experts=4, num_experts_per_tok=2, dense_intermediate_size=64,
        shared_intermediate_size=32, layer_types=[FULL, "minimax_m3_sparse"], index_n_heads=2, index_head_dim=8,
        index_block_size=8, index_topk_blocks=3)},
    # Windows and chunks
    "llama:window": dense(**WINDOWS),
    "mistral3": {"text_config": dense(model_type="ministral3", **WINDOWS, rope_parameters=MISTRAL_ROPE)},
    "ministral3": dense(**WINDOWS, rope_parameters=MISTRAL_ROPE),
    "gemma3_text": dense(**GEMMA3),
    "gemma3n": {"text_config": dense(model_type="gemma3n_text", num_hidden_layers=4, num_kv_shared_layers=2,
        layer_types=[SLIDING, FULL, SLIDING, FULL], sliding_window=WINDOW, vocab_size_per_layer_input=VOCABULARY,
        hidden_size_per_layer_input=8, rope_local_base_freq=10000.0, final_logit_softcapping=30.0,
        activation_sparsity_pattern=[0.5, 0.0, 0.0, 0.0], altup_num_inputs=2, altup_coef_clip=120.0,
        altup_correct_scale=True, altup_active_idx=0, laurel_rank=4)},
    "gemma4": {"vocab_size": VOCABULARY, "text_config": dense(model_type="gemma4_text", num_hidden_layers=4,
        num_kv_shared_layers=2, layer_types=[SLIDING, FULL, SLIDING, FULL], sliding_window=WINDOW, global_head_dim=16,
        vocab_size_per_layer_input=VOCABULARY, hidden_size_per_layer_input=8)},
    "cohere2": dense(sliding_window=WINDOW, sliding_window_pattern=2, logit_scale=1.0),
    "olmo3": dense(**WINDOWS),
    "gpt_oss": dense(**WINDOWS, num_local_experts=4, num_experts_per_tok=2),
    "exaone4": dense(sliding_window=WINDOW, sliding_window_pattern="LG", rope_scaling=None),
    "exaone_moe": dense(**WINDOWS, **EXPERTS, num_shared_experts=1, is_moe_layer=[False, True]),
    "afmoe": dense(**WINDOWS, **{**EXPERTS, "num_experts": 4}, num_dense_layers=1),
    "mimo_v2_flash": dense(**{**ROUTED, "moe_layer_freq": [0, 1], "n_shared_experts": None}, hybrid_layer_pattern=[1,
        0], add_swa_attention_sink_bias=True, add_full_attention_sink_bias=False, sliding_window_size=WINDOW,
        layernorm_epsilon=1e-05, swa_rope_theta=10000.0, swa_num_attention_heads=4, swa_num_key_value_heads=2,
        v_head_dim=8, swa_head_dim=8, swa_v_head_dim=8, partial_rotary_factor=0.5),
    "step3p5": dense(**WINDOWS, num_attention_groups=2, moe_num_experts=4, moe_top_k=2, moe_intermediate_size=32,
        share_expert_dim=32, moe_layers_enum="1"),
    "plamo3": dense(window_size=WINDOW, sliding_window_pattern=2),
    "spark2_5": dense(**WINDOWS, rope_parameters=ROPES),
    "muse_glimmer": dense(**WINDOWS),
    "laguna": dense(**WINDOWS, **EXPERTS, shared_expert_intermediate_size=32),
    "mellum": dense(**WINDOWS, **EXPERTS, rope_parameters=ROPES),
    "iquestloopcoder": dense(loop_window_size=WINDOW),
    "llama4": {"text_config": dense(model_type="llama4_text", num_hidden_layers=4, attention_chunk_size=16,
        interleave_moe_layer_step=2, intermediate_size_mlp=64, num_experts_per_tok=1, num_local_experts=4,
        rope_scaling=None, use_qk_norm=True)},
    # Recurrent layers, alone and mixed with attention
    "mamba": dense(state_size=8, conv_kernel=4, use_bias=False, use_conv_bias=True, time_step_rank=4),
    "mamba2": dense(num_heads=4, head_dim=16, state_size=8, layer_norm_epsilon=1e-05, conv_kernel=4, n_groups=1,
        use_bias=False, use_conv_bias=True, time_step_limit=(0.0, 1000000000.0), time_step_rank="auto"),
    "rwkv7": dense(head_dim=32, norm_eps=1e-05, a_low_rank_dim=8, v_low_rank_dim=8, gate_low_rank_dim=8,
        decay_low_rank_dim=8),
    "recurrent_gemma": dense(num_hidden_layers=3, conv1d_width=4, logits_soft_cap=30.0, attention_window_size=WINDOW,
        block_types=["recurrent", "recurrent", "attention"]),
    "qwen3_next": dense(**EXPERTS, **DELTA, decoder_sparse_step=1, shared_expert_intermediate_size=32,
        mlp_only_layers=[], partial_rotary_factor=0.5, full_attention_interval=2),
    "qwen3_5": {"text_config": dense(model_type="qwen3_5_text", **DELTA, full_attention_interval=2)},
    "olmo_hybrid": dense(**DELTA, linear_allow_neg_eigval=True, layer_types=[LINEAR, FULL]),
    "kimi_linear": dense(**{**LATENT, "q_lora_rank": None}, num_experts=4, num_experts_per_token=2,
        num_shared_experts=1, moe_intermediate_size=32, first_k_dense_replace=1, model_max_length=4096,
        mla_use_nope=True, linear_attn_config={**KDA, "kda_layers": [1], "full_attn_layers": [2]}),
    "bailing_moe_linear": dense(**EXPERTS, num_shared_experts=1, first_k_dense_replace=1, layer_group_size=2,
        group_norm_size=1, use_qk_norm=True),
    "falcon_h1": dense(mamba_d_ssm=32, mamba_d_head=8, mamba_n_heads=4, mamba_d_state=8, mamba_chunk_size=16,
        lm_head_multiplier=1.0),
    "granitemoehybrid": dense(layer_types=["mamba", "attention"], embedding_multiplier=1.0, attention_multiplier=0.35,
        logits_scaling=1.0, residual_multiplier=1.0, num_local_experts=4, num_experts_per_tok=2,
        shared_intermediate_size=32, mamba_n_heads=4, mamba_d_head=16, mamba_proj_bias=False, mamba_d_state=8,
        mamba_d_conv=4, mamba_n_groups=1, mamba_conv_bias=True),
    "nemotron_h": dense(hybrid_override_pattern=["M", "*", "-", "M"], mamba_num_heads=4, mamba_head_dim=16,
        mamba_proj_bias=False, ssm_state_size=8, conv_kernel=4, n_groups=1, layer_norm_epsilon=1e-05, use_bias=False,
        use_conv_bias=True),
    "jamba": dense(attn_layer_offset=1, attn_layer_period=2, expert_layer_offset=1, expert_layer_period=2,
        mamba_d_conv=4, mamba_d_state=8, mamba_expand=2, num_experts=4, num_experts_per_tok=2),
    "plamo2": dense(hidden_size_per_head=8, mamba_d_state=8, mamba_num_heads=4, full_attention_idx=[1],
        attention_window_size=WINDOW),
    "lfm2": dense(**SHORT_CONV, block_dim=32, block_multiple_of=8, block_ffn_dim_multiplier=1.0,
        block_auto_adjust_ff_dim=False, layer_types=["conv", FULL]),
    "baichuan_m1": dense(sliding_window=WINDOW, sliding_window_layers=[0], conv_window=2),
    "gear": dense(num_hidden_layers=3, layer_types=["conv_mixer", SLIDING, FULL], sliding_window=WINDOW),
    "longcat_flash_ngram": dense(**LATENT, num_layers=2, ffn_hidden_size=64, expert_ffn_hidden_size=32,
        n_routed_experts=4, zero_expert_num=1, moe_topk=2, attention_method="MLA", routed_scaling_factor=1.0,
        mla_scale_q_lora=True, mla_scale_kv_lora=True, ngram_vocab_size_ratio=2, emb_neighbor_num=3, emb_split_num=2),
    "deepseek_v41": dense(num_hidden_layers=3, head_dim=16, q_lora_rank=16, qk_rope_head_dim=8, o_groups=2,
        o_lora_rank=8, moe_intermediate_size=32, n_routed_experts=4, num_experts_per_tok=2, sliding_window=WINDOW,
        compress_ratios=(0, 4, 4), kv_source_layer_ids=(1,), index_source_layer_ids=(1,), index_n_heads=2,
        index_head_dim=16, index_topk=4, hc_mult=2),
    # Families that differ from the others only in a layer's forward pass
    "apertus": dense(post_norm=False, qk_norm=True),
    "bailing_moe": dense(**EXPERTS, num_shared_experts=1, first_k_dense_replace=1),
    "cohere": dense(logit_scale=1.0),
    "dots1": dense(**ROUTED),
    "ernie4_5": dense(use_bias=False),
    "ernie4_5_moe": dense(use_bias=False, moe_num_experts=4, moe_intermediate_size=32, moe_k=2),
    "exaone": dense(num_layers=2, layer_norm_epsilon=1e-05),
    "gemma": dense(),
    "gemma3": {"text_config": dense(model_type="gemma3_text", **GEMMA3), "vocab_size": VOCABULARY},
    "glm": dense(),
    "gpt2": dense(**GPT2),
    "gpt_bigcode": dense(**GPT2, n_inner=64),
    "gpt_neox": dense(layer_norm_eps=1e-05, rotary_emb_base=10000, rotary_pct=0.5),
    "granite": dense(logits_scaling=1.0, attention_multiplier=0.35, embedding_multiplier=1.0, residual_multiplier=1.0),
    "helium": dense(),
    "hunyuan": dense(**{**EXPERTS, "moe_intermediate_size": None}, moe_topk=2, num_shared_expert=1,
        use_mixed_mlp_moe=True, use_qk_norm=True, use_cla=True, cla_share_factor=2, rope_scaling={"type": "dynamic",
        "factor": 1.0, "alpha": 1.0}),
    "hunyuan_v1_dense": dense(rope_scaling={"type": "dynamic", "factor": 1.0, "alpha": 1.0}),
    "internlm2": dense(),
    "minicpm": dense(dim_model_base=32, scale_depth=1.4, scale_emb=1.0),
    "minimax": dense(num_experts_per_tok=2, num_local_experts=4, shared_intermediate_size=32, rotary_dim=8),
    "nanochat": dense(num_key_value_heads=4),
    "nemotron": dense(hidden_act="relu2", norm_eps=1e-05),
    "nemotron-nas": dense(block_configs=[{"attention": {"n_heads_in_group": 2}, "ffn": {"ffn_mult": 1.5}},
        {"attention": {"no_op": True}, "ffn": {"ffn_mult": 1.5}}, {"attention": {"n_heads_in_group": 4},
        "ffn": {"no_op": True}}], num_hidden_layers=3),
    "olmo2": dense(),
    "olmoe": dense(**EXPERTS),
    "phi": dense(layer_norm_eps=1e-05, partial_rotary_factor=0.5),
    "phi3small": dense(vocab_size=100352, dense_attention_every_n_layers=2, ff_intermediate_size=64, gegelu_limit=20.0,
        layer_norm_epsilon=1e-05),
    "phimoe": dense(num_local_experts=4, rope_scaling=LONG_ROPE),
    "qwen": dense(kv_channels=8, layer_norm_epsilon=1e-05),
    "qwen2_moe": dense(**EXPERTS, shared_expert_intermediate_size=32),
    "seed_oss": dense(),
    "stablelm": dense(use_qkv_bias=False, partial_rotary_factor=0.5, layer_norm_eps=1e-05),
    "telechat3": dense(),
    "deepseek_v2": dense(**LATENT, **ROUTED, rope_scaling=YARN),
    "glm_moe_dsa": dense(**LATENT, **ROUTED, index_head_dim=16, index_n_heads=2, index_topk=12,
        rope_parameters={"rope_theta": 10000.0}),
    "kimi_k25": {"text_config": dense(**LATENT, **ROUTED)},
    "mistral4": dense(**LATENT, **ROUTED, rope_parameters=MISTRAL_ROPE),
    "bailing_hybrid": dense(**LATENT, **EXPERTS, num_shared_experts=1, n_group=1, topk_group=1, first_k_dense_replace=1,
        layer_group_size=2, group_norm_size=1, routed_scaling_factor=1.0),
    "bailing_moe_v3": dense(**LATENT, **EXPERTS, moe_shared_expert_intermediate_size=32, n_group=1, topk_group=1,
        layer_group_size=2, head_dim=32),
    "kimi_k3": {"text_config": dense(**LATENT, linear_attn_config={**KDA, "kda_layers": [1]}, num_experts=4,
        num_experts_per_token=2, num_shared_experts=1, moe_intermediate_size=32, first_k_dense_replace=1)},
    "lfm2_moe": dense(**EXPERTS, **SHORT_CONV, num_dense_layers=1, use_expert_bias=True, layer_types=["conv", FULL]),
    "qwen3_5_moe": {"text_config": dense(model_type="qwen3_5_moe_text", **DELTA, **EXPERTS, full_attention_interval=2,
        shared_expert_intermediate_size=32)},
}
# fmt: on
