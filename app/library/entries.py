"""Models as the window shows them, installed, in the catalog or found on the Hub. No Qt in here."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.session.model_names import short_name
from engine.advice.catalog import Catalog, CatalogModel, draft_for, offers
from engine.advice.fit import FitReport, ModelSize, check_fit
from engine.advice.pairing import PairAdvice
from engine.advice.speedup import ModelCost, SpeedupEstimate, estimate_speedup
from engine.cluster.plan import fits_together
from engine.errors import ModelNotUsable
from engine.hub.values import FoundModel, RemoteModel
from engine.model_files.architecture import mlx_lm_module
from engine.model_files.config import context_length, read_config
from engine.model_files.discovery import InstalledModel
from engine.model_files.head_kinds import can_run, kind_of_config
from engine.model_files.other_apps import name_of_app
from engine.model_files.vision_kinds import KINDS

# A model that leaves less than this share of the memory limit free is called tight.
_TIGHT = 0.1


@dataclass(frozen=True)
class MemoryBudget:
    """`context` tokens within `limit` bytes, with `element_bytes` bytes for each number in caches.

    `machines` are the bytes that models may use on each of several checked Macs, this one first.
    """

    context: int
    limit: int
    element_bytes: float = 2.0
    machines: tuple[int, ...] = ()

    def fit(self, main: ModelSize, draft: ModelSize | None, longest: int | None) -> FitReport:
        """Return the memory that both need, at no more tokens than the main model's own context, `longest`."""
        main = replace(main, element_bytes=self.element_bytes)
        draft = draft and replace(draft, element_bytes=self.element_bytes)
        return check_fit(main, draft, min(self.context, longest or self.context), self.limit)

    def together(self, main: ModelSize, draft: ModelSize | None, longest: int | None) -> bool:
        """Return whether only several Macs together can hold both."""
        whole = self.fit(main, draft, longest)
        if whole.fits or not self.machines:
            return False
        main = replace(main, element_bytes=self.element_bytes)
        of_draft = whole.needed - self.fit(main, None, longest).needed
        return fits_together(main, of_draft, self.machines, whole.context)


@dataclass(frozen=True)
class Entry:
    """One model. Unknown figures are 0, unknown words "".

    `source` is starter, cache, folder, an app of `OTHER_APPS`, catalog or search. `name` is the catalog's, else the
    repository's without its owner. `bytes` is its size on disk or to download. `draft` is the id of its draft model,
    `get_bytes` the download, `fit` the memory of both, `expected` the speed-up with the draft. `released` is the year
    and month of a catalog model. `problem` and `detail` say why it cannot be used (a reason of `ModelNotUsable`).
    `together`: it fits on several Macs only. `advice` judges a search result as a draft for the loaded main model.
    `head` is the family of a head, whose kind is "head"; "" for models. It `sees` if it reads pictures.
    """

    id: str
    source: str
    name: str
    path: str = ""
    bytes: int = 0
    parameters: int = 0
    bits: int = 0
    context: int = 0
    licence: str = ""
    kinds: tuple[str, ...] = ()
    problem: str = ""
    detail: str = ""
    draft: str = ""
    draft_name: str = ""
    get_bytes: int = 0
    fit: FitReport | None = None
    together: bool = False
    expected: SpeedupEstimate | None = None
    installed: bool = False
    gated: bool = False
    downloads: int = 0
    recommended: bool = False
    released: str = ""
    advice: PairAdvice | None = None
    head: str = ""
    sees: bool = False

    @property
    def complete(self) -> bool:
        return self.installed and not self.problem

    @property
    def partial(self) -> bool:
        """Whether downloading it again completes it."""
        return self.source == "cache" and self.problem == "incomplete"

    @property
    def verdict(self) -> str:
        """Whether it can be used: "unusable", "fits", "together" (on several Macs only) or "too-big"."""
        if self.problem:
            return "unusable"
        if self.fit is None or self.fit.fits:
            return "fits"
        return "together" if self.together else "too-big"

    @property
    def app(self) -> str:
        """The name of the other app in whose folder it is, or ""."""
        return name_of_app(self.source)

    @property
    def is_starter(self) -> bool:
        return self.source == "starter"

    @property
    def recorded_as(self) -> str:
        """Its name in stored figures, where the starter's two models have the prefix "starter/"."""
        return f"starter/{self.id}" if self.is_starter else self.id

    @property
    def tight(self) -> bool:
        """Whether it fits but leaves little memory free."""
        return self.fit is not None and self.fit.fits and self.fit.free_after < _TIGHT * self.fit.limit


def from_installed(
    model: InstalledModel, catalog: Catalog, installed: Sequence[InstalledModel], budget: MemoryBudget
) -> Entry:
    base, _, adapter = model.id.partition(":")
    known = catalog.models.get(base)
    name, bits = short_name(model.id)
    if known is not None:
        name = f"{known.name}:{adapter}" if adapter else known.name
    entry = Entry(
        model.id,
        model.source,
        name,
        model.path,
        model.disk_bytes,
        model.parameters,
        model.bits or (known.bits if known else bits),
        model.context or 0,
        known.licence if known else "",
        model.kinds,
        model.problem,
        model.detail,
        installed=True,
        head=model.head,
        sees=model.sees,
    )
    if entry.problem or entry.head:
        return entry
    draft = _installed_draft(model, known, installed)
    main_size, draft_size = _size_of(model), _size_of(draft) if draft else None
    listed = catalog.models.get(draft.id) if draft else None
    return replace(
        entry,
        draft=draft.id if draft else "",
        draft_name=listed.name if listed else short_name(draft.id)[0] if draft else "",
        expected=_expected(model.weight_bytes, model, draft) if draft else None,
        fit=budget.fit(main_size, draft_size, model.context),
        together=budget.together(main_size, draft_size, model.context),
    )


def from_catalog(model: CatalogModel, catalog: Catalog, installed_ids: Collection[str], budget: MemoryBudget) -> Entry:
    draft = draft_for(model, catalog)
    main_size, draft_size = _size_in(model), _size_in(draft) if draft else None
    missing = [part for part in (model, draft) if part is not None and part.id not in installed_ids]
    return Entry(
        model.id,
        "catalog",
        model.name,
        bytes=model.bytes,
        parameters=model.parameters,
        bits=model.bits,
        context=model.context,
        licence=model.licence,
        kinds=model.roles,
        draft=draft.id if draft else "",
        draft_name=draft.name if draft else "",
        get_bytes=sum(part.bytes for part in missing),
        fit=budget.fit(main_size, draft_size, model.context),
        together=budget.together(main_size, draft_size, model.context),
        expected=_expected(model.bytes, model, draft) if draft else None,
        installed=model.id in installed_ids,
        recommended=model.recommended,
        released=model.released,
        sees=_may_see(model.architecture),
    )


def _may_see(model_type: object) -> bool:
    """Return whether models of this type see, unless their tower was left out, which only their files tell."""
    return any(model_type in kind.model_types for kind in KINDS)


def from_found(model: FoundModel, catalog: Catalog, installed_ids: Collection[str], budget: MemoryBudget) -> Entry:
    """Return a search result, with what the catalog knows about it."""
    if (known := catalog.models.get(model.id)) is not None:
        entry = from_catalog(known, catalog, installed_ids, budget)
        return replace(entry, source="search", gated=model.gated, downloads=model.downloads)
    name, bits = short_name(model.id)
    size = model.bytes or 0
    # Until its configuration is read, only its name tells a head.
    head = kind_of_config({"architectures": [name.replace(" ", "-")]}) or ""
    return Entry(
        model.id,
        "search",
        name,
        bytes=size,
        parameters=model.parameters or 0,
        bits=bits,
        licence=model.licence,
        kinds=("head",) if can_run(head) else () if head else ("main",),
        get_bytes=0 if model.id in installed_ids else size,
        fit=check_fit(ModelSize(model.id, size, {}), None, 0, budget.limit) if size else None,
        installed=model.id in installed_ids,
        gated=model.gated,
        downloads=model.downloads,
        head=head,
    )


def with_details(entry: Entry, model: RemoteModel, budget: MemoryBudget) -> Entry:
    """Return a search result with what its configuration and its list of files say."""
    head = kind_of_config(model.config)
    supported = mlx_lm_module(model.config) is not None if head is None else can_run(head)
    total = model.listing.total_bytes
    entry = replace(
        entry,
        head=head or "",
        bytes=total,
        kinds=() if not supported else ("head",) if head else ("main",),
        problem="" if supported else "unknown-head" if head else "unknown-architecture",
        detail="" if supported else head or str(model.config.get("model_type", "")),
        get_bytes=0 if entry.installed else total,
        fit=None,
        sees=head is None and "vision_config" in model.config and _may_see(model.config.get("model_type")),
    )
    if head is not None:
        return entry
    length, size = context_length(model.config) or 0, ModelSize(model.id, model.weight_bytes, model.config)
    fit, together = budget.fit(size, None, length), budget.together(size, None, length)
    return replace(entry, context=length, fit=fit, together=together)


def with_draft(entry: Entry, draft: CatalogModel, best: PairAdvice, installed_ids: Collection[str]) -> Entry:
    """Return a search result with the catalog's draft model for it."""
    missing = 0 if draft.id in installed_ids else draft.bytes
    return replace(
        entry, draft=draft.id, draft_name=draft.name, expected=best.expected, get_bytes=entry.get_bytes + missing
    )


def pair_offers(catalog: Catalog, entries: Sequence[Entry], limit: int) -> tuple[Entry, ...]:
    """Return the two or three pairs offered first on this machine, without those that do not fit the context."""
    by_id = {entry.id: entry for entry in entries}
    pairs = (by_id[main.id] for main, _ in offers(catalog, limit))
    return tuple(entry for entry in pairs if entry.fit is None or entry.fit.fits)


def _installed_draft(
    model: InstalledModel, known: CatalogModel | None, installed: Sequence[InstalledModel]
) -> InstalledModel | None:
    """Return its installed draft: the catalog's, else the smallest with its tokenizer and less than half as large."""
    usable = [other for other in installed if "draft" in other.kinds and other.path != model.path]
    for wanted in known.drafts if known else ():
        if (named := next((other for other in usable if other.id == wanted), None)) is not None:
            return named
    same = [
        other
        for other in usable
        if model.tokenizer
        and other.tokenizer == model.tokenizer
        and 2 * _cost_of(other).parameters < _cost_of(model).parameters
    ]
    return min(same, key=lambda other: other.weight_bytes, default=None)


def _expected(
    main_bytes: int, main: InstalledModel | CatalogModel, draft: InstalledModel | CatalogModel
) -> SpeedupEstimate:
    costs = ModelCost(main_bytes, main.active_bytes, main.bits), _cost_of(draft)
    return estimate_speedup(*costs, "same")


def _cost_of(model: InstalledModel | CatalogModel) -> ModelCost:
    return ModelCost(model.active_bytes, model.active_bytes, model.bits)


def _size_in(model: CatalogModel) -> ModelSize:
    return ModelSize(model.id, model.bytes, model.memory_config)


def _size_of(model: InstalledModel) -> ModelSize:
    config: dict[str, Any] = {}
    with contextlib.suppress(ModelNotUsable):
        config = read_config(model.config_path)
    return ModelSize(model.id, model.weight_bytes, config)
