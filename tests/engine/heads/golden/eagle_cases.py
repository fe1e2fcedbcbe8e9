"""The EAGLE-3 heads of the golden tensors: their configurations, and the shapes of their tensors.

Used by the tests, and by the generators in the environment of the reference packages: the standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
WEIGHTS = HERE / "eagle_weights.safetensors"
WIDTH, HEADS, KV_HEADS, HEAD_DIM, INNER, VOCABULARY, DRAFTED, MAIN_LAYERS = 64, 4, 2, 16, 96, 256, 96, 12
NARROW = 32
TAPS = (1, 5, 8)
# Tapped rows of each round; then three steps, which read the next tokens of the text instead of their draft tokens.
ROUNDS = (11, 3, 1, 4)
STEPS = 3
TOKENS = tuple((7 * index * index + 13 * index + 5) % VOCABULARY for index in range(sum(ROUNDS) + STEPS))


@dataclass(frozen=True)
class EagleCase:
    """One head: `config` is its config.json, `shapes` those of its tensors by their names in its file.

    `golden` is the case that has its golden tensors, if it is another spelling of that head.
    """

    config: Mapping[str, Any]
    shapes: Mapping[str, tuple[int, ...]]
    reference: str = "speculators"
    golden: str = ""


def shared_name(name: str, shape: tuple[int, ...]) -> str:
    """Return the key of a tensor in WEIGHTS; cases share tensors of the same name and shape."""
    return f"{name.replace('midlayer.', 'layers.0.')} {'x'.join(map(str, shape))}"


def body(model_type: str = "llama", **changes: Any) -> dict[str, Any]:
    """Return the settings of the network."""
    return {
        "model_type": model_type, "hidden_size": WIDTH, "intermediate_size": INNER, "num_hidden_layers": 1,
        "num_attention_heads": HEADS, "num_key_value_heads": KV_HEADS, "head_dim": HEAD_DIM, "vocab_size": VOCABULARY,
        "rms_norm_eps": 1e-6, "rope_theta": 10000.0, "max_position_embeddings": 4096, "attention_bias": False,
        "hidden_act": "silu", "tie_word_embeddings": False, **changes,
    }  # fmt: skip


def speculators(settings: Mapping[str, Any], drafted: int = DRAFTED, **flags: Any) -> dict[str, Any]:
    """Return a configuration in RedHatAI's format: ids mean the inputs of layers."""
    return {
        "architectures": ["Eagle3Speculator"],
        "speculators_model_type": "eagle3",
        "draft_vocab_size": drafted,
        "norm_before_residual": False,
        "target_hidden_size": None,
        "eagle_aux_hidden_state_layer_ids": [tap + 1 for tap in TAPS],
        "transformer_layer_config": dict(settings),
        "speculators_config": {
            "algorithm": "eagle3",
            "proposal_methods": [{"proposal_type": "greedy", "speculative_tokens": STEPS}],
            "verifier": {"name_or_path": "org/main"},
        },
        **flags,
    }


def original(width: int = WIDTH, nested: Mapping[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    """Return one in the original format, that of SpecForge and AngelSlim."""
    return {
        **body(hidden_size=width), "architectures": ["LlamaForCausalLMEagle3"], "target_hidden_size": WIDTH,
        "num_target_layers": MAIN_LAYERS, "draft_vocab_size": DRAFTED,
        "eagle_config": {
            "eagle_aux_hidden_state_layer_ids": [tap + 1 for tap in TAPS],
            "use_aux_hidden_state": True, **(nested or {}),
        },
        **changes,
    }  # fmt: skip


def layer(name: str, inputs: int, width: int = WIDTH, *, norms: bool = False) -> dict[str, tuple[int, ...]]:
    queries, keys = HEADS * HEAD_DIM, KV_HEADS * HEAD_DIM
    shapes: dict[str, tuple[int, ...]] = {
        "input_layernorm": (width,), "post_attention_layernorm": (width,), "self_attn.q_proj": (queries, inputs),
        "self_attn.k_proj": (keys, inputs), "self_attn.v_proj": (keys, inputs), "self_attn.o_proj": (width, queries),
        "mlp.gate_proj": (INNER, width), "mlp.up_proj": (INNER, width), "mlp.down_proj": (width, INNER),
    }  # fmt: skip
    if norms:
        shapes |= {"self_attn.q_norm": (HEAD_DIM,), "self_attn.k_norm": (HEAD_DIM,)}
    return {f"{name}.{key}.weight": shape for key, shape in shapes.items()}


def tensors(
    first: str = "layers.0", width: int = WIDTH, drafted: int = DRAFTED, *, norms: bool = False
) -> dict[str, tuple[int, ...]]:
    found = {
        "fc.weight": (width, len(TAPS) * WIDTH),
        "norm.weight": (width,),
        f"{first}.hidden_norm.weight": (width,),
        "lm_head.weight": (drafted, width),
        **layer(first, 2 * width, width, norms=norms),
    }
    return found if drafted == VOCABULARY else found | {"d2t": (drafted,), "t2d": (VOCABULARY,)}


FC_NORMS: dict[str, tuple[int, ...]] = {f"fc_norm.{index}.weight": (WIDTH,) for index in range(len(TAPS))}
INPUT_NORM: dict[str, tuple[int, ...]] = {"input_norm.weight": (len(TAPS) * WIDTH,)}
OWN_EMBEDDING: dict[str, tuple[int, ...]] = {"embed_tokens.weight": (VOCABULARY, NARROW)}
LLAMA3 = {
    "rope_type": "llama3", "rope_theta": 10000.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}  # fmt: skip
SLIDING = {"layer_types": ["sliding_attention"], "sliding_window": 6, "use_sliding_window": True}
CASES: dict[str, EagleCase] = {
    "eagle_llama": EagleCase(speculators(body()), tensors()),
    "eagle_residual": EagleCase(speculators(body(), norm_before_residual=True), tensors()),
    "eagle_qwen3": EagleCase(speculators(body("qwen3")), tensors(norms=True)),
    "eagle_norm_output": EagleCase(speculators(body(), norm_output=True), tensors()),
    "eagle_3_1": EagleCase(
        speculators(body(), norm_output=True, fc_norm=True, norm_before_residual=True), tensors() | FC_NORMS
    ),
    "eagle_norm_before_fc": EagleCase(speculators(body(), norm_before_fc=True), tensors() | INPUT_NORM),
    "eagle_scaled_rope": EagleCase(speculators(body(rope_parameters=LLAMA3)), tensors()),
    "eagle_whole_vocabulary": EagleCase(speculators(body(), VOCABULARY), tensors(drafted=VOCABULARY)),
    "eagle_two_layers": EagleCase(speculators(body(num_hidden_layers=2)), tensors() | layer("layers.1", WIDTH)),
    "eagle_sliding": EagleCase(speculators(body("qwen3", **SLIDING)), tensors(norms=True)),
    "eagle_narrow": EagleCase(original(NARROW), tensors("midlayer", NARROW) | OWN_EMBEDDING, "specforge"),
    "eagle_plain_output": EagleCase(original(norm_output=False), tensors("midlayer"), "specforge"),
    "eagle_fc_norm": EagleCase(original(fc_norm=True, norm_output=True), tensors("midlayer") | FC_NORMS, "specforge"),
    # Other spellings of heads above.
    "eagle_original": EagleCase(original(), tensors("midlayer"), golden="eagle_llama"),
    "eagle_default_ids": EagleCase(original(eagle_config={}), tensors("midlayer"), golden="eagle_llama"),
    "eagle_ids_of_outputs": EagleCase(
        original(nested={"eagle_aux_hidden_state_layer_ids": list(TAPS)}), tensors("midlayer"), golden="eagle_llama"
    ),
    "eagle_nested_flags": EagleCase(
        original(nested={"norm_before_fc": True}), tensors("midlayer") | INPUT_NORM, golden="eagle_norm_before_fc"
    ),
}
