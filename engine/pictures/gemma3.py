"""Gemma 3: a picture is scaled to a square, and 256 tokens of it read each other in both directions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from engine.pictures.family import BILINEAR, Layout, Settings

if TYPE_CHECKING:
    pass


class Gemma3:
    """The family of Gemma 3, whose tower is SigLIP."""

    mark = "<image_soft_token>"

    def settings(self, config: Mapping[str, Any], processor: Mapping[str, Any]) -> dict[str, float]:
        resample = processor.get("resample", BILINEAR)
        side, tokens = config["vision_config"]["image_size"], config.get("mm_tokens_per_image", 256)
        return {"side": int(side), "tokens": int(tokens), "resample": int(resample), "both_ways": 1}

    def layout(self, settings: Settings, width: int, height: int) -> Layout:  # noqa: ARG002
        side, tokens = int(settings["side"]), int(settings["tokens"])
        text = f"\n\n<start_of_image>{self.mark * tokens}<end_of_image>\n\n"
        # The marks around it, and the lines around those.
        return Layout(((side, side),), int(settings["resample"]), text, tokens, tokens + 4)
