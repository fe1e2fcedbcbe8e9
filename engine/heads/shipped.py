"""Estimates the size of the MTP head that makers ship with a model, from its config.json alone. Does not import mlx."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.heads.config import HeadConfigError, Settings
from engine.heads.mtp_config import DECLARED, FAMILIES, MtpFamily, family_of, pattern_of
from engine.model_files.config import text_config

# Families whose makers ship a head with every model, even if a conversion's configuration no longer says so.
_GATED = (FAMILIES["qwen3_5"], FAMILIES["qwen3_next"])
_ALWAYS = (*_GATED, FAMILIES["mimo_v2_flash"])
# Families whose makers publish 8-bit numbers.
_EIGHT_BITS = ("deepseek_v3", "deepseek_v32", "mimo_v2_flash")
# The number of layers, if the configuration does not give it, of heads that have one for each draft token.
_DEPTHS = {"mimo_v2_flash": 3}


def shipped_bytes(config: Mapping[str, Any]) -> int:
    """Estimate the bytes of the head that makers ship with a model of this config.json; 0 if they ship none.

    Only a repository's files show whether it contains the head.
    """
    family, text = family_of(config), text_config(config)
    if family is None or (family not in _ALWAYS and not any(text.get(name) for name in DECLARED)):
        return 0
    settings = Settings(text)
    try:
        usual = _DEPTHS.get(family.name, 1)
        count = settings.whole("num_nextn_predict_layers", 1, 8, usual) if family.by_depth else 1
        numbers = count * _numbers(family, text, settings)
    except HeadConfigError:
        return 0
    return numbers * (1 if family.name in _EIGHT_BITS else 2)


def _numbers(family: MtpFamily, text: Mapping[str, Any], settings: Settings) -> int:
    """Return how many numbers one fusion with its layer has."""
    width = settings.whole("hidden_size", 1, 2**16)
    fusion = 2 * width * width
    if family.keeps == "pattern":
        parts = {"*": _attention(family, settings, width), "E": _experts(settings, width, matrices=2)}
        return fusion + sum(parts[mark] for mark in pattern_of(text))
    dense = 3 * width * settings.whole("intermediate_size", 1, 2**18, 1)
    experts = 0 if family.by_depth else _experts(settings, width)
    own_output = settings.whole("vocab_size", 2, 2**21) * width if family.name == "step3p5" else 0
    return fusion + _attention(family, settings, width) + (experts or dense) + own_output


def _attention(family: MtpFamily, settings: Settings, width: int) -> int:
    if family.keeps == "swa":
        heads, groups = (settings.whole(f"swa_num_{name}_heads", 1, 4096) for name in ("attention", "key_value"))
        sizes = [settings.whole(name, 2, 2**12) for name in ("swa_head_dim", "swa_v_head_dim")]
        return (heads + groups) * sum(sizes) * width
    heads = settings.whole("num_attention_heads", 1, 4096)
    if family.keeps not in ("mla", "dsa"):
        size = settings.whole("head_dim", 2, 2**12, max(2, width // heads))
        groups = settings.whole("num_attention_groups", 1, heads, heads)
        kv_heads = settings.whole("num_key_value_heads", 1, heads, groups)
        # Qwen's query projections contain a gate of the same size.
        return ((3 if family in _GATED else 2) * heads + 2 * kv_heads) * size * width
    latent, rope = settings.whole("kv_lora_rank", 1, 2**14), settings.whole("qk_rope_head_dim", 2, 2**12)
    nope, value = settings.whole("qk_nope_head_dim", 1, 2**12), settings.whole("v_head_dim", 1, 2**12)
    rank = settings.whole("q_lora_rank", 0, 2**14, 0)
    queries = rank * (width + heads * (nope + rope)) if rank else width * heads * (nope + rope)
    return queries + width * (latent + rope) + latent * heads * (nope + value) + heads * value * width


def _experts(settings: Settings, width: int, matrices: int = 3) -> int:
    """Return how many numbers the experts of a layer have; 0 if it has none."""
    count = settings.whole("n_routed_experts", 0, 4096, settings.whole("num_experts", 0, 4096, 0))
    if not count:
        return 0
    inner = settings.whole("moe_intermediate_size", 1, 2**18)
    shared = inner if settings.get("n_shared_experts") else 0
    for name in ("moe_shared_expert_intermediate_size", "shared_expert_intermediate_size"):
        shared = settings.whole(name, 0, 2**18, shared)
    return matrices * width * (count * inner + shared)
