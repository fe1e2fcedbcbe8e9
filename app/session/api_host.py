"""The host of the API's models on the window's engine; the window follows which draft model a client chooses."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

from app.api.engine_host import EngineHost
from app.session.model_service import ModelService
from engine.client import EngineClient
from engine.status import LoadedPair


class WindowHost(EngineHost):
    """Calls `asked` on the server's thread when a client changes the draft model of the window's main model."""

    def __init__(self, engine: EngineClient, asked: Callable[[str, object], object]) -> None:
        super().__init__(engine)
        self._asked = asked

    def note(self, models: ModelService) -> None:
        """Follow what the window has loaded. Called on the Qt thread."""
        pair = models.pair
        if not pair.loading:
            self.engine = models.engine
            self.know(LoadedPair(pair.main, pair.draft, pair.draft_problem))

    def set_draft(self, draft: str | None) -> Future[LoadedPair]:
        future = super().set_draft(draft)
        self._asked(draft or "", future)
        return future
