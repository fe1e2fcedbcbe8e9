"""The configurations of Qwen's models that see, tiny, for `tests.tiny_vision`."""

from __future__ import annotations

from typing import Any

MARKS = ("<|image_pad|>", "<|vision_start|>", "<|vision_end|>")
# The settings for pictures of all of them.
SIZES = {"min_pixels": 400, "max_pixels": 3600, "patch_size": 4, "merge_size": 2}

# fmt: off
_TEXT: dict[str, Any] = {
    "hidden_size": 64, "num_hidden_layers": 3, "intermediate_size": 128, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 16, "rms_norm_eps": 1e-6, "max_position_embeddings": 768,
    "rope_theta": 10000.0, "tie_word_embeddings": False,
}
_EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 64, "norm_topk_prob": True}
_VISION: dict[str, Any] = {
    "depth": 2, "hidden_size": 64, "intermediate_size": 128, "num_heads": 4, "out_hidden_size": 64, "patch_size": 4,
    "spatial_merge_size": 2, "temporal_patch_size": 2, "in_channels": 3,
}
_QWEN2 = {**_TEXT, "bos_token_id": 0, "rope_scaling": {"type": "mrope", "mrope_section": [2, 3, 3]}}
_QWEN3 = {**_TEXT, "rope_scaling": {"type": "default", "mrope_section": [4, 2, 2], "mrope_interleaved": True}}
_QWEN3_5 = {
    **_TEXT, "head_dim": 32, "full_attention_interval": 2, "linear_num_value_heads": 2, "linear_num_key_heads": 2,
    "linear_key_head_dim": 32, "linear_value_head_dim": 32, "linear_conv_kernel_dim": 4, "rope_parameters": {
        "type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5, "mrope_section": [3, 3, 2],
    },
}


def _nested(name: str, text: dict[str, Any], **vision: Any) -> dict[str, Any]:
    return {
        "model_type": name, "text_config": {**text, "model_type": f"{name}_text"},
        "vision_config": {**_VISION, "model_type": name, "num_position_embeddings": 16, **vision},
    }


CONFIGS: dict[str, dict[str, Any]] = {
    "qwen2_vl": {
        "model_type": "qwen2_vl", **_QWEN2, "vision_config": {**_VISION, "embed_dim": 64, "mlp_ratio": 2},
    },
    "qwen2_5_vl": {
        "model_type": "qwen2_5_vl", **_QWEN2,
        "vision_config": {**_VISION, "window_size": 16, "fullatt_block_indexes": [1]},
    },
    "qwen3_vl": _nested("qwen3_vl", _QWEN3, deepstack_visual_indexes=[0, 1]),
    "qwen3_vl_moe": _nested(
        "qwen3_vl_moe", {**_QWEN3, **_EXPERTS, "decoder_sparse_step": 1, "mlp_only_layers": []},
        deepstack_visual_indexes=[0, 1],
    ),
    "qwen3_5": _nested("qwen3_5", _QWEN3_5),
    "qwen3_5_moe": _nested("qwen3_5_moe", {**_QWEN3_5, **_EXPERTS, "shared_expert_intermediate_size": 64}),
}
# fmt: on
