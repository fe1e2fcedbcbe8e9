"""Judges whether heads suit a main model by their tensors, their configuration or the catalog."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from engine.model_files.config import text_config
from engine.model_files.model import HeadFacts

# Imported with the first head that is judged, because the window's start imports this module.
if TYPE_CHECKING:
    from engine.heads.config import HeadConfig
    from engine.heads.fit import Mismatch

# Words at the end of a repository's name that name its packing, not its model.
_PACKING = frozenset(
    {
        "mlx", "bf16", "fp16", "f16", "fp8", "mxfp4", "mxfp8", "nvfp4", "dwq", "qat", "gptq", "awq", "int4", "int8",
        "q2", "q3", "q4", "q5", "q6", "q8", "2bit", "3bit", "4bit", "5bit", "6bit", "8bit", "meta",
    }
)  # fmt: skip


def facts_of(config: HeadConfig) -> HeadFacts:
    """Return the facts of a head whose tensors are known."""
    exact = config.main_layers is not None
    return HeadFacts(config.least_layers, exact, config.tap_width, config.vocabulary, config.made_for)


def against(facts: HeadFacts, config: Mapping[str, Any], vocabulary: int | None) -> Mismatch | None:
    """Return why the head cannot draft for the main model with this config.json, or None."""
    from engine.heads.fit import mismatch

    text = text_config(config)
    layers, width = (text[name] if type(text.get(name)) is int else 0 for name in ("num_hidden_layers", "hidden_size"))
    head = facts.layers, facts.width, facts.vocabulary
    return mismatch(head, (layers, width, vocabulary or 0), exact=facts.exact)


def same_model(one: str, other: str) -> bool:
    """Return whether two repositories hold the same model, in any packing, by their names."""
    return _bare(one) == _bare(other) != ()


def _bare(repository: str) -> tuple[str, ...]:
    words = repository.rpartition("/")[2].lower().replace("_", "-").split("-")
    while words and words[-1] in _PACKING:
        words.pop()
    return tuple(words[1:] if words[:1] == ["meta"] else words)
