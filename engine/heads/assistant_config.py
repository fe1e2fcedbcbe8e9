"""Reads the configuration of Gemma 4's assistants: small models that draft from the main model's keys and values.

Makers publish them in separate folders; their tensors are a Gemma 4 model's without keys and values, between
two projections. This module does not import mlx.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.heads.config import LAYER_TYPES, HeadConfig, HeadConfigError, Settings
from engine.heads.tensors import HeadFiles, UnknownHeadError
from engine.model_files.config import text_config

_MODEL_TYPES = ("gemma4_assistant", "gemma4_unified_assistant")
_MOST_LAYERS = 64
# Each draft token of a chain is less likely than the previous one; no publication reports gains from more.
_PROPOSALS = 5
_CENTROIDS = "masked_embedding.centroids.weight"


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantConfig(HeadConfig):
    """An assistant for a main model of width `tap_width`. Its `taps` are known once it is bound.

    `text` holds the settings of its own layers, for mlx-lm. If `centroids` is not 0, the vocabulary is divided into
    that many groups, and only the tokens of the `chosen` likeliest groups are scored. The assistant keeps a copy of
    the keys and values of each of its `kinds` of attention, in the order of LAYER_TYPES.
    """

    text: Mapping[str, Any] = field(hash=False)
    layer_types: tuple[str, ...]
    kinds: tuple[str, ...]
    centroids: int
    chosen: int
    own_output: bool


def read_assistant_config(files: HeadFiles) -> tuple[AssistantConfig, dict[str, str]]:
    """Return the assistant and its tensors' names, which the network has, too.

    Raises `HeadConfigError`, or `UnknownHeadError` for another model's head that has projections of these names.
    """
    config = files.config
    if config.get("model_type") not in _MODEL_TYPES:
        raise UnknownHeadError
    text = text_config(config)
    settings = Settings(text)
    outer = Settings(config)
    types = settings.layer_types(text, _MOST_LAYERS)
    for name in ("enable_moe_block", "use_double_wide_mlp"):
        if text.get(name):
            raise HeadConfigError(name)
    kinds = tuple(kind for kind in LAYER_TYPES if kind in types)
    for kind in kinds:
        settings.rope(text, kind)
    fields = settings.head_fields(files)
    kv_heads = settings.attention_sizes()["kv_heads"]
    vocabulary = fields["vocabulary"]
    head_dim = settings.whole("head_dim", 2, 2**12)
    widest = max(head_dim, settings.whole("global_head_dim", 2, 2**12, head_dim))
    window = settings.whole("sliding_window", 1, 2**20, 512)
    centroids = _centroids(outer, files, vocabulary)
    made = AssistantConfig(
        **fields,
        text={
            **text,
            "layer_types": types,
            "num_kv_shared_layers": len(types),
            "hidden_size_per_layer_input": 0,
            "model_type": "gemma4_text",
        },
        taps=(),
        tap_width=outer.width("backbone_hidden_size"),
        main_layers=None,
        windows=tuple(window if kind == "sliding_attention" else None for kind in kinds),
        shapes=(((kv_heads, widest), (kv_heads, widest)),) * len(kinds),
        proposals=_PROPOSALS,
        layer_types=tuple(types),
        kinds=kinds,
        centroids=centroids,
        chosen=outer.whole("centroid_intermediate_top_k", 1, centroids, min(32, centroids)) if centroids else 0,
        own_output=outer.flag("tie_word_embeddings") is False and "lm_head.weight" in files.tensors,
    )
    # Some exports repeat the main model's table.
    return made, {name: name for name in files.tensors if made.own_output or not name.startswith("lm_head.")}


def _centroids(outer: Settings, files: HeadFiles, vocabulary: int) -> int:
    """Return the number of groups into which the output matrix is divided; 0 if it is whole.

    Raises `HeadConfigError` if settings and tensors disagree, or the groups cannot be equally large.
    """
    ordered = bool(outer.flag("use_ordered_embeddings"))
    if ordered != (_CENTROIDS in files.tensors):
        raise HeadConfigError("use_ordered_embeddings")
    if not ordered:
        return 0
    count = outer.whole("num_centroids", 1, vocabulary, 2048)
    if vocabulary % count:
        raise HeadConfigError("num_centroids")
    return count
