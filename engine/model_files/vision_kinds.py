"""The table of the families of models that see: how a folder shows that it holds one, with its vision tower.

`engine.pictures.families` has a module for each. A model that was converted for text alone keeps the configuration of
its tower but not its tensors, so both decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class VisionKind:
    """A family: the `model_type`s of its configurations, and the prefixes of its tower's tensors, without "model.".

    A tuple among the prefixes holds the names of one part, any of which a folder may use.
    """

    name: str
    model_types: tuple[str, ...]
    prefixes: tuple[str | tuple[str, ...], ...]

    def holds(self, name: str) -> bool:
        """Whether a tensor is part of the tower."""
        return any(name.removeprefix("model.").startswith(prefix) for prefix in self.prefixes)


_PROJECTED = ("vision_tower.", "multi_modal_projector.")
KINDS = (
    VisionKind("gemma3", ("gemma3",), _PROJECTED),
    VisionKind("gemma4", ("gemma4",), ("vision_tower.", "embed_vision.")),
    VisionKind("pixtral", ("mistral3", "pixtral"), _PROJECTED),
    VisionKind("lfm2_vl", ("lfm2-vl", "lfm2_vl"), _PROJECTED),
    VisionKind(
        "qwen",
        ("qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe"),
        (("visual.", "vision_tower."),),
    ),
)


def vision_kind(config: Mapping[str, Any], tensors: Iterable[str]) -> VisionKind | None:
    """Return the family of a model by its configuration and the names of its tensors; None if it cannot see."""
    kind = next((kind for kind in KINDS if config.get("model_type") in kind.model_types), None)
    if kind is None or not isinstance(config.get("vision_config"), Mapping):
        return None
    names = [name.removeprefix("model.") for name in tensors]
    stored = all(any(name.startswith(prefix) for name in names) for prefix in kind.prefixes)
    return kind if stored else None


def may_see(model_type: object) -> bool:
    """Return whether models of this type see, unless their tower was left out, as only their files show."""
    return any(model_type in kind.model_types for kind in KINDS)
