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

    kind: "use" (installed), "get" (to be downloaded), "lookup", "none" (no draft), "unload", or "more" and "fewer",
        which show and hide the models to download below them
    entry: the model; None for all kinds but the first two
    loaded: whether it is in use
    advice: the verdict on a draft; None for a main model
    measured: the figures of a draft with this main model, or of a main model with its draft; None without any
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
    def is_draft(self) -> bool:
        """Whether it is a choice of what drafts, or of no draft."""
        return self.advice is not None or self.kind in ("lookup", "none")

    @property
    def is_suggested(self) -> bool:
        """Whether it is a model that is not downloaded, not even in part."""
        is_partial = self.entry is not None and self.entry.partial
        return self.kind == "get" and self.download is None and not is_partial

    def is_same(self, other: ModelChoice) -> bool:
        """Whether both are a choice of one model or, without models, of one thing."""
        return self.id == other.id and (bool(self.id) or self.kind == other.kind or (self.is_fold and other.is_fold))

    @property
    def is_fold(self) -> bool:
        """Whether it shows or hides other rows."""
        return self.kind in ("more", "fewer")

    @property
    def is_untried(self) -> bool:
        """Whether it could draft at once, and nothing is measured of it with this main model."""
        can_draft = self.usable and (self.kind == "lookup" or (self.is_draft and self.kind == "use"))
        return can_draft and self.measured is None

    @property
    def counted(self) -> Totals | None:
        """The figures of a draft that can be used and has drafted, unless a download of it goes on."""
        measured = self.measured
        counts = self.is_draft and self.usable and self.download is None
        return measured if counts and measured is not None and measured.drafted else None

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


def with_fold(choices: Sequence[ModelChoice], *, is_open: bool) -> list[ModelChoice]:
    """Return main models with the suggested ones last: below a row that hides them if `is_open`, else one for them."""
    suggested = [choice for choice in choices if choice.is_suggested]
    others = [choice for choice in choices if not choice.is_suggested]
    if not suggested:
        return others
    return [*others, ModelChoice("fewer"), *suggested] if is_open else [*others, ModelChoice("more")]


def draft_choices(
    inventory: Inventory,
    advice: Sequence[PairAdvice],
    loaded_path: str,
    method: str,
    downloads: Iterable[DownloadStatus],
    measured: Mapping[str, Totals],
    wanted: str = "",
) -> list[ModelChoice]:
    """Return all candidates, prompt lookup and "no draft" among them.

    What was measured comes first, the best above; then what was not tried, by what it is expected to gain, with the
    draft in use above; then "no draft", and last what cannot be used. Without a draft, the automatic method uses prompt
    lookup.
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
    rows.append(ModelChoice("none", loaded=method == "off" or (not loaded_path and not looks_up)))
    # Sorting keeps the order of the advice, which is by what is expected.
    rows.sort(key=_draft_rank)
    return [row for row in _with_downloads(rows, downloads) if _matches(row, wanted)]


def _draft_rank(row: ModelChoice) -> tuple[int, float]:
    """Return the sort key of a draft: what gains, what was only counted, what gains nothing, and what was not tried."""
    measured = row.measured
    if not row.usable:
        return 5, 0.0
    if row.kind == "none":
        return 4, 0.0
    if measured is None:
        return 3, 1.0 - row.loaded
    if measured.speedup is None:
        return 1, -(measured.accept_rate or 0.0)
    place = 0 if is_gain(measured.speedup) else 2
    return place, -measured.speedup


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
