"""The hub as the window uses it: every call blocks on disk or network, so all of them belong on a pool's thread.

No Qt in here. `Library` owns the one hub and brings its answers to the window.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.library.entries import (
    Entry,
    MemoryBudget,
    from_catalog,
    from_found,
    from_installed,
    looked_closer,
    pair_offers,
    with_draft,
)
from app.library.hub_options import HubOptions, hub_options_of
from app.settings.declarations import SettingsValues
from app.settings.keychain import Keychain
from app.settings.relocation import heal
from engine.advice.catalog import Catalog, load_catalog
from engine.advice.fit import number_bytes, working_set_limit
from engine.advice.pairing import PairAdvice, PairModel, advise, candidates, from_remote
from engine.advice.suggestion import draft_for
from engine.errors import ModelNotUsable
from engine.hub.access_check import AccessReport, check_access
from engine.hub.client import HUGGING_FACE, HubAccess, HubClient
from engine.hub.download_job import JobSettings
from engine.hub.download_state import DownloadStatus
from engine.hub.downloads import DownloadQueue
from engine.hub.failures import HubError
from engine.hub.remove import RemovalPlan, plan_removal, remove
from engine.hub.repository_names import parse_repository
from engine.hub.search import FoundModel, find_model, look_at, search_models
from engine.hub.verify import VerifyReport, verify_model
from engine.model_files.discovery import InstalledModel, describe_folder, installed_models

# Somebody waits for the answer, and says so when it takes longer than that.
_CHECK_S = 8.0


@dataclass(frozen=True)
class LibraryPaths:
    """Where models and what is known of them lie. `catalog` None is the one that ships, `cache` None the Hugging Face
    cache that every tool of this user shares. `memory_bytes` None is what the machine has. `jobs` is how downloads
    behave.
    """

    queue: Path
    index: Path
    small_files: Path
    starter: Path
    cache: Path | None = None
    catalog: Path | None = None
    memory_bytes: int | None = None
    jobs: JobSettings = field(default_factory=JobSettings)


@dataclass(frozen=True)
class Inventory:
    """What is here and what could be, at one moment. `limit` is the bytes that models may use on this machine."""

    installed: tuple[Entry, ...]
    catalog: tuple[Entry, ...]
    offers: tuple[Entry, ...]
    limit: int

    def entry(self, id_: str) -> Entry | None:
        return next((entry for entry in (*self.installed, *self.catalog) if entry.id == id_), None)

    def at(self, path: str) -> Entry | None:
        """The installed model in that folder."""
        return next((entry for entry in self.installed if entry.path == path), None)


class HubService:
    """Everything that `engine.hub` does, with this user's paths and access. Safe to use from several threads."""

    def __init__(self, paths: LibraryPaths, keychain: Keychain) -> None:
        self._paths, self._keychain = paths, keychain
        self._cache = paths.cache or _shared_cache()
        heal(self._cache)
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._folders: tuple[Path, ...] = ()
        self._options = hub_options_of(SettingsValues())
        self._access = HubAccess()
        self._client: HubClient | None = None
        self._queue: DownloadQueue | None = None
        self._found: tuple[InstalledModel, ...] = ()
        self.catalog: Catalog = load_catalog(paths.catalog)

    def configure(self, options: HubOptions) -> None:
        """Take the user's choices; downloads go on from where they are. Raises `HubError`."""
        access = self._access_of(options)
        with self._lock:
            self._folders = tuple(Path(folder) for folder in options.folders)
            self._options = options
            if self._queue is not None and access == self._access:
                return
            self._disconnect()
            self._access = access
            self._client = HubClient(access)
            self._queue = DownloadQueue(self._cache, access, self._paths.queue, settings=self._paths.jobs)

    def _access_of(self, options: HubOptions) -> HubAccess:
        endpoint = options.endpoint or HUGGING_FACE
        return HubAccess(endpoint, self._keychain.read(endpoint), options.proxy or None, offline=options.offline)

    def check_access(self, options: HubOptions) -> AccessReport:
        """Try those choices once, patient for some seconds. Raises `HubError`."""
        return check_access(replace(self._access_of(options), stall_s=_CHECK_S))

    def keep_token(self, endpoint: str, token: str) -> bool:
        """Keep the token for that Hub; False where there is no keychain. `configure` takes it into use."""
        return self._keychain.write(endpoint or HUGGING_FACE, token)

    def close(self) -> None:
        """Stop what runs; downloads are queued for the next time."""
        self._stop.set()
        with self._lock:
            self._disconnect()

    def _disconnect(self) -> None:
        if self._queue is not None:
            self._queue.close()
        if self._client is not None:
            self._client.close()
        self._queue = self._client = None

    # What there is

    def scan(self) -> Inventory:
        """Look at the disk. Fast after the first time."""
        paths = self._paths
        found = installed_models(self._cache, self._folders, paths.starter, paths.index)
        self._found = tuple(found)
        budget = self._budget()
        installed = tuple(from_installed(model, self.catalog, found, budget) for model in found)
        here = {entry.id for entry in installed if entry.complete}
        curated = self.catalog.models.values()
        catalog = tuple(from_catalog(model, self.catalog, here, budget) for model in curated)
        return Inventory(installed, catalog, pair_offers(self.catalog, catalog, budget.limit), budget.limit)

    def advise(self, path: str, measured: Mapping[str, float]) -> tuple[PairAdvice, ...]:
        """Verdicts on every draft for the main model in `path`; `measured` maps ids of drafts to speed-ups."""
        main = self._main_at(path)
        try:
            subject, drafts = candidates(main, self._found, self.catalog)
        except ModelNotUsable:
            return ()
        return tuple(self._judged(main, subject, drafts, measured))

    def _limit(self) -> int:
        if self._paths.memory_bytes is not None:
            return working_set_limit(self._paths.memory_bytes)
        import psutil

        return working_set_limit(psutil.virtual_memory().total)

    # The Hub

    def search(self, text: str) -> tuple[Entry, ...]:
        """Models whose name contains `text`, or the one whose name or address it is. Raises `HubError`."""
        client = self._connected()
        if "/" in text:
            return (self._pasted(client, parse_repository(text)),)
        return tuple(map(self._entry_of, search_models(client, text)))

    def _pasted(self, client: HubClient, name: str) -> Entry:
        """A gated model is shown although its files cannot be read: its card leads to its page."""
        try:
            looked = look_at(client, name, self._paths.small_files)
        except HubError as error:
            if error.reason not in ("gated", "forbidden"):
                raise
            return replace(self._entry_of(find_model(client, name)), gated=True)
        entry = self._entry_of(looked.found)
        return entry if name in self.catalog.models else looked_closer(entry, looked, self._budget())

    def _entry_of(self, found: FoundModel) -> Entry:
        return from_found(found, self.catalog, self._here(), self._budget())

    def look_closer(self, entry: Entry, main_path: str, alone: bool) -> Entry:
        """What a search has found, read from its small files: its memory, and its verdict as a draft for the model in
        `main_path` ("" for none). The only model of a search comes with the draft that goes with it. Raises `HubError`.
        """
        client, kept = self._connected(), self._paths.small_files
        looked = look_at(client, entry.id, kept)
        remote, curated = from_remote(looked), entry.id in self.catalog.models
        closer = entry if curated else looked_closer(entry, looked, self._budget())
        if main_path:
            closer = replace(closer, advice=self._verdict(main_path, remote))
        if not alone or curated or closer.problem:
            return closer
        best = draft_for(client, remote, self.catalog, self._options.context, self._limit(), kept)
        return with_draft(closer, self.catalog.models[best.id], best, self._here()) if best is not None else closer

    def _verdict(self, main_path: str, candidate: PairModel) -> PairAdvice | None:
        main = self._main_at(main_path)
        try:
            subject, _ = candidates(main, (), self.catalog)
        except ModelNotUsable:
            return None
        return next((one for one in self._judged(main, subject, [candidate], {}) if one.id == candidate.id), None)

    def _judged(
        self, main: InstalledModel, subject: PairModel, drafts: Sequence[PairModel], measured: Mapping[str, float]
    ) -> list[PairAdvice]:
        budget = self._budget()
        context = min(budget.context, main.context or budget.context)
        numbers = budget.main_element_bytes, budget.draft_element_bytes
        return advise(subject, drafts, context, budget.limit, measured=measured, element_bytes=numbers)

    def _budget(self) -> MemoryBudget:
        options = self._options
        return MemoryBudget(
            options.context, self._limit(), number_bytes(options.kv_bits), number_bytes(options.draft_kv_bits)
        )

    def _here(self) -> set[str]:
        return {model.id for model in self._found if model.complete}

    def _main_at(self, path: str) -> InstalledModel:
        """The model in that folder, also where it is none that was found."""
        main = next((model for model in self._found if model.path == path), None)
        return main if main is not None else describe_folder(Path(path), Path(path).name, "folder")

    def downloads(self) -> tuple[DownloadStatus, ...]:
        with self._lock:
            return self._queue.snapshot() if self._queue is not None else ()

    def command(self, name: str, repository: str) -> None:
        """add, pause, resume or cancel a download. Raises `HubError`."""
        with self._lock:
            self._connected()
            assert self._queue is not None
            getattr(self._queue, name)(repository)

    def _connected(self) -> HubClient:
        with self._lock:
            if self._client is None:
                raise HubError("offline")
            return self._client

    # Care

    def verify(self, path: str) -> VerifyReport | None:
        """Read every file again and compare; None when the program ends first."""
        return verify_model(Path(path), stop=self._stop)

    def repair(self, path: str) -> None:
        """Fetch again what of a model in the Hub cache is not as it was published, and nothing else.

        The download of the very version that is here checks every byte and replaces what is wrong. Raises `HubError`.
        """
        model = self._model_at(path)
        with self._lock:
            self._connected()
            assert self._queue is not None
            self._queue.add(model.id, revision=Path(path).name)

    def plan_removal(self, path: str) -> RemovalPlan:
        return plan_removal(self._model_at(path), self._cache)

    def _model_at(self, path: str) -> InstalledModel:
        model = next((model for model in self._found if model.path == path), None)
        if model is None:
            raise HubError("not-installed", Path(path).name)
        return model

    def remove(self, plan: RemovalPlan) -> None:
        """Remove the model, and the line of its download if there is one."""
        remove(plan)
        with self._lock:
            if self._queue is not None and self._queue.status(plan.id) is not None:
                self._queue.cancel(plan.id)


def _shared_cache() -> Path:
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE)
