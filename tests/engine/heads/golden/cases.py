"""The heads of the golden tensors: their configurations, and the names of their tensors by those of shared weights.

Used by the tests, and by the generators in the environments of the reference packages: the standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
WEIGHTS = HERE / "weights.safetensors"
WIDTH, LAYERS, HEADS, KV_HEADS, HEAD_DIM, INNER, VOCABULARY, MAIN_LAYERS = 64, 3, 4, 2, 16, 64, 256, 7
TAPS = (1, 3, 5)
BLOCK, MASK, WINDOW = 8, 255, 24
RANK, GRU_WIDTH, GRU_INNER, DRAFTED = 16, 32, 32, 96
# Context rows of each round: before the window is full, and after it, where published caches fail with one row.
ROUNDS = (11, 3, 1, 11, 3, 1, 1)
FEW_ROUNDS = (11, 3, 1)
ANCHORS = (7, 100, 31, 200, 5, 250, 64)

FULL, SLIDING = "full_attention", "sliding_attention"


@dataclass(frozen=True)
class Case:
    """One head: `config` is its config.json, `tensors` the shared weights by the names in its file.

    Shared weights joined by a plus are concatenated along their rows. `golden` is the case that has its golden tensors,
    if it is another spelling of that head. `beside` is a file in its folder.
    """

    config: Mapping[str, Any]
    tensors: Mapping[str, str]
    rounds: tuple[int, ...] = ROUNDS
    golden: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    beside: str = ""


def layer_names(layers: int = LAYERS) -> list[str]:
    attention = [f"self_attn.{name}.weight" for name in ("q_proj", "k_proj", "v_proj", "o_proj", "q_norm", "k_norm")]
    mlp = [f"mlp.{name}_proj.weight" for name in ("gate", "up", "down")]
    norms = ["input_layernorm.weight", "post_attention_layernorm.weight"]
    return [f"layers.{index}.{name}" for index in range(layers) for name in (*attention, *mlp, *norms)]


BACKBONE = ["fc.weight", "hidden_norm.weight", "norm.weight", *layer_names()]
CONVOLUTIONS = [
    f"layers.{index}.{conv}.{name}"
    for index in range(LAYERS)
    for conv in ("attention_conv", "mlp_conv")
    for name in ("base_kernel", "kernel_projection.weight")
]
SELECTOR = [
    f"candidate_selector.{name}" for name in ("predecessor_codebook", "successor_codebook", "hidden_projection.weight")
]
CONFIDENCE = ["confidence_head.proj.weight", "confidence_head.proj.bias"]
GRU = ["prefix_gru.weight_ih_l0", "prefix_gru.weight_hh_l0", "embed_proj.0.weight", "embed_proj.2.weight"]


def same(names: list[str], prefix: str = "") -> dict[str, str]:
    return {f"{prefix}{name}": name for name in names}


def base_config(**changes: Any) -> dict[str, Any]:
    """Return a configuration in z-lab's format, which dflash 0.1.0 reads."""
    config: dict[str, Any] = {
        "architectures": ["DFlashDraftModel"], "model_type": "qwen3", "hidden_size": WIDTH,
        "intermediate_size": INNER, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
        "num_key_value_heads": KV_HEADS, "head_dim": HEAD_DIM, "vocab_size": VOCABULARY, "rms_norm_eps": 1e-6,
        "rope_theta": 10000.0, "max_position_embeddings": 4096, "attention_bias": False, "hidden_act": "silu",
        "tie_word_embeddings": False, "block_size": BLOCK, "num_target_layers": MAIN_LAYERS,
        "layer_types": [FULL] * LAYERS, "sliding_window": None, "use_sliding_window": False,
        "dflash_config": {"mask_token_id": MASK, "target_layer_ids": list(TAPS)},
    }  # fmt: skip
    nested = {**config["dflash_config"], **changes.pop("dflash_config", {})}
    return {**config, **changes, "dflash_config": nested}


def sliding(types: list[str], **changes: Any) -> dict[str, Any]:
    return base_config(layer_types=types, sliding_window=WINDOW, use_sliding_window=True, **changes)


def dspark(style: str, **nested: Any) -> dict[str, Any]:
    return base_config(
        architectures=["DSparkDraftModel"],
        dflash_config={
            "projector_type": "dspark", "markov_rank": RANK, "markov_head_type": style,
            "enable_confidence_head": True, "confidence_head_with_markov": True, **nested,
        },
    )  # fmt: skip


def markov(style: str) -> dict[str, str]:
    names = ["markov_w1.weight", "markov_w2.weight"]
    joint = {"gated": "gate_proj", "rnn": "joint_proj"}.get(style)
    names += [f"{joint}.weight", f"{joint}.bias"] if joint else []
    return same([f"markov_head.{name}" for name in names])


def domino(*, shift: bool) -> dict[str, Any]:
    return base_config(
        architectures=["DominoDraftModel"],
        dflash_config={
            "projector_type": "domino",
            "emb_dim": GRU_INNER,
            "gru_hidden_dim": GRU_WIDTH,
            "pure_draft_prefix_len": 2,
            "shift_label": shift,
        },
    )


def speculators(types: list[str], *, drafted: int = VOCABULARY, **changes: Any) -> dict[str, Any]:
    """Return one in RedHatAI's format: layers are counted from the embedding, the network's settings are nested."""
    plain = sliding(types) if SLIDING in types else base_config(layer_types=types)
    nested = {key: value for key, value in plain.items() if key not in ("dflash_config", "block_size", "architectures")}
    nested.pop("num_target_layers")
    return {
        "architectures": ["DFlashDraftModel"], "speculators_model_type": "dflash", "block_size": BLOCK,
        "draft_vocab_size": drafted,
        "aux_hidden_state_layer_ids": [tap + 1 for tap in TAPS],
        "mask_token_id": MASK, "sliding_window_non_causal": False, "transformer_layer_config": nested,
        "speculators_config": {"algorithm": "dflash", "verifier": {"name_or_path": "org/main"}},
        **changes,
    }  # fmt: skip


def laguna() -> dict[str, Any]:
    config = base_config(
        architectures=["LagunaDFlashModel"], model_type="laguna", draft_vocab_size=VOCABULARY,
        layer_types=[SLIDING] * LAYERS, sliding_window=WINDOW, gating="per-head",
        eagle_aux_hidden_state_layer_ids=[tap + 1 for tap in TAPS],
    )  # fmt: skip
    moved = {key: config.pop(key) for key in ("block_size", "num_target_layers")}
    config["dflash_config"] |= {**moved, "causal": True}
    return config


def laguna_tensors() -> dict[str, str]:
    names = {name: name for name in BACKBONE if not any(part in name for part in (".q_proj", ".k_proj", ".v_proj"))}
    for index in range(LAYERS):
        parts = [f"layers.{index}.self_attn.{name}_proj.weight" for name in "qkv"]
        names[f"layers.{index}.self_attn.qkv_proj.weight"] = "+".join(parts)
        names[f"layers.{index}.self_attn.g_proj.weight"] = f"layers.{index}.self_attn.g_proj.weight"
        names[f"aux_hidden_norms.{index}.weight"] = f"aux_hidden_norms.{index}.weight"
    return names


def gemma() -> dict[str, Any]:
    """Return one of Gemma 4's DSpark heads: DSpark's settings beside those of a Gemma 4 text model."""
    config = dspark("vanilla")
    nested = config.pop("dflash_config")
    rope = {"rope_theta": 1000.0, "rope_type": "proportional", "partial_rotary_factor": 0.5}
    return config | {
        "architectures": ["Gemma4DSparkModel"], "model_type": "gemma4_text",
        **{key: value for key, value in nested.items() if key != "projector_type"},
        "hidden_activation": "gelu_pytorch_tanh", "head_dim": HEAD_DIM // 2, "global_head_dim": HEAD_DIM,
        "num_key_value_heads": HEADS, "num_global_key_value_heads": KV_HEADS, "attention_k_eq_v": True,
        "final_logit_softcapping": 3.0,
        "rope_parameters": {FULL: rope, SLIDING: {"rope_theta": 50.0, "rope_type": "default"}},
    }  # fmt: skip


def gemma_tensors() -> dict[str, str]:
    names = same([name for name in (*BACKBONE, *CONFIDENCE) if ".v_proj" not in name], "model.")
    names |= {f"model.{name}": shared for name, shared in markov("vanilla").items()}
    for index in range(LAYERS):
        layer, other = f"model.layers.{index}.", (index + 1) % LAYERS
        names[f"{layer}pre_feedforward_layernorm.weight"] = f"aux_hidden_norms.{index}.weight"
        names[f"{layer}post_feedforward_layernorm.weight"] = f"layers.{other}.input_layernorm.weight"
        # Any number.
        names[f"{layer}layer_scalar"] = "confidence_head.proj.bias"
    return names | {"model.embed_tokens.weight": "main.embed_tokens.weight", "lm_head.weight": "main.lm_head.weight"}


def mimo() -> dict[str, Any]:
    """Return one with the settings in which `dflash/config.json` of MiMo-V2.5 and V2.6 differs."""
    return sliding(
        [SLIDING] * LAYERS,
        is_causal=False,
        v_head_dim=HEAD_DIM,
        partial_rotary_factor=0.5,
        add_swa_attention_sink_bias=True,
        dflash_config={"block_size": BLOCK, "attention_value_scale": 0.612, "attention_sink_bias": True},
    )


SINKS = [f"layers.{index}.self_attn.attention_sink_bias" for index in range(LAYERS)]
MASK_FILE = "mask_embedding.pt"
MIXED = [SLIDING, SLIDING, FULL]
REDUCED = {"lm_head.weight": "reduced.lm_head.weight", "d2t": "reduced.d2t", "t2d": "reduced.t2d"}
CASES: dict[str, Case] = {
    "full": Case(base_config(), same(BACKBONE)),
    "full_causal": Case(base_config(is_causal=True), same(BACKBONE), FEW_ROUNDS),
    "sliding": Case(sliding([SLIDING] * LAYERS), same(BACKBONE)),
    "sliding_bidirectional": Case(sliding([SLIDING] * LAYERS, is_causal=False), same(BACKBONE)),
    "mixed": Case(sliding(MIXED), same(BACKBONE)),
    "scaled": Case(
        base_config(
            dflash_config={
                "input_embedding_scale": 1.5, "output_multiplier": 0.5, "final_logit_softcapping": 3.0,
                "block_size": BLOCK,
            },
            rope_parameters={"rope_type": "linear", "factor": 2.0, "rope_theta": 500.0},
        ),
        same(BACKBONE), FEW_ROUNDS,
    ),
    "dflash2": Case(
        base_config(
            architectures=["DFlash2DraftModel"], is_causal=False, layer_types=MIXED, sliding_window=WINDOW,
            use_sliding_window=True,
            dflash_config={"conv_kernel_size": 2, "conv_group_size": 16, "selector_rank": RANK, "selector_top_k": 12},
        ),
        same([*BACKBONE, *CONVOLUTIONS, *SELECTOR]),
    ),
    **{
        f"dspark_{style}": Case(dspark(style), same([*BACKBONE, *CONFIDENCE]) | markov(style), FEW_ROUNDS)
        for style in ("vanilla", "gated", "rnn")
    },
    "dspark_gemma": Case(gemma(), gemma_tensors(), FEW_ROUNDS),
    "domino": Case(domino(shift=False), same([*BACKBONE, *GRU]), FEW_ROUNDS),
    "domino_shifted": Case(domino(shift=True), same([*BACKBONE, *GRU]), FEW_ROUNDS),
    "speculators": Case(speculators([FULL] * LAYERS, drafted=DRAFTED), same(BACKBONE) | REDUCED, FEW_ROUNDS),
    "speculators_sliding": Case(speculators(MIXED), same(BACKBONE)),
    "mimo": Case(mimo(), same([*BACKBONE, *SINKS]), beside=MASK_FILE),
    "laguna": Case(laguna(), laguna_tensors(), FEW_ROUNDS),
    # Other spellings of heads above.
    "prefixed": Case(base_config(), same(BACKBONE, "model."), golden="full"),
    "default_taps": Case(
        {key: value for key, value in base_config().items() if key != "dflash_config"}
        | {"dflash_config": {"mask_token_id": MASK, "block_size": BLOCK}, "num_target_layers": 9},
        same(BACKBONE), golden="full", extra={"taps": (1, 4, 6)},
    ),
    "nvidia": Case(
        base_config(dflash_config={"use_swa": True, "swa_window_size": WINDOW, "causal": False}),
        same(BACKBONE), golden="sliding_bidirectional",
    ),
    "query_causal": Case(base_config(dflash_query_causal=True), same(BACKBONE), FEW_ROUNDS, golden="full_causal"),
    "domino_nested": Case(domino(shift=False), same(BACKBONE) | same(GRU, "logit_head."), FEW_ROUNDS, golden="domino"),
    "speculators_final_state": Case(
        speculators([FULL] * LAYERS, drafted=DRAFTED)
        | {"aux_hidden_state_layer_ids": [*(tap + 1 for tap in TAPS), MAIN_LAYERS]},
        same(BACKBONE) | REDUCED, FEW_ROUNDS, golden="speculators",
    ),
}  # fmt: skip
