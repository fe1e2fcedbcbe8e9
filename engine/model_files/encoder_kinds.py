"""Which encoders make embeddings here, by their configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
