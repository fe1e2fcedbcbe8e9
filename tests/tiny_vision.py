"""Writes tiny random models that see, one for each family, and pictures for them."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from mlx.utils import tree_flatten
from PIL import Image

from engine.pictures.families import FAMILIES
from tests import tiny_qwens
from tests.tiny_models import FOUR_BITS, SPECIAL, Stored, read_weights, train_tokenizer, write_model, write_weights

_TEXT: dict[str, Any] = {
    "hidden_size": 64, "num_hidden_layers": 2, "intermediate_size": 128, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 16, "rms_norm_eps": 1e-6, "max_position_embeddings": 512,
}  # fmt: skip
_VISION: dict[str, Any] = {
    "hidden_size": 64, "num_hidden_layers": 2, "intermediate_size": 128, "num_attention_heads": 4, "num_channels": 3,
}  # fmt: skip


@dataclass(frozen=True)
class VisionModel:
    """A tiny model of a family: its configuration, its settings for pictures, and the marks of its tokenizer."""

    family: str
    config: Mapping[str, Any]
    processor: Mapping[str, Any]
    marks: Sequence[str]


GEMMA3 = VisionModel(
    "gemma3",
    {
        "model_type": "gemma3", "mm_tokens_per_image": 16,
        "text_config": {
            **_TEXT, "model_type": "gemma3_text", "num_hidden_layers": 4, "sliding_window": 96,
            "sliding_window_pattern": 2, "query_pre_attn_scalar": 16, "mm_tokens_per_image": 16,
        },
        "vision_config": {**_VISION, "model_type": "siglip_vision_model", "image_size": 32, "patch_size": 4},
    },
    {"image_mean": [0.5] * 3, "image_std": [0.5] * 3, "resample": 2},
    ("<start_of_image>", "<end_of_image>", "<image_soft_token>"),
)  # fmt: skip
GEMMA4 = VisionModel(
    "gemma4",
    {
        "model_type": "gemma4", "vision_soft_tokens_per_image": 12, "boi_token_id": 0, "eoi_token_id": 0,
        "text_config": {
            **_TEXT, "model_type": "gemma4_text", "num_hidden_layers": 4, "sliding_window": 96,
            "layer_types": ["sliding_attention", "full_attention"] * 2, "global_head_dim": 32,
            "hidden_size_per_layer_input": 32, "vocab_size_per_layer_input": 336, "num_kv_shared_layers": 2,
            "use_double_wide_mlp": False, "rope_parameters": {
                "full_attention": {"partial_rotary_factor": 0.25, "rope_theta": 1e6, "rope_type": "proportional"},
                "sliding_attention": {"rope_theta": 1e4, "rope_type": "default"},
            },
        },
        "vision_config": {
            **_VISION, "model_type": "gemma4_vision", "num_key_value_heads": 4, "head_dim": 16, "patch_size": 4,
            "pooling_kernel_size": 2, "default_output_length": 12, "position_embedding_size": 64,
        },
    },
    {"max_soft_tokens": 12},
    ("<|image>", "<image|>", "<|image|>"),
)  # fmt: skip
# As in the larger ones of the family.
_BOTH_WAYS = {**GEMMA4.config["text_config"], "use_bidirectional_attention": "vision"}
GEMMA4_BOTH_WAYS = replace(GEMMA4, config={**GEMMA4.config, "text_config": _BOTH_WAYS})
_PIXTRAL = {
    **_VISION, "model_type": "pixtral", "head_dim": 16, "image_size": 64, "patch_size": 4, "rope_theta": 10000.0,
}  # fmt: skip
_MARKS = ("[IMG]", "[IMG_BREAK]", "[IMG_END]")
MISTRAL3 = VisionModel(
    "pixtral",
    {
        "model_type": "mistral3", "spatial_merge_size": 2, "vision_feature_layer": -1,
        "text_config": {
            **_TEXT, "model_type": "ministral3", "tie_word_embeddings": True, "rope_parameters": {
                "rope_theta": 10000.0, "llama_4_scaling_beta": 0.1, "original_max_position_embeddings": 512,
                "rope_type": "yarn", "factor": 1.0, "beta_fast": 32.0, "beta_slow": 1.0, "mscale": 1.0,
                "mscale_all_dim": 1.0,
            },
        },
        "vision_config": _PIXTRAL,
    },
    {"size": {"longest_edge": 48}},
    _MARKS,
)  # fmt: skip
PIXTRAL = VisionModel(
    "pixtral",
    {
        "model_type": "pixtral", "vision_feature_layer": -1,
        "text_config": {**_TEXT, "model_type": "mistral", "rope_theta": 10000.0},
        "vision_config": _PIXTRAL,
    },
    {"size": {"longest_edge": 24}},
    _MARKS,
)  # fmt: skip
LFM2_VL = VisionModel(
    "lfm2_vl",
    {
        "model_type": "lfm2-vl", "downsample_factor": 2, "projector_hidden_size": 64, "vision_feature_layer": -1,
        "text_config": {
            **_TEXT, "model_type": "lfm2", "norm_eps": 1e-5, "conv_bias": False, "conv_L_cache": 3, "block_dim": 64,
            "conv_dim": 64, "block_ff_dim": 128, "block_multiple_of": 32, "block_ffn_dim_multiplier": 1.0,
            "block_auto_adjust_ff_dim": False, "full_attn_idxs": [1], "rope_theta": 10000.0,
            "tie_word_embeddings": True,
        },
        "vision_config": {
            **_VISION, "model_type": "siglip2_vision_model", "patch_size": 4, "num_patches": 16, "image_size": 16,
        },
    },
    {
        "encoder_patch_size": 4, "tile_size": 16, "min_image_tokens": 2, "max_image_tokens": 6,
        "max_pixels_tolerance": 2.0, "resample": 3,
    },
    ("<image>", "<|image_start|>", "<|image_end|>", "<|img_thumbnail|>",
     *(f"<|img_row_{row}_col_{column}|>" for row in range(1, 11) for column in range(1, 11))),
)  # fmt: skip
MODELS = {"gemma3": GEMMA3, "gemma4": GEMMA4, "mistral3": MISTRAL3, "pixtral": PIXTRAL, "lfm2_vl": LFM2_VL} | {
    name: VisionModel("qwen", config, tiny_qwens.SIZES, tiny_qwens.MARKS) for name, config in tiny_qwens.CONFIGS.items()
}


def write_vision_model(folder: Path, model: VisionModel, *, seed: int = 5, stored: Stored = FOUR_BITS) -> Path:
    """Write a model that sees. Its tower's embeddings are about as large as those of the text."""
    tokenizer = train_tokenizer(384, [*SPECIAL, *model.marks])
    placeholder = tokenizer.token_to_id(FAMILIES[model.family].mark)
    ids = {"image_token_index": placeholder, "image_token_id": placeholder}
    config = {**model.config, **ids, "vision_start_token_id": tokenizer.token_to_id("<|vision_start|>")}
    write_model(folder, seed=seed, config=config, tokenizer=tokenizer, stored=stored)
    (folder / "preprocessor_config.json").write_text(json.dumps(model.processor))
    whole = json.loads((folder / "config.json").read_text())
    # mlx-lm's models change the configuration that they are given.
    whole.get("text_config", {}).update(model.config.get("text_config", {}))
    (folder / "config.json").write_text(json.dumps(whole))
    mx.random.seed(seed + 1)
    tower = FAMILIES[model.family].build(whole)
    if model.family == "gemma3":
        # A matrix of ones, as it is built, makes nothing of rows whose mean is 0.
        projection = tower.multi_modal_projector
        projection.mm_input_projection_weight = mx.random.normal(projection.mm_input_projection_weight.shape)
    weights, packed = read_weights(folder)
    if model.family == "gemma3":
        # As in published ones, where it is not stored: mlx-vlm takes the embedding for it.
        weights["language_model.lm_head.weight"] = weights["language_model.model.embed_tokens.weight"]
    weights |= {name: array for name, array in tree_flatten(tower.parameters()) if not name.startswith("pixel_")}
    packed |= {
        f"{path}.weight"
        for path, module in tower.named_modules()
        if hasattr(module, "to_quantized")
        and module.weight.shape[-1] % stored.group == 0
        and not path.endswith("position_embedding")
    }
    write_weights(folder, weights, packed, stored)
    return folder


def picture(seed: int, width: int = 40, height: int = 30, kind: str = "PNG", **options: Any) -> bytes:
    """Return the file of a picture of coloured noise."""
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, kind, **options)
    return file.getvalue()
