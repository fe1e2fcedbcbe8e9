"""Qwen's models from Qwen2-VL on: a picture keeps its shape, and its tokens have rows and columns as positions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.pictures.family import (
    BICUBIC,
    CLIP,
    HALF,
    Config,
    Family,
    Numbers,
    PictureLayout,
    Pixels,
    in_cells,
    normalised,
)

if TYPE_CHECKING:
    import mlx.core as mx
    import mlx.nn as nn

# Folders allow four times as many, which would take a Mac minutes to read.
_MOST_TOKENS = 4096
_LEAST_PIXELS = 56 * 56


class Qwen(Family):
    """The family of Qwen2-VL, Qwen2.5-VL, Qwen3-VL and Qwen3.5."""

    mark = "<|image_pad|>"

    def settings(self, config: Config, processor: Config) -> dict[str, float]:
        text = config.get("text_config", config)
        rotary = text.get("rope_parameters") or text["rope_scaling"]
        side = _patch(config) * _merge(config)
        size = processor.get("size", {})
        most = processor.get("max_pixels") or size.get("longest_edge") or math.inf
        return {
            "side": side,
            "least": processor.get("min_pixels") or size.get("shortest_edge") or _LEAST_PIXELS,
            "most": min(most, _MOST_TOKENS * side**2),
            "resample": int(processor.get("resample", BICUBIC)),
            **dict(zip(("time", "row", "column"), rotary["mrope_section"], strict=True)),
            "interleaved": not _is_early(config),
        }

    def layout(self, settings: Numbers, width: int, height: int) -> PictureLayout:
        side = settings["side"]
        columns, rows = in_cells(width, height, side, settings["least"], settings["most"], fewest=0)
        tokens = rows * columns
        size = (int(columns * side), int(rows * side))
        text = f"<|vision_start|>{self.mark * tokens}<|vision_end|>"
        return PictureLayout((size,), int(settings["resample"]), text, tokens, tokens + 2, (rows, columns))

    def build(self, config: Config) -> nn.Module:
        import mlx.nn as nn
        from mlx_vlm.models import qwen2_5_vl, qwen2_vl, qwen3_vl

        early = {"qwen2_vl": qwen2_vl, "qwen2_5_vl": qwen2_5_vl}
        family = early.get(config["model_type"], qwen3_vl)
        name = config["model_type"] if family is not qwen3_vl else "qwen3_vl"
        tower = nn.Module()
        vision = family.VisionConfig.from_dict({**config["vision_config"], "model_type": name})
        tower.vision_tower = family.VisionModel(vision)
        return tower

    def converted(self, tower: Any, weights: dict[str, mx.array]) -> dict[str, mx.array]:
        """Return the weights under the tower's names, with the kernel of the patches in MLX's layout.

        That is (out, frames, height, width, channels).
        """
        renamed = {f"vision_tower.{name.partition('.')[2]}": array for name, array in weights.items()}
        converted: dict[str, mx.array] = tower.vision_tower.sanitize(renamed)
        return converted

    def embed(self, tower: Any, config: Config, processor: Config, views: Sequence[Pixels]) -> mx.array:
        """Return the embedding (tokens, width) of the only view (height, width, 3).

        Towers of Qwen3-VL also make rows for the first layers of the text model: (tokens, width * (1 + layers)).
        """
        import mlx.core as mx

        patch = _patch(config)
        merge = _merge(config)
        vision = tower.vision_tower
        pixels = normalised(views[0], processor, *(CLIP if _is_early(config) else HALF))
        height = pixels.shape[0] // patch
        width = pixels.shape[1] // patch
        # The patches of a square follow each other, and a still picture is a film of equal ones.
        squares = pixels.reshape(height // merge, merge, patch, width // merge, merge, patch, 3)
        squares = squares.transpose(0, 3, 1, 4, 6, 2, 5)[..., None, :, :]
        film = np.repeat(squares, config["vision_config"].get("temporal_patch_size", 2), axis=5)
        patches = mx.array(film.reshape(height * width, -1)).astype(vision.patch_embed.proj.weight.dtype)
        output = vision(patches, mx.array([[1, height, width]]))
        # Qwen3-VL's tower also has rows for the first layers of the text model.
        return mx.concatenate([output[0], *output[1]], axis=-1) if isinstance(output, tuple) else output


def _is_early(config: Config) -> bool:
    """Return whether a model is of Qwen2-VL or Qwen2.5-VL."""
    return str(config["model_type"]).startswith("qwen2")


def _patch(config: Config) -> int:
    """Return the pixels of a patch each way."""
    return int(config["vision_config"].get("patch_size", 14 if _is_early(config) else 16))


def _merge(config: Config) -> int:
    """Return how many patches are a token, each way."""
    return int(config["vision_config"].get("spatial_merge_size", 2))
