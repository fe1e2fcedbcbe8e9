"""The catalog of recommended main models and their draft models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct, convert

from engine.advice.speedup import WORTH_IT, estimate_speedup, flat_speedup
from engine.files.bounded_json import CONFIG, read_object
from engine.files.paths import resources
from engine.hub.repository_names import parse_repository
from engine.machine.row_costs import emulates_bfloat16
from engine.model_files.cache_counting import CacheShape
from engine.model_files.head_kinds import can_run
from engine.model_files.model import HeadFacts, Model
from engine.model_files.vision_kinds import may_see

CATALOG_FORMAT = 1
# The shares of the memory that models may use, which the weights of the pairs offered first take at most. With three
# quarters as the last one, a Mac with 32 GB would not be offered Qwen3.8 27B, whose pair leaves it 15 GiB.
SHARES = (0.13, 0.39, 0.79)
NEEDED = {"hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads"}
Positive = Annotated[int, Meta(gt=0)]
# The fields of the file that are also the record's.
_SHARED = (
    *("id", "name", "parameters", "bits", "bytes", "licence", "released", "context", "vocabulary_size"),
    *("architecture", "roles", "drafts", "recommended", "float16"),
)


class CatalogModel(Struct, frozen=True, forbid_unknown_fields=True):
    """One model of the catalog's file.

    `bytes` is the size of its weights, and `bytes_source` the origin of this figure: "hub" (the Hub's listing),
    "listed" (a public listing, rounded) or "computed" (from parameters and bits). `released` is the year and month of
    the original model, such as 2026-08. `licence` is "" if unknown. `active_parameters` are those that one token uses.
    `config` holds the numbers of config.json that tell the memory of a prefill, and `cache` says what its caches hold;
    an entry without `config` has not been read, and what is not known of it is absent. Models with the same `tokenizer`
    share their vocabulary up to padding. `drafts` are ids of this catalog, best first; `recommended` main models are
    offered on a first run.
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
    released: Annotated[str, Meta(pattern=r"^(20\d\d-(0[1-9]|1[0-2]))?$")]
    architecture: str
    roles: Annotated[tuple[Literal["main", "draft"], ...], Meta(min_length=1)]
    drafts: tuple[str, ...]
    recommended: bool
    context: Positive | None = None
    tokenizer: str = ""
    vocabulary_size: Positive | None = None
    config: Mapping[str, Positive | bool] = {}
    cache: CacheShape = CacheShape()
    float16: bool = False

    def __post_init__(self) -> None:
        if parse_repository(self.id) != self.id:
            raise ValueError(f"{self.id}: id")
        if (self.config and not self.config.keys() >= NEEDED) or not all(self.config.values()):
            raise ValueError(f"{self.id}: config")
        if bool(self.config) != bool(self.cache.elements_a_token + self.cache.state_bytes):
            raise ValueError(f"{self.id}: cache")

    @property
    def model(self) -> Model:
        """The model, with the configuration that `fit` reads, without the network."""
        known = {"model_type": self.architecture, "max_position_embeddings": self.context, "cache_shape": self.cache}
        return Model(
            source="catalog",
            weight_bytes=self.bytes,
            active_bytes=self.bytes * self.active_parameters // self.parameters,
            tokenizer_name=self.tokenizer,
            config={**self.config, **known} if self.config else {},
            sees=may_see(self.architecture),
            **{name: getattr(self, name) for name in _SHARED},
        )


class CatalogHead(Struct, frozen=True, forbid_unknown_fields=True):
    """A published head in the catalog's file, for the model of the repository `made_for`, in any packing.

    `best_by` names who publishes measurements in which no other head of that model is faster. Until the entry is
    `checked` against the Hub, `bytes` are estimated from its kind and that model's size.
    """

    id: str
    name: str
    kind: str
    made_for: str
    bytes: Positive
    checked: bool
    best_by: str = ""

    def __post_init__(self) -> None:
        if any(parse_repository(name) != name for name in (self.id, self.made_for)) or not can_run(self.kind):
            raise ValueError(f"{self.id}: id, kind or made_for")

    @property
    def model(self) -> Model:
        facts = HeadFacts(made_for=self.made_for, checked=self.checked, best_by=self.best_by)
        size = self.bytes
        return Model(
            self.id, "catalog", self.name, bytes=size, weight_bytes=size, active_bytes=size, head=self.kind, facts=facts
        )


@dataclass(frozen=True)
class Catalog:
    """All models and heads by id."""

    models: dict[str, Model]
    heads: dict[str, Model] = field(default_factory=dict)


def load_catalog(path: Path | None = None) -> Catalog:
    """Read Tandem's catalog, or the one at `path`. Raises `ValueError`, which names what is wrong."""
    content = read_object(path or resources() / "catalog.json", CONFIG)
    if content.get("format") != CATALOG_FORMAT:
        raise ValueError("unknown catalog format")
    models = [entry.model for entry in convert(content["models"], list[CatalogModel])]
    by_id = {model.id: model for model in models}
    if len(by_id) != len(models):
        raise ValueError("an id occurs twice")
    for model in models:
        for draft in model.drafts:
            if draft not in by_id or "draft" not in by_id[draft].roles or draft == model.id:
                raise ValueError(f"{model.id}: {draft} is no draft of this catalog")
    heads = [entry.model for entry in convert(content.get("heads", []), list[CatalogHead])]
    return Catalog(by_id, {head.id: head for head in heads})


def draft_for(model: Model, catalog: Catalog, *, any_chip: bool = False) -> Model | None:
    """Return the first of the model's drafts that is worth its memory, here or on `any_chip`.

    A mixture of experts may have none, and on some chips no model has one.
    """
    drafts = (catalog.models[name] for name in model.drafts)
    return next((draft for draft in drafts if _expected(model, draft, any_chip) >= WORTH_IT), None)


def in_order(catalog: Catalog) -> list[Model]:
    """Return the catalog's models; of those with one name, the ones whose 16-bit numbers suit this chip come first."""
    places = {model.name: place for place, model in reversed([*enumerate(catalog.models.values())])}
    first = emulates_bfloat16()
    return sorted(catalog.models.values(), key=lambda model: (places[model.name], model.float16 is not first))


def offers(catalog: Catalog, limit: int) -> list[tuple[Model, Model]]:
    """Return up to three pairs, smallest first, for a machine that may use `limit` bytes.

    They are the largest recommended pairs whose weights take at most these `SHARES` of the limit; the rest is for
    context. A conversion that suits the chip better takes the place of a main model with as many bits; those with more
    bits are for people who choose themselves.
    """
    models = in_order(catalog)
    suited = {(model.name, model.bits): model for model in reversed(models)}
    fewest = {model.name: model.bits for model in sorted(models, key=lambda model: model.bits or 0, reverse=True)}
    recommended = {
        suited[model.name, model.bits].id for model in models if model.recommended and model.bits == fewest[model.name]
    }
    pairs = [
        (main, draft)
        for main in sorted(catalog.models.values(), key=lambda model: model.bytes)
        if "main" in main.roles
        and main.id in recommended
        and (draft := draft_for(main, catalog, any_chip=True)) is not None
    ]
    chosen: list[tuple[Model, Model]] = []
    for share in SHARES:
        fitting = [pair for pair in pairs if sum(model.bytes for model in pair) <= share * limit and pair not in chosen]
        chosen += fitting[-1:]
    return sorted(chosen, key=lambda pair: pair[0].bytes)


def _expected(main: Model, draft: Model, any_chip: bool) -> float:
    return flat_speedup(main, draft) if any_chip else estimate_speedup(main, draft, "same").speedup
