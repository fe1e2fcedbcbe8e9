"""The rows of the two pickers: models with their verdicts and what choosing them does. No Qt in here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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

    `kind`: "use" (installed), "get" (to be downloaded), "lookup", "none" or "unload". `verdict` is a code of
    `PairAdvice` or, for a main model, "fits", "together" (on several Macs only), "too-big" or "unusable". A row that is
    not `usable` cannot be chosen. `pair` holds the models to unload.
    """

    kind: str
    entry: Entry | None = None
    verdict: str = ""
    bytes: int = 0
    usable: bool = True
    loaded: bool = False
    best: bool = False
    advice: PairAdvice | None = None
    measured: Totals | None = None
    download: DownloadStatus | None = None
    pair: LoadedPair | None = None

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
    by_id = {status.repository: status for status in downloads}
    rows = [_of_installed(entry, loaded_path, by_id) for entry in inventory.installed if _is_main(entry)]
    installed_ids = {entry.id for entry in inventory.installed}
    suggested = inventory.catalog if wanted else inventory.offers
    rows += [
        _to_get(entry, by_id.get(entry.id))
        for entry in suggested
        if entry.id not in installed_ids and "main" in entry.kinds
    ]
    rows = sorted((row for row in rows if _matches(row, wanted)), key=_rank)
    if not wanted:
        rows += [ModelChoice("unload", bytes=pair.bytes, pair=pair) for pair in in_memory]
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

    Without a draft model, the automatic method uses prompt lookup.
    """
    by_id = {status.repository: status for status in downloads}
    looks_up = bool(sources_without_drafter(method)) and not (loaded_path and uses_drafter(method))
    rows: list[ModelChoice] = []
    for one in advice:
        if one.verdict == "lookup":
            rows.append(ModelChoice("lookup", verdict="lookup", loaded=looks_up, best=one.best, advice=one))
        else:
            rows.append(_of_advice(one, inventory, loaded_path, method, by_id, measured))
    if not any(row.kind == "lookup" for row in rows):
        rows.append(ModelChoice("lookup", verdict="lookup", loaded=looks_up))
    rows.append(ModelChoice("none", verdict="none", loaded=method == "off" or (not loaded_path and not looks_up)))
    return [row for row in rows if _matches(row, wanted)]


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


def _is_main(entry: Entry) -> bool:
    """Return False for heads and for the starter's draft model, which is too small to answer."""
    return not entry.head and not (entry.is_starter and entry.id == "draft")


def _of_installed(entry: Entry, loaded_path: str, downloads: Mapping[str, DownloadStatus]) -> ModelChoice:
    return ModelChoice(
        "get" if entry.partial else "use",
        entry,
        entry.verdict,
        entry.bytes,
        entry.partial or entry.verdict in ("fits", "together"),
        entry.path == loaded_path,
        download=_unfinished(downloads.get(entry.id)),
    )


def _to_get(entry: Entry, download: DownloadStatus | None) -> ModelChoice:
    usable, size = entry.verdict != "too-big", entry.get_bytes or entry.bytes
    return ModelChoice("get", entry, entry.verdict, size, usable, download=_unfinished(download))


def _of_advice(
    one: PairAdvice,
    inventory: Inventory,
    loaded_path: str,
    method: str,
    downloads: Mapping[str, DownloadStatus],
    measured: Mapping[str, Totals],
) -> ModelChoice:
    known = inventory.entry(one.id)
    name, bits = short_name(one.id)
    found = measured.get(one.id)
    entry = known or Entry(one.id, one.source, name, bits=bits)
    installed = one.source == "installed" and known is not None and not entry.partial
    return ModelChoice(
        "use" if installed else "get",
        entry,
        one.verdict,
        one.weight_bytes or entry.bytes,
        one.works or entry.partial,
        installed and bool(entry.path) and entry.path == loaded_path and uses_drafter(method),
        # The advice may be older than the figures.
        one.best and not (found is not None and found.accept_rate == 0),
        one,
        found,
        _unfinished(downloads.get(one.id)),
    )


def _unfinished(status: DownloadStatus | None) -> DownloadStatus | None:
    return status if status is not None and status.state != "ready" else None


def _matches(row: ModelChoice, wanted: str) -> bool:
    text = f"{row.name} {row.id} {row.kind}".casefold()
    return all(word in text for word in wanted.casefold().split())
