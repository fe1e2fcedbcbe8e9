"""Judges whether heads suit a main model by their tensors, their configuration or the catalog."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.model_files.config import text_config

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


@dataclass(frozen=True, slots=True)
class HeadFacts:
    """The main model that a head is made for; unknown figures are 0 or "".

    `layers` is the number of its layers if `exact`, else their least number. `made_for` is a repository. Only the
    catalog knows a head that is not `checked`. A head `inside` is part of the main model's own repository, or of the
    one from which that was made.
    """

    kind: str
    layers: int = 0
    exact: bool = True
    width: int = 0
    vocabulary: int = 0
    made_for: str = ""
    checked: bool = True
    inside: bool = False


def facts_of(config: HeadConfig) -> HeadFacts:
    """Return the facts of a head whose tensors are known."""
    exact = config.main_layers is not None
    return HeadFacts(config.kind, config.least_layers, exact, config.tap_width, config.vocabulary, config.made_for)


def facts_of_config(config: Mapping[str, Any], kind: str) -> HeadFacts:
    """Return the facts of a head whose configuration alone is known."""
    nested, body = config.get("dflash_config"), config.get("transformer_layer_config")
    parts = [part for part in (config, nested, body, text_config(config)) if isinstance(part, Mapping)]

    def number(*names: str) -> int:
        found = (part[name] for name in names for part in parts if type(part.get(name)) is int)
        return max(0, next(found, 0))

    layers = number("num_target_layers")
    width = number("target_hidden_size", "backbone_hidden_size", "hidden_size")
    return HeadFacts(kind, layers, True, width, number("vocab_size"), checked=False)


def against(facts: HeadFacts, config: Mapping[str, Any], vocabulary: int) -> Mismatch | None:
    """Return why the head cannot draft for the main model with this config.json, or None."""
    from engine.heads.fit import mismatch

    text = text_config(config)
    layers, width = (text[name] if type(text.get(name)) is int else 0 for name in ("num_hidden_layers", "hidden_size"))
    head = facts.layers, facts.width, facts.vocabulary
    return mismatch(head, (layers, width, vocabulary), exact=facts.exact)


def same_model(one: str, other: str) -> bool:
    """Return whether two repositories hold the same model, in any packing, by their names."""
    return _bare(one) == _bare(other) != ()


def _bare(repository: str) -> tuple[str, ...]:
    words = repository.rpartition("/")[2].lower().replace("_", "-").split("-")
    while words and words[-1] in _PACKING:
        words.pop()
    return tuple(words[1:] if words[:1] == ["meta"] else words)
