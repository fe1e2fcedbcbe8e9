"""The configuration that mlx-lm reads for each of llama.cpp's architectures, from the settings of a GGUF file.

Each function names the module of mlx_lm.models that reads its result, and the class of llama.cpp's
convert_hf_to_gguf.py, and of its package conversion/ since 2026, whose `set_gguf_parameters` it undoes.
`GgufSettings.shared` undoes that of their base, `TextModel` (conversion/base.py).
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist
from typing import Any

from engine.gguf.settings import GgufSettings, SettingError

# By these llama.cpp recognises GLM 4.7 Flash: its layers, without and with the MTP head's layer, and its tokens.
_FLASH_LAYERS = (47, 48)
_FLASH_TOKENS = 154_880


def of_type(model_type: str, *, scaled: bool = True, **more: bool) -> Callable[[GgufSettings], dict[str, Any]]:
    """For architectures that need only the shared settings. `more` is added unchanged.

    llama.py and smollm3.py undo LlamaModel (conversion/llama.py), qwen2.py and qwen3.py Qwen2Model, Qwen3Model
    (qwen.py) and, without towers, Qwen2VLModel (qwenvl.py), Qwen3VLTextModel (qwen3vl.py), seed_oss.py SeedOssModel
    (olmo.py), ernie4_5.py Ernie4_5Model (ernie.py), hunyuan_v1_dense.py HunYuanModel (hunyuan.py), which scales the
    base of positions itself.
    """
    return lambda settings: settings.shared(model_type, scaled=scaled) | more


def mistral3(settings: GgufSettings) -> dict[str, Any]:
    """For ministral3.py, and llama.py without a temperature; undoes Mistral3Model (conversion/mistral3.py).

    Raises `SettingError` for a temperature without YaRN.
    """
    config = settings.shared("llama")
    temperature = settings.number("attention.temperature_scale", 0.0)
    if not temperature:
        return config
    if (config["rope_scaling"] or {}).get("type") != "yarn":
        raise SettingError("rope.scaling.type")
    rope = config["rope_scaling"] | {"rope_theta": config["rope_theta"], "llama_4_scaling_beta": temperature}
    return config | {"model_type": "ministral3", "rope_parameters": rope}


def mixtral(settings: GgufSettings) -> dict[str, Any]:
    """For mixtral.py, which knows no width of heads; undoes LlamaModel (conversion/llama.py), with experts.

    Raises `SettingError` if its heads do not fill the hidden size.
    """
    if settings.head_dim * settings.heads != settings.whole("embedding_length"):
        raise SettingError("attention.key_length")
    return settings.shared("mixtral") | _experts(settings, "num_local_experts")


def _experts(settings: GgufSettings, count: str) -> dict[str, Any]:
    """Return what `TextModel` writes of experts, their number under the name `count`."""
    numbers = settings.named(**{count: "expert_count"}, num_experts_per_tok="expert_used_count")
    inner = max(settings.each("feed_forward_length", 0))
    return numbers | {
        "moe_intermediate_size": settings.whole("expert_feed_forward_length", inner),
        "norm_topk_prob": True,
    }


def qwen3_moe(settings: GgufSettings) -> dict[str, Any]:
    """For qwen3_moe.py; undoes Qwen3MoeModel (conversion/qwen.py). Every layer of its models has experts."""
    every_layer = {"decoder_sparse_step": 1, "mlp_only_layers": []}
    return settings.shared("qwen3_moe") | _experts(settings, "num_experts") | every_layer


def qwen3_5(settings: GgufSettings) -> dict[str, Any]:
    """For qwen3_5.py; undoes Qwen3_5TextModel and its base Qwen3NextModel (conversion/qwen.py).

    The converter writes the sizes of gated delta nets as those of state-space models: heads as `time_step_rank`. Raises
    `SettingError` for rope sections that are no whole numbers.
    """
    sections = settings.get("rope.dimension_sections") or [11, 11, 10, 0]
    if not isinstance(sections, list) or not all(type(section) is int for section in sections):
        raise SettingError("rope.dimension_sections")
    text = _partial(settings, "qwen3_5_text") | settings.named(
        linear_num_value_heads="ssm.time_step_rank",
        linear_num_key_heads="ssm.group_count",
        linear_key_head_dim="ssm.state_size",
        linear_conv_kernel_dim="ssm.conv_kernel",
    )
    text["linear_value_head_dim"] = settings.whole("ssm.inner_size") // max(1, text["linear_num_value_heads"])
    text["full_attention_interval"] = settings.whole("full_attention_interval", 4)
    text["mtp_num_hidden_layers"] = settings.whole("nextn_predict_layers", 0)
    rotary = {name: text.pop(name) for name in ("rope_theta", "partial_rotary_factor")}
    text["rope_parameters"] = rotary | {"type": "default", "mrope_section": sections[:3]}
    del text["rope_scaling"]
    return {"model_type": "qwen3_5", "tie_word_embeddings": settings.tied, "text_config": text}


def qwen3_5_moe(settings: GgufSettings) -> dict[str, Any]:
    """For qwen3_5_moe.py; undoes Qwen3_5MoeTextModel and, where layers are the same, Qwen3NextModel (qwen.py)."""
    config = qwen3_5(settings)
    shared = settings.named(shared_expert_intermediate_size="expert_shared_feed_forward_length")
    config["text_config"] |= _experts(settings, "num_experts") | shared | {"model_type": "qwen3_5_moe_text"}
    return config | {"model_type": "qwen3_5_moe"}


def _gemma(settings: GgufSettings, model_type: str, largest: int) -> dict[str, Any]:
    """Return what Gemma 2 and 3 share.

    The converter leaves `query_pre_attn_scalar` out. As in src/models/gemma2.cpp and gemma3.cpp of llama.cpp, the
    largest model (27B, recognised by its layer count) uses hidden_size / heads, others the width of a head.
    """
    shared = settings.shared(model_type)
    is_largest = settings.layers == largest
    scalar = shared["hidden_size"] / settings.heads if is_largest else settings.head_dim
    return shared | {"query_pre_attn_scalar": scalar}


def gemma2(settings: GgufSettings) -> dict[str, Any]:
    """For gemma2.py; undoes Gemma2Model (conversion/gemma.py). The 27B model has 46 layers."""
    return _gemma(settings, "gemma2", largest=46) | {
        "attn_logit_softcapping": settings.number("attn_logit_softcapping", 50.0),
        "final_logit_softcapping": settings.number("final_logit_softcapping", 30.0),
    }


def gemma3(settings: GgufSettings) -> dict[str, Any]:
    """For gemma3_text.py; undoes Gemma3Model (conversion/gemma.py). The 27B model has 62 layers.

    The converter leaves the window out where every layer attends to all tokens.
    """
    window = settings.whole("attention.sliding_window", 0)
    return _gemma(settings, "gemma3_text", largest=62) | {
        "sliding_window": window,
        "sliding_window_pattern": settings.period(6) if window else 1,
        "rope_local_base_freq": settings.number("rope.freq_base_swa", 10_000.0),
    }


def _per_layer(settings: GgufSettings, model_type: str) -> dict[str, Any]:
    """Return what Gemma 3n and 4 share, whose layers take embeddings of their own and keys of earlier ones."""
    slides = settings.each("attention.sliding_window_pattern")
    if len(set(slides)) < 2:
        raise SettingError("attention.sliding_window_pattern")
    config = settings.shared(model_type, scaled=model_type != "gemma3n_text") | {
        "num_kv_shared_layers": settings.whole("attention.shared_kv_layers", 0),
        "hidden_size_per_layer_input": settings.whole("embedding_length_per_layer_input", 0),
        "sliding_window": settings.whole("attention.sliding_window"),
        "layer_types": ["sliding_attention" if slide else "full_attention" for slide in slides],
        "rope_local_base_freq": settings.number("rope.freq_base_swa", 10_000.0),
        "final_logit_softcapping": settings.number("final_logit_softcapping", 30.0),
    }
    if config["hidden_size_per_layer_input"]:
        config["vocab_size_per_layer_input"] = settings.rows("per_layer_token_embd.weight")
    return config


def gemma3n(settings: GgufSettings) -> dict[str, Any]:
    """For gemma3n.py; undoes Gemma3NModel (conversion/gemma.py), which writes sparsity in standard deviations.

    Raises `SettingError` without a sparsity for the layers.
    """
    sparsity = settings.get("activation_sparsity_scale")
    if not isinstance(sparsity, list) or not all(isinstance(scale, float) for scale in sparsity):
        raise SettingError("activation_sparsity_scale")
    text = _per_layer(settings, "gemma3n_text") | {
        "intermediate_size": settings.each("feed_forward_length"),
        "activation_sparsity_pattern": [NormalDist().cdf(scale) for scale in sparsity],
        "altup_coef_clip": 120.0,
        "altup_correct_scale": True,
        "laurel_rank": settings.rows("blk.0.laurel_l.weight"),
    }
    text |= settings.named(altup_num_inputs="altup.num_inputs", altup_active_idx="altup.active_idx")
    return {"model_type": "gemma3n", "text_config": text}


def gemma4(settings: GgufSettings) -> dict[str, Any]:
    """For gemma4_text.py; undoes Gemma4Model (conversion/gemma.py), also its `generate_extra_tensors`.

    That writes rope_freqs for the layers with full attention: 1 for a dimension to which rotary positions apply, 1e30
    for one to which they do not. Raises `SettingError` if the sliding layers rotate only a part of their dimensions.
    """
    config = _per_layer(settings, "gemma4_text")
    kv_heads = settings.each("attention.head_count_kv")
    inner = settings.each("feed_forward_length")
    factors = settings.factors.get("rope_freqs.weight", ())
    full, sliding = (config["layer_types"].index(f"{kind}_attention") for kind in ("full", "sliding"))
    same = f"blk.{full}.attn_v.weight" not in settings.tensors
    sliding_dim = settings.whole("attention.key_length_swa")
    if settings.whole("rope.dimension_count_swa", sliding_dim) != sliding_dim:
        raise SettingError("rope.dimension_count_swa")
    rotary_share = sum(factor < 2 for factor in factors) / len(factors) if factors else 1.0
    proportional = {
        "rope_type": "proportional",
        "rope_theta": config.pop("rope_theta"),
        "partial_rotary_factor": rotary_share,
    }
    default = {"rope_type": "default", "rope_theta": config.pop("rope_local_base_freq")}
    del config["rope_scaling"]
    config |= {
        "head_dim": sliding_dim,
        "global_head_dim": settings.head_dim,
        "num_key_value_heads": kv_heads[sliding],
        "num_global_key_value_heads": kv_heads[full] if same else None,
        "attention_k_eq_v": same,
        "use_double_wide_mlp": inner[-1] > inner[0],
        "rope_parameters": {"full_attention": proportional, "sliding_attention": default},
    }
    if settings.whole("expert_count", 0):
        experts = _experts(settings, "num_experts")
        config |= experts | {"enable_moe_block": True, "top_k_experts": experts["num_experts_per_tok"]}
    return config


def _partial(settings: GgufSettings, model_type: str, *, scaled: bool = True) -> dict[str, Any]:
    """Return the shared settings with `partial_rotary_factor`, from what `add_rope_dimension_count` wrote."""
    shared = settings.shared(model_type, partial_rotary=True, scaled=scaled)
    return shared | {"partial_rotary_factor": settings.rotary_dims / settings.head_dim}


def phi3(settings: GgufSettings) -> dict[str, Any]:
    """For phi3.py; undoes Phi3MiniModel (conversion/phi.py), whose long factors are tensors.

    Raises `SettingError` for another scaling of positions than LongRoPE.
    """
    config = _partial(settings, "phi3")
    scaling = config["rope_scaling"]
    original = settings.whole("rope.scaling.original_context_length", config["max_position_embeddings"])
    if scaling is not None and scaling["type"] != "longrope":
        raise SettingError("rope.scaling.type")
    return config | {"original_max_position_embeddings": original}


def granite(settings: GgufSettings) -> dict[str, Any]:
    """For granite.py; undoes GraniteModel (conversion/granite.py), which calls each multiplier a scale."""
    return settings.shared("granite") | {
        "attention_multiplier": settings.number("attention.scale", settings.head_dim**-0.5),
        "embedding_multiplier": settings.number("embedding_scale", 1.0),
        "residual_multiplier": settings.number("residual_scale", 1.0),
        "logits_scaling": settings.number("logit_scale", 1.0),
        "mlp_bias": settings.has(".ffn_up.bias"),
    }


def _mamba2(settings: GgufSettings) -> dict[str, Any]:
    """Return the sizes of Mamba 2, which GraniteHybridModel and FalconH1Model write. mlx-lm's norm has no groups."""
    if settings.whole("ssm.group_count") > 1 and settings.has(".ssm_norm.weight"):
        raise SettingError("ssm.group_count")
    sizes = settings.named(
        mamba_n_heads="ssm.time_step_rank",
        mamba_d_state="ssm.state_size",
        mamba_d_conv="ssm.conv_kernel",
        mamba_n_groups="ssm.group_count",
        mamba_d_ssm="ssm.inner_size",
    )
    flags = {"mamba_conv_bias": settings.has(".ssm_conv1d.bias"), "mamba_proj_bias": False}
    return sizes | flags | {"mamba_d_head": sizes["mamba_d_ssm"] // sizes["mamba_n_heads"]}


def granite_hybrid(settings: GgufSettings) -> dict[str, Any]:
    """For granitemoehybrid.py; undoes GraniteHybridModel (conversion/granite.py): a state space has no heads.

    Raises `SettingError` for models with experts.
    """
    if settings.whole("expert_count", 0):
        raise SettingError("expert_count")
    has_rope = settings.get("rope.scaling.finetuned")
    layers = ["attention" if heads else "mamba" for heads in settings.each("attention.head_count_kv")]
    hybrid = {"model_type": "granitemoehybrid", "position_embedding_type": "rope" if has_rope else "nope"}
    return granite(settings) | _mamba2(settings) | hybrid | {"layer_types": layers}


def falcon_h1(settings: GgufSettings) -> dict[str, Any]:
    """For falcon_h1.py; undoes FalconH1Model (conversion/falcon_h1.py), whose multipliers are in the weights.

    Raises `SettingError` without an output matrix.
    """
    if settings.tied:
        raise SettingError("output.weight")
    shared = settings.shared("falcon_h1", scaled=False)
    return shared | _mamba2(settings) | {"mamba_rms_norm": settings.has(".ssm_norm.weight")}


def nemotron_h(settings: GgufSettings) -> dict[str, Any]:
    """For nemotron_h.py, which uses no rotary positions; undoes NemotronHModel (conversion/nemotron.py)."""
    attends = settings.each("attention.head_count_kv")
    inner = settings.each("feed_forward_length")
    experts = settings.whole("expert_count", 0)
    feeds = "E" if experts else "-"
    config = settings.shared("nemotron_h", partial_rotary=True) | settings.named(
        mamba_num_heads="ssm.time_step_rank",
        ssm_state_size="ssm.state_size",
        conv_kernel="ssm.conv_kernel",
        n_groups="ssm.group_count",
    )
    del config["rope_scaling"]
    config |= {
        "hybrid_override_pattern": [
            _kind_of_layer(heads, width, feeds) for heads, width in zip(attends, inner, strict=True)
        ],
        "intermediate_size": max(inner),
        "layer_norm_epsilon": config["rms_norm_eps"],
        "mamba_head_dim": settings.whole("ssm.inner_size") // config["mamba_num_heads"],
        "use_conv_bias": settings.has(".ssm_conv1d.bias"),
        **dict.fromkeys(("mamba_proj_bias", "mlp_bias", "use_bias"), False),
    }
    if experts:
        config |= _routed(settings) | {"moe_latent_size": settings.whole("moe_latent_size", 0) or None}
        config |= settings.named(moe_shared_expert_intermediate_size="expert_shared_feed_forward_length")
    return config


def _kind_of_layer(heads: int, width: int, feeds: str) -> str:
    """Return the character of one of Nemotron H's layers: attention, `feeds` for a feed-forward layer, or Mamba."""
    if heads:
        return "*"
    return feeds if width else "M"


def gpt_oss(settings: GgufSettings) -> dict[str, Any]:
    """For gpt_oss.py; undoes GptOssModel (conversion/gpt_oss.py), which leaves `layer_types` out: they alternate."""
    layers = ["full_attention" if layer % 2 else "sliding_attention" for layer in range(settings.layers)]
    sizes = settings.named(intermediate_size="expert_feed_forward_length", sliding_window="attention.sliding_window")
    return settings.shared("gpt_oss") | _experts(settings, "num_local_experts") | sizes | {"layer_types": layers}


def lfm2(settings: GgufSettings) -> dict[str, Any]:
    """For lfm2.py; undoes LFM2Model (conversion/lfm2.py): a convolution has no heads, and widths are adjusted."""
    shared = settings.shared("lfm2")
    return shared | {
        "norm_eps": shared["rms_norm_eps"],
        "conv_bias": settings.has(".shortconv.in_proj.bias"),
        "conv_L_cache": settings.whole("shortconv.l_cache"),
        "block_dim": shared["hidden_size"],
        "block_ff_dim": shared["intermediate_size"],
        "block_multiple_of": 1,
        "block_ffn_dim_multiplier": 1.0,
        "block_auto_adjust_ff_dim": False,
        "layer_types": ["full_attention" if heads else "conv" for heads in settings.each("attention.head_count_kv")],
    }


def olmo2(settings: GgufSettings) -> dict[str, Any]:
    """For olmo2.py and olmo3.py; undoes Olmo2Model (conversion/olmo.py)."""
    # Only OLMo 3, of the same name in llama.cpp, has a window, and the converter writes which layers have it.
    if settings.get("attention.sliding_window") is None:
        return settings.shared("olmo2")
    slides = settings.each("attention.sliding_window_pattern")
    return settings.shared("olmo3") | {
        "sliding_window": settings.whole("attention.sliding_window"),
        "layer_types": ["sliding_attention" if slide else "full_attention" for slide in slides],
    }


def glm4(settings: GgufSettings) -> dict[str, Any]:
    """For glm4.py; undoes Glm4Model (conversion/glm.py), which moves rows of models that see (rope sections).

    Raises `SettingError` for models that see.
    """
    if settings.get("rope.dimension_sections") is not None:
        raise SettingError("rope.dimension_sections")
    return _partial(settings, "glm4")


def _routed(settings: GgufSettings) -> dict[str, Any]:
    """Return what DeepSeek 3, GLM 4.5 and Nemotron H have of experts that a sigmoid and a correction choose."""
    if settings.whole("expert_gating_func", 2) != 2 or settings.tied:
        raise SettingError("expert_gating_func")
    return _experts(settings, "n_routed_experts") | {
        "n_shared_experts": settings.whole("expert_shared_count", 0) or None,
        "first_k_dense_replace": settings.whole("leading_dense_block_count", 0),
        "routed_scaling_factor": settings.number("expert_weights_scale", 1.0),
        "norm_topk_prob": bool(settings.get("expert_weights_norm")),
        "n_group": settings.whole("expert_group_count", 1),
        "topk_group": settings.whole("expert_group_used_count", 1),
    }


def glm4_moe(settings: GgufSettings) -> dict[str, Any]:
    """For glm4_moe.py, which scales no positions; undoes Glm4MoeModel (conversion/glm.py)."""
    normed = {"use_qk_norm": settings.has(".attn_q_norm.weight")}
    return _partial(settings, "glm4_moe", scaled=False) | _routed(settings) | normed


def deepseek2(settings: GgufSettings) -> dict[str, Any]:
    """For deepseek_v3.py; undoes DeepseekV2Model (conversion/deepseek.py), whose logarithm is a tenth of both scales.

    The norms of its latent queries and keys have an epsilon of 1e-6; in glm4_moe_lite.py they have the file's epsilon.
    Raises `SettingError` unless a sigmoid chooses the experts, and for a temperature of attention.
    """
    if not _names_sigmoid(settings) or settings.get("attention.temperature_scale"):
        raise SettingError("expert_gating_func")
    config = settings.shared("deepseek_v3", partial_rotary=True) | _routed(settings)
    if (scaling := config["rope_scaling"]) is not None and scaling.get("mscale_all_dim"):
        scaling["mscale"] = scaling["mscale_all_dim"] = scaling["mscale_all_dim"] * 10
    if config["rms_norm_eps"] != 1e-6:
        config["model_type"] = "glm4_moe_lite"
    config |= settings.named(
        kv_lora_rank="attention.kv_lora_rank",
        qk_rope_head_dim="rope.dimension_count",
        v_head_dim="attention.value_length_mla",
        head_dim="attention.key_length_mla",
    )
    config["num_key_value_heads"] = settings.heads
    config["q_lora_rank"] = settings.whole("attention.q_lora_rank", 0) or None
    config["qk_nope_head_dim"] = config["head_dim"] - config["qk_rope_head_dim"]
    return config


def _names_sigmoid(settings: GgufSettings) -> bool:
    """Return whether a file of this architecture says how experts are chosen, so that `_routed` can check it.

    DeepSeek 2, whose experts a softmax chooses, has no such key, and mlx-lm's module would compute something else. That
    of GLM 4.7 Flash lacks it, too, because its config.json has no scoring_func; llama.cpp (src/models/deepseek2.cpp)
    takes the sigmoid for a file with its layers and tokens.
    """
    if settings.get("expert_gating_func") is not None:
        return True
    return settings.whole("block_count") in _FLASH_LAYERS and settings.rows("token_embd.weight") == _FLASH_TOKENS


def cohere2(settings: GgufSettings) -> dict[str, Any]:
    """For cohere2.py, whose heads fill the hidden size; undoes Cohere2Model (conversion/command_r.py).

    Raises `SettingError` for heads of another size.
    """
    shared = settings.shared("cohere2", scaled=False)
    if shared["head_dim"] * shared["num_attention_heads"] != shared["hidden_size"]:
        raise SettingError("attention.key_length")
    return shared | {
        "layer_norm_eps": shared["rms_norm_eps"],
        "logit_scale": settings.number("logit_scale"),
        "sliding_window": settings.whole("attention.sliding_window"),
        "sliding_window_pattern": settings.period(4),
    }


def exaone4(settings: GgufSettings) -> dict[str, Any]:
    """For exaone4.py; undoes Exaone4Model (conversion/exaone.py). Without a window, positions turn all layers."""
    window = settings.whole("attention.sliding_window", 0)
    period = settings.period(4)
    slides = [window > 0 and (layer + 1) % period > 0 for layer in range(settings.layers)]
    pattern = "".join("L" if sliding else "G" for sliding in slides)
    return settings.shared("exaone4") | {
        "sliding_window": window or None,
        "sliding_window_pattern": pattern if window else None,
        "layer_types": ["sliding_attention" if sliding else "full_attention" for sliding in slides],
    }
