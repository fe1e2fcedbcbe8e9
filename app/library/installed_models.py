"""The models on this computer: scans of the disk, and the memory that models are judged by."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.library.downloads import Downloads
from app.library.entries import (
    Entry,
    MemoryBudget,
    from_catalog,
    from_installed,
    from_last_scan,
    pair_offers,
    with_places,
)
from app.library.hub_options import HubOptions, LibraryPaths
from app.library.inventory import Inventory
from app.settings.declarations import SettingsValues
from app.settings.engine_settings import models_limit
from engine.advice.cache_shape import COUNTING
from engine.advice.catalog import Catalog, in_order
from engine.advice.fit import number_bytes
from engine.files.system_memory import system_memory
from engine.finding.description import describe_folder
from engine.finding.discovery import absent_folders, installed_models
from engine.finding.model_index import ModelIndex
from engine.hub.failures import HubError
from engine.hub.repository_names import split_name
from engine.model_files.model import Model


class InstalledModels:
    """The results of the last scan. Thread-safe: they are replaced as a whole.

    options: the settings that count; the owner replaces them
    """

    def __init__(self, paths: LibraryPaths, cache: Path, catalog: Catalog, downloads: Downloads) -> None:
        self.options = HubOptions(SettingsValues())
        self._paths = paths
        self._cache = cache
        self._catalog = catalog
        self._downloads = downloads
        self._models: tuple[Model, ...] = ()

    @property
    def models(self) -> tuple[Model, ...]:
        """The models that the last scan found; () before one."""
        return self._models

    @property
    def complete_ids(self) -> set[str]:
        """The ids of the installed models that nothing is missing from."""
        return {model.id for model in self._models if model.complete}

    def scan(self) -> Inventory:
        """Scan the disk. An index makes all scans but the first one fast."""
        paths = self._paths
        folders = tuple(map(Path, self.options.values.model_folders))
        models = installed_models(self._cache, folders, paths.starter, paths.index)
        # The first bytes of a GGUF file are in no snapshot yet.
        arriving = {
            split_name(status.repository)[0] for status in self._downloads.statuses() if status.state != "ready"
        }
        models = [model for model in models if model.problem != "not-a-model" or model.id not in arriving]
        self._models = tuple(models)
        budget = self.budget()
        installed = with_places([from_installed(model, self._catalog, models, budget) for model in models])
        # All caches have been counted, and the counts are remembered.
        COUNTING.release()
        return self._inventory(installed, absent_folders(self._cache, folders))

    def last_scan(self) -> Inventory | None:
        """Return the result of the last scan, without a look at the disk; None before the first one."""
        models = ModelIndex(self._paths.index).described()
        self._models = self._models or tuple(models)
        entries = with_places([from_last_scan(model, self._catalog, models) for model in models])
        return self._inventory(entries, ()) if entries else None

    def _inventory(self, installed: tuple[Entry, ...], absent: Sequence[str]) -> Inventory:
        """Return these models with the catalog's."""
        budget = self.budget()
        complete = {entry.id for entry in installed if entry.complete}
        curated = in_order(self._catalog)
        catalog = tuple(from_catalog(model, self._catalog, complete, budget) for model in curated)
        offers = pair_offers(self._catalog, catalog, budget.limit)
        return Inventory(installed, catalog, offers, budget.limit, tuple(absent), self._memory())

    def at(self, path: str) -> Model:
        """Return the installed model in that folder. Raises `HubError` (not-installed) if no scan found it."""
        model = self._known_at(path)
        if model is None:
            raise HubError("not-installed", Path(path).name)
        return model

    def described_at(self, path: str) -> Model:
        """Return the model in that folder, from its files if no scan found it."""
        model = self._known_at(path)
        return model if model is not None else describe_folder(Path(path), Path(path).name, "folder")

    def _known_at(self, path: str) -> Model | None:
        return next((model for model in self._models if model.path == path), None)

    def budget(self) -> MemoryBudget:
        """Return the memory that models may use with the present settings."""
        values = self.options.values
        # The limit of the engine, or an estimate of it before the engine runs.
        limit = models_limit(values, self.options.device_limit, self._memory())
        return MemoryBudget(values.fit_context, limit, number_bytes(values.kv_bits), self.options.machines)

    def _memory(self) -> int:
        """Return the bytes of memory of this machine."""
        return self._paths.memory_bytes or system_memory().total
