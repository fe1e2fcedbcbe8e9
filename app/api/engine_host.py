"""The engine that the API serves, with the models that it can load."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

from app.system.paths import cache_folder
from engine import starter_pair
from engine.client import EngineClient
from engine.files.paths import resources
from engine.model_files.discovery import InstalledModel, installed_models
from engine.status import LoadedPair


def models_of(cache: Path, folders: Sequence[Path], *, other_apps: bool) -> list[InstalledModel]:
    """Return the models of the Hub's cache, of `folders` and of the starter, with the names that clients use.

    With `other_apps`, also those of other apps.
    """
    index = cache_folder() / "models.json"
    found = installed_models(cache, folders, resources() / "starter", index, other_apps=other_apps)
    return [replace(model, id=f"starter/{model.id}") if model.source == "starter" else model for model in found]


class EngineHost:
    """An engine with the pair that it has loaded, and the models of the Hub's cache, of `folders` and of other apps.

    `kept` is the pair that stays listed, and `kept_names` are further names of its main model. `asked` is called for
    every change of models by a client, with "main" or "draft", its path and its future.

    Methods run on the server's thread, except `installed`, which reads the disk on another one.
    """

    def __init__(
        self,
        engine: EngineClient,
        folders: Sequence[Path] = (),
        *,
        other_apps: bool = True,
        asked: Callable[[str, str, Future[LoadedPair]], object] = lambda *_: None,
    ) -> None:
        self.engine, self.folders, self.other_apps, self._asked = engine, folders, other_apps, asked
        self.pair = self.kept = LoadedPair(None, None)
        self.kept_names: tuple[str, ...] = ()

    def keep(self, name: str) -> None:
        """Let clients return to the loaded pair, by `name` and as the default."""
        self.kept, self.kept_names = self.pair, (name, "default")

    def load(self, main: str, draft: str | None) -> Future[LoadedPair]:
        return self._followed("main", main, self.engine.load(main, draft))

    def set_draft(self, draft: str | None) -> Future[LoadedPair]:
        return self._followed("draft", draft or "", self.engine.set_draft(draft))

    def installed(self) -> Sequence[InstalledModel]:
        # Not at the top: the window's start imports this module to declare the commands.
        from huggingface_hub import constants

        kept = [model.path for model in (self.kept.main, self.kept.draft) if model is not None]
        return models_of(Path(constants.HF_HUB_CACHE), (*self.folders, *kept), other_apps=self.other_apps)

    def draft_for(self, main: str) -> str | None:
        """Return the draft model of the kept pair or of the starter for its main model.

        Others use lookup until a client names a draft.
        """
        if self.kept.main is not None and self.kept.main.path == Path(main):
            return str(self.kept.draft.path) if self.kept.draft is not None else None
        starter_main, starter_draft = starter_pair()
        return str(starter_draft) if Path(main) == starter_main else None

    def _followed(self, which: str, wanted: str, future: Future[LoadedPair]) -> Future[LoadedPair]:
        """Return a future of the same pair that ends only after `pair` was updated."""
        known: Future[LoadedPair] = Future()
        known.set_running_or_notify_cancel()

        def take(done: Future[LoadedPair]) -> None:
            if (error := done.exception()) is not None:
                known.set_exception(error)
                return
            self.pair = done.result()
            known.set_result(self.pair)

        future.add_done_callback(take)
        self._asked(which, wanted, known)
        return known
