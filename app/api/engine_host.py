"""The engine that the API serves, with the models that it can load."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from app.system.paths import cache_folder
from engine import starter_pair
from engine.client import EngineClient
from engine.errors import ModelNotUsable
from engine.files.paths import resources
from engine.finding.discovery import installed_models
from engine.model_files.adapters import base_of
from engine.model_files.model import Model
from engine.status import LoadedPair


def models_of(cache: Path, folders: Sequence[Path]) -> list[Model]:
    """Return the models of the Hub's cache, of `folders`, of other apps and of the starter, as clients name them."""
    index = cache_folder() / "models.json"
    models = installed_models(cache, folders, resources() / "starter", index)
    return [replace(model, id=f"starter/{model.id}") if model.source == "starter" else model for model in models]


class EngineHost:
    """An engine with the pair that it has loaded, and the models of the Hub's cache, of `folders` and of other apps.

    `client_pairs` are the other pairs that clients requested, by the folders of their main models. `kept` is the pair
    that stays listed, and `kept_names` are further names of its main model. `asked` is called with the path and the
    future of every change of the host's own draft model by a client.

    Methods run on the server's thread, except `installed`, which reads the disk on another one.
    """

    def __init__(
        self,
        engine: EngineClient,
        folders: Sequence[Path] = (),
        asked: Callable[[str, Future[LoadedPair]], object] = lambda *_: None,
    ) -> None:
        self.engine = engine
        self.folders = folders
        self._asked = asked
        self.pair = self.kept = LoadedPair(None, None)
        self.kept_names: tuple[str, ...] = ()
        self.client_pairs: dict[Path, LoadedPair] = {}

    def use(self, engine: EngineClient, pair: LoadedPair) -> None:
        """Serve another engine or pair from now on; another engine has none of the clients' pairs."""
        if engine is not self.engine:
            self.client_pairs.clear()
        self.engine = engine
        self.pair = pair

    def keep(self, name: str) -> None:
        """Keep the loaded pair as one that clients can return to, by `name` and as the default."""
        self.kept = self.pair
        self.kept_names = (name, "default")

    @property
    def pairs(self) -> list[LoadedPair]:
        """All pairs that can answer."""
        return [self.pair, *self.client_pairs.values()]

    def pair_of(self, main: Path) -> LoadedPair | None:
        """Return the pair with the main model in this folder, None if it is not loaded."""
        return next((pair for pair in self.pairs if pair.main is not None and pair.main.path == main), None)

    def load(self, main: str, draft: str | None) -> Future[LoadedPair]:
        return self._followed(self.engine.load(main, draft))

    def load_additional(self, main: str, draft: str | None) -> Future[LoadedPair]:
        """Keep another pair loaded for a client."""
        return self._followed(self.engine.load_additional(main, draft), additional=True)

    def set_draft(self, draft: str | None) -> Future[LoadedPair]:
        known = self._followed(self.engine.set_draft(draft))
        self._asked(draft or "", known)
        return known

    def installed(self) -> Sequence[Model]:
        # Not at the top: the window's start imports this module to declare the commands.
        from huggingface_hub import constants

        kept_paths = [model.path for model in (self.kept.main, self.kept.draft) if model is not None]
        return models_of(Path(constants.HF_HUB_CACHE), (*self.folders, *kept_paths))

    def draft_for(self, main: str) -> str | None:
        """Return the draft model of the kept pair or of the starter for its main model, also with an adapter.

        Others use lookup until a client names a draft.
        """
        with suppress(ModelNotUsable):
            main = str(base_of(Path(main)))
        if self.kept.main is not None and self.kept.main.path == Path(main):
            return str(self.kept.draft.path) if self.kept.draft is not None else None
        starter_main, starter_draft = starter_pair()
        return str(starter_draft) if Path(main) == starter_main else None

    def _followed(self, future: Future[LoadedPair], *, additional: bool = False) -> Future[LoadedPair]:
        """Return a future of the same pair that ends only after it is known here.

        It becomes the served pair, or a client's if it is `additional`.
        """
        known: Future[LoadedPair] = Future()
        known.set_running_or_notify_cancel()

        def take(done: Future[LoadedPair]) -> None:
            if (error := done.exception()) is not None:
                known.set_exception(error)
                return
            pair = done.result()
            if not additional:
                self.pair = pair
            elif pair.main is not None:
                self.client_pairs[pair.main.path] = pair
            known.set_result(pair)

        future.add_done_callback(take)
        return known
