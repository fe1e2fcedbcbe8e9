"""The host of the API's models on the window's engine; the window shows which models a client loads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

from app.api.engine_host import EngineHost
from app.session.model_service import ModelService
from engine.client import EngineClient
from engine.status import LoadedPair


class WindowHost(EngineHost):
    """Calls `asked` on the server's thread for every change of models by a client."""

    def __init__(self, engine: EngineClient, asked: Callable[[str, str, object], object]) -> None:
        super().__init__(engine)
        self._asked = asked

    def note(self, models: ModelService) -> None:
        """Follow what the window has loaded. Called on the Qt thread."""
        pair = models.pair
        if not pair.loading:
            self.engine = models.engine
            self.know(LoadedPair(pair.main, pair.draft, pair.draft_problem))

    def load(self, main: str, draft: str | None) -> Future[LoadedPair]:
        future = super().load(main, draft)
        self._asked("main", main, future)
        return future

    def set_draft(self, draft: str | None) -> Future[LoadedPair]:
        future = super().set_draft(draft)
        self._asked("draft", draft or "", future)
        return future
