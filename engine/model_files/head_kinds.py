"""The table of the kinds of heads: the name of each, the tensors by which it is recognised, and the class that runs it.

Heads name themselves in many ways, and some configurations declare heads that are not there, so tensors decide; the
configuration decides only if they are not known yet, as on the Hub.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any

# The name of the kind that makers ship among their main model's own weights or beside them, and of its folder there.
MTP = "mtp"
# All tensors of an MTP head have one of these prefixes, or each of its layers has the tensors that fuse hidden state
# and embedding.
_MTP = ("mtp.", "mtp_layers.")
_FUSION = ("eh_proj.weight", "enorm.weight", "hidden_layernorm.weight")
_LAYER = re.compile(r"(layers\.\d+)\.(.+)")
_OF_MTP = re.compile(r"(?:model\.|language_model\.)*(?:mtp\.|mtp_layers\.|layers\.(\d{1,5})\.)")
_REPEATED = re.compile(r"embed_tokens\.|shared_head\.head\.|rotary_emb\.")
_PREFIX = re.compile(r"^(?:model\.|language_model\.|logit_head\.|draft_model\.)+")


@dataclass(frozen=True, slots=True)
class HeadKind:
    """A kind of head. Kinds that people need not tell apart share a name.

    `name` is stored in files, and configurations that declare the kind contain it; `title` is the published name of the
    method. `recognises` gets the names of all tensors of a head without the prefixes that some exports add.

    `reader` and `head` are paths of importable objects ("module:name"), "" for a kind that cannot be run: `reader` maps
    `engine.heads.tensors.HeadFiles` to a configuration and the tensors' names in the network, without mlx; `head` is
    the subclass of `engine.heads.head.Head` that drafts with them. A `chained` head makes each draft token from the
    previous one; other heads make all of them in one pass.
    """

    name: str
    title: str
    recognises: Callable[[Set[str]], bool]
    reader: str = ""
    head: str = ""
    chained: bool = False


def _projecting(pattern: str) -> Callable[[Set[str]], bool]:
    """Recognise heads that project the taps by one matrix and have a tensor whose name begins with `pattern`."""
    expression = re.compile(pattern)
    return lambda names: "fc.weight" in names and any(expression.match(name) for name in names)


def _is_mtp(names: Set[str]) -> bool:
    marked = any(name.startswith((*_MTP, "pre_fc_norm_hidden.")) or name.endswith(_FUSION) for name in names)
    if "eh_proj.weight" in names:
        # Some exports that contain only the head repeat the main model's tables.
        return True
    if not marked or "embed_tokens.weight" in names:
        return False
    prefixed = [name.startswith(_MTP) for name in names]
    if any(prefixed):
        # Any other tensor makes it a model.
        return all(prefixed)
    layers: dict[str, set[str]] = {}
    for match in filter(None, map(_LAYER.match, names)):
        layers.setdefault(match[1], set()).add(match[2])
    fused_once = any(
        name.startswith("pre_fc_norm_hidden.") or name.endswith("final_layernorm.weight") for name in names
    )
    return fused_once or all(inner & set(_FUSION) for inner in layers.values())


def _of_dflash(name: str, title: str, pattern: str) -> HeadKind:
    """Return a kind of DFlash's family, which draft a block in one pass; `pattern` is as in `_projecting`."""
    return HeadKind(
        name,
        title,
        _projecting(pattern),
        reader="engine.heads.block_config:read_block_config",
        head="engine.heads.block_head:BlockHead",
    )


# Gemma 4's assistants are small models between two projections.
_PROJECTIONS = {"pre_projection.weight", "post_projection.weight"}
# The first kind that recognises a head counts.
HEAD_KINDS = (
    _of_dflash("dflash2", "DFlash 2", r"candidate_selector\."),
    _of_dflash("domino", "Domino", r"prefix_gru\."),
    _of_dflash("dspark", "DSpark", r"markov_head\."),
    HeadKind("peagle", "P-EAGLE", _projecting(r"mask_hidden$")),
    HeadKind(
        "eagle3",
        "EAGLE-3",
        _projecting(r"midlayer\.|layers\.0\.hidden_norm\."),
        reader="engine.heads.eagle_config:read_eagle_config",
        head="engine.heads.eagle_network:EagleHead",
        chained=True,
    ),
    _of_dflash("dflash", "DFlash", r"hidden_norm\.weight$"),
    HeadKind(
        MTP,
        "MTP",
        _PROJECTIONS.issubset,
        reader="engine.heads.assistant_config:read_assistant_config",
        head="engine.heads.assistant_network:AssistantHead",
        chained=True,
    ),
    HeadKind(
        MTP,
        "MTP",
        _is_mtp,
        reader="engine.heads.mtp_config:read_mtp_config",
        head="engine.heads.mtp_network:MtpHead",
        chained=True,
    ),
)


def bare_name(name: str) -> str:
    """Return a tensor's name without the prefixes that some exports add."""
    return _PREFIX.sub("", name)


def head_kind(names: Collection[str]) -> HeadKind | None:
    """Return the kind of the head that has tensors of these names, or None if they are not those of a head alone.

    A model that contains a head next to its embedding or output layers is a model.
    """
    bare = {bare_name(name) for name in names}
    return next((kind for kind in HEAD_KINDS if kind.recognises(bare)), None)


def kind_of_tensors(names: Collection[str]) -> str | None:
    """Return the name of the `head_kind`, or None."""
    kind = head_kind(names)
    return None if kind is None else kind.name


def is_shipped_mtp(inside: str) -> bool:
    """Whether `inside`, a name or path in a main model's folder, is that of an MTP head there or among its weights."""
    return inside == MTP or (MTP in inside and inside.endswith(".safetensors"))


def mtp_tensors(names: Iterable[str], main_layers: int) -> list[str]:
    """Return the tensors of an MTP head among a main model's, without the main model's tables that some repeat."""
    of_head = []
    for name in names:
        match = _OF_MTP.match(name)
        if match is None or (match[1] is not None and int(match[1]) < main_layers) or _REPEATED.search(name):
            continue
        of_head.append(name)
    return of_head


def kind_of_config(config: Mapping[str, Any]) -> str | None:
    """Return the name of the kind that a configuration declares, or None; for folders whose tensors are not known."""
    nested = config.get("dflash_config")
    words = [config.get("speculators_model_type"), config.get("model_type")]
    architectures = config.get("architectures")
    if isinstance(architectures, list):
        words += architectures
    if isinstance(nested, Mapping):
        words.append(nested.get("projector_type"))
    text = " ".join(word for word in words if isinstance(word, str)).lower()
    return next(
        (kind.name for kind in HEAD_KINDS if kind.name in text), "dflash" if isinstance(nested, Mapping) else None
    )


def can_run(name: str) -> bool:
    """Whether heads of the kind with this name can draft."""
    return any(kind.head for kind in HEAD_KINDS if kind.name == name)


def is_chained(name: str) -> bool:
    """Whether heads of the kind with this name make each draft token from the previous one."""
    return any(kind.chained for kind in HEAD_KINDS if kind.name == name)


def title_of(name: str) -> str:
    """Return the published name of the method, or `name` if the kind is not known."""
    return next((kind.title for kind in HEAD_KINDS if kind.name == name), name)
