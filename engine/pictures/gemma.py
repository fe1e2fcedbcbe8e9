"""Gemma 3 and Gemma 4."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from engine.pictures.family import (
    BICUBIC,
    BILINEAR,
    HALF,
    Config,
    Family,
    Numbers,
    PictureLayout,
    Pixels,
    as_mlx,
    normalised,
)

if TYPE_CHECKING:
    import mlx.core as mx
    import mlx.nn as nn


class Gemma3(Family):
    """The family of Gemma 3, whose tower is SigLIP.

    A picture is scaled to a square, and its tokens read each other in both directions.
    """

    mark = "<image_soft_token>"

    def settings(self, config: Config, processor: Config) -> dict[str, float]:
        return {
            "side": int(config["vision_config"]["image_size"]),
            "tokens": _tokens(config),
            "resample": int(processor.get("resample", BILINEAR)),
            "bidirectional": 1,
        }

    def layout(self, settings: Numbers, width: int, height: int) -> PictureLayout:  # noqa: ARG002
        side = int(settings["side"])
        tokens = int(settings["tokens"])
        text = f"\n\n<start_of_image>{self.mark * tokens}<end_of_image>\n\n"
        # The marks around it, and the lines around those.
        return PictureLayout(((side, side),), int(settings["resample"]), text, tokens, tokens + 4)

    def build(self, config: Config) -> nn.Module:
        import mlx.nn as nn
        from mlx_vlm.models.gemma3.config import ModelConfig, TextConfig, VisionConfig
        from mlx_vlm.models.gemma3.gemma3 import Gemma3MultiModalProjector, VisionModel

        text = TextConfig.from_dict({**config["text_config"], "mm_tokens_per_image": _tokens(config)})
        whole = ModelConfig(text, VisionConfig.from_dict(config["vision_config"]), "gemma3")
        tower = nn.Module()
        tower.vision_tower = VisionModel(whole.vision_config)
        tower.multi_modal_projector = Gemma3MultiModalProjector(whole)
        return tower

    def converted(self, tower: nn.Module, weights: dict[str, mx.array]) -> dict[str, mx.array]:  # noqa: ARG002
        """Return the weights with the kernel of the patches in MLX's layout, (out, height, width, channels)."""
        return as_mlx(weights, "patch_embedding.weight")

    def embed(self, tower: Any, config: Config, processor: Config, views: Sequence[Pixels]) -> mx.array:
        """Return the embedding (tokens, width) of the only view (height, width, 3), scaled for the text model.

        It is divided by the square root of width, by which the text model multiplies all embeddings.
        """
        import mlx.core as mx

        dtype = tower.vision_tower.vision_model.embeddings.patch_embedding.weight.dtype
        pixels = mx.array(normalised(views[0], processor, *HALF))[None].astype(dtype)
        patches, _, _ = tower.vision_tower(pixels)
        # The text model multiplies its embeddings by the divisor.
        embeddings: mx.array = tower.multi_modal_projector(patches)[0] / config["text_config"]["hidden_size"] ** 0.5
        return embeddings


def _tokens(config: Config) -> int:
    """Return how many tokens a picture takes."""
    return int(config.get("mm_tokens_per_image", 256))


class Gemma4(Family):
    """The family of Gemma 4 with a tower, not of those that read patches without one.

    A picture keeps its shape and takes up to 280 tokens, which larger models read in both directions.
    """

    mark = "<|image|>"

    def settings(self, config: Config, processor: Config) -> dict[str, float]:
        vision = config["vision_config"]
        bidirectional = config["text_config"].get("use_bidirectional_attention")
        most = processor.get("max_soft_tokens", config.get("vision_soft_tokens_per_image", 280))
        return {
            "cell": int(vision.get("patch_size", 16) * vision.get("pooling_kernel_size", 3)),
            "most": int(most),
            "bidirectional": 2 if bidirectional == "vision" else 0,
        }

    def layout(self, settings: Numbers, width: int, height: int) -> PictureLayout:
        cell = int(settings["cell"])
        most = int(settings["most"])
        factor = math.sqrt(most / (width * height))
        columns = math.floor(factor * width)
        rows = math.floor(factor * height)
        if rows == 0:
            columns = min(width // height, most)
            rows = 1
        elif columns == 0:
            columns = 1
            rows = min(height // width, most)
        tokens = columns * rows
        text = f"<|image>{self.mark * tokens}<image|>"
        return PictureLayout(((columns * cell, rows * cell),), BICUBIC, text, tokens, tokens + 2)

    def build(self, config: Config) -> nn.Module:
        import mlx.nn as nn
        from mlx_vlm.models.gemma4 import gemma4
        from mlx_vlm.models.gemma4.config import VisionConfig

        vision = VisionConfig.from_dict(config["vision_config"])
        width = config["text_config"]["hidden_size"]
        tower = nn.Module()
        tower.vision_tower = gemma4.VisionModel(vision)
        tower.embed_vision = gemma4.MultimodalEmbedder(vision.hidden_size, width, eps=vision.rms_norm_eps)
        return tower

    def embed(self, tower: Any, config: Config, processor: Config, views: Sequence[Pixels]) -> mx.array:  # noqa: ARG002
        """Return the embedding (tokens, width) of the only view (height, width, 3), scaled for the text model.

        It is divided by the square root of width, by which the text model multiplies all embeddings.
        """
        import mlx.core as mx

        pixels = mx.array(normalised(views[0], {}, (0.0,), (1.0,)).transpose(2, 0, 1))[None]
        projected = tower.embed_vision(tower.vision_tower(pixels))[0]
        # The text model multiplies its embeddings by the divisor.
        embeddings: mx.array = projected / config["text_config"]["hidden_size"] ** 0.5
        return embeddings
