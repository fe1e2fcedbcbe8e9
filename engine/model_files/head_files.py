"""Recognises heads: folders and files whose tensors are those of a head, not of a model that can chat.

Heads name themselves in many ways, and some configurations declare heads that are not there, so tensors decide; the
architecture decides only where they cannot be seen yet, as on the Hub.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

# Families of heads, by what tells their tensors apart. The first that matches counts.
_BY_TENSOR = (
    ("dflash2", re.compile(r"candidate_selector\.")),
    ("domino", re.compile(r"prefix_gru\.")),
    ("dspark", re.compile(r"markov_head\.")),
    ("eagle3", re.compile(r"midlayer\.|layers\.0\.hidden_norm\.")),
    ("dflash", re.compile(r"hidden_norm\.weight$")),
)
_MTP = re.compile(
    r"mtp\.(?:\d+\.)?(?:fc|e_proj|layers)\b|mtp_layers\.|layers\.\d+\.(?:eh_proj|enorm)\.|eh_proj\.|pre_fc_norm_hidden\."
)
_PREFIX = re.compile(r"^(?:model\.|logit_head\.|draft_model\.)+")
_BY_NAME = (
    ("dflash2", "dflash2"),
    ("domino", "domino"),
    ("dspark", "dspark"),
    ("dflash", "dflash"),
    ("eagle3", "eagle3"),
    ("mtp", "mtp"),
)


def bare_name(name: str) -> str:
    """A tensor's name without the prefixes that some exports put before it."""
    return _PREFIX.sub("", name)


def kind_of_tensors(names: Collection[str]) -> str | None:
    """The family of the head that has tensors of these names, or None for anything that is not a head by itself.

    A model that carries a head beside its own embedding or output layers is a model.
    """
    bare = {bare_name(name) for name in names}
    if "fc.weight" in bare:
        for kind, pattern in _BY_TENSOR:
            if any(pattern.match(name) for name in bare):
                return kind
    own_layers = any(name.startswith("layers.") and not _MTP.search(name) for name in bare)
    has_embedding = "embed_tokens.weight" in bare or any(name.endswith("embed_tokens.weight") for name in names)
    if any(_MTP.search(name) for name in names) and not (own_layers and has_embedding):
        return "mtp"
    return None


def kind_of_config(config: Mapping[str, Any]) -> str | None:
    """The family that a configuration names, or None where it names none; for folders whose tensors are not known."""
    nested = config.get("dflash_config")
    words = [config.get("speculators_model_type"), config.get("model_type")]
    architectures = config.get("architectures")
    words += architectures if isinstance(architectures, list) else []
    words += [nested.get("projector_type")] if isinstance(nested, Mapping) else []
    text = " ".join(word for word in words if isinstance(word, str)).lower()
    for kind, mark in _BY_NAME:
        if mark in text:
            return kind
    return "dflash" if isinstance(nested, Mapping) else None
