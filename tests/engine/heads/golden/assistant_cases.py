"""The assistants of Gemma 4 of the golden tensors: their configurations, and the shapes of their weights.

Used by the tests, and by the generator in the environment of the reference package: the standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
WEIGHTS = HERE / "assistant_weights.safetensors"
# MAIN_WIDTH, VOCABULARY and MAIN_LAYERS are those of the main model of `cases.py` and `mtp_cases.py`.
MAIN_WIDTH, VOCABULARY, MAIN_LAYERS = 64, 256, 4
WIDTH, HEADS, HEAD_DIM, WIDE_DIM, INNER, WINDOW = 32, 4, 8, 16, 48, 8
KV_HEADS = {"full_attention": 1, "sliding_attention": 2}
LAYER_TYPES = ("sliding_attention", "sliding_attention", "full_attention")
CENTROIDS, CHOSEN = 16, 4
# The main model's layers whose keys and values are attended to.
ATTENDED = {"full_attention": 3, "sliding_attention": 2}


@dataclass(frozen=True)
class AssistantCase:
    """An assistant that scores all tokens or, if `ordered`, those of the likeliest groups."""

    ordered: bool = False

    @property
    def config(self) -> dict[str, Any]:
        return {
            "model_type": "gemma4_assistant", "architectures": ["Gemma4AssistantForCausalLM"],
            "backbone_hidden_size": MAIN_WIDTH, "use_ordered_embeddings": self.ordered, "num_centroids": CENTROIDS,
            "centroid_intermediate_top_k": CHOSEN, "tie_word_embeddings": True,
            "text_config": {
                "model_type": "gemma4_text", "hidden_size": WIDTH, "intermediate_size": INNER,
                "num_hidden_layers": len(LAYER_TYPES), "num_kv_shared_layers": len(LAYER_TYPES),
                "num_attention_heads": HEADS, "num_key_value_heads": KV_HEADS["sliding_attention"],
                "num_global_key_value_heads": KV_HEADS["full_attention"], "attention_k_eq_v": True,
                "head_dim": HEAD_DIM, "global_head_dim": WIDE_DIM, "layer_types": list(LAYER_TYPES),
                "sliding_window": WINDOW, "vocab_size": VOCABULARY, "vocab_size_per_layer_input": 0,
                "hidden_size_per_layer_input": 0, "use_double_wide_mlp": False, "enable_moe_block": False,
                "max_position_embeddings": 4096, "rms_norm_eps": 1e-6,
                "rope_parameters": {
                    "full_attention": {
                        "partial_rotary_factor": 0.25, "rope_theta": 1000000.0, "rope_type": "proportional",
                    },
                    "sliding_attention": {"rope_theta": 10000.0, "rope_type": "default"},
                },
            },
        }  # fmt: skip

    @property
    def tensors(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the published tensors; the order of tokens, integers, is `token_ordering` of WEIGHTS."""
        shapes: dict[str, tuple[int, ...]] = {
            "pre_projection.weight": (WIDTH, 2 * MAIN_WIDTH),
            "post_projection.weight": (MAIN_WIDTH, WIDTH),
            "model.embed_tokens.weight": (VOCABULARY, WIDTH),
            "model.norm.weight": (WIDTH,),
        }
        norms = ("input", "post_attention", "pre_feedforward", "post_feedforward")
        for index, kind in enumerate(LAYER_TYPES):
            layer, size = f"model.layers.{index}.", WIDE_DIM if kind == "full_attention" else HEAD_DIM
            shapes |= {f"{layer}{norm}_layernorm.weight": (WIDTH,) for norm in norms}
            shapes |= {
                f"{layer}layer_scalar": (1,),
                f"{layer}self_attn.q_norm.weight": (size,),
                f"{layer}self_attn.q_proj.weight": (HEADS * size, WIDTH),
                f"{layer}self_attn.o_proj.weight": (WIDTH, HEADS * size),
                f"{layer}mlp.gate_proj.weight": (INNER, WIDTH),
                f"{layer}mlp.up_proj.weight": (INNER, WIDTH),
                f"{layer}mlp.down_proj.weight": (WIDTH, INNER),
            }
        if self.ordered:
            shapes["masked_embedding.centroids.weight"] = (CENTROIDS, WIDTH)
        return shapes


CASES = {"assistant_gemma4": AssistantCase(), "assistant_gemma4_ordered": AssistantCase(ordered=True)}
