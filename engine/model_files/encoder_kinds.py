"""Which encoders make embeddings here, and of how long texts, by their folders."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.model_files.config import FALLBACK_CONTEXT, context_length
from engine.model_files.sentence_files import limits_of

# The families by `model_type`. RoBERTa's descendants differ from XLM-RoBERTa in their vocabulary only.
_FAMILIES = {
    "bert": "bert",
    **dict.fromkeys(("roberta", "xlm-roberta", "xlm_roberta", "camembert"), "xlm_roberta"),
    "modernbert": "modernbert",
    "nomic_bert": "nomic_bert",
}
# EmbeddingGemma is a Gemma 3 whose tokens see those after them.
_GEMMA = "gemma3_text"


def encoder_family(config: Mapping[str, Any]) -> str:
    """Return the family of the encoder that a configuration describes, "" if it is none that can be run."""
    kind = config.get("model_type")
    if kind == _GEMMA:
        return "gemma3" if config.get("use_bidirectional_attention") is True else ""
    return _FAMILIES.get(kind, "") if isinstance(kind, str) else ""


def longest_text(folder: Path, config: Mapping[str, Any]) -> int:
    """Return the most tokens of a text for the encoder in a folder with this configuration.

    Raises `ModelNotUsable` for a damaged file.
    """
    return min(limits_of(folder).most_tokens or FALLBACK_CONTEXT, _places(config))


def _places(config: Mapping[str, Any]) -> int:
    """Return the most tokens that the network has places for."""
    most = context_length(config) or FALLBACK_CONTEXT
    family = encoder_family(config)
    if family == "xlm_roberta":
        # The places of tokens begin after that of the padding.
        return max(1, most - _number(config, "pad_token_id", 1) - 1)
    if family == "nomic_bert" and config.get("rotary_scaling_factor"):
        # Beyond these its angles would depend on the length of the text.
        return min(most, _number(config, "max_trained_positions", most))
    return most


def _number(config: Mapping[str, Any], name: str, default: int) -> int:
    value = config.get(name)
    return value if type(value) is int else default
