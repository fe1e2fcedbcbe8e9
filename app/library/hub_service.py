"""Reads and writes models on disk and on the Hub. Every call blocks; no Qt in here.

`Library` owns the only service, calls it off the Qt thread and passes its results to the window.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from huggingface_hub import constants

from app.library.entries import (
    Entry,
    MemoryBudget,
    from_catalog,
    from_installed,
    from_last_scan,
    from_search,
    pair_offers,
    with_pair,
    with_places,
)
from app.settings.declarations import SettingsValues
from app.settings.engine_settings import models_limit
from app.settings.keychain import Keychain
from app.settings.relocation import finish_interrupted_move
from app.system.trash import move_to_trash
from engine.advice.cache_shape import COUNTING
from engine.advice.catalog import Catalog, in_order, load_catalog
from engine.advice.fit import number_bytes
from engine.advice.pairing import PairAdvice, advise, candidates
from engine.advice.suggestion import draft_for, head_for, mlx_version
from engine.errors import ModelNotUsable
from engine.files.system_memory import system_memory
from engine.finding.description import describe_folder
from engine.finding.discovery import absent_folders, installed_models
from engine.finding.model_index import ModelIndex
from engine.hub.client import HUGGING_FACE, HubAccess, HubClient, check_access
from engine.hub.download_job import JobSettings
from engine.hub.download_state import DownloadStatus
from engine.hub.downloads import DownloadQueue
from engine.hub.failures import HubError
from engine.hub.remove import plan_removal, remove
from engine.hub.repository_names import head_of, parse_repository, split_name, split_tag
from engine.hub.search import find_model, read_repository, search_models
from engine.hub.values import AccessReport, RemovalPlan
from engine.model_files.model import Model

# Seconds that a connection test, which a person watches, waits for the Hub.
_CHECK_S = 8.0
# How many repositories of GGUF files follow those with weights of MLX.
_GGUF_RESULTS = 10


@dataclass(frozen=True)
class LibraryPaths:
    """Where models, downloads and indexes are kept. By default, `catalog` is the one that ships, `cache` the user's
    shared Hugging Face cache, and `memory_bytes` the memory of the machine. `jobs` configures downloads.
    """

    queue: Path
    index: Path
    small_files: Path
    starter: Path
    cache: Path | None = None
    catalog: Path | None = None
    memory_bytes: int | None = None
    jobs: JobSettings = field(default_factory=JobSettings)


# The settings that decide where models come from and how much memory they are judged by.
_DECIDING = (*("hub_endpoint", "proxy", "model_folders", "work_offline", "fit_context", "kv_bits"), "memory_limit_gb")


@dataclass(frozen=True)
class HubOptions:
    """The settings that decide here (see `deciding`). Without a memory limit of the user, `device_limit` of the running
    engine counts, in bytes. `machines` are the bytes that models may use on each of several Macs.
    """

    values: SettingsValues
    device_limit: int | None = None
    machines: tuple[int, ...] = ()


def deciding(values: SettingsValues) -> SettingsValues:
    """Return the values of the settings that decide here; others have their defaults, so that they change nothing."""
    return SettingsValues(**{name: getattr(values, name) for name in _DECIDING})


@dataclass(frozen=True)
class Inventory:
    """The installed models, the catalog, and the pairs offered first. Models may use `limit` bytes here. `absent` are
    folders of models whose disk is not connected. `memory` is that of the machine in bytes, 0 if unknown.
    """

    installed: tuple[Entry, ...]
    catalog: tuple[Entry, ...]
    offers: tuple[Entry, ...]
    limit: int
    absent: tuple[str, ...] = ()
    memory: int = 0

    def entry(self, id_: str) -> Entry | None:
        return next((entry for entry in (*self.installed, *self.catalog) if entry.id == id_), None)

    def at(self, path: str) -> Entry | None:
        """Return the installed model in that folder."""
        return next((entry for entry in self.installed if entry.path == path), None)


class HubService:
    """The engine's hub, model_files and advice with this user's paths, settings and token. Thread-safe."""

    def __init__(self, paths: LibraryPaths, keychain: Keychain) -> None:
        self._paths, self._keychain = paths, keychain
        self._cache = paths.cache or Path(constants.HF_HUB_CACHE)
        finish_interrupted_move(self._cache)
        self._lock = threading.RLock()
        self._options = HubOptions(SettingsValues())
        self._access = HubAccess()
        self._client: HubClient | None = None
        self._queue: DownloadQueue | None = None
        self._found: tuple[Model, ...] = ()
        self.catalog: Catalog = load_catalog(paths.catalog)

    def configure(self, options: HubOptions) -> None:
        """Apply the options; running downloads continue. Raises `HubError`."""
        access = self._access_of(options.values)
        with self._lock:
            self._options = options
            if self._queue is not None and access == self._access:
                return
            self._disconnect()
            self._access = access
            self._client = HubClient(access)
            self._queue = DownloadQueue(self._cache, access, self._paths.queue, settings=self._paths.jobs)

    def _access_of(self, values: SettingsValues) -> HubAccess:
        endpoint = values.hub_endpoint or HUGGING_FACE
        return HubAccess(endpoint, self._keychain.read(endpoint), values.proxy or None, offline=values.work_offline)

    def check_access(self, values: SettingsValues) -> AccessReport:
        """Test the connection with these settings. Raises `HubError`."""
        return check_access(replace(self._access_of(values), stall_s=_CHECK_S))

    def keep_token(self, values: SettingsValues, token: str) -> bool:
        """Store the token for that Hub and connect with it; False without a keychain. Raises `HubError`."""
        kept = self._keychain.write(values.hub_endpoint or HUGGING_FACE, token)
        if kept:
            self.configure(replace(self._options, values=deciding(values)))
        return kept

    def close(self) -> None:
        """Disconnect; unfinished downloads stay queued for the next start. Safe to call twice."""
        with self._lock:
            self._disconnect()

    def _disconnect(self) -> None:
        if self._queue is not None:
            self._queue.close()
        if self._client is not None:
            self._client.close()
        self._queue = self._client = None

    def scan(self) -> Inventory:
        """Scan the disk. An index makes all scans but the first one fast."""
        paths, values = self._paths, self._options.values
        folders = tuple(map(Path, values.model_folders))
        found = installed_models(self._cache, folders, paths.starter, paths.index)
        # The first bytes of a GGUF file are in no snapshot yet.
        begun = {split_name(status.repository)[0] for status in self.downloads() if status.state != "ready"}
        found = [model for model in found if model.problem != "not-a-model" or model.id not in begun]
        self._found = tuple(found)
        budget = self._budget()
        installed = with_places([from_installed(model, self.catalog, found, budget) for model in found])
        # All caches have been counted, and what was counted is remembered.
        COUNTING.release()
        return self._inventory(installed, absent_folders(self._cache, folders))

    def last_scan(self) -> Inventory | None:
        """Return what the last scan found, without a look at the disk; None before the first one."""
        found = ModelIndex(self._paths.index).described()
        self._found = self._found or tuple(found)
        entries = with_places([from_last_scan(model, self.catalog, found) for model in found])
        return self._inventory(entries, ()) if entries else None

    def _inventory(self, installed: tuple[Entry, ...], absent: Sequence[str]) -> Inventory:
        """Return these models with the catalog's."""
        budget = self._budget()
        complete = {entry.id for entry in installed if entry.complete}
        curated = in_order(self.catalog)
        catalog = tuple(from_catalog(model, self.catalog, complete, budget) for model in curated)
        offers = pair_offers(self.catalog, catalog, budget.limit)
        return Inventory(installed, catalog, offers, budget.limit, tuple(absent), self._memory())

    def advise(self, path: str, measured: Mapping[str, float]) -> tuple[PairAdvice, ...]:
        """Judge every draft for the main model in `path`; `measured` maps ids of drafts to speed-ups."""
        return tuple(self._judged(path, self._found, None, measured))

    def _limit(self) -> int:
        """Return the bytes that models may use: what the engine admits, or an estimate before it runs."""
        return models_limit(self._options.values, self._options.device_limit, self._memory())

    def _memory(self) -> int:
        """Return the bytes of memory of this machine."""
        return self._paths.memory_bytes or system_memory().total

    def search(self, text: str) -> tuple[Entry, ...]:
        """Return models whose name contains `text`, or the one with this full name or address. Raises `HubError`."""
        client = self._connected()
        if "/" in text:
            return self._pasted(client, parse_repository(split_tag(text)[0]))
        found = search_models(client, text)
        known = {model.id for model in found}
        files = [one for one in search_models(client, text, _GGUF_RESULTS, ("gguf",)) if one.id not in known]
        return tuple(map(self._entry_of, (*found, *files)))

    def _pasted(self, client: HubClient, name: str) -> tuple[Entry, ...]:
        """Return the model of that name, also a gated one with unreadable files, whose card links its page. Before a
        model in GGUF files comes the same one with MLX weights.
        """
        try:
            looked = read_repository(client, name, self._paths.small_files)
        except HubError as error:
            if error.reason not in ("gated", "forbidden"):
                raise
            return (replace(self._entry_of(find_model(client, name)), gated=True),)
        mlx = mlx_version(looked, self.catalog, client) if looked.is_gguf_file else None
        entry = self._entry_of(looked, mlx)
        return (entry,) if mlx is None else (self._entry_of(mlx), entry)

    def _entry_of(self, found: Model, mlx: Model | None = None) -> Entry:
        return from_search(found, self.catalog, self._complete_ids(), self._budget(), mlx)

    def read_details(self, entry: Entry, main_path: str, only_result: bool) -> Entry:
        """Return a search result with what its small files say: its memory, and its verdict as a draft. Without
        `main_path` there is no verdict. The only result of a search also gets its head or draft model. Raises
        `HubError`.
        """
        client = self._connected()
        kept = self._paths.small_files
        looked = read_repository(client, entry.id, kept)
        detailed = self._entry_of(looked)
        if main_path and not looked.is_gguf_file:
            verdicts = self._judged(main_path, (), looked, {})
            detailed = replace(detailed, advice=next((one for one in verdicts if one.id == looked.id), None))
        if not only_result or entry.id in self.catalog.models or detailed.problem or looked.is_gguf_file:
            return detailed
        context = self._options.values.fit_context
        limit = self._limit()
        head = head_for(client, looked, self.catalog, context, limit, kept)
        best = draft_for(client, looked, self.catalog, context, limit, kept)
        draft = self.catalog.models[best.id] if best is not None else None
        return with_pair(detailed, draft, head, self.catalog, self._complete_ids(), self._budget())

    def _judged(
        self, path: str, installed: Sequence[Model], candidate: Model | None, measured: Mapping[str, float]
    ) -> list[PairAdvice]:
        """Judge one candidate, or all, as drafts for the main model in `path`."""
        main = self._main_at(path)
        budget = self._budget()
        try:
            subject, drafts = candidates(main, installed, self.catalog)
        except ModelNotUsable:
            return []
        context = min(budget.context, main.context or budget.context)
        judged = drafts if candidate is None else [candidate]
        return advise(subject, judged, context, budget.limit, measured, budget.element_bytes)

    def _budget(self) -> MemoryBudget:
        values = self._options.values
        return MemoryBudget(values.fit_context, self._limit(), number_bytes(values.kv_bits), self._options.machines)

    def _complete_ids(self) -> set[str]:
        return {model.id for model in self._found if model.complete}

    def _main_at(self, path: str) -> Model:
        """Return the model in that folder, even if no scan found it."""
        main = next((model for model in self._found if model.path == path), None)
        return main if main is not None else describe_folder(Path(path), Path(path).name, "folder")

    def downloads(self) -> tuple[DownloadStatus, ...]:
        with self._lock:
            return self._queue.snapshot() if self._queue is not None else ()

    def command(self, name: str, repository: str) -> None:
        """Call `name` of the queue: "add", "pause", "resume" or "cancel". Raises `HubError`."""
        with self._lock:
            self._connected()
            getattr(self._queue, name)(repository)

    def _connected(self) -> HubClient:
        with self._lock:
            if self._client is None:
                raise HubError("offline")
            return self._client

    def check(self, path: str) -> None:
        """Download the installed revision of a model in the Hub cache again. Raises `HubError`. That compares every
        file with its checksum, and fetches only what is damaged or missing.
        """
        model = self._model_at(path)
        with self._lock:
            self._connected()
            assert self._queue is not None
            # A head is cut anew out of the files of its source.
            place = Path(model.gguf.source if model.gguf else path).parts
            revision = "main" if head_of(model.id) else place[place.index("snapshots") + 1]
            self._queue.add(model.id, revision)

    def plan_removal(self, path: str) -> RemovalPlan:
        return plan_removal(self._model_at(path), self._cache)

    def _model_at(self, path: str) -> Model:
        model = next((model for model in self._found if model.path == path), None)
        if model is None:
            raise HubError("not-installed", Path(path).name)
        return model

    def remove(self, plan: RemovalPlan) -> None:
        """Remove the model and its entry among the downloads; a person's own goes to the trash. Raises `HubError`."""
        if plan.own:
            if stays := next((path for path in plan.folders if not move_to_trash(path)), None):
                raise HubError("no-trash", plan.id, path=str(stays))
            return
        remove(plan)
        with self._lock:
            if self._queue is not None and self._queue.status(plan.id) is not None:
                self._queue.cancel(plan.id)
