"""The hub as the window uses it: every call blocks on disk or network, so all of them belong on a pool's thread.

No Qt in here. `Library` owns the one shelf and brings its answers to the window.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.models.entries import Entry, from_catalog, from_found, from_installed, from_looked_at, pair_offers
from app.preferences.keychain import Keychain
from app.preferences.relocation import heal
from engine.errors import ModelNotUsable
from engine.hub.catalog import Catalog, load_catalog
from engine.hub.client import HUGGING_FACE, HubAccess, HubClient
from engine.hub.discovery import InstalledModel, describe_folder, installed_models
from engine.hub.download_state import DownloadStatus
from engine.hub.downloads import DownloadQueue
from engine.hub.failures import HubError
from engine.hub.fit import working_set_limit
from engine.hub.pairing import PairAdvice, advise, candidates
from engine.hub.remove import RemovalPlan, plan_removal, remove
from engine.hub.repository_names import parse_repository
from engine.hub.search import look_at, search_models
from engine.hub.verify import VerifyReport, verify_model

# What memory is judged for where nobody has chosen a context: a long conversation, not the longest possible.
CONTEXT = 8192


@dataclass(frozen=True)
class Places:
    """Where models and what is known of them lie. `catalog` None is the one that ships, `cache` None the Hugging Face
    cache that every tool of this user shares. `memory_bytes` None is what the machine has.
    """

    queue: Path
    index: Path
    small_files: Path
    starter: Path
    cache: Path | None = None
    catalog: Path | None = None
    memory_bytes: int | None = None


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


class Shelf:
    """Everything that `engine.hub` does, with this user's places and access. Safe to use from several threads."""

    def __init__(self, places: Places, keychain: Keychain) -> None:
        self._places, self._keychain = places, keychain
        self._cache = places.cache or _shared_cache()
        heal(self._cache)
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._folders: tuple[Path, ...] = ()
        self._access = HubAccess()
        self._client: HubClient | None = None
        self._queue: DownloadQueue | None = None
        self._found: tuple[InstalledModel, ...] = ()
        self.catalog: Catalog = load_catalog(places.catalog)

    def configure(self, endpoint: str, proxy: str, folders: tuple[str, ...], offline: bool = False) -> None:
        """Use another Hub, proxy or list of folders; downloads go on from where they are. Raises `HubError`."""
        endpoint = endpoint or HUGGING_FACE
        access = HubAccess(endpoint, self._keychain.read(endpoint), proxy or None, offline=offline)
        with self._lock:
            self._folders = tuple(Path(folder) for folder in folders)
            if self._queue is not None and access == self._access:
                return
            self._disconnect()
            self._access = access
            self._client = HubClient(access)
            self._queue = DownloadQueue(self._cache, access, self._places.queue)

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
        places = self._places
        found = installed_models(self._cache, self._folders, places.starter, places.index)
        self._found = tuple(found)
        limit = self._limit()
        installed = tuple(from_installed(model, self.catalog, found, CONTEXT, limit) for model in found)
        here = {entry.id for entry in installed if entry.complete}
        catalog = tuple(from_catalog(model, self.catalog, here, limit) for model in self.catalog.models.values())
        return Inventory(installed, catalog, pair_offers(self.catalog, catalog, limit), limit)

    def advise(self, path: str, measured: Mapping[str, float]) -> tuple[PairAdvice, ...]:
        """Verdicts on every draft for the main model in `path`; `measured` maps ids of drafts to speed-ups."""
        main = next((model for model in self._found if model.path == path), None)
        if main is None:
            main = describe_folder(Path(path), Path(path).name, "folder")
        try:
            subject, drafts = candidates(main, self._found, self.catalog)
        except ModelNotUsable:
            return ()
        return tuple(advise(subject, drafts, min(CONTEXT, main.context or CONTEXT), self._limit(), measured=measured))

    def _limit(self) -> int:
        if self._places.memory_bytes is not None:
            return working_set_limit(self._places.memory_bytes)
        import psutil

        return working_set_limit(psutil.virtual_memory().total)

    # The Hub

    def search(self, text: str) -> tuple[Entry, ...]:
        """Models whose name contains `text`, or the one whose name or address it is. Raises `HubError`."""
        client, limit = self._connected(), self._limit()
        here = {model.id for model in self._found if model.complete}
        if "/" in text:
            looked = look_at(client, parse_repository(text), self._places.small_files)
            return (from_looked_at(looked, self.catalog, here, CONTEXT, limit),)
        found = search_models(client, text)
        return tuple(from_found(model, self.catalog, here, limit) for model in found)

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

    def plan_removal(self, path: str) -> RemovalPlan:
        model = next((model for model in self._found if model.path == path), None)
        if model is None:
            raise HubError("not-installed", Path(path).name)
        return plan_removal(model, self._cache)

    def remove(self, plan: RemovalPlan) -> None:
        """Remove the model, and the line of its download if there is one."""
        remove(plan)
        with self._lock:
            if self._queue is not None and self._queue.status(plan.id) is not None:
                self._queue.cancel(plan.id)


def _shared_cache() -> Path:
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE)
