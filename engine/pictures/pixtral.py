"""Pixtral's tower, of Mistral 3 and its kin: a picture keeps its shape, and each row of tokens ends with a mark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.pictures.family import BICUBIC, Layout, Settings, size_of


class Pixtral:
    """The family of models with Pixtral's tower. Mistral 3's projector also merges squares of patches."""

    mark = "[IMG]"

    def settings(self, config: Mapping[str, Any], processor: Mapping[str, Any]) -> dict[str, float]:
        vision = config["vision_config"]
        merge = config.get("spatial_merge_size", 2) if config["model_type"] == "mistral3" else 1
        # The tower has positions up to its own size only.
        longest = min(size_of(processor.get("size", vision["image_size"])), vision["image_size"])
        return {
            "longest": int(longest),
            "patch": int(vision["patch_size"] * merge),
            "resample": int(processor.get("resample", BICUBIC)),
        }

    def layout(self, settings: Settings, width: int, height: int) -> Layout:
        longest, patch = int(settings["longest"]), int(settings["patch"])
        ratio = max(1.0, width / longest, height / longest)
        if ratio > 1.0:
            width, height = int(width / ratio), int(height / ratio)
        columns, rows = max(1, -(-width // patch)), max(1, -(-height // patch))
        text = "[IMG_BREAK]".join([self.mark * columns] * rows) + "[IMG_END]"
        size = (columns * patch, rows * patch)
        return Layout((size,), int(settings["resample"]), text, columns * rows, (columns + 1) * rows)
