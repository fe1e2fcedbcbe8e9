"""The table of llama.cpp's architectures: the family of mlx-lm, its configuration, and its names of the tensors.

Names are those of llama.cpp without "blk.N." and, where all of a part's tensors are renamed alike, without ".weight" or
".bias". What llama.cpp changes in tensors, for its own kernels, is changed back.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.gguf.settings import GgufSettings, SettingError
from engine.model_files.gguf_header import GgufTensor

Floats = NDArray[np.float32]
Order = tuple[int, ...]
_LAYER = re.compile(r"blk\.(\d{1,4})\.(.+)")
# The tensors that become settings, and those of towers, which some files have beside the language model.
ROPE_FACTORS = ("rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight")
_TOWERS = ("v.", "mm.", "a.")


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a tensor goes: its name in the folder, and what is changed.

    `rows` and `columns` reorder it, in equal parts. `half` is the half of each expert's rows that is taken. `change`
    takes floats, so what has one is stored as floats, as is what is `plain`.
    """

    name: str
    rows: Order | None = None
    columns: Order | None = None
    half: int | None = None
    change: Callable[[Floats], Floats] | None = None
    plain: bool = False


@dataclass(frozen=True, slots=True)
class GgufArchitecture:
    """One entry of the table.

    With `permuted`, the rows of queries and keys are interleaved by halves of their heads. With `plus_one`, norms are
    stored plus one. `float16` is false for families whose hidden states leave float16's range (the list of vLLM).
    """

    settings: Callable[[GgufSettings], dict[str, Any]]
    names: Mapping[str, str]
    permuted: bool = False
    plus_one: bool = False
    float16: bool = True
    prefix: str = ""
    places: Callable[[GgufSettings, str], dict[str, Any]] | None = None


def architecture_of(name: str, settings: GgufSettings) -> GgufArchitecture | None:
    """Return the entry of an architecture; None if there is none."""
    if name == "llama" and settings.whole("expert_count", 0):
        return _MIXTRAL
    return _TABLE.get(name)


def placements(entry: GgufArchitecture, settings: GgufSettings, tensor: GgufTensor) -> list[Placement]:
    """Return where a tensor of the file goes; nowhere, if it became a setting. Raises `SettingError` if unknown."""
    if tensor.name in ROPE_FACTORS or tensor.name.startswith(_TOWERS):
        return []
    match = _LAYER.fullmatch(tensor.name)
    layer, part = (None, tensor.name) if match is None else (int(match[1]), match[2])
    name = _renamed({**_OUTER, **entry.names} if layer is None else {**_LAYERS, **entry.names}, part)
    if name is None or (layer is not None and layer >= settings.whole("block_count")):
        raise SettingError(tensor.name)
    if layer is None:
        place = f"{entry.prefix}{name}"
    elif layer < settings.layers:
        place = f"{entry.prefix}model.layers.{layer}.{name}"
    else:
        fusion = part.startswith("nextn.")
        place = f"mtp.{name}" if fusion else f"mtp.layers.{layer - settings.layers}.{name}"
    changes = entry.places(settings, part) if entry.places is not None else {}
    if entry.permuted and part.startswith(("attn_q.", "attn_k.")):
        changes["rows"] = _unpermuted(settings, part, tensor)
    if entry.plus_one and place.endswith("norm.weight"):
        changes["change"] = _minus_one
    if "{half}" in place:
        return [Placement(place.format(half=half), half=index) for index, half in enumerate(("gate", "up"))]
    return [Placement(place, **changes)]


def _renamed(names: Mapping[str, str], part: str) -> str | None:
    if part in names:
        return names[part]
    stem, _, leaf = part.rpartition(".")
    return f"{names[stem]}.{leaf}" if stem in names and leaf in ("weight", "bias") else None


def _minus_one(numbers: Floats) -> Floats:
    return numbers - 1


def _logarithm(numbers: Floats) -> Floats:
    return np.log(-numbers)


def _as_convolution(numbers: Floats) -> Floats:
    return numbers[..., None]


def _as_row(numbers: Floats) -> Floats:
    return numbers.reshape(1, -1)


def _unpermuted(settings: GgufSettings, part: str, tensor: GgufTensor) -> Order:
    """Return the order of the rows in which each head's halves follow each other."""
    heads = settings.heads if part.startswith("attn_q.") else max(settings.each("attention.head_count_kv", 1))
    if heads * settings.head_dim != tensor.shape[0]:
        raise SettingError(tensor.name)
    return tuple(np.arange(tensor.shape[0]).reshape(heads, -1, 2).swapaxes(1, 2).ravel().tolist())


def _llama(settings: GgufSettings) -> dict[str, Any]:
    biased = "blk.0.attn_q.bias" in settings.tensors
    return settings.shared() | {"model_type": "llama", "attention_bias": biased}


def _mixtral(settings: GgufSettings) -> dict[str, Any]:
    if settings.head_dim * settings.heads != settings.whole("embedding_length"):
        raise SettingError("attention.key_length")
    return settings.shared() | {"model_type": "mixtral"} | _experts(settings, "num_local_experts")


def _experts(settings: GgufSettings, count: str) -> dict[str, Any]:
    return {count: settings.whole("expert_count"), "num_experts_per_tok": settings.whole("expert_used_count")}


def _qwen3_moe(settings: GgufSettings) -> dict[str, Any]:
    return {
        **settings.shared(),
        **_experts(settings, "num_experts"),
        "model_type": "qwen3_moe",
        "moe_intermediate_size": settings.whole("expert_feed_forward_length"),
        "decoder_sparse_step": 1,
        "mlp_only_layers": [],
        "norm_topk_prob": True,
    }


def _qwen3_5(settings: GgufSettings) -> dict[str, Any]:
    heads = settings.whole("ssm.time_step_rank")
    head_dim = settings.head_dim
    theta = settings.number("rope.freq_base")
    text: dict[str, Any] = {
        **settings.shared(),
        "model_type": "qwen3_5_text",
        "linear_num_value_heads": heads,
        "linear_num_key_heads": settings.whole("ssm.group_count"),
        "linear_key_head_dim": settings.whole("ssm.state_size"),
        "linear_value_head_dim": settings.whole("ssm.inner_size") // max(1, heads),
        "linear_conv_kernel_dim": settings.whole("ssm.conv_kernel"),
        "full_attention_interval": settings.whole("full_attention_interval", 4),
        "rope_parameters": {
            "type": "default",
            "mrope_section": settings.get("rope.dimension_sections") or [11, 11, 10, 0],
            "rope_theta": theta,
            "partial_rotary_factor": settings.whole("rope.dimension_count") / head_dim,
        },
        "mtp_num_hidden_layers": settings.whole("nextn_predict_layers", 0),
    }
    text["rope_parameters"]["mrope_section"] = text["rope_parameters"]["mrope_section"][:3]
    del text["rope_scaling"], text["rope_theta"]
    return {"model_type": "qwen3_5", "tie_word_embeddings": settings.tied, "text_config": text}


def _qwen3_5_moe(settings: GgufSettings) -> dict[str, Any]:
    config = _qwen3_5(settings)
    config["text_config"] |= {
        **_experts(settings, "num_experts"),
        "model_type": "qwen3_5_moe_text",
        "moe_intermediate_size": settings.whole("expert_feed_forward_length"),
        "shared_expert_intermediate_size": settings.whole("expert_shared_feed_forward_length"),
        "norm_topk_prob": True,
    }
    return config | {"model_type": "qwen3_5_moe"}


def _places_of_qwen3_5(settings: GgufSettings, part: str) -> dict[str, Any]:
    """Undo what llama.cpp does to gated delta nets: value heads in turns of the key heads, a logarithm resolved."""
    changes: dict[str, Any] = {}
    if part == "ssm_a":
        changes["change"] = _logarithm
    if part == "ssm_conv1d.weight":
        changes["change"] = _as_convolution
    if part == "ffn_gate_inp_shexp.weight":
        changes["change"] = _as_row
    keys, values = settings.whole("ssm.group_count"), settings.whole("ssm.time_step_rank")
    if keys == values or part.partition(".")[0] not in _OF_VALUE_HEADS:
        return changes
    if not 0 < keys < values or values % keys:
        raise SettingError("ssm.group_count")
    order = np.arange(values).reshape(-1, keys).T.ravel()
    if part.startswith(("attn_qkv.", "ssm_conv1d.")):
        # Queries and keys come before the values, in heads of the same width.
        width, of_values = settings.whole("ssm.state_size"), settings.whole("ssm.inner_size") // values
        unit = math.gcd(width, of_values)
        first = np.arange(2 * keys * width // unit)
        parts = order[:, None] * (of_values // unit) + np.arange(of_values // unit)
        order = np.concatenate([first, len(first) + parts.ravel()])
    return changes | {"columns" if part.startswith("ssm_out.") else "rows": tuple(order.tolist())}


_OF_VALUE_HEADS = ("attn_qkv", "attn_gate", "ssm_a", "ssm_alpha", "ssm_beta", "ssm_conv1d", "ssm_dt", "ssm_out")


def _gemma(settings: GgufSettings, largest: int) -> dict[str, Any]:
    """Return what Gemma 2 and 3 share. The largest model of each, told by its layers, scales queries in its own way."""
    shared = settings.shared()
    own = settings.layers == largest
    return shared | {"query_pre_attn_scalar": shared["hidden_size"] / settings.heads if own else settings.head_dim}


def _gemma2(settings: GgufSettings) -> dict[str, Any]:
    return _gemma(settings, largest=46) | {
        "model_type": "gemma2",
        "attn_logit_softcapping": settings.number("attn_logit_softcapping", 50.0),
        "final_logit_softcapping": settings.number("final_logit_softcapping", 30.0),
    }


def _gemma3(settings: GgufSettings) -> dict[str, Any]:
    pattern = settings.get("attention.sliding_window_pattern")
    return _gemma(settings, largest=62) | {
        "model_type": "gemma3_text",
        "sliding_window": settings.whole("attention.sliding_window", 512),
        "sliding_window_pattern": pattern if type(pattern) is int else 6,
        "rope_local_base_freq": settings.number("rope.freq_base_swa", 10_000.0),
    }


def _gemma4(settings: GgufSettings) -> dict[str, Any]:
    sliding = settings.each("attention.sliding_window_pattern")
    kv_heads = settings.each("attention.head_count_kv")
    inner = settings.each("feed_forward_length")
    factors = settings.factors.get("rope_freqs.weight", ())
    full = [layer for layer, slides in enumerate(sliding) if not slides]
    if not full or len(full) == len(sliding):
        raise SettingError("attention.sliding_window_pattern")
    same = f"blk.{full[0]}.attn_v.weight" not in settings.tensors
    embedded = settings.whole("embedding_length_per_layer_input", 0)
    config = {
        **{name: value for name, value in settings.shared().items() if not name.startswith("rope_")},
        "model_type": "gemma4_text",
        "head_dim": settings.whole("attention.key_length_swa"),
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
                # Dimensions that are not turned have an enormous factor.
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
    shared = settings.shared()
    turned = settings.whole("rope.dimension_count", settings.head_dim)
    return shared | {"partial_rotary_factor": turned / settings.head_dim}


def _phi3(settings: GgufSettings) -> dict[str, Any]:
    config = _partial(settings) | {"model_type": "phi3"}
    scaling = config["rope_scaling"]
    original = settings.whole("rope.scaling.original_context_length", config["max_position_embeddings"])
    if scaling is not None and scaling["type"] != "longrope":
        raise SettingError("rope.scaling.type")
    return config | {"original_max_position_embeddings": original}


def _granite(settings: GgufSettings) -> dict[str, Any]:
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


def _gpt_oss(settings: GgufSettings) -> dict[str, Any]:
    return {
        **settings.shared(),
        **_experts(settings, "num_local_experts"),
        "model_type": "gpt_oss",
        "intermediate_size": settings.whole("expert_feed_forward_length"),
        "sliding_window": settings.whole("attention.sliding_window"),
        "layer_types": ["full_attention" if layer % 2 else "sliding_attention" for layer in range(settings.layers)],
    }


def _lfm2(settings: GgufSettings) -> dict[str, Any]:
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


def _olmo2(settings: GgufSettings) -> dict[str, Any]:
    # Only OLMo 3, of the same name in llama.cpp, has a window.
    if settings.get("attention.sliding_window") is not None:
        raise SettingError("attention.sliding_window")
    return settings.shared() | {"model_type": "olmo2"}


def _glm4(settings: GgufSettings) -> dict[str, Any]:
    biased = "blk.0.attn_q.bias" in settings.tensors
    return _partial(settings) | {"model_type": "glm4", "attention_bias": biased}


def _of_type(model_type: str) -> Callable[[GgufSettings], dict[str, Any]]:
    return lambda settings: settings.shared() | {"model_type": model_type}


_OUTER = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
_ATTENTION = {
    "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj", "attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm",
}  # fmt: skip
_DENSE = {"ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"}
_LAYERS = _ATTENTION | _DENSE | {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm"}
_GEMMA = {
    "post_attention_norm": "post_attention_layernorm", "ffn_norm": "pre_feedforward_layernorm",
    "post_ffw_norm": "post_feedforward_layernorm",
}  # fmt: skip


def _names_of_experts(place: str, router: str) -> dict[str, str]:
    return {"ffn_gate_inp": router} | {f"ffn_{part}_exps": f"{place}.{part}_proj" for part in ("gate", "up", "down")}


_QWEN3_5 = {
    "post_attention_norm": "post_attention_layernorm",
    "attn_qkv": "linear_attn.in_proj_qkv", "attn_gate": "linear_attn.in_proj_z",
    "ssm_beta": "linear_attn.in_proj_b", "ssm_alpha": "linear_attn.in_proj_a", "ssm_a": "linear_attn.A_log",
    "ssm_dt.bias": "linear_attn.dt_bias", "ssm_conv1d": "linear_attn.conv1d", "ssm_norm": "linear_attn.norm",
    "ssm_out": "linear_attn.out_proj",
    "nextn.eh_proj": "fc", "nextn.enorm": "pre_fc_norm_embedding", "nextn.hnorm": "pre_fc_norm_hidden",
    "nextn.shared_head_norm": "norm",
}  # fmt: skip
_QWEN3_5_MOE = _QWEN3_5 | _names_of_experts("mlp.switch_mlp", "mlp.gate") | {
    "ffn_gate_up_exps.weight": "mlp.switch_mlp.{half}_proj.weight", "ffn_gate_inp_shexp": "mlp.shared_expert_gate",
    **{f"ffn_{part}_shexp": f"mlp.shared_expert.{part}_proj" for part in ("gate", "up", "down")},
}  # fmt: skip
_GEMMA4 = _GEMMA | {
    "per_layer_token_embd": "model.embed_tokens_per_layer", "per_layer_model_proj": "model.per_layer_model_projection",
    "per_layer_proj_norm": "model.per_layer_projection_norm", "inp_gate": "per_layer_input_gate",
    "proj": "per_layer_projection", "post_norm": "post_per_layer_input_norm",
    "layer_output_scale.weight": "layer_scalar", "ffn_gate_inp": "router.proj", "ffn_gate_inp.scale": "router.scale",
    "ffn_down_exps.scale": "router.per_expert_scale", "ffn_down_exps": "experts.switch_glu.down_proj",
    "ffn_gate_up_exps.weight": "experts.switch_glu.{half}_proj.weight",
    "post_ffw_norm_1": "post_feedforward_layernorm_1", "post_ffw_norm_2": "post_feedforward_layernorm_2",
    "pre_ffw_norm_2": "pre_feedforward_layernorm_2",
}  # fmt: skip
_GPT_OSS = _names_of_experts("mlp.experts", "mlp.router") | {
    "post_attention_norm": "post_attention_layernorm", "attn_sinks.weight": "self_attn.sinks",
}  # fmt: skip
_LFM2 = {
    "token_embd_norm": "model.embedding_norm", "output_norm": "model.embedding_norm", "attn_norm": "operator_norm",
    "ffn_norm": "ffn_norm", "ffn_gate": "feed_forward.w1", "ffn_up": "feed_forward.w3", "ffn_down": "feed_forward.w2",
    "attn_output": "self_attn.out_proj", "attn_q_norm": "self_attn.q_layernorm",
    "attn_k_norm": "self_attn.k_layernorm", "shortconv.in_proj": "conv.in_proj", "shortconv.out_proj": "conv.out_proj",
    "shortconv.conv": "conv.conv",
}  # fmt: skip
_OLMO2 = {"post_attention_norm": "post_attention_layernorm", "post_ffw_norm": "post_feedforward_layernorm"}
_GLM4 = {
    "post_attention_norm": "post_self_attn_layernorm", "ffn_norm": "post_attention_layernorm",
    "post_ffw_norm": "post_mlp_layernorm", "ffn_up": "mlp.gate_up_proj",
}  # fmt: skip


def _places_of_lfm2(_: GgufSettings, part: str) -> dict[str, Any]:
    return {"change": _as_convolution} if part == "shortconv.conv.weight" else {}


_MIXTRAL = GgufArchitecture(
    _mixtral, _names_of_experts("block_sparse_moe.switch_mlp", "block_sparse_moe.gate"), permuted=True
)
_TABLE = {
    "llama": GgufArchitecture(_llama, {}, permuted=True),
    "qwen2": GgufArchitecture(_of_type("qwen2"), {}),
    "qwen3": GgufArchitecture(_of_type("qwen3"), {}),
    "qwen3moe": GgufArchitecture(_qwen3_moe, _names_of_experts("mlp.switch_mlp", "mlp.gate")),
    "qwen35": GgufArchitecture(_qwen3_5, _QWEN3_5, prefix="language_model.", places=_places_of_qwen3_5),
    "qwen35moe": GgufArchitecture(_qwen3_5_moe, _QWEN3_5_MOE, prefix="language_model.", places=_places_of_qwen3_5),
    "gemma2": GgufArchitecture(_gemma2, _GEMMA, plus_one=True, float16=False),
    "gemma3": GgufArchitecture(_gemma3, _GEMMA, plus_one=True, float16=False),
    "gemma4": GgufArchitecture(_gemma4, _GEMMA4, float16=False),
    "phi3": GgufArchitecture(_phi3, {"attn_qkv": "self_attn.qkv_proj", "ffn_up": "mlp.gate_up_proj"}),
    "granite": GgufArchitecture(_granite, {}, permuted=True),
    "gpt-oss": GgufArchitecture(_gpt_oss, _GPT_OSS, float16=False),
    "lfm2": GgufArchitecture(_lfm2, _LFM2, places=_places_of_lfm2),
    "olmo2": GgufArchitecture(_olmo2, _OLMO2),
    "glm4": GgufArchitecture(_glm4, _GLM4, float16=False),
}
