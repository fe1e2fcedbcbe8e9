"""The engine that the API serves: for the terminal and for tests an engine of one's own."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

from app.system.paths import cache_folder
from engine import starter_pair
from engine.client import EngineClient
from engine.files.paths import resources
from engine.model_files.discovery import InstalledModel, installed_models
from engine.status import LoadedPair

NOTHING_LOADED = LoadedPair(None, None)


def models_of(cache: Path, folders: Sequence[Path]) -> list[InstalledModel]:
    """The models in the Hub's cache and in `folders`, and the starter's, by the names that people and clients use."""
    found = installed_models(cache, folders, resources() / "starter", cache_folder() / "models.json")
    return [replace(model, id=f"starter/{model.id}") if model.source == "starter" else model for model in found]


class EngineHost:
    """Knows which pair `engine` has loaded, and which models there are in the Hub's cache and in `folders`.

    Its methods are called on the server's thread, but `installed`, which reads the disk, on one of its own.
    """

    def __init__(self, engine: EngineClient, folders: Sequence[Path] = ()) -> None:
        self.engine, self.folders = engine, folders
        self._lock = threading.Lock()
        self._pair = NOTHING_LOADED

    @property
    def pair(self) -> LoadedPair:
        with self._lock:
            return self._pair

    def know(self, pair: LoadedPair) -> None:
        """That pair is loaded now, whoever loaded it."""
        with self._lock:
            self._pair = pair

    def load(self, main: str, draft: str | None) -> Future[LoadedPair]:
        return self._followed(self.engine.load(main, draft))

    def set_draft(self, draft: str | None) -> Future[LoadedPair]:
        return self._followed(self.engine.set_draft(draft))

    def installed(self) -> Sequence[InstalledModel]:
        # Not at the top: the window's start imports this module to declare the commands.
        from huggingface_hub import constants

        return models_of(Path(constants.HF_HUB_CACHE), self.folders)

    def draft_for(self, main: str) -> str | None:
        """The starter's draft model goes with its main model; others speculate by lookup until a draft is asked for."""
        starter_main, starter_draft = starter_pair()
        return str(starter_draft) if Path(main) == starter_main else None

    def _followed(self, future: Future[LoadedPair]) -> Future[LoadedPair]:
        """The same pair once it is known here: whoever waits for it must not find the one before."""
        known: Future[LoadedPair] = Future()
        known.set_running_or_notify_cancel()

        def take(done: Future[LoadedPair]) -> None:
            if (error := done.exception()) is not None:
                known.set_exception(error)
                return
            self.know(done.result())
            known.set_result(done.result())

        future.add_done_callback(take)
        return known
