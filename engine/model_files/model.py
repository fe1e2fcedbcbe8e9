"""The record of a model, as discovery, the catalog and the Hub make it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.model_files.config import text_config
from engine.model_files.head_kinds import can_run

# Parameters of the largest model that is offered as a draft; advice decides for each main model whether it is useful.
LARGEST_DRAFT = 5_000_000_000


@dataclass(frozen=True, slots=True)
class HeadFacts:
    """The main model that a head is made for; unknown figures are 0 or "".

    `layers` is the number of its layers if `exact`, else their least number. `made_for` is a repository. Only the
    catalog knows a head that is not `checked`. A head `inside` is part of the main model's own repository, or of the
    one from which that was made. `best_by` publishes that it is the fastest for its main model.
    """

    layers: int = 0
    exact: bool = True
    width: int = 0
    vocabulary: int = 0
    made_for: str = ""
    checked: bool = True
    inside: bool = False
    best_by: str = ""


@dataclass(frozen=True, slots=True)
class GgufOrigin:
    """The GGUF file from which a folder was made, and how many of its `tensors` were quantised again."""

    source: str
    requantised: int
    tensors: int


@dataclass(frozen=True)
class Model:
    """A model or a head from any source. Unknown figures are 0 or None, unknown words "".

    Identity: `id` is the repository or the folder's name, in another app's folder with its organisation; `source` is
    cache, folder, starter or an app of `engine.finding.other_apps.OTHER_APPS` for installed models, else catalog or
    search. `name` is the catalog's.

    Files: `path` is the folder, "" unless installed, and `base` the folder of an adapter's main model. `problem` is a
    reason of `ModelNotUsable`, with `detail`. `bytes` counts all its files, partial ones too, `weight_bytes` the
    weights, `active_bytes` those read for one token (fewer with experts). `bits` is the quantisation (16 or 32 for
    plain weights). `tokenizer` is the fingerprint of its vocabulary, `tokenizer_name` the catalog's name of it,
    `tokenizer_digest` the hash of tokenizer.json. `config` is the part of config.json that advice needs, read with
    `engine.advice.pairing.with_files` for installed models. `read_vocabulary` fetches the ids by token string, or
    returns None. `head` is the kind of a head. It `sees` if Tandem knows the family of its vision tower.

    `is_gguf_file`: its `path` is a GGUF file, from which no folder was made yet, or it is one on the Hub. `gguf` tells
    where a folder that was made from one is from. `variants` are the models in GGUF files of a repository, by size;
    other such files, as of towers, are `left_out`. The Hub says that it was made from the repository `base_model`.

    Facts: `released` is the year and month, such as 2026-08. Numbers of 16 bits are `float16` or bfloat16. A `gated`
    model needs consent on its page. `roles` and `drafts` (ids, best first) are the catalog's.
    """

    id: str
    source: str
    name: str = ""
    path: str = ""
    bytes: int = 0
    parameters: int = 0
    bits: int | None = None
    context: int | None = None
    licence: str = ""
    problem: str = ""
    detail: str = ""
    base: str = ""
    weight_bytes: int = 0
    active_bytes: int = 0
    vocabulary_size: int | None = None
    tokenizer: str = ""
    tokenizer_name: str = ""
    tokenizer_digest: str = ""
    architecture: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)
    read_vocabulary: Callable[[], dict[str, int] | None] | None = field(default=None, compare=False)
    head: str = ""
    facts: HeadFacts = HeadFacts()
    sees: bool = False
    gated: bool = False
    downloads: int = 0
    released: str = ""
    float16: bool = False
    recommended: bool = False
    roles: tuple[str, ...] = ()
    drafts: tuple[str, ...] = ()
    is_gguf_file: bool = False
    gguf: GgufOrigin | None = None
    variants: tuple[Model, ...] = ()
    left_out: tuple[str, ...] = ()
    base_model: str = ""

    @property
    def complete(self) -> bool:
        """Whether all its files are here and sound."""
        return self.path != "" and self.problem in ("", "unknown-head")

    @property
    def config_path(self) -> Path:
        """The folder that holds its configuration and its tokenizer."""
        return Path(self.base or self.path)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The roles that the model can have: main, draft, both, or head; none if it is not usable."""
        if self.problem:
            return ()
        if self.head:
            return ("head",) if can_run(self.head) else ()
        small = self.parameters <= LARGEST_DRAFT and not self.base
        return self.roles or (("main", "draft") if small else ("main",))

    @property
    def origin(self) -> str:
        """Where advice takes it from: installed, catalog or search."""
        return self.source if self.source in ("catalog", "search") else "installed"

    @property
    def family(self) -> str:
        """The family of its architecture: qwen3 for qwen3, qwen3_moe and qwen3_next; "" if unknown."""
        return str(self.config.get("model_type", "")).partition("_")[0]


def facts_of_config(config: Mapping[str, Any]) -> HeadFacts:
    """Return the facts of a head whose configuration alone is known."""
    nested = config.get("dflash_config")
    body = config.get("transformer_layer_config")
    parts = [part for part in (config, nested, body, text_config(config)) if isinstance(part, Mapping)]

    def number(*names: str) -> int:
        numbers = (part[name] for name in names for part in parts if type(part.get(name)) is int)
        return max(0, next(numbers, 0))

    layers = number("num_target_layers")
    width = number("target_hidden_size", "backbone_hidden_size", "hidden_size")
    return HeadFacts(layers, width=width, vocabulary=number("vocab_size"), checked=False)
