"""Gemma 3: a picture is scaled to a square, and its tokens read each other in both directions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.pictures.family import BILINEAR, Layout, Pixels, Settings, as_mlx, normalised

if TYPE_CHECKING:
    import mlx.core as mx
    import mlx.nn as nn

_HALF = (0.5, 0.5, 0.5)


class Gemma3:
    """The family of Gemma 3, whose tower is SigLIP."""

    mark = "<image_soft_token>"

    def settings(self, config: Mapping[str, Any], processor: Mapping[str, Any]) -> dict[str, float]:
        return {
            "side": int(config["vision_config"]["image_size"]),
            "tokens": _tokens(config),
            "resample": int(processor.get("resample", BILINEAR)),
            "both_ways": 1,
        }

    def layout(self, settings: Settings, width: int, height: int) -> Layout:  # noqa: ARG002
        side, tokens = int(settings["side"]), int(settings["tokens"])
        text = f"\n\n<start_of_image>{self.mark * tokens}<end_of_image>\n\n"
        # The marks around it, and the lines around those.
        return Layout(((side, side),), int(settings["resample"]), text, tokens, tokens + 4)

    def build(self, config: Mapping[str, Any]) -> nn.Module:
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
        return as_mlx(weights, "patch_embedding.weight")

    def embed(
        self, tower: Any, config: Mapping[str, Any], processor: Mapping[str, Any], views: Sequence[Pixels]
    ) -> mx.array:
        import mlx.core as mx

        dtype = tower.vision_tower.vision_model.embeddings.patch_embedding.weight.dtype
        pixels = mx.array(normalised(views[0], processor, _HALF, _HALF))[None].astype(dtype)
        patches, _, _ = tower.vision_tower(pixels)
        # The text model multiplies its embeddings by the divisor.
        rows: mx.array = tower.multi_modal_projector(patches)[0] / config["text_config"]["hidden_size"] ** 0.5
        return rows


def _tokens(config: Mapping[str, Any]) -> int:
    return int(config.get("mm_tokens_per_image", 256))
