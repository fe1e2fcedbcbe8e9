"""What Gemma 4's assistants are made of: small models that draft from the main model's own keys and values.

Makers publish them as folders of their own; their tensors are those of a Gemma 4 model without keys and values, between
two projections. No mlx here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.heads.dialects import HeadConfigError, Settings, made_for, rope_of
from engine.heads.mtp_config import PROPOSALS
from engine.model_files.config import text_config

MODEL_TYPES = ("gemma4_assistant", "gemma4_unified_assistant")
KINDS = ("full_attention", "sliding_attention")
_MOST_LAYERS = 64
ORDERED = ("masked_embedding.centroids.weight", "masked_embedding.token_ordering")


@dataclass(frozen=True, slots=True)
class AssistantConfig:
    """An assistant of a main model of width `tap_width`; see `engine.heads.config.HeadShape`.

    `text` are the settings of its own layers, for mlx-lm. With `centroids`, only the tokens of the `chosen` likeliest
    of so many groups are scored. `taps` are known once it is bound.
    """

    text: Mapping[str, Any] = field(hash=False)
    width: int
    inner: int
    tap_width: int
    vocabulary: int
    layer_types: tuple[str, ...]
    window: int
    row_elements: int
    centroids: int
    chosen: int
    own_output: bool
    made_for: str = ""
    kind: str = "mtp"
    proposals: int = PROPOSALS
    taps: tuple[int, ...] = ()
    main_layers: int | None = None
    least_layers: int = 1

    @property
    def block_rows(self) -> int:
        return self.proposals

    @property
    def windows(self) -> tuple[int | None, ...]:
        """Of the keys and values that it keeps a copy of, one of each kind of attention."""
        return tuple(self.window if kind == "sliding_attention" else None for kind in kinds_of(self.layer_types))


def is_assistant(config: Mapping[str, Any]) -> bool:
    """Whether a config.json is that of such an assistant."""
    return config.get("model_type") in MODEL_TYPES


def kinds_of(layer_types: Collection[str]) -> tuple[str, ...]:
    """The kinds of attention that layers have, in the order of KINDS."""
    return tuple(kind for kind in KINDS if kind in layer_types)


def read_assistant_config(config: Mapping[str, Any], names: Collection[str]) -> AssistantConfig:
    """The assistant with this config.json and tensors of these names. Raises `HeadConfigError`."""
    own = text_config(config)
    settings, outer = Settings(own), Settings(config)
    layers = settings.whole("num_hidden_layers", 1, _MOST_LAYERS)
    types = own.get("layer_types")
    if not isinstance(types, list) or len(types) != layers or any(kind not in KINDS for kind in types):
        raise HeadConfigError("layer_types")
    for name in ("enable_moe_block", "use_double_wide_mlp"):
        if own.get(name):
            raise HeadConfigError(name)
    for kind in kinds_of(types):
        rope_of(settings, {**own, "rope_parameters": _known_rope(own.get("rope_parameters"), kind)}, kind)
    heads, head_dim = settings.whole("num_attention_heads", 1, 4096), settings.whole("head_dim", 2, 2**12)
    kv_heads = settings.whole("num_key_value_heads", 1, heads, heads)
    wide = settings.whole("global_head_dim", 2, 2**12, head_dim)
    vocabulary = settings.whole("vocab_size", 2, 2**21)
    ordered = bool(outer.flag("use_ordered_embeddings"))
    if ordered != (ORDERED[0] in names):
        raise HeadConfigError("use_ordered_embeddings")
    centroids = outer.whole("num_centroids", 1, vocabulary, 2048) if ordered else 0
    if centroids and vocabulary % centroids:
        raise HeadConfigError("num_centroids")
    return AssistantConfig(
        text={**own, "num_kv_shared_layers": layers, "hidden_size_per_layer_input": 0, "model_type": "gemma4_text"},
        width=settings.whole("hidden_size", 1, 2**16),
        inner=settings.whole("intermediate_size", 1, 2**18),
        tap_width=outer.whole("backbone_hidden_size", 1, 2**16),
        vocabulary=vocabulary,
        layer_types=tuple(types),
        window=settings.whole("sliding_window", 1, 2**20, 512),
        row_elements=2 * kv_heads * max(head_dim, wide),
        centroids=centroids,
        chosen=outer.whole("centroid_intermediate_top_k", 1, centroids, min(32, centroids)) if ordered else 0,
        own_output=outer.flag("tie_word_embeddings") is False and "lm_head.weight" in names,
        made_for=made_for(config),
    )


def _known_rope(parameters: object, kind: str) -> object:
    """The parameters of one kind, of which Gemma's "proportional" one is a rotation of a part like any other."""
    found = parameters.get(kind, parameters) if isinstance(parameters, Mapping) else parameters
    if isinstance(found, Mapping) and found.get("rope_type") == "proportional":
        return {**found, "rope_type": "default"}
    return found
