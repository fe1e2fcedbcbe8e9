"""Pixtral's tower, of Mistral 3 and its kin: a picture keeps its shape, and each row of tokens ends with a mark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.pictures.family import BICUBIC, CLIP, Config, Family, Numbers, PictureLayout, Pixels, as_mlx, normalised

if TYPE_CHECKING:
    import mlx.core as mx
    import mlx.nn as nn


class Pixtral(Family):
    """The family of models with Pixtral's tower. Mistral 3's projector also merges squares of patches."""

    mark = "[IMG]"

    def settings(self, config: Config, processor: Config) -> dict[str, float]:
        vision = config["vision_config"]
        merge = config.get("spatial_merge_size", 2) if _merges(config) else 1
        size = processor.get("size", vision["image_size"])
        if isinstance(size, Mapping):
            size = size.get("longest_edge") or max(size["height"], size["width"])
        patch = int(vision["patch_size"] * merge)
        # The tower has positions for whole patches of its own size only, and would read memory behind them.
        longest = min(int(size), vision["image_size"] // patch * patch)
        if longest < 1:
            raise ValueError("a patch is larger than a picture")
        return {"longest": longest, "patch": patch, "resample": int(processor.get("resample", BICUBIC))}

    def layout(self, settings: Numbers, width: int, height: int) -> PictureLayout:
        longest = int(settings["longest"])
        patch = int(settings["patch"])
        ratio = max(1.0, width / longest, height / longest)
        columns, rows = (max(1, -(-int(side / ratio) // patch)) for side in (width, height))
        text = "[IMG_BREAK]".join([self.mark * columns] * rows) + "[IMG_END]"
        size = (columns * patch, rows * patch)
        return PictureLayout((size,), int(settings["resample"]), text, columns * rows, (columns + 1) * rows)

    def build(self, config: Config) -> nn.Module:
        import mlx.nn as nn
        from mlx_vlm.models import mistral3, pixtral

        family = mistral3 if _merges(config) else pixtral
        text = family.TextConfig.from_dict(config["text_config"])
        vision = family.VisionConfig.from_dict(config["vision_config"])
        whole = family.ModelConfig.from_dict({**config, "text_config": text, "vision_config": vision})
        tower = nn.Module()
        tower.vision_tower = pixtral.VisionModel(whole.vision_config)
        if _merges(config):
            tower.multi_modal_projector = mistral3.mistral3.Mistral3MultiModalProjector(whole)
        else:
            tower.multi_modal_projector = pixtral.pixtral.LlavaMultiModalProjector(whole)
        return tower

    def converted(self, tower: nn.Module, weights: dict[str, mx.array]) -> dict[str, mx.array]:  # noqa: ARG002
        """Return the weights under the tower's names, the kernel of the patches as (out, height, width, channels)."""
        whole = {
            name if "vision_model." in name else name.replace("vision_tower.", "vision_tower.vision_model."): array
            for name, array in weights.items()
        }
        return as_mlx(whole, "patch_conv.weight")

    def embed(self, tower: Any, config: Config, processor: Config, views: Sequence[Pixels]) -> mx.array:
        """Return the embedding (tokens, width) of the only view (height, width, 3), by the layer in `config`."""
        import mlx.core as mx
        from mlx_vlm.models.pixtral.vision import position_ids_in_meshgrid

        vision = tower.vision_tower.vision_model
        height, width = views[0].shape[:2]
        pixels = mx.array(normalised(views[0], processor, *CLIP))[None].astype(vision.patch_conv.weight.dtype)
        patches = vision.patch_conv(pixels)
        side = vision.config.image_size // vision.config.patch_size
        rows = vision.ln_pre(patches.reshape(1, -1, patches.shape[-1]))
        turns = vision.patch_positional_embedding(rows, position_ids_in_meshgrid([patches[0]], max_width=side))
        states = [rows]
        # The tower's own call would mask patches of other pictures, which takes memory by the square of the patches.
        for layer in vision.transformer.layers:
            states.append(layer(states[-1], turns))
        chosen = states[config.get("vision_feature_layer", -1)][0]
        sizes = [[(height, width)]] if _merges(config) else []
        embeddings: mx.array = tower.multi_modal_projector(chosen, *sizes)
        return embeddings


def _merges(config: Config) -> bool:
    """Return whether the projector merges squares of patches to a token."""
    return bool(config["model_type"] == "mistral3")
