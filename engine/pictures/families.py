"""The modules of the families that see, by the names in `engine.model_files.vision_kinds`."""

from __future__ import annotations

from engine.pictures.family import Family
from engine.pictures.gemma import Gemma3, Gemma4
from engine.pictures.lfm2_vl import Lfm2Vl
from engine.pictures.pixtral import Pixtral
from engine.pictures.qwen import Qwen

FAMILIES: dict[str, Family] = {
    "gemma3": Gemma3(),
    "gemma4": Gemma4(),
    "pixtral": Pixtral(),
    "lfm2_vl": Lfm2Vl(),
    "qwen": Qwen(),
}
