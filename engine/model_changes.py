"""Models come and go while others stream: one change after the other, a slice between two steps.

Lives on the engine's thread, as the models do.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import EngineClosed, EngineError, InternalFailure, NoModel, without_frames
from engine.loading import LoadedModel
from engine.models import Models, ParkedModels
from engine.prefix_cache import PrefixCache
from engine.prefix_store import PrefixStore
from engine.speculation.draft_source import DraftSource, prepare_draft
from engine.status import LoadedPair
from engine.steps import Steps, run_to_completion

log = logging.getLogger(__name__)

# With nothing else to do, the disk is waited for this long before commands are looked at again.
PATIENCE_S = 0.02


@dataclass(eq=False)
class _Change:
    """`done` gets what `slices` come to. While it `holds`, no request begins: who will answer it is not there yet."""

    slices: Steps[LoadedPair]
    done: Callable[[LoadedPair | EngineError], None]
    holds: bool


class ModelChanges:
    """Loads, replaces and drops `models`, and what the prefix cache holds for them.

    `main_goes` is called before the main model is replaced or dropped, `draft_goes` before the draft model is.
    """

    def __init__(
        self,
        models: Models,
        prefix_cache: PrefixCache,
        main_goes: Callable[[], None],
        draft_goes: Callable[[], None],
    ) -> None:
        self._models = models
        self._prefix_cache = prefix_cache
        self._main_goes = main_goes
        self._draft_goes = draft_goes
        self._queue: deque[_Change] = deque()
        self._pending: Future[Any] | None = None

    # One after the other

    @property
    def busy(self) -> bool:
        """Whether a change is under way or waits for its turn."""
        return bool(self._queue)

    @property
    def ready(self) -> bool:
        """Whether a slice can be done now."""
        return self.busy and (self._pending is None or self._pending.done())

    @property
    def hold(self) -> bool:
        """Whether requests have to wait for the model that will answer them."""
        return any(change.holds for change in self._queue) or (self.busy and not self._models.loaded)

    def ask(
        self, slices: Steps[LoadedPair], done: Callable[[LoadedPair | EngineError], None], *, holds: bool = True
    ) -> None:
        """Queue a change; `done` is told how it ended."""
        self._queue.append(_Change(slices, done, holds))

    def step(self) -> None:
        """Do a slice of the oldest change, or wait a moment for the disk."""
        if self._pending is not None:
            wait([self._pending], PATIENCE_S)
            if not self._pending.done():
                return
        try:
            self._pending = next(self._queue[0].slices)
        except StopIteration as end:
            self._end(end.value)
        except EngineError as error:
            self._end(error)
        except Exception as error:
            log.exception("a change of models failed")
            self._end(InternalFailure(str(error)))

    def close(self) -> None:
        """Give up what is under way, and everything that waits."""
        while self._queue:
            self._queue[0].slices.close()
            self._end(EngineClosed())

    def _end(self, outcome: LoadedPair | EngineError) -> None:
        self._pending = None
        if isinstance(outcome, EngineError):
            without_frames(outcome)
        self._queue.popleft().done(outcome)

    # What a change consists of

    def load(
        self,
        main: str | Path,
        draft: str | Path | None,
        *,
        allow_oversize: bool,
        main_there: Callable[[LoadedPair], None] = lambda _pair: None,
    ) -> Steps[LoadedPair]:
        """Replace both models; requests that run end as cancelled when the new main model is there, which `main_there`
        is told.

        Raises `ModelNotUsable` and `NotEnoughMemory`; the models in use stay. Where there is no room for both they go
        first, and are read again if the others cannot be used.
        """
        before = None
        if not self._models.main_fits_beside(main, allow_oversize=allow_oversize):
            before = self._models.in_use
            self.unload()
            self._models.parked = before
        try:
            loaded = yield from self._models.read_main(main, allow_oversize=allow_oversize)
        except EngineError:
            if before is not None:
                # If that does not work now, the next request tries it again.
                with suppress(EngineError):
                    yield from self.come_back(before)
            raise
        installed = self.install(loaded, None)
        if self._queue:
            self._queue[0].holds = False
        main_there(installed)
        return (yield from self.set_draft(draft, allow_oversize=allow_oversize))

    def come_back(self, absent: ParkedModels) -> Steps[LoadedPair]:
        """Load what was unloaded."""
        return self.load(absent.main, absent.draft, allow_oversize=absent.allow_oversize)

    def set_draft(self, draft: str | Path | None, *, allow_oversize: bool) -> Steps[LoadedPair]:
        """Replace the draft model. One that cannot be used is reported, not raised. Raises `NoModel`."""
        if (parked := self._models.parked) is not None:
            return (yield from self.load(parked.main, draft, allow_oversize=parked.allow_oversize))
        if draft is None:
            return self._use_draft(None)
        try:
            if not self._models.draft_fits_beside(draft, allow_oversize=allow_oversize):
                self._use_draft(None)
            self._models.drafting.expect_draft()
            loaded = yield from self._models.read_draft(draft)
        except NoModel:
            raise
        except EngineError as problem:
            without_frames(problem)
            return self._use_draft(None, problem)
        return self._use_draft(loaded)

    def go(self) -> Steps[LoadedPair]:
        """Drop both models, as a change of its own."""
        yield None
        return self.unload()

    def install(self, main: LoadedModel, draft: LoadedModel | None) -> LoadedPair:
        """Use models that are loaded already."""
        self._main_goes()
        self.put_away()
        self._models.use_main(main)
        self.open_store()
        if draft is None:
            return self._use_draft(None)
        try:
            return self._use_draft(run_to_completion(prepare_draft(main, draft)))
        except EngineError as problem:
            return self._use_draft(None, problem)

    def unload(self) -> LoadedPair:
        """Drop both models; requests that run end as cancelled first."""
        self._main_goes()
        self.put_away()
        return self._models.unload()

    def park(self) -> None:
        """Drop both models until somebody asks for something."""
        self.put_away()
        self._models.park()

    def open_store(self) -> None:
        """Look for turns of earlier sessions where the settings say they are."""
        settings = self._models.settings
        folder = settings.prefix_cache_folder
        store = None
        if folder is not None:
            store = PrefixStore(folder, self._models.main, settings.prefix_folder_bytes)
            store.use_draft(self._models.draft)
        self._prefix_cache.store = store

    def put_away(self) -> None:
        """The main model goes, and with it what was cached for it; the store, if there is one, keeps it."""
        self._prefix_cache.save()
        self._prefix_cache.clear()
        self._prefix_cache.store = None

    def _use_draft(self, draft: DraftSource | None, problem: EngineError | None = None) -> LoadedPair:
        self._draft_goes()
        pair = self._models.use_draft(draft, problem)
        self._prefix_cache.use_draft(self._models.draft)
        return pair
