"""The MTP heads of the golden tensors: the settings of their main models, and the shapes of their weights.

Used by the tests, and by the generators in the environments of the reference packages: the standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
WEIGHTS = HERE / "mtp_weights.safetensors"
WIDTH, HEADS, KV_HEADS, HEAD_DIM, INNER, VOCABULARY, MAIN_LAYERS = 64, 4, 2, 16, 96, 256, 4
EXPERTS, EXPERT_INNER = 4, 32
# States of each round; a proposal of STEPS tokens follows, whose anchor is the next of TOKENS.
ROUNDS = (11, 3, 1, 4)
STEPS = 3
TOKENS = tuple((7 * index * index + 13 * index + 5) % VOCABULARY for index in range(sum(ROUNDS) + 1))


@dataclass(frozen=True)
class MtpCase:
    """One head: `text` are its main model's settings, `tensors` the shapes of its published tensors.

    If the norms are `zero_centred`, 1 is subtracted from their published weights. `reference` names the package of the
    golden tensors. Published names begin with `prefix`.
    """

    text: Mapping[str, Any]
    tensors: Mapping[str, tuple[int, ...]]
    zero_centred: bool = False
    reference: str = "speculators"
    prefix: str = "mtp."


def shared_name(name: str, shape: tuple[int, ...]) -> str:
    """Return the key of a tensor in WEIGHTS; cases share tensors of the same name and shape."""
    return f"{name} {'x'.join(map(str, shape))}"


def text(**changes: Any) -> dict[str, Any]:
    return {
        "hidden_size": WIDTH, "intermediate_size": INNER, "num_hidden_layers": MAIN_LAYERS,
        "num_attention_heads": HEADS, "num_key_value_heads": KV_HEADS, "head_dim": HEAD_DIM, "rms_norm_eps": 1e-6,
        "vocab_size": VOCABULARY, "max_position_embeddings": 4096, "rope_theta": 10000.0,
        "tie_word_embeddings": False, "attention_bias": False, "hidden_act": "silu", **changes,
    }  # fmt: skip


HYBRID = {
    "layer_types": ["linear_attention", "full_attention"] * 2, "full_attention_interval": 2,
    "partial_rotary_factor": 0.25, "linear_num_value_heads": 4, "linear_num_key_heads": 2, "linear_key_head_dim": 16,
    "linear_value_head_dim": 16, "linear_conv_kernel_dim": 4,
}  # fmt: skip
MROPE = {
    "rope_type": "default",
    "rope_theta": 10000.0,
    "partial_rotary_factor": 0.25,
    "mrope_section": [1, 1, 0],
    "mrope_interleaved": True,
}
MOE = {
    "num_experts": EXPERTS, "num_experts_per_tok": 2, "moe_intermediate_size": EXPERT_INNER,
    "shared_expert_intermediate_size": EXPERT_INNER, "norm_topk_prob": True, "decoder_sparse_step": 1,
    "mlp_only_layers": [],
}  # fmt: skip
NORMS = {
    "pre_fc_norm_embedding.weight": (WIDTH,), "pre_fc_norm_hidden.weight": (WIDTH,), "norm.weight": (WIDTH,),
    "layers.0.input_layernorm.weight": (WIDTH,), "layers.0.post_attention_layernorm.weight": (WIDTH,),
    "layers.0.self_attn.q_norm.weight": (HEAD_DIM,), "layers.0.self_attn.k_norm.weight": (HEAD_DIM,),
}  # fmt: skip


def attention(*, gated: bool) -> dict[str, tuple[int, ...]]:
    queries, keys = HEADS * HEAD_DIM, KV_HEADS * HEAD_DIM
    layer = "layers.0.self_attn."
    return {
        "fc.weight": (WIDTH, 2 * WIDTH),
        **NORMS,
        f"{layer}q_proj.weight": (2 * queries if gated else queries, WIDTH),
        f"{layer}k_proj.weight": (keys, WIDTH),
        f"{layer}v_proj.weight": (keys, WIDTH),
        f"{layer}o_proj.weight": (WIDTH, queries),
    }


def mlp(layer: str, inner: int) -> dict[str, tuple[int, ...]]:
    inwards = {f"{layer}.{name}_proj.weight": (inner, WIDTH) for name in ("gate", "up")}
    return inwards | {f"{layer}.down_proj.weight": (WIDTH, inner)}


def experts(*, fused: bool) -> dict[str, tuple[int, ...]]:
    layer = "layers.0.mlp"
    shapes: dict[str, tuple[int, ...]] = {
        f"{layer}.gate.weight": (EXPERTS, WIDTH),
        f"{layer}.shared_expert_gate.weight": (1, WIDTH),
        **mlp(f"{layer}.shared_expert", EXPERT_INNER),
    }
    if fused:
        return shapes | {
            f"{layer}.experts.gate_up_proj": (EXPERTS, 2 * EXPERT_INNER, WIDTH),
            f"{layer}.experts.down_proj": (EXPERTS, WIDTH, EXPERT_INNER),
        }
    for index in range(EXPERTS):
        shapes |= mlp(f"{layer}.experts.{index}", EXPERT_INNER)
    return shapes


LATENT = {
    "kv_lora_rank": 32, "q_lora_rank": 24, "qk_rope_head_dim": 8, "qk_nope_head_dim": 16, "v_head_dim": 16,
}  # fmt: skip
ROUTED = {
    "n_routed_experts": EXPERTS, "n_shared_experts": 1, "num_experts_per_tok": 2,
    "moe_intermediate_size": EXPERT_INNER, "routed_scaling_factor": 1.5, "norm_topk_prob": True,
    "scoring_func": "sigmoid", "topk_method": "noaux_tc", "n_group": 1, "topk_group": 1, "first_k_dense_replace": 1,
    "moe_layer_freq": 1,
}  # fmt: skip
# Fewer rows than the text has, so that the index chooses.
INDEX = {"index_n_heads": 2, "index_head_dim": 16, "index_topk": 8}
GLM = {"attention_bias": True, "use_qk_norm": True, "partial_rotary_factor": 0.5, "rope_scaling": None}
APPENDED = f"model.layers.{MAIN_LAYERS}."


def appended(attention: dict[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of one more layer, with experts and the fusion of its inputs."""
    shapes: dict[str, tuple[int, ...]] = {
        "eh_proj.weight": (WIDTH, 2 * WIDTH),
        "mlp.gate.weight": (EXPERTS, WIDTH),
        "mlp.gate.e_score_correction_bias": (EXPERTS,),
        **mlp("mlp.shared_experts", EXPERT_INNER),
    }
    norms = ("enorm", "hnorm", "shared_head.norm", "input_layernorm", "post_attention_layernorm")
    shapes |= {f"{norm}.weight": (WIDTH,) for norm in norms}
    shapes |= {f"self_attn.{name}": shape for name, shape in attention.items()}
    for index in range(EXPERTS):
        shapes |= mlp(f"mlp.experts.{index}", EXPERT_INNER)
    return shapes


def latent(*, indexed: bool = False) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {
        "q_a_proj.weight": (24, WIDTH), "q_a_layernorm.weight": (24,), "q_b_proj.weight": (HEADS * 24, 24),
        "kv_a_proj_with_mqa.weight": (40, WIDTH), "kv_a_layernorm.weight": (32,),
        "kv_b_proj.weight": (HEADS * 32, 32), "o_proj.weight": (WIDTH, HEADS * 16),
    }  # fmt: skip
    if indexed:
        shapes |= {
            "indexer.wq_b.weight": (32, 24),
            "indexer.wk.weight": (16, WIDTH),
            "indexer.k_norm.weight": (16,),
            "indexer.k_norm.bias": (16,),
            "indexer.weights_proj.weight": (2, WIDTH),
        }
    return shapes


def plain(*norms: str, bias: bool) -> dict[str, tuple[int, ...]]:
    rows = {"q_proj": HEADS * HEAD_DIM, "k_proj": KV_HEADS * HEAD_DIM, "v_proj": KV_HEADS * HEAD_DIM}
    shapes: dict[str, tuple[int, ...]] = {f"{name}.weight": (count, WIDTH) for name, count in rows.items()}
    if bias:
        shapes |= {f"{name}.bias": (count,) for name, count in rows.items()}
    return shapes | {"o_proj.weight": (WIDTH, HEADS * HEAD_DIM)} | {f"{norm}.weight": (HEAD_DIM,) for norm in norms}


def mimo() -> dict[str, tuple[int, ...]]:
    norms = ("token_layernorm", "hidden_layernorm", "final_layernorm", "input_layernorm", "post_attention_layernorm")
    shapes: dict[str, tuple[int, ...]] = {f"{norm}.weight": (WIDTH,) for norm in norms}
    shapes |= {"input_proj.weight": (WIDTH, 2 * WIDTH), **mlp("mlp", INNER)}
    return shapes | {f"self_attn.{name}": shape for name, shape in plain(bias=True).items()}


def of_mtplx(kind: str, tensors: dict[str, tuple[int, ...]], prefix: str = APPENDED, **settings: Any) -> MtpCase:
    return MtpCase(
        text(model_type=kind, num_nextn_predict_layers=1, **settings), tensors, reference="mtplx", prefix=prefix
    )


NEMOTRON = {
    "hybrid_override_pattern": ["M", "*", "-", "M"], "mtp_hybrid_override_pattern": "*E", "layer_norm_epsilon": 1e-5,
    "mamba_num_heads": 4, "mamba_head_dim": 16, "mamba_proj_bias": False, "mlp_bias": False, "ssm_state_size": 8,
    "conv_kernel": 4, "n_groups": 1, "use_bias": False, "use_conv_bias": True,
    "moe_shared_expert_intermediate_size": EXPERT_INNER,
}  # fmt: skip


def nemotron() -> dict[str, tuple[int, ...]]:
    """Return the shapes of a layer of attention, then one of experts."""
    first, second = "layers.0.", "layers.1."
    shapes: dict[str, tuple[int, ...]] = {f"{first}eh_proj.weight": (WIDTH, 2 * WIDTH)}
    norms = (f"{first}enorm", f"{first}hnorm", f"{first}norm", f"{second}norm", f"{second}final_layernorm")
    shapes |= {f"{norm}.weight": (WIDTH,) for norm in norms}
    shapes |= {f"{first}mixer.{name}": shape for name, shape in plain(bias=False).items()}
    shapes |= {
        f"{second}mixer.gate.weight": (EXPERTS, WIDTH),
        f"{second}mixer.gate.e_score_correction_bias": (EXPERTS,),
    }
    for inner in ("shared_experts", *(f"experts.{index}" for index in range(EXPERTS))):
        shapes[f"{second}mixer.{inner}.up_proj.weight"] = (EXPERT_INNER, WIDTH)
        shapes[f"{second}mixer.{inner}.down_proj.weight"] = (WIDTH, EXPERT_INNER)
    return shapes


# Full and sliding attention alternate in the main model; the head's three layers are sliding.
STEP_LAYERS = 3
STEP = {
    "num_attention_groups": KV_HEADS,
    "attention_other_setting": {"num_attention_heads": 6, "num_attention_groups": 3},
    "layer_types": ["full_attention", "sliding_attention"] * (MAIN_LAYERS // 2) + ["sliding_attention"] * STEP_LAYERS,
    "sliding_window": 8,
    "rope_theta": [5000000.0, 10000.0] * (MAIN_LAYERS // 2) + [10000.0] * STEP_LAYERS,
    "partial_rotary_factors": [0.5, 1.0] * (MAIN_LAYERS // 2) + [1.0] * STEP_LAYERS,
    "moe_layers_enum": "2,3",
    "num_nextn_predict_layers": STEP_LAYERS,
}


def step() -> dict[str, tuple[int, ...]]:
    """Return the shapes of three layers, each with the fusion of its inputs and an output matrix."""
    shapes: dict[str, tuple[int, ...]] = {}
    norms = ("enorm", "hnorm", "transformer.shared_head.norm", "input_layernorm", "post_attention_layernorm")
    for index in range(STEP_LAYERS):
        layer = f"{MAIN_LAYERS + index}."
        shapes |= {f"{layer}{norm}.weight": (WIDTH,) for norm in norms}
        shapes |= {f"{layer}self_attn.{norm}.weight": (HEAD_DIM,) for norm in ("q_norm", "k_norm")}
        shapes |= {
            f"{layer}eh_proj.weight": (WIDTH, 2 * WIDTH),
            f"{layer}transformer.shared_head.output.weight": (VOCABULARY, WIDTH),
            f"{layer}self_attn.q_proj.weight": (6 * HEAD_DIM, WIDTH),
            f"{layer}self_attn.k_proj.weight": (3 * HEAD_DIM, WIDTH),
            f"{layer}self_attn.v_proj.weight": (3 * HEAD_DIM, WIDTH),
            f"{layer}self_attn.g_proj.weight": (6, WIDTH),
            f"{layer}self_attn.o_proj.weight": (WIDTH, 6 * HEAD_DIM),
            **mlp(f"{layer}mlp", INNER),
        }
    return shapes


# Dense layers with sinks, whose values are narrower than their keys; the window moves within the text.
MIMO_V2_KV_HEADS, MIMO_V2_VALUES = 2, 8
MIMO_V2 = {
    "num_key_value_heads": 1, "v_head_dim": MIMO_V2_VALUES, "swa_num_attention_heads": HEADS,
    "swa_num_key_value_heads": MIMO_V2_KV_HEADS, "swa_head_dim": HEAD_DIM, "swa_v_head_dim": MIMO_V2_VALUES,
    "swa_rope_theta": 10000.0, "partial_rotary_factor": 0.5, "attention_value_scale": 0.707, "sliding_window_size": 7,
    "add_swa_attention_sink_bias": True, "add_full_attention_sink_bias": False,
    "hybrid_layer_pattern": [0, 1] * (MAIN_LAYERS // 2), "layernorm_epsilon": 1e-5, "n_shared_experts": None,
}  # fmt: skip


def mimo_v2() -> dict[str, tuple[int, ...]]:
    """Return the shapes of three layers, each with the fusion of its inputs."""
    shapes: dict[str, tuple[int, ...]] = {}
    norms = ("enorm", "hnorm", "final_layernorm", "input_layernorm", "pre_mlp_layernorm")
    for index in range(STEP_LAYERS):
        layer = f"{index}."
        shapes |= {f"{layer}{norm}.weight": (WIDTH,) for norm in norms}
        shapes |= {
            f"{layer}eh_proj.weight": (WIDTH, 2 * WIDTH),
            f"{layer}self_attn.attention_sink_bias": (HEADS,),
            f"{layer}self_attn.q_proj.weight": (HEADS * HEAD_DIM, WIDTH),
            f"{layer}self_attn.k_proj.weight": (MIMO_V2_KV_HEADS * HEAD_DIM, WIDTH),
            f"{layer}self_attn.v_proj.weight": (MIMO_V2_KV_HEADS * MIMO_V2_VALUES, WIDTH),
            f"{layer}self_attn.o_proj.weight": (WIDTH, HEADS * MIMO_V2_VALUES),
            **mlp(f"{layer}mlp", INNER),
        }
    return shapes


CASES: dict[str, MtpCase] = {
    "mtp_qwen3": MtpCase(text(model_type="qwen3"), attention(gated=False) | mlp("layers.0.mlp", INNER)),
    "mtp_qwen3_5": MtpCase(
        text(model_type="qwen3_5_text", rope_parameters=MROPE, **HYBRID),
        attention(gated=True) | mlp("layers.0.mlp", INNER), zero_centred=True,
    ),
    "mtp_qwen3_5_moe": MtpCase(
        text(model_type="qwen3_5_moe_text", rope_parameters=MROPE, **HYBRID, **MOE),
        attention(gated=True) | experts(fused=True), zero_centred=True,
    ),
    "mtp_qwen3_next": MtpCase(
        text(model_type="qwen3_next", **HYBRID, **MOE), attention(gated=True) | experts(fused=False),
        zero_centred=True,
    ),
    "mtp_deepseek_v3": of_mtplx("deepseek_v3", appended(latent()), **LATENT, **ROUTED),
    "mtp_deepseek_v32": of_mtplx("deepseek_v32", appended(latent(indexed=True)), **LATENT, **ROUTED, **INDEX),
    "mtp_glm_moe_dsa": of_mtplx(
        "glm_moe_dsa", appended(latent(indexed=True)),
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0}, **LATENT, **ROUTED, **INDEX,
    ),
    "mtp_glm4_moe_lite": of_mtplx("glm4_moe_lite", appended(latent()), **LATENT, **ROUTED),
    "mtp_glm4_moe": of_mtplx("glm4_moe", appended(plain("q_norm", "k_norm", bias=True)), **{**ROUTED, **GLM}),
    "mtp_nemotron_h": MtpCase(
        text(model_type="nemotron_h", num_nextn_predict_layers=1, **ROUTED, **NEMOTRON), nemotron(), reference="mlx-vlm"
    ),
    "mtp_mimo": of_mtplx("mimo", mimo(), "model.mtp_layers.0."),
    "mtp_step3p5": MtpCase(
        text(model_type="step3p5", **STEP), step(), zero_centred=True, reference="mtplx by depth",
        prefix="model.layers.",
    ),
    "mtp_mimo_v2_flash": MtpCase(
        text(model_type="mimo_v2_flash", **{**ROUTED, "moe_layer_freq": [0, 1] * (MAIN_LAYERS // 2)} | MIMO_V2),
        mimo_v2(), reference="transformers", prefix="model.mtp.layers.",
    ),
}  # fmt: skip
