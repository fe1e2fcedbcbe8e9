"""Estimates the size of the MTP head that makers ship with a model, from that model's own. Does not import mlx."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.heads.config import HeadConfigError, Settings
from engine.heads.mtp_config import DECLARED, FAMILIES, family_of, layers_of_main
from engine.model_files.config import text_config

# Families whose makers ship a head with every model, even if a conversion's configuration no longer says so.
_ALWAYS = (FAMILIES["qwen3_5"], FAMILIES["qwen3_next"], FAMILIES["mimo_v2_flash"])
# Families whose makers publish 8-bit numbers.
_EIGHT_BITS = ("deepseek_v3", "deepseek_v32", "mimo_v2_flash")
# The number of layers, if the configuration does not give it, of heads that have one for each draft token.
_DEPTHS = {"mimo_v2_flash": 3}


def shipped_bytes(config: Mapping[str, Any], weights: int, active: int, bits: float) -> int:
    """Estimate the bytes of the head that makers ship with a model of this config.json; 0 if they ship none.

    The model has `weights` bytes in `bits` a number, of which a token uses `active`. The head's layers are like its
    own; those of heads that have one for each draft token have no experts. Only a repository's files show whether it
    contains the head.
    """
    family, text = family_of(config), text_config(config)
    if family is None or (family not in _ALWAYS and not any(text.get(name) for name in DECLARED)):
        return 0
    try:
        usual = _DEPTHS.get(family.name, 1)
        count = Settings(text).whole("num_nextn_predict_layers", 1, 8, usual) if family.by_depth else 1
        layer = (active if family.by_depth else weights) / layers_of_main(config)
    except HeadConfigError:
        return 0
    return int(count * layer * (8 if family.name in _EIGHT_BITS else 16) / bits)
