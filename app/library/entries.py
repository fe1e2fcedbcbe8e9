"""Models as the window shows them, installed, in the catalog or found on the Hub. No Qt in here."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.session.model_names import short_name
from engine.advice.catalog import SHARES, Catalog, draft_for, offers
from engine.advice.fit import FitReport, ModelSize, check_fit, size_of
from engine.advice.pairing import PairAdvice, installed_head, published_head
from engine.advice.speedup import WORTH_IT, SpeedupEstimate, estimate_speedup, parameters
from engine.advice.suggestion import mlx_version
from engine.cluster.plan import fits_together
from engine.errors import ModelNotUsable
from engine.finding.other_apps import name_of_app
from engine.gguf.names import proposed
from engine.machine.row_costs import keeps_weights
from engine.model_files.config import read_config
from engine.model_files.model import Model

# A model that leaves less than this share of the memory limit free is called tight.
_TIGHT = 0.1


# How many times as fast as with its draft model a main model should be with a head that is the larger download.
CLEARLY_FASTER = 1.25


@dataclass(frozen=True)
class MemoryBudget:
    """`context` tokens within `limit` bytes, with `element_bytes` bytes for each number in caches.

    `machines` are the bytes that models may use on each of several checked Macs, this one first; () for one Mac.
    """

    context: int
    limit: int
    element_bytes: float = 2.0
    machines: tuple[int, ...] = ()

    def judge(self, main: Model, draft: Model | None = None, head: Model | None = None) -> dict[str, Any]:
        """Return the fields of an entry for a pair: its draft, its memory and its speed-up.

        A draft model that does not fit beside the main model is left out. A head is its draft if it fits and should be
        faster here than the draft model: clearly so if it is larger.
        """
        judged: dict[str, Any] = {}
        if draft is not None and not self._fit(main, draft).fits and self._fit(main).fits:
            draft = None
        if head is not None and self._fit(main, head).fits:
            gain = estimate_speedup(main, head, "same")
            least_speedup = estimate_speedup(main, draft, "same").speedup if draft is not None else 0.0
            if draft is not None and head.bytes > draft.bytes:
                least_speedup *= CLEARLY_FASTER
            if gain.speedup >= max(least_speedup, WORTH_IT):
                draft = head
                judged["head_found"] = head
            elif keeps_weights() and not gain.gains:
                judged["head_found"] = head
        fit = self._fit(main, draft)
        judged["fit"] = fit
        if not fit.fits and self.machines:
            of_draft = fit.needed - self._fit(main).needed
            size = size_of(main, self.element_bytes)
            judged["together"] = fits_together(size, of_draft, self.machines, fit.context)
        if draft is not None:
            expected = estimate_speedup(main, draft, "same")
            judged |= {"draft": draft.id, "draft_name": draft.name or short_name(draft.id)[0], "expected": expected}
        return judged

    def _fit(self, main: Model, draft: Model | None = None) -> FitReport:
        """Return the memory of a pair. Of the context counts no more than the main model's own."""
        context = min(self.context, main.context or self.context)
        drafting = None if draft is None else size_of(draft, self.element_bytes)
        return check_fit(size_of(main, self.element_bytes), drafting, context, self.limit)


@dataclass(frozen=True)
class Entry(Model):
    """A model, and its use on this computer.

    Its name is the catalog's, else the repository's without its owner; `bytes` is its size on disk or to download. It
    may be `installed` though the entry is the catalog's or a search's. `draft` is the id of its draft model,
    `get_bytes` the download, `fit` the memory of both, `expected` the speed-up with the draft. `together`: it fits on
    several Macs only. `head_found` is a head for it, its draft if a gain is expected, or one without a gain by the
    chip's published costs. `advice` judges a search result as a draft for the loaded main model. `place` tells an
    installed model from others of its name: its publisher or its folder. `mlx_name` is the name of a conversion to MLX
    of the model in a GGUF file; the files that a repository with such files offers are its `variants`.
    """

    installed: bool = False
    draft: str = ""
    draft_name: str = ""
    get_bytes: int = 0
    fit: FitReport | None = None
    together: bool = False
    expected: SpeedupEstimate | None = None
    head_found: Model | None = None
    advice: PairAdvice | None = None
    place: str = ""
    variants: tuple[Entry, ...] = ()
    mlx_name: str = ""

    @property
    def proposed(self) -> Entry:
        """What to download of a repository with several models: of those that fit, if any does."""
        fitting = [variant for variant in self.variants if variant.verdict == "fits"] or self.variants
        if not self.is_gguf_file or not fitting:
            return self
        best = proposed([variant.id for variant in fitting])
        return next(variant for variant in fitting if variant.id == best)

    @property
    def holds_draft(self) -> bool:
        """Whether its draft is a head in its own repository, which is downloaded with it."""
        return self.draft.startswith(f"{self.id}/")

    @property
    def disk_bytes(self) -> int:
        """Its size on disk; before it is installed, with the files that are downloaded with it; 0 if unknown."""
        return self.bytes if self.installed else self.get_bytes or self.bytes

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
    def purpose(self) -> str:
        """Its purpose here, by the share of the limit that its weights and its draft's take.

        A key of PURPOSES (app/wording/models.py).
        """
        if self.fit is None:
            return ""
        share = sum(term.bytes for term in self.fit.terms if term.code == "weights") / self.fit.limit
        if share <= SHARES[0]:
            return "quick"
        return "all-round" if share <= SHARES[1] else "best"

    @property
    def tight(self) -> bool:
        """Whether it fits but leaves little memory free."""
        return self.fit is not None and self.fit.fits and self.fit.free_after < _TIGHT * self.fit.limit


def from_installed(model: Model, catalog: Catalog, installed: Sequence[Model], budget: MemoryBudget) -> Entry:
    """Return an installed model with its draft among the `installed` ones, and what both need. Reads its files."""
    model = _named(model, catalog)
    if model.problem or model.head:
        return Entry(**vars(model), installed=True)
    draft = _installed_draft(model, installed)
    main = _with_config(model)
    drafting = _with_config(_named(draft, catalog)) if draft is not None else None
    judged = budget.judge(main, drafting, installed_head(main, installed, catalog))
    return Entry(**vars(model), installed=True, **judged)


def from_last_scan(model: Model, catalog: Catalog, installed: Sequence[Model]) -> Entry:
    """Return a model that the last scan found with its draft; its memory, which has to be counted, is left out."""
    model = _named(model, catalog)
    draft = None if model.problem or model.head else _installed_draft(model, installed)
    return replace(Entry(**vars(model), installed=True), draft=draft.id if draft is not None else "")


def with_places(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the entries with the places of those that share a name."""
    named = Counter((entry.name, entry.bits) for entry in entries)
    shared = [entry for entry in entries if named[entry.name, entry.bits] > 1 and not entry.is_starter]
    publishers = Counter((entry.name, entry.bits, _publisher(entry)) for entry in shared)
    alone = [entry for entry in shared if publishers[entry.name, entry.bits, _publisher(entry)] == 1]
    placed = list[Entry]()
    for entry in entries:
        if entry in alone:
            entry = replace(entry, place=_publisher(entry))
        elif entry in shared:
            entry = replace(entry, place=entry.path)
        placed.append(entry)
    return tuple(placed)


def _publisher(entry: Entry) -> str:
    """Return who published a model, or the folder that holds its folder."""
    return entry.id.rpartition("/")[0] or Path(entry.path).parent.name


def from_catalog(model: Model, catalog: Catalog, installed_ids: Collection[str], budget: MemoryBudget) -> Entry:
    judged = budget.judge(model, draft_for(model, catalog), published_head(model, catalog))
    entry = Entry(**vars(model), installed=model.id in installed_ids, **judged)
    return replace(entry, get_bytes=_missing_bytes(entry, catalog, installed_ids))


def from_search(
    model: Model, catalog: Catalog, installed_ids: Collection[str], budget: MemoryBudget, mlx: Model | None = None
) -> Entry:
    """Return a search result, with the catalog's facts about it; `mlx` is the same model with MLX weights."""
    if model.variants:
        entry = from_search(replace(model, variants=()), catalog, installed_ids, budget)
        mlx = mlx or mlx_version(model, catalog)
        name = "" if mlx is None or not model.is_gguf_file else mlx.name or short_name(mlx.id)[0]
        parts = [from_search(variant, catalog, installed_ids, budget) for variant in model.variants]
        parts = [replace(part, mlx_name=name, place=model.id.partition("/")[0]) for part in parts]
        return replace(entry, variants=tuple(parts if model.is_gguf_file else (entry, *parts)))
    if (known := catalog.models.get(model.id)) is not None:
        entry = from_catalog(known, catalog, installed_ids, budget)
        return replace(entry, source="search", gated=model.gated, downloads=model.downloads)
    name, bits = short_name(model.id)
    installed = model.id in installed_ids
    model = replace(model, name=name, bits=model.bits or bits)
    entry = Entry(**vars(model), installed=installed, get_bytes=0 if installed else model.bytes)
    if not model.config:
        # Its files have not been read.
        fit = check_fit(ModelSize(model.id, model.bytes, {}), None, 0, budget.limit) if model.bytes else None
        return replace(entry, fit=fit)
    return entry if model.head else replace(entry, **budget.judge(model))


def with_pair(
    entry: Entry,
    draft: Model | None,
    head: Model | None,
    catalog: Catalog,
    installed_ids: Collection[str],
    budget: MemoryBudget,
) -> Entry:
    """Return a search result with the draft model and the head that were found for it."""
    entry = replace(entry, **budget.judge(entry, draft, head))
    return replace(entry, get_bytes=_missing_bytes(entry, catalog, installed_ids))


def _missing_bytes(entry: Entry, catalog: Catalog, installed_ids: Collection[str]) -> int:
    """Return the bytes to download for a model with its draft. A head in its own repository comes with it."""
    head = entry.head_found
    drafting = head if head is not None and head.id == entry.draft else catalog.models.get(entry.draft)
    parts = (entry, drafting) if drafting is not None and not entry.holds_draft else (entry,)
    return sum(part.bytes for part in parts if part.id not in installed_ids)


def pair_offers(catalog: Catalog, entries: Sequence[Entry], limit: int) -> tuple[Entry, ...]:
    """Return the two or three pairs offered first on this machine, without those that do not fit the context."""
    by_id = {entry.id: entry for entry in entries}
    pairs = (by_id[main.id] for main, _ in offers(catalog, limit))
    return tuple(entry for entry in pairs if entry.fit is None or entry.fit.fits)


def _installed_draft(model: Model, installed: Sequence[Model]) -> Model | None:
    """Return its installed draft: the catalog's, else the smallest with its tokenizer and under half as large."""
    usable = [other for other in installed if "draft" in other.kinds and other.path != model.path]
    for wanted in model.drafts:
        for other in usable:
            if other.id == wanted:
                return other
    same = [
        other
        for other in usable
        if model.tokenizer and other.tokenizer == model.tokenizer and 2 * parameters(other) < parameters(model)
    ]
    return min(same, key=lambda other: other.weight_bytes, default=None)


def _named(model: Model, catalog: Catalog) -> Model:
    """Return an installed model with the catalog's facts about it, else with the name and the bits in its id."""
    base, _, adapter = model.id.partition(":")
    known = catalog.models.get(base)
    if known is None:
        name, bits = short_name(model.id)
        return replace(model, name=name, bits=model.bits or bits)
    name = f"{known.name}:{adapter}" if adapter else known.name
    return replace(model, name=name, bits=model.bits or known.bits, licence=known.licence, drafts=known.drafts)


def _with_config(model: Model) -> Model:
    """Return an installed model with its configuration, if that can be read, from which its caches are counted."""
    with contextlib.suppress(ModelNotUsable):
        return replace(model, config=read_config(model.config_path))
    return model
