"""The rows of the two pickers: models with their verdicts and what choosing them does. No Qt in here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.conversations.measured import is_gain
from app.library.entries import Entry
from app.session.model_names import short_name
from engine.methods import sources_without_drafter, uses_drafter

if TYPE_CHECKING:
    # Imported off the Qt thread: huggingface_hub would delay the first frame.
    from app.conversations.request_history import Totals
    from app.library.inventory import Inventory
    from engine.advice.pairing import PairAdvice
    from engine.hub.download_state import DownloadStatus
    from engine.status import LoadedPair


@dataclass(frozen=True)
class ModelChoice:
    """One row.

    kind: "use" (installed), "get" (to be downloaded), "lookup", "none" (no draft) or "unload"
    entry: the model; None for the last three kinds
    loaded: whether it is in use
    advice: the verdict on a draft; None for a main model
    measured: the figures of a draft with this main model; None without any
    download: its download, unless that is ready; None without one
    pair: the models in memory that can be unloaded; None if it is not there
    """

    kind: str
    entry: Entry | None = None
    loaded: bool = False
    advice: PairAdvice | None = None
    measured: Totals | None = None
    download: DownloadStatus | None = None
    pair: LoadedPair | None = None

    @property
    def verdict(self) -> str:
        """A code of `PairAdvice` or, for a main model, of `Entry.verdict`; else the kind."""
        if self.advice is not None:
            return self.advice.verdict
        return self.entry.verdict if self.entry is not None else self.kind

    @property
    def usable(self) -> bool:
        """Whether it can be chosen."""
        works = self.advice.works if self.advice is not None else self.verdict not in ("unusable", "too-big")
        return works or (self.entry is not None and self.entry.partial)

    @property
    def best(self) -> bool:
        """Whether it was measured to be the best draft, with a gain; the advice may be older than the figures."""
        if self.advice is None or self.measured is None:
            return False
        return self.advice.best and self.measured.accept_rate != 0 and is_gain(self.measured.speedup)

    @property
    def bytes(self) -> int:
        """The bytes to download, to load or to free."""
        if self.kind == "unload" and self.pair is not None:
            return self.pair.bytes
        drafted = self.advice.weight_bytes if self.advice is not None else 0
        return drafted or (self.entry.disk_bytes if self.entry is not None else 0)

    @property
    def memory(self) -> int:
        """The bytes that it takes once it is loaded: of a draft its weights, of a main model all; 0 if unknown."""
        if self.advice is not None:
            return self.advice.weight_bytes
        return self.entry.fit.needed if self.entry is not None and self.entry.fit is not None else 0

    @property
    def id(self) -> str:
        return self.entry.id if self.entry is not None else ""

    @property
    def name(self) -> str:
        return self.entry.name if self.entry is not None else ""

    @property
    def path(self) -> str:
        """The folder of an installed model, or of the main model to unload."""
        if self.pair is not None and self.pair.main is not None:
            return str(self.pair.main.path)
        return self.entry.path if self.entry is not None and self.kind == "use" else ""

    @property
    def is_starter(self) -> bool:
        """Whether this is the starter model, which only answers questions about the app."""
        return self.entry is not None and self.entry.is_starter


def main_choices(
    inventory: Inventory,
    loaded_path: str,
    downloads: Iterable[DownloadStatus],
    wanted: str = "",
    in_memory: Sequence[LoadedPair] = (),
) -> list[ModelChoice]:
    """Return installed models, then those to download: the offered ones, or all in the catalog that match `wanted`.

    Of those `in_memory` the row knows the pair that can be unloaded. The last rows are for those without another row.
    """
    rows = [
        ModelChoice("get" if entry.partial else "use", entry, entry.path == loaded_path)
        for entry in inventory.installed
        # The starter's draft model is too small to answer.
        if not entry.head and not (entry.is_starter and entry.id == "draft")
    ]
    installed_ids = {entry.id for entry in inventory.installed}
    suggested = inventory.catalog if wanted else inventory.offers
    rows += [
        ModelChoice("get", entry) for entry in suggested if entry.id not in installed_ids and "main" in entry.kinds
    ]
    rows = sorted((row for row in _with_downloads(rows, downloads) if _matches(row, wanted)), key=_rank)
    resident = {str(pair.main.path): pair for pair in in_memory if pair.main is not None}
    rows = [replace(row, pair=resident.get(row.path)) for row in rows]
    if not wanted:
        shown_paths = {row.path for row in rows}
        rows += [ModelChoice("unload", pair=pair) for path, pair in resident.items() if path not in shown_paths]
    return rows


def draft_choices(
    inventory: Inventory,
    advice: Sequence[PairAdvice],
    loaded_path: str,
    method: str,
    downloads: Iterable[DownloadStatus],
    measured: Mapping[str, Totals],
    wanted: str = "",
) -> list[ModelChoice]:
    """Return all candidates with their verdicts in the order of the advice, lookup among them; "no draft" is last.

    The draft in use is above those that were not measured. Without one, the automatic method uses prompt lookup.
    """
    looks_up = bool(sources_without_drafter(method)) and not (loaded_path and uses_drafter(method))
    rows: list[ModelChoice] = []
    for verdict in advice:
        if verdict.verdict == "lookup":
            rows.append(ModelChoice("lookup", loaded=looks_up, advice=verdict, measured=measured.get("")))
        else:
            rows.append(_of_advice(verdict, inventory, loaded_path, method, measured))
    if not any(row.kind == "lookup" for row in rows):
        rows.append(ModelChoice("lookup", loaded=looks_up, measured=measured.get("")))
    rows = _without_slower_best(rows)
    rows.append(ModelChoice("none", loaded=method == "off" or (not loaded_path and not looks_up)))
    used_rows = [row for row in rows if row.loaded and row.kind == "use"]
    if used_rows:
        used = used_rows[0]
        # The pair in use comes first among the rows that were not measured.
        place = next(number for number, row in enumerate(rows) if row is used or row.measured is None)
        rows.remove(used)
        rows.insert(place, used)
    return [row for row in _with_downloads(rows, downloads) if _matches(row, wanted)]


def _without_slower_best(rows: Sequence[ModelChoice]) -> list[ModelChoice]:
    """Return the rows, none of which is called the best where another one was measured to be faster."""
    fastest = max((row.measured.speedup or 0.0 for row in rows if row.measured is not None), default=0.0)
    return [
        replace(row, advice=replace(row.advice, best=False))
        if row.advice is not None and row.measured is not None and (row.measured.speedup or 0.0) < fastest
        else row
        for row in rows
    ]


def by_purpose(inventory: Inventory, loaded_path: str, *, only_installed: bool) -> dict[str, list[Entry]]:
    """Return the installed models, or the recommended ones that fit, and the starter, each group the smallest first.

    The keys are "in-use" for the loaded model, then "installed", or the purposes "quick", "all-round" and "best" of
    `Entry.purpose`, then "built-in" for the starter. Groups without a model are left out.
    """
    used = inventory.at(loaded_path)
    groups: dict[str, list[Entry]] = {}
    if only_installed:
        groups["installed"] = [entry for entry in inventory.installed if not entry.is_starter]
    else:
        fitting = [entry for entry in inventory.catalog if entry.fit is not None and entry.fit.fits]
        for purpose in ("quick", "all-round", "best"):
            groups[purpose] = [entry for entry in fitting if entry.recommended and entry.purpose == purpose]
    groups["built-in"] = [entry for entry in inventory.installed if entry.is_starter and entry.id == "main"]
    if used is not None:
        # The loaded model is in its own group only, also as the catalog's entry.
        for name, entries in groups.items():
            groups[name] = [entry for entry in entries if (entry.path or entry.id) not in (used.path, used.id)]
        groups = {"in-use": [used], **groups}
    return {name: sorted(entries, key=lambda entry: entry.disk_bytes) for name, entries in groups.items() if entries}


def models_that_see(inventory: Inventory | None) -> list[Entry]:
    """Return the installed models that see or, without one, those to download that are recommended and fit."""
    if inventory is None:
        return []
    installed = [entry for entry in inventory.installed if entry.sees and entry.verdict == "fits" and not entry.partial]
    offered = [entry for entry in inventory.catalog if entry.sees and entry.recommended and entry.verdict == "fits"]
    return sorted(installed or offered, key=lambda entry: entry.bytes)


def _rank(row: ModelChoice) -> tuple[int, int]:
    """Return the sort key: loaded, installed, the starter, to download, unusable; smaller models first."""
    if row.loaded:
        return -1, row.bytes
    if not row.usable:
        return 3, row.bytes
    if row.is_starter:
        return 1, row.bytes
    place = 0 if row.kind == "use" else 2
    return place, row.bytes


def _of_advice(
    advice: PairAdvice, inventory: Inventory, loaded_path: str, method: str, measured: Mapping[str, Totals]
) -> ModelChoice:
    known = inventory.entry(advice.id)
    name, bits = short_name(advice.id)
    entry = known or Entry(advice.id, advice.source, name, bits=bits)
    installed = advice.source == "installed" and known is not None and not entry.partial
    is_loaded_path = bool(entry.path) and entry.path == loaded_path
    loaded = installed and is_loaded_path and uses_drafter(method)
    return ModelChoice("use" if installed else "get", entry, loaded, advice, measured.get(advice.id))


def _with_downloads(rows: Iterable[ModelChoice], downloads: Iterable[DownloadStatus]) -> list[ModelChoice]:
    unfinished = {status.repository: status for status in downloads if status.state != "ready"}
    return [replace(row, download=unfinished.get(row.id)) for row in rows]


def _matches(row: ModelChoice, wanted: str) -> bool:
    source = row.entry.gguf.source if row.entry is not None and row.entry.gguf else ""
    text = f"{row.name} {row.id} {row.kind} {row.path} {source}".casefold()
    return all(word in text for word in wanted.casefold().split())
