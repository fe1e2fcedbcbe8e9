"""The curated models: which mains are worth offering, with which drafts, from half a billion parameters upwards."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.hub.repository_names import parse_repository
from engine.places import resources

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 1
BYTES_SOURCES = ("hub", "listed", "computed")
_FIELDS: dict[str, type] = {
    "id": str,
    "name": str,
    "family": str,
    "parameters": int,
    "active_parameters": int,
    "bits": int,
    "bytes": int,
    "bytes_source": str,
    "licence": str,
    "context": int,
    "languages": list,
    "tokenizer": str,
    "vocabulary_size": int,
    "architecture": str,
    "roles": list,
    "drafts": list,
    "recommended": bool,
}


@dataclass(frozen=True, slots=True)
class CatalogModel:
    """One curated model.

    `bytes` are those of its weights; `bytes_source` tells where the figure is from: "hub" summed from the Hub's
    listing, "listed" from a public listing and rounded, "computed" from parameters and bits. `active_parameters` are
    those that one token visits. Models with the same `tokenizer` share their vocabulary up to padding. `drafts` are ids
    of this catalog, best first; `recommended` mains are offered on a first run; `languages` are ISO 639-1 codes, not
    exhaustive.
    """

    id: str
    name: str
    family: str
    parameters: int
    active_parameters: int
    bits: int
    bytes: int
    bytes_source: str
    licence: str
    context: int
    languages: tuple[str, ...]
    tokenizer: str
    vocabulary_size: int
    architecture: str
    roles: tuple[str, ...]
    drafts: tuple[str, ...]
    recommended: bool

    @property
    def active_bytes(self) -> int:
        return self.bytes * self.active_parameters // self.parameters


@dataclass(frozen=True)
class Catalog:
    """All curated models by id; `updated` is the date of the figures."""

    updated: str
    models: dict[str, CatalogModel]

    def mains(self) -> list[CatalogModel]:
        """Everything that can be a main model, smallest first."""
        return sorted((model for model in self.models.values() if "main" in model.roles), key=lambda model: model.bytes)


def load_catalog(path: Path | None = None) -> Catalog:
    """The catalog that ships with Tandem, or the one at `path`. Raises `ValueError` naming what is wrong with it."""
    content = json.loads((path or resources() / "catalog.json").read_text(encoding="utf-8"))
    if content.get("format") != FORMAT:
        raise ValueError("unknown catalog format")
    models = [_read(entry) for entry in content["models"]]
    by_id = {model.id: model for model in models}
    if len(by_id) != len(models):
        raise ValueError("an id stands twice")
    for model in models:
        for draft in model.drafts:
            if draft not in by_id or "draft" not in by_id[draft].roles or draft == model.id:
                raise ValueError(f"{model.id}: {draft} is no draft of this catalog")
    return Catalog(str(content["updated"]), by_id)


def offers(catalog: Catalog, limit: int) -> list[tuple[CatalogModel, CatalogModel]]:
    """Up to three pairs for a machine that may use `limit` bytes: comfortable, balanced, and as large as is sensible.

    For each the largest recommended main model with its first draft whose weights together take at most an eighth,
    three eighths or three quarters of the limit; the rest is for context and everything else that runs.
    """
    chosen: list[tuple[CatalogModel, CatalogModel]] = []
    for share in (0.125, 0.375, 0.75):
        pairs = [
            (main, catalog.models[main.drafts[0]])
            for main in catalog.mains()
            if main.recommended and main.drafts and main.bytes + catalog.models[main.drafts[0]].bytes <= share * limit
        ]
        if pairs and pairs[-1] not in chosen:
            chosen.append(pairs[-1])
    return chosen


def _read(entry: Any) -> CatalogModel:
    if not isinstance(entry, dict):
        raise ValueError("an entry is no object")
    name = str(entry.get("id"))
    if set(entry) != set(_FIELDS):
        raise ValueError(f"{name}: fields {sorted(set(entry) ^ set(_FIELDS))}")
    for field, kind in _FIELDS.items():
        if type(entry[field]) is not kind:
            raise ValueError(f"{name}: {field} must be {kind.__name__}")
        if kind is int and entry[field] <= 0:
            raise ValueError(f"{name}: {field} must be positive")
    if parse_repository(name) != name or entry["bytes_source"] not in BYTES_SOURCES:
        raise ValueError(f"{name}: id or bytes_source")
    if not set(entry["roles"]) <= {"main", "draft"} or not entry["roles"]:
        raise ValueError(f"{name}: roles")
    values: dict[str, Any] = {
        field: tuple(value) if isinstance(value, list) else value for field, value in entry.items()
    }
    return CatalogModel(**values)
