"""A tiny model for each architecture, with settings other than the usual ones, and what llama.cpp writes of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

BASE: dict[str, Any] = {
    "vocab_size": 96, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 16, "rms_norm_eps": 3e-5, "rope_theta": 5_000.0,
    "max_position_embeddings": 512, "tie_word_embeddings": False, "attention_bias": False, "mlp_bias": False,
}  # fmt: skip
EXPERTS: dict[str, Any] = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32}
LAYERS_OF_BOTH = ["sliding_attention", "full_attention"]
DELTA: dict[str, Any] = {
    "linear_num_value_heads": 4, "linear_num_key_heads": 2, "linear_key_head_dim": 32, "linear_value_head_dim": 32,
    "linear_conv_kernel_dim": 4, "full_attention_interval": 2,
    "rope_parameters": {"type": "default", "rope_theta": 5_000.0, "partial_rotary_factor": 0.5,
                        "mrope_section": [1, 1, 2]},
}  # fmt: skip
OF_DELTA: dict[str, Any] = {
    "ssm.time_step_rank": 4, "ssm.group_count": 2, "ssm.state_size": 32, "ssm.inner_size": 128, "ssm.conv_kernel": 4,
    "full_attention_interval": 2, "rope.dimension_count": 8, "rope.freq_base": 5_000.0,
}  # fmt: skip
GEMMA4: dict[str, Any] = {
    **BASE, "num_hidden_layers": 4, "head_dim": 16, "global_head_dim": 32, "sliding_window": 4,
    "layer_types": LAYERS_OF_BOTH * 2, "hidden_size_per_layer_input": 0, "tie_word_embeddings": True,
    "rope_parameters": {
        "full_attention": {"rope_type": "proportional", "rope_theta": 7_000.0, "partial_rotary_factor": 0.25},
        "sliding_attention": {"rope_type": "default", "rope_theta": 3_000.0},
    },
}  # fmt: skip
OF_GEMMA4: dict[str, Any] = {
    "attention.key_length": 32, "attention.key_length_swa": 16, "rope.freq_base": 7_000.0,
    "rope.freq_base_swa": 3_000.0, "attention.sliding_window_pattern": [True, False] * 2,
    "final_logit_softcapping": 30.0,
}  # fmt: skip
ROUTED: dict[str, Any] = {
    "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "n_shared_experts": 2,
    "first_k_dense_replace": 1, "routed_scaling_factor": 1.5, "norm_topk_prob": True, "n_group": 1, "topk_group": 1,
}  # fmt: skip
OF_ROUTED: dict[str, Any] = {
    "expert_count": 4, "expert_shared_count": 2, "leading_dense_block_count": 1, "expert_weights_scale": 1.5,
    "expert_weights_norm": True, "expert_gating_func": 2,
}  # fmt: skip
LATENT: dict[str, Any] = {
    **BASE, **ROUTED, "num_key_value_heads": 4, "kv_lora_rank": 32, "q_lora_rank": 32, "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 32, "v_head_dim": 32,
}  # fmt: skip
OF_LATENT: dict[str, Any] = OF_ROUTED | {
    "attention.head_count_kv": 1, "attention.key_length": 40, "attention.value_length": 32,
    "attention.key_length_mla": 40, "attention.value_length_mla": 32, "attention.kv_lora_rank": 32,
    "attention.q_lora_rank": 32, "rope.dimension_count": 8,
}  # fmt: skip
MAMBA: dict[str, Any] = {
    "mamba_n_heads": 4, "mamba_d_head": 32, "mamba_d_state": 16, "mamba_d_conv": 4, "mamba_n_groups": 1,
    "mamba_conv_bias": True, "mamba_proj_bias": False, "mamba_d_ssm": 128,
}  # fmt: skip
OF_MAMBA: dict[str, Any] = {
    "ssm.conv_kernel": 4, "ssm.state_size": 16, "ssm.group_count": 1, "ssm.inner_size": 128, "ssm.time_step_rank": 4,
}  # fmt: skip
NEMOTRON: dict[str, Any] = {
    **BASE, "model_type": "nemotron_h", "num_hidden_layers": 4, "layer_norm_epsilon": 3e-5, "mamba_num_heads": 4,
    "mamba_head_dim": 32, "ssm_state_size": 16, "conv_kernel": 4, "n_groups": 2, "mamba_proj_bias": False,
    "use_bias": False, "use_conv_bias": True, "hybrid_override_pattern": ["M", "-", "*", "-"],
}  # fmt: skip
OF_NEMOTRON: dict[str, Any] = OF_MAMBA | {
    "ssm.group_count": 2, "attention.head_count_kv": [0, 0, 2, 0], "feed_forward_length": [0, 96, 0, 96],
}  # fmt: skip
NEXT: dict[str, Any] = {
    **BASE, **DELTA, **EXPERTS, "model_type": "qwen3_next", "decoder_sparse_step": 1, "mlp_only_layers": [],
    "shared_expert_intermediate_size": 64, "norm_topk_prob": True, "partial_rotary_factor": 0.5,
}  # fmt: skip
FACTORS = [1.0, 1.5, 2.0, 4.0, 4.5, 6.0, 7.0, 8.0]


@dataclass(frozen=True)
class Case:
    """A `config`, and the `settings` that llama.cpp's converter writes otherwise, or not at all (None)."""

    architecture: str
    config: dict[str, Any]
    settings: dict[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    # The model type of the folder, if it is another one.
    opened_as: str = ""


def llama3_factors() -> list[float]:
    made = []
    for index in range(8):
        wave = 2 * math.pi * 500_000.0 ** (index / 8)
        smooth = (8192 / wave - 1.0) / (4.0 - 1.0)
        made.append(1.0 if wave < 2048 else 32.0 if wave > 8192 else 1 / ((1 - smooth) / 32.0 + smooth))
    return made


LLAMA3 = {"type": "llama3", "factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 8192}  # fmt: skip
YARN = {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 128, "beta_fast": 16.0, "beta_slow": 2.0}
OF_YARN: dict[str, Any] = {
    "rope.scaling.type": "yarn", "rope.scaling.factor": 4.0, "rope.scaling.original_context_length": 128,
    "rope.scaling.yarn_beta_fast": 16.0, "rope.scaling.yarn_beta_slow": 2.0,
}  # fmt: skip
LONG = {"type": "longrope", "long_factor": FACTORS, "short_factor": FACTORS}
CASES = {
    "llama": Case("llama", {**BASE, "model_type": "llama"}),
    "llama of another width": Case("llama", {**BASE, "model_type": "llama", "head_dim": 32, "rope_theta": 1e4}),
    "llama tied, far positions": Case(
        "llama",
        {**BASE, "model_type": "llama", "tie_word_embeddings": True, "rope_theta": 500_000.0, "rope_scaling": LLAMA3},
        extra={"rope_freqs.weight": np.array(llama3_factors(), np.float32)},
    ),
    "llama with factors of its own": Case(
        "llama",
        {**BASE, "model_type": "llama", "rope_scaling": LONG | {"original_max_position_embeddings": 512}},
        extra={"rope_freqs.weight": np.array(FACTORS, np.float32)},
    ),
    "llama, linear": Case(
        "llama",
        {**BASE, "model_type": "llama", "rope_scaling": {"type": "linear", "factor": 2.0}},
        {"rope.scaling.type": "linear", "rope.scaling.factor": 2.0},
    ),
    "mixtral": Case(
        "llama",
        {**BASE, "model_type": "mixtral", "num_local_experts": 4, "num_experts_per_tok": 2},
        {"expert_count": 4},
    ),
    "qwen2": Case("qwen2", {**BASE, "model_type": "qwen2"}),
    "qwen3": Case("qwen3", {**BASE, "model_type": "qwen3", "rope_scaling": YARN}, OF_YARN),
    "qwen3moe": Case(
        "qwen3moe",
        {**BASE, **EXPERTS, "model_type": "qwen3_moe", "decoder_sparse_step": 1, "mlp_only_layers": [],
         "norm_topk_prob": True},
    ),
    "qwen35": Case(
        "qwen35",
        {"model_type": "qwen3_5", "text_config": {**BASE, **DELTA, "model_type": "qwen3_5_text"}},
        OF_DELTA,
    ),
    "qwen35moe": Case(
        "qwen35moe",
        {"model_type": "qwen3_5_moe", "text_config": {**BASE, **DELTA, **EXPERTS, "model_type": "qwen3_5_moe_text",
                                                      "shared_expert_intermediate_size": 64}},
        OF_DELTA | {"expert_shared_feed_forward_length": 64},
    ),
    "gemma2": Case(
        "gemma2",
        {**BASE, "model_type": "gemma2", "head_dim": 32, "query_pre_attn_scalar": 32, "tie_word_embeddings": True,
         "attn_logit_softcapping": 20.0, "final_logit_softcapping": 10.0, "rope_theta": 10_000.0},
        {"attn_logit_softcapping": 20.0, "final_logit_softcapping": 10.0, "rope.freq_base": None},
    ),
    "gemma3": Case(
        "gemma3",
        {**BASE, "model_type": "gemma3_text", "num_hidden_layers": 7, "head_dim": 32, "query_pre_attn_scalar": 32,
         "sliding_window": 4, "rope_scaling": {"type": "linear", "factor": 8.0}, "tie_word_embeddings": True},
        {"rope.scaling.type": "linear", "rope.scaling.factor": 8.0},
    ),
    "gemma3 without windows": Case(
        "gemma3",
        {**BASE, "model_type": "gemma3_text", "head_dim": 32, "query_pre_attn_scalar": 32, "sliding_window": 4,
         "sliding_window_pattern": 1, "tie_word_embeddings": True},
        {"attention.sliding_window": None},
    ),
    "gemma4": Case(
        "gemma4",
        {**GEMMA4, "model_type": "gemma4_text", "num_kv_shared_layers": 2, "hidden_size_per_layer_input": 32,
         "vocab_size_per_layer_input": 96, "use_double_wide_mlp": True},
        OF_GEMMA4 | {"attention.shared_kv_layers": 2, "embedding_length_per_layer_input": 32,
                     "feed_forward_length": [96, 96, 192, 192]},
        extra={"rope_freqs.weight": np.array([1.0] * 4 + [1e30] * 12, np.float32)},
    ),
    "gemma4 with experts": Case(
        "gemma4",
        {**GEMMA4, **EXPERTS, "model_type": "gemma4_text", "num_kv_shared_layers": 0, "enable_moe_block": True,
         "top_k_experts": 2, "attention_k_eq_v": True, "num_global_key_value_heads": 1, "use_double_wide_mlp": False},
        OF_GEMMA4 | {"attention.head_count_kv": [2, 1] * 2},
        extra={"rope_freqs.weight": np.array([1.0] * 4 + [1e30] * 12, np.float32)},
    ),
    "phi3": Case("phi3", {**BASE, "model_type": "phi3"}, {"attention.key_length": None}),
    "phi3, partly turned, far positions": Case(
        "phi3",
        {**BASE, "model_type": "phi3", "tie_word_embeddings": True, "partial_rotary_factor": 0.75,
         "original_max_position_embeddings": 64, "rope_scaling": {**LONG, "long_factor": FACTORS[:6]}},
        {"rope.dimension_count": 12, "rope.scaling.original_context_length": 64},
        extra={"rope_factors_long.weight": np.array(FACTORS[:6], np.float32),
               "rope_factors_short.weight": np.ones(6, np.float32)},
    ),
    "granite": Case(
        "granite",
        {**BASE, "model_type": "granite", "logits_scaling": 3.0, "attention_multiplier": 0.3,
         "embedding_multiplier": 2.0, "residual_multiplier": 0.4},
        {"logit_scale": 3.0, "attention.scale": 0.3, "embedding_scale": 2.0, "residual_scale": 0.4,
         "attention.key_length": None},
    ),
    "gpt-oss": Case(
        "gpt-oss",
        {**BASE, "model_type": "gpt_oss", "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": 4,
         "rope_scaling": YARN, "layer_types": LAYERS_OF_BOTH},
        OF_YARN | {"expert_count": 4, "expert_feed_forward_length": 96},
    ),
    "lfm2": Case(
        "lfm2",
        {**BASE, "model_type": "lfm2", "tie_word_embeddings": True, "norm_eps": 3e-5, "conv_bias": False,
         "conv_L_cache": 3, "block_dim": 64, "block_ff_dim": 96, "block_multiple_of": 1,
         "block_ffn_dim_multiplier": 1.0, "block_auto_adjust_ff_dim": False, "layer_types": ["conv", "full_attention"]},
        {"attention.head_count_kv": [0, 2], "shortconv.l_cache": 3},
    ),
    "olmo2": Case("olmo2", {**BASE, "model_type": "olmo2"}),
    "olmo3": Case(
        "olmo2",
        {**BASE, "model_type": "olmo3", "sliding_window": 8, "layer_types": ["sliding_attention", "full_attention"]},
        {"attention.sliding_window": 8, "attention.sliding_window_pattern": [True, False]},
    ),
    "glm4": Case(
        "glm4",
        {**BASE, "model_type": "glm4", "attention_bias": True, "partial_rotary_factor": 0.5},
        {"rope.dimension_count": 8},
    ),
    "mistral3": Case(
        "mistral3",
        {**BASE, "model_type": "ministral3",
         "rope_parameters": YARN | {"original_max_position_embeddings": 8, "mscale": 1.0, "mscale_all_dim": 1.0,
                                    "rope_theta": 5_000.0, "llama_4_scaling_beta": 0.7}},
        OF_YARN | {"rope.scaling.original_context_length": 8, "rope.scaling.yarn_log_multiplier": 1.0,
                   "attention.temperature_scale": 0.7},
    ),
    "mistral3 without a temperature": Case("mistral3", {**BASE, "model_type": "llama"}),
    "smollm3": Case("smollm3", {**BASE, "model_type": "smollm3", "num_hidden_layers": 4}),
    "qwen2vl": Case("qwen2vl", {**BASE, "model_type": "qwen2"}, {"rope.dimension_sections": [2, 3, 3, 0]}),
    "qwen3vl": Case(
        "qwen3vl", {**BASE, "model_type": "qwen3"}, {"rope.dimension_sections": [4, 2, 2, 0], "n_deepstack_layers": 3}
    ),
    "qwen3vlmoe": Case(
        "qwen3vlmoe",
        {**BASE, **EXPERTS, "model_type": "qwen3_moe", "decoder_sparse_step": 1, "mlp_only_layers": [],
         "norm_topk_prob": True},
        {"rope.dimension_sections": [4, 2, 2, 0], "n_deepstack_layers": 3},
    ),
    "seed_oss": Case("seed_oss", {**BASE, "model_type": "seed_oss", "attention_bias": True}),
    "cohere2": Case(
        "cohere2",
        {**BASE, "model_type": "cohere2", "num_hidden_layers": 5, "sliding_window": 4, "sliding_window_pattern": 4,
         "layer_norm_eps": 3e-5, "logit_scale": 0.25, "tie_word_embeddings": True},
        {"logit_scale": 0.25, "rope.scaling.type": "none", "attention.layer_norm_epsilon": 3e-5},
    ),
    "exaone4": Case(
        "exaone4",
        {**BASE, "model_type": "exaone4", "num_hidden_layers": 5, "sliding_window": 4,
         "sliding_window_pattern": "LLLG", "rope_theta": 500_000.0, "rope_scaling": LLAMA3},
        {"attention.sliding_window_pattern": [True, True, True, False, True]},
        extra={"rope_freqs.weight": np.array(llama3_factors(), np.float32)},
    ),
    "exaone4 without windows": Case(
        "exaone4",
        {**BASE, "model_type": "exaone4", "sliding_window": None, "sliding_window_pattern": None, "rope_scaling": None,
         "tie_word_embeddings": True},
    ),
    "hunyuan-dense": Case(
        "hunyuan-dense",
        {**BASE, "model_type": "hunyuan_v1_dense", "use_qk_norm": True},
        {"rope.scaling.type": "none", "rope.scaling.factor": 1.0},
    ),
    "glm4moe": Case(
        "glm4moe",
        {**BASE, **ROUTED, "model_type": "glm4_moe", "attention_bias": True, "use_qk_norm": True, "rope_scaling": None,
         "partial_rotary_factor": 0.5},
        OF_ROUTED | {"rope.dimension_count": 8},
    ),
    "glm4moe with an MTP head": Case(
        "glm4moe",
        {**BASE, **ROUTED, "model_type": "glm4_moe", "use_qk_norm": False, "rope_scaling": None,
         "partial_rotary_factor": 0.5},
        OF_ROUTED | {"rope.dimension_count": 8, "block_count": 3, "nextn_predict_layers": 1},
        extra={"blk.2.nextn.eh_proj.weight": np.ones((64, 128), np.float32),
               "blk.2.attn_q.weight": np.ones((64, 64), np.float32)},
    ),
    "deepseek2": Case(
        "deepseek2",
        {**LATENT, "model_type": "deepseek_v3", "rms_norm_eps": 1e-6,
         "rope_scaling": YARN | {"mscale": 0.7, "mscale_all_dim": 0.7}},
        OF_LATENT | OF_YARN | {"rope.scaling.yarn_log_multiplier": 0.07},
    ),
    "deepseek2 of GLM": Case(
        "deepseek2", {**LATENT, "model_type": "glm4_moe_lite", "rms_norm_eps": 1e-3}, OF_LATENT
    ),
    "qwen3next": Case(
        "qwen3next", {**NEXT, "written_before_2026": False}, OF_DELTA | {"expert_shared_feed_forward_length": 64},
        opened_as="qwen3_5_moe",
    ),
    "qwen3next of older files": Case(
        "qwen3next", {**NEXT, "written_before_2026": True}, OF_DELTA | {"expert_shared_feed_forward_length": 64},
        opened_as="qwen3_5_moe",
    ),
    "gemma3n": Case(
        "gemma3n",
        {"model_type": "gemma3n", "text_config": {
            **BASE, "model_type": "gemma3n_text", "num_hidden_layers": 6, "num_kv_shared_layers": 2,
            "intermediate_size": [96] * 5 + [128], "vocab_size_per_layer_input": 96, "sliding_window": 4,
            "rope_local_base_freq": 10_000.0, "final_logit_softcapping": 20.0, "layer_types": LAYERS_OF_BOTH * 3,
            "activation_sparsity_pattern": [0.95] * 2 + [0.0] * 4, "hidden_size_per_layer_input": 32,
            "altup_num_inputs": 4, "altup_coef_clip": 120.0, "altup_correct_scale": True, "altup_active_idx": 0,
            "laurel_rank": 32}},
        {"attention.sliding_window_pattern": [True, False] * 3, "attention.shared_kv_layers": 2,
         "embedding_length_per_layer_input": 32, "altup.num_inputs": 4, "altup.active_idx": 0,
         "final_logit_softcapping": 20.0,
         "activation_sparsity_scale": [1.6448536] * 2 + [-math.inf] * 4},
    ),
    "granitehybrid": Case(
        "granitehybrid",
        {**BASE, **MAMBA, "model_type": "granitemoehybrid", "layer_types": ["mamba", "attention"],
         "position_embedding_type": "nope", "logits_scaling": 3.0, "attention_multiplier": 0.3,
         "embedding_multiplier": 2.0, "residual_multiplier": 0.4, "tie_word_embeddings": True},
        OF_MAMBA | {"attention.head_count_kv": [0, 2], "logit_scale": 3.0, "attention.scale": 0.3,
                    "embedding_scale": 2.0, "residual_scale": 0.4, "rope.scaling.finetuned": False},
    ),
    "falcon-h1": Case("falcon-h1", {**BASE, **MAMBA, "model_type": "falcon_h1"}, OF_MAMBA),
    "nemotron_h": Case("nemotron_h", NEMOTRON, OF_NEMOTRON),
    "nemotron_h_moe": Case(
        "nemotron_h_moe",
        {**NEMOTRON, **ROUTED, "n_shared_experts": 1, "moe_shared_expert_intermediate_size": 64,
         "hybrid_override_pattern": ["M", "E", "*", "E"], "moe_latent_size": 32},
        OF_NEMOTRON | OF_ROUTED | {"expert_shared_count": 1, "expert_shared_feed_forward_length": 64,
                                   "moe_latent_size": 32, "expert_gating_func": None},
    ),
    "ernie4_5": Case("ernie4_5", {**BASE, "model_type": "ernie4_5", "use_bias": False, "tie_word_embeddings": True}),
}  # fmt: skip
