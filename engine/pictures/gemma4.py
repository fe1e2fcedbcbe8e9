"""Gemma 4: a picture keeps its shape and takes up to 280 tokens, which larger models read in both directions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.pictures.family import BICUBIC, Layout, Pixels, Settings, normalised

if TYPE_CHECKING:
    import mlx.core as mx
    import mlx.nn as nn


class Gemma4:
    """The family of Gemma 4 with a tower, not of those that read patches without one."""

    mark = "<|image|>"

    def settings(self, config: Mapping[str, Any], processor: Mapping[str, Any]) -> dict[str, float]:
        vision, both_ways = config["vision_config"], config["text_config"].get("use_bidirectional_attention")
        most = processor.get("max_soft_tokens", config.get("vision_soft_tokens_per_image", 280))
        return {
            "cell": int(vision.get("patch_size", 16) * vision.get("pooling_kernel_size", 3)),
            "most": int(most),
            "both_ways": 2 if both_ways == "vision" else 0,
        }

    def layout(self, settings: Settings, width: int, height: int) -> Layout:
        cell, most = int(settings["cell"]), int(settings["most"])
        factor = math.sqrt(most / (width * height))
        columns, rows = math.floor(factor * width), math.floor(factor * height)
        if rows == 0:
            columns, rows = min(width // height, most), 1
        elif columns == 0:
            columns, rows = 1, min(height // width, most)
        tokens = columns * rows
        text = f"<|image>{self.mark * tokens}<image|>"
        return Layout(((columns * cell, rows * cell),), BICUBIC, text, tokens, tokens + 2)

    def build(self, config: Mapping[str, Any]) -> nn.Module:
        import mlx.nn as nn
        from mlx_vlm.models.gemma4 import gemma4
        from mlx_vlm.models.gemma4.config import VisionConfig

        vision, width = VisionConfig.from_dict(config["vision_config"]), config["text_config"]["hidden_size"]
        tower = nn.Module()
        tower.vision_tower = gemma4.VisionModel(vision)
        tower.embed_vision = gemma4.MultimodalEmbedder(vision.hidden_size, width, eps=vision.rms_norm_eps)
        return tower

    def converted(self, tower: nn.Module, weights: dict[str, mx.array]) -> dict[str, mx.array]:  # noqa: ARG002
        return weights

    def embed(
        self,
        tower: Any,
        config: Mapping[str, Any],
        processor: Mapping[str, Any],  # noqa: ARG002
        views: Sequence[Pixels],
    ) -> mx.array:
        import mlx.core as mx

        pixels = mx.array(normalised(views[0], {}, (0.0,), (1.0,)).transpose(2, 0, 1))[None]
        found = tower.embed_vision(tower.vision_tower(pixels))[0]
        # The text model multiplies its embeddings by the divisor.
        rows: mx.array = found / config["text_config"]["hidden_size"] ** 0.5
        return rows
