"""The configuration that mlx-lm reads for each of llama.cpp's architectures, from the settings of a GGUF file.

Each function names the module of mlx_lm.models that reads its result, and the class of llama.cpp's
convert_hf_to_gguf.py, and of its package conversion/ since 2026, whose `set_gguf_parameters` it undoes.
`GgufSettings.shared` undoes that of their base, `TextModel` (conversion/base.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.gguf.settings import GgufSettings, SettingError


def llama(settings: GgufSettings) -> dict[str, Any]:
    """For llama.py; undoes LlamaModel (conversion/llama.py). Biases are found by their tensors."""
    biased = "blk.0.attn_q.bias" in settings.tensors
    return settings.shared() | {"model_type": "llama", "attention_bias": biased}


def mixtral(settings: GgufSettings) -> dict[str, Any]:
    """For mixtral.py, which knows no width of heads; undoes LlamaModel (conversion/llama.py), with experts."""
    if settings.head_dim * settings.heads != settings.whole("embedding_length"):
        raise SettingError("attention.key_length")
    return settings.shared() | {"model_type": "mixtral"} | _experts(settings, "num_local_experts")


def _experts(settings: GgufSettings, count: str) -> dict[str, Any]:
    """Return what `TextModel` writes of experts, their number under the name `count`."""
    return {count: settings.whole("expert_count"), "num_experts_per_tok": settings.whole("expert_used_count")}


def qwen3_moe(settings: GgufSettings) -> dict[str, Any]:
    """For qwen3_moe.py; undoes Qwen3MoeModel (conversion/qwen.py). Every layer of its models has experts."""
    return {
        **settings.shared(),
        **_experts(settings, "num_experts"),
        "model_type": "qwen3_moe",
        "moe_intermediate_size": settings.whole("expert_feed_forward_length"),
        "decoder_sparse_step": 1,
        "mlp_only_layers": [],
        "norm_topk_prob": True,
    }


def qwen3_5(settings: GgufSettings) -> dict[str, Any]:
    """For qwen3_5.py; undoes Qwen3_5TextModel and its base Qwen3NextModel (conversion/qwen.py).

    The converter writes the sizes of gated delta nets as those of state-space models: heads as `time_step_rank`.
    """
    heads = settings.whole("ssm.time_step_rank")
    theta = settings.number("rope.freq_base")
    sections = settings.get("rope.dimension_sections") or [11, 11, 10, 0]
    if not isinstance(sections, list) or not all(type(section) is int for section in sections):
        raise SettingError("rope.dimension_sections")
    text: dict[str, Any] = {
        **settings.shared(partly_turned=True),
        "model_type": "qwen3_5_text",
        "linear_num_value_heads": heads,
        "linear_num_key_heads": settings.whole("ssm.group_count"),
        "linear_key_head_dim": settings.whole("ssm.state_size"),
        "linear_value_head_dim": settings.whole("ssm.inner_size") // max(1, heads),
        "linear_conv_kernel_dim": settings.whole("ssm.conv_kernel"),
        "full_attention_interval": settings.whole("full_attention_interval", 4),
        "rope_parameters": {
            "type": "default",
            "mrope_section": sections[:3],
            "rope_theta": theta,
            "partial_rotary_factor": settings.turned / settings.head_dim,
        },
        "mtp_num_hidden_layers": settings.whole("nextn_predict_layers", 0),
    }
    del text["rope_scaling"], text["rope_theta"]
    return {"model_type": "qwen3_5", "tie_word_embeddings": settings.tied, "text_config": text}


def qwen3_5_moe(settings: GgufSettings) -> dict[str, Any]:
    """For qwen3_5_moe.py; undoes Qwen3_5MoeTextModel (conversion/qwen.py)."""
    config = qwen3_5(settings)
    config["text_config"] |= {
        **_experts(settings, "num_experts"),
        "model_type": "qwen3_5_moe_text",
        "moe_intermediate_size": settings.whole("expert_feed_forward_length"),
        "shared_expert_intermediate_size": settings.whole("expert_shared_feed_forward_length"),
        "norm_topk_prob": True,
    }
    return config | {"model_type": "qwen3_5_moe"}


def _gemma(settings: GgufSettings, largest: int) -> dict[str, Any]:
    """Return what Gemma 2 and 3 share.

    The converter leaves `query_pre_attn_scalar` out. As in src/models/gemma2.cpp and gemma3.cpp of llama.cpp, the
    largest model (27B, recognised by its layer count) uses hidden_size / heads, others the width of a head.
    """
    shared = settings.shared()
    own = settings.layers == largest
    return shared | {"query_pre_attn_scalar": shared["hidden_size"] / settings.heads if own else settings.head_dim}


def gemma2(settings: GgufSettings) -> dict[str, Any]:
    """For gemma2.py; undoes Gemma2Model (conversion/gemma.py), of which 27B has 46 layers."""
    return _gemma(settings, largest=46) | {
        "model_type": "gemma2",
        "attn_logit_softcapping": settings.number("attn_logit_softcapping", 50.0),
        "final_logit_softcapping": settings.number("final_logit_softcapping", 30.0),
    }


def gemma3(settings: GgufSettings) -> dict[str, Any]:
    """For gemma3_text.py; undoes Gemma3Model (conversion/gemma.py), of which 27B has 62 layers."""
    pattern = settings.get("attention.sliding_window_pattern")
    return _gemma(settings, largest=62) | {
        "model_type": "gemma3_text",
        "sliding_window": settings.whole("attention.sliding_window", 512),
        "sliding_window_pattern": pattern if type(pattern) is int else 6,
        "rope_local_base_freq": settings.number("rope.freq_base_swa", 10_000.0),
    }


def gemma4(settings: GgufSettings) -> dict[str, Any]:
    """For gemma4_text.py; undoes Gemma4Model (conversion/gemma.py), also its `generate_extra_tensors`.

    That writes rope_freqs for the layers with full attention: 1 for a dimension that is turned, 1e30 for another one.
    """
    sliding = settings.each("attention.sliding_window_pattern")
    kv_heads = settings.each("attention.head_count_kv")
    inner = settings.each("feed_forward_length")
    factors = settings.factors.get("rope_freqs.weight", ())
    full = [layer for layer, slides in enumerate(sliding) if not slides]
    if not full or len(full) == len(sliding):
        raise SettingError("attention.sliding_window_pattern")
    same = f"blk.{full[0]}.attn_v.weight" not in settings.tensors
    embedded = settings.whole("embedding_length_per_layer_input", 0)
    sliding_dim = settings.whole("attention.key_length_swa")
    if settings.whole("rope.dimension_count_swa", sliding_dim) != sliding_dim:
        raise SettingError("rope.dimension_count_swa")
    config = {
        **{name: value for name, value in settings.shared().items() if not name.startswith("rope_")},
        "model_type": "gemma4_text",
        "head_dim": sliding_dim,
        "global_head_dim": settings.head_dim,
        "num_key_value_heads": kv_heads[sliding.index(1)],
        "num_global_key_value_heads": kv_heads[full[0]] if same else None,
        "attention_k_eq_v": same,
        "num_kv_shared_layers": settings.whole("attention.shared_kv_layers", 0),
        "intermediate_size": inner[0],
        "use_double_wide_mlp": inner[-1] > inner[0],
        "hidden_size_per_layer_input": embedded,
        "sliding_window": settings.whole("attention.sliding_window"),
        "layer_types": ["sliding_attention" if slides else "full_attention" for slides in sliding],
        "final_logit_softcapping": settings.number("final_logit_softcapping", 30.0),
        "rope_parameters": {
            "full_attention": {
                "rope_type": "proportional",
                "rope_theta": settings.number("rope.freq_base"),
                "partial_rotary_factor": sum(factor < 2 for factor in factors) / len(factors) if factors else 1.0,
            },
            "sliding_attention": {
                "rope_type": "default",
                "rope_theta": settings.number("rope.freq_base_swa", 10_000.0),
            },
        },
    }
    if embedded:
        config["vocab_size_per_layer_input"] = settings.rows("per_layer_token_embd.weight")
    if experts := settings.whole("expert_count", 0):
        config |= {"enable_moe_block": True, "num_experts": experts}
        config |= {"top_k_experts": settings.whole("expert_used_count")}
        config |= {"moe_intermediate_size": settings.whole("expert_feed_forward_length")}
    return config


def _partial(settings: GgufSettings) -> dict[str, Any]:
    """Return what is shared, for heads of which `add_rope_dimension_count` gives the part that positions turn."""
    shared = settings.shared(partly_turned=True)
    return shared | {"partial_rotary_factor": settings.turned / settings.head_dim}


def phi3(settings: GgufSettings) -> dict[str, Any]:
    """For phi3.py; undoes Phi3MiniModel (conversion/phi.py), whose long factors are tensors."""
    config = _partial(settings) | {"model_type": "phi3"}
    scaling = config["rope_scaling"]
    original = settings.whole("rope.scaling.original_context_length", config["max_position_embeddings"])
    if scaling is not None and scaling["type"] != "longrope":
        raise SettingError("rope.scaling.type")
    return config | {"original_max_position_embeddings": original}


def granite(settings: GgufSettings) -> dict[str, Any]:
    """For granite.py; undoes GraniteModel (conversion/granite.py), which calls each multiplier a scale."""
    return {
        **settings.shared(),
        "model_type": "granite",
        "attention_multiplier": settings.number("attention.scale", settings.head_dim**-0.5),
        "embedding_multiplier": settings.number("embedding_scale", 1.0),
        "residual_multiplier": settings.number("residual_scale", 1.0),
        "logits_scaling": settings.number("logit_scale", 1.0),
        "attention_bias": "blk.0.attn_q.bias" in settings.tensors,
        "mlp_bias": "blk.0.ffn_up.bias" in settings.tensors,
    }


def gpt_oss(settings: GgufSettings) -> dict[str, Any]:
    """For gpt_oss.py; undoes GptOssModel (conversion/gpt_oss.py), which leaves `layer_types` out: they alternate."""
    return {
        **settings.shared(),
        **_experts(settings, "num_local_experts"),
        "model_type": "gpt_oss",
        "intermediate_size": settings.whole("expert_feed_forward_length"),
        "sliding_window": settings.whole("attention.sliding_window"),
        "layer_types": ["full_attention" if layer % 2 else "sliding_attention" for layer in range(settings.layers)],
    }


def lfm2(settings: GgufSettings) -> dict[str, Any]:
    """For lfm2.py; undoes LFM2Model (conversion/lfm2.py): a convolution has no heads, and widths are adjusted."""
    shared = settings.shared()
    attends = settings.each("attention.head_count_kv")
    return {
        **shared,
        "model_type": "lfm2",
        "norm_eps": shared["rms_norm_eps"],
        "conv_bias": "blk.0.shortconv.in_proj.bias" in settings.tensors,
        "conv_L_cache": settings.whole("shortconv.l_cache"),
        "block_dim": shared["hidden_size"],
        "block_ff_dim": shared["intermediate_size"],
        "block_multiple_of": 1,
        "block_ffn_dim_multiplier": 1.0,
        "block_auto_adjust_ff_dim": False,
        "layer_types": ["full_attention" if heads else "conv" for heads in attends],
    }


def olmo2(settings: GgufSettings) -> dict[str, Any]:
    """For olmo2.py; undoes Olmo2Model (conversion/olmo.py)."""
    # Only OLMo 3, of the same name in llama.cpp, has a window.
    if settings.get("attention.sliding_window") is not None:
        raise SettingError("attention.sliding_window")
    return settings.shared() | {"model_type": "olmo2"}


def glm4(settings: GgufSettings) -> dict[str, Any]:
    """For glm4.py; undoes Glm4Model (conversion/glm.py)."""
    biased = "blk.0.attn_q.bias" in settings.tensors
    return _partial(settings) | {"model_type": "glm4", "attention_bias": biased}


def of_type(model_type: str) -> Callable[[GgufSettings], dict[str, Any]]:
    """For qwen2.py and qwen3.py, which undo Qwen2Model and Qwen3Model (conversion/qwen.py): all of it is shared."""
    return lambda settings: settings.shared() | {"model_type": model_type}
