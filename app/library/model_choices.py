"""The rows of the two pickers: models with their verdicts and what choosing them does. No Qt in here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.library.entries import Entry
from app.session.model_names import short_name
from engine.methods import sources_without_drafter, uses_drafter

if TYPE_CHECKING:
    # Imported off the Qt thread: huggingface_hub would delay the first frame.
    from app.conversations.request_history import Totals
    from app.library.hub_service import Inventory
    from engine.advice.pairing import PairAdvice
    from engine.hub.download_state import DownloadStatus
    from engine.status import LoadedPair


@dataclass(frozen=True)
class ModelChoice:
    """One row.

    `kind`: "use" (installed), "get" (to be downloaded), "lookup", "none" or "unload". `advice` judges a draft. `pair`
    holds the models to unload.
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
        """Whether it is the best draft; the advice may be older than the figures."""
        is_rejected = self.measured is not None and self.measured.accept_rate == 0
        return self.advice is not None and self.advice.best and not is_rejected

    @property
    def bytes(self) -> int:
        """The bytes to download, to load or to free."""
        if self.pair is not None:
            return self.pair.bytes
        drafted = self.advice.weight_bytes if self.advice is not None else 0
        return drafted or (self.entry.get_bytes or self.entry.bytes if self.entry is not None else 0)

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
    """Return installed models, then models to download: the offered ones, or all in the catalog that match `wanted`.

    The last rows unload the models that are `in_memory`.
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
    if not wanted:
        rows += [ModelChoice("unload", pair=pair) for pair in in_memory]
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

    The draft in use is above those that are only estimated to be faster, and none of these is marked as the best.
    Without a draft model, the automatic method uses prompt lookup.
    """
    looks_up = bool(sources_without_drafter(method)) and not (loaded_path and uses_drafter(method))
    rows: list[ModelChoice] = []
    for one in advice:
        if one.verdict == "lookup":
            rows.append(ModelChoice("lookup", loaded=looks_up, advice=one))
        else:
            rows.append(_of_advice(one, inventory, loaded_path, method, measured))
    if not any(row.kind == "lookup" for row in rows):
        rows.append(ModelChoice("lookup", loaded=looks_up))
    rows.append(ModelChoice("none", loaded=method == "off" or (not loaded_path and not looks_up)))
    used = next((row for row in rows if row.loaded and row.kind == "use"), None)
    if used is not None:
        rows = _against(used, rows)
    return [row for row in _with_downloads(rows, downloads) if _matches(row, wanted)]


def _against(used: ModelChoice, rows: Sequence[ModelChoice]) -> list[ModelChoice]:
    """Return the rows beside a draft in use: what is not measured is no better than it."""
    place = next(n for n, row in enumerate(rows) if row is used or (row.measured is None and used.measured is None))
    others = [
        replace(row, advice=replace(row.advice, best=False)) if row.advice and row.measured is None else row
        for row in rows
        if row is not used
    ]
    return [*others[:place], used, *others[place:]]


def models_that_see(inventory: Inventory | None) -> list[Entry]:
    """Return the installed models that see or, without one, those to download that are recommended and fit."""
    if inventory is None:
        return []
    installed = [entry for entry in inventory.installed if entry.sees and entry.verdict == "fits" and not entry.partial]
    offered = [entry for entry in inventory.catalog if entry.sees and entry.recommended and entry.verdict == "fits"]
    return sorted(installed or offered, key=lambda entry: entry.bytes)


def _rank(row: ModelChoice) -> tuple[int, int]:
    """Return the sort key: loaded, installed, to download, the starter, unusable; smaller models first."""
    if row.loaded:
        return -1, row.bytes
    if not row.usable:
        return 3, row.bytes
    return (2 if row.is_starter else 0 if row.kind == "use" else 1), row.bytes


def _of_advice(
    one: PairAdvice, inventory: Inventory, loaded_path: str, method: str, measured: Mapping[str, Totals]
) -> ModelChoice:
    known = inventory.entry(one.id)
    name, bits = short_name(one.id)
    entry = known or Entry(one.id, one.source, name, bits=bits)
    installed = one.source == "installed" and known is not None and not entry.partial
    loaded = installed and bool(entry.path) and entry.path == loaded_path and uses_drafter(method)
    return ModelChoice("use" if installed else "get", entry, loaded, one, measured.get(one.id))


def _with_downloads(rows: Iterable[ModelChoice], downloads: Iterable[DownloadStatus]) -> list[ModelChoice]:
    unfinished = {status.repository: status for status in downloads if status.state != "ready"}
    return [replace(row, download=unfinished.get(row.id)) for row in rows]


def _matches(row: ModelChoice, wanted: str) -> bool:
    source = row.entry.gguf.source if row.entry is not None and row.entry.gguf else ""
    text = f"{row.name} {row.id} {row.kind} {row.path} {source}".casefold()
    return all(word in text for word in wanted.casefold().split())
