"""The curated models: main models worth offering, and their draft models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, convert

from engine.advice.fit import SETTINGS_OF_MEMORY
from engine.advice.speedup import WORTH_IT, estimate_speedup
from engine.files.bounded_json import CONFIG, read_object
from engine.files.paths import resources
from engine.hub.repository_names import parse_repository
from engine.model_files.head_kinds import can_run

FORMAT = 1
_NEEDED = {"hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads"}
Positive = Annotated[int, Meta(gt=0)]


class CatalogModel(Struct, frozen=True, forbid_unknown_fields=True):
    """One curated model.

    `bytes` are those of its weights; `bytes_source` is the origin of the figure: "hub" summed from the Hub's
    listing, "listed" from a public listing and rounded, "computed" from parameters and bits. `released` is the year and
    month of the original model, as 2026-08. `licence` is "" where it is not known. `active_parameters` are
    those that one token uses. `config` holds the numbers of its config.json that determine the memory of a context.
    Models with the same `tokenizer` share their vocabulary up to padding. `drafts` are ids of this catalog, best first;
    `recommended` mains are offered on a first run; `languages` are ISO 639-1 codes, not exhaustive.
    """

    id: str
    name: str
    family: str
    parameters: Positive
    active_parameters: Positive
    bits: Positive
    bytes: Positive
    bytes_source: Literal["hub", "listed", "computed"]
    licence: str
    released: Annotated[str, Meta(pattern=r"^20\d\d-(0[1-9]|1[0-2])$")]
    context: Positive
    languages: tuple[str, ...]
    tokenizer: str
    vocabulary_size: Positive
    architecture: str
    config: Mapping[str, Positive | bool]
    roles: Annotated[tuple[Literal["main", "draft"], ...], Meta(min_length=1)]
    drafts: tuple[str, ...]
    recommended: bool

    def __post_init__(self) -> None:
        if parse_repository(self.id) != self.id:
            raise ValueError(f"{self.id}: id")
        # What `fit` needs, and nothing that it does not read.
        if not _NEEDED <= self.config.keys() <= SETTINGS_OF_MEMORY or not all(self.config.values()):
            raise ValueError(f"{self.id}: config")

    def __hash__(self) -> int:
        return hash(self.id)

    @property
    def active_bytes(self) -> int:
        return self.bytes * self.active_parameters // self.parameters

    @property
    def memory_config(self) -> dict[str, Any]:
        """The configuration that `fit` reads, without the network."""
        return {**self.config, "model_type": self.architecture, "max_position_embeddings": self.context}


class CatalogHead(Struct, frozen=True, forbid_unknown_fields=True):
    """A published head for the model of the repository `made_for`, in any packing.

    `bytes` are estimated from its kind and that model's size until the entry is `checked` against the Hub.
    """

    id: str
    name: str
    kind: str
    made_for: str
    bytes: Positive
    checked: bool

    def __post_init__(self) -> None:
        if any(parse_repository(name) != name for name in (self.id, self.made_for)) or not can_run(self.kind):
            raise ValueError(f"{self.id}: id, kind or made_for")


@dataclass(frozen=True)
class Catalog:
    """All curated models and heads by id; `updated` is the date of the figures."""

    updated: str
    models: dict[str, CatalogModel]
    heads: dict[str, CatalogHead] = field(default_factory=dict)

    def mains(self) -> list[CatalogModel]:
        """All main models, smallest first."""
        return sorted((model for model in self.models.values() if "main" in model.roles), key=lambda model: model.bytes)


def load_catalog(path: Path | None = None) -> Catalog:
    """The catalog that ships with Tandem, or the one at `path`. Raises `ValueError` naming what is wrong with it."""
    content = read_object(path or resources() / "catalog.json", CONFIG)
    if content.get("format") != FORMAT:
        raise ValueError("unknown catalog format")
    models = convert(content["models"], list[CatalogModel])
    by_id = {model.id: model for model in models}
    if len(by_id) != len(models):
        raise ValueError("an id occurs twice")
    for model in models:
        for draft in model.drafts:
            if draft not in by_id or "draft" not in by_id[draft].roles or draft == model.id:
                raise ValueError(f"{model.id}: {draft} is no draft of this catalog")
    heads = convert(content.get("heads", []), list[CatalogHead])
    return Catalog(str(content["updated"]), by_id, {head.id: head for head in heads})


def draft_for(model: CatalogModel, catalog: Catalog) -> CatalogModel | None:
    """The first of its drafts that is expected to be worth its memory; a mixture of experts may have none."""
    drafts = (catalog.models[name] for name in model.drafts)
    return next((draft for draft in drafts if _expected(model, draft) >= WORTH_IT), None)


def offers(catalog: Catalog, limit: int) -> list[tuple[CatalogModel, CatalogModel]]:
    """Up to three pairs for a machine that may use `limit` bytes: comfortable, balanced, and as large as is sensible.

    For each the largest recommended main model, not chosen yet, whose weights take with its draft's at most an eighth,
    three eighths or three quarters of the limit; the rest is for context and everything else that runs. The smallest
    pair comes first.
    """
    pairs = [
        (main, draft)
        for main in catalog.mains()
        if main.recommended and (draft := draft_for(main, catalog)) is not None
    ]
    chosen: list[tuple[CatalogModel, CatalogModel]] = []
    for share in (0.125, 0.375, 0.75):
        fitting = [pair for pair in pairs if sum(one.bytes for one in pair) <= share * limit and pair not in chosen]
        chosen += fitting[-1:]
    return sorted(chosen, key=lambda pair: pair[0].bytes)


def _expected(main: CatalogModel, draft: CatalogModel) -> float:
    return estimate_speedup(main.bytes, main.active_bytes, draft.active_bytes, "same").speedup
