"""Loads, replaces and unloads models while answers stream: one change after the other, step by step.

Runs on the engine's thread, like everything that uses the models.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from engine.errors import DeviceFailed, EngineError, LoadCancelled, NoModel, without_frames
from engine.files.steps import SteppedTask, Steps, run_to_completion
from engine.main_model.loaded_model import LoadedModel
from engine.model_files.names import resolve_model
from engine.prefix.cache import PrefixCache
from engine.settings import EngineSettings
from engine.speculation.drafters.sources import Drafter, prepare_draft
from engine.status import LoadedPair
from engine.upkeep.models import Models, folder_of
from engine.upkeep.prefix_and_index import PrefixAndIndexStores

log = logging.getLogger(__name__)

T = TypeVar("T")


class _ModelChange(SteppedTask[T]):
    """A change of models, or other work in its turn.

    While it `blocks_requests`, no request begins, because its main model is not loaded yet.
    """

    blocks_requests = True
    can_be_cancelled = False


class ModelChanges:
    """Changes `models`, and keeps the prefix cache in step with them.

    The own main model answers requests that name none (`Models.own`).

    `before_main_changes` is called before the main model in use is replaced or unloaded, unless the change waits until
    no answer is under way with it. `before_draft_changes` is called before its drafter is replaced or unloaded, and
    `before_own_unloads` before the own main model is unloaded, even if another one is in use.
    """

    def __init__(
        self,
        models: Models,
        prefix_cache: PrefixCache,
        before_main_changes: Callable[[], None],
        before_draft_changes: Callable[[], None],
        before_own_unloads: Callable[[], None],
    ) -> None:
        self._models = models
        self._prefix_cache = prefix_cache
        self._before_main_changes = before_main_changes
        self._before_draft_changes = before_draft_changes
        self._before_own_unloads = before_own_unloads
        # The change under way and those that wait, in order.
        self.queue: deque[_ModelChange[Any]] = deque()
        # The work of the stores is queued as changes that let requests begin.
        self.stores = PrefixAndIndexStores(models, prefix_cache, partial(self.enqueue, blocks_requests=False))

    @property
    def busy(self) -> bool:
        """Whether a change is under way or queued."""
        return bool(self.queue)

    @property
    def ready(self) -> bool:
        """Whether a step can be run now, without waiting for the disk."""
        return bool(self.queue) and self.queue[0].ready

    @property
    def blocks_requests(self) -> bool:
        """Whether requests have to wait for their model."""
        return any(change.blocks_requests for change in self.queue) or (self.busy and not self._models.loaded)

    def enqueue(
        self,
        steps: Steps[T],
        done: Callable[[T | EngineError], None],
        *,
        blocks_requests: bool = True,
        can_be_cancelled: bool = False,
    ) -> None:
        """Queue a change; `done` is called with its result or its error."""
        change = _ModelChange(steps, partial(self._end, done))
        change.blocks_requests = blocks_requests
        change.can_be_cancelled = can_be_cancelled
        self.queue.append(change)

    def step(self) -> None:
        """Run a step of the oldest change, or wait a moment for the disk. Raises a failure of the device."""
        self.queue[0].step()

    def cancel_loads(self) -> bool:
        """Give up the loads under way and those queued; return whether there are any.

        None is given up of a model that other processes load, too: they would go on alone.
        """
        loads = [change for change in self.queue if change.can_be_cancelled and self._models.loads_alone]
        for change in loads:
            change.interrupt(LoadCancelled())
        return bool(loads)

    def fail(self, error: EngineError) -> None:
        """Abandon the change under way and those queued; they end with `error`."""
        while self.queue:
            self.queue[0].end(error)

    def _end(self, done: Callable[[T | EngineError], None], outcome: T | EngineError) -> None:
        self.queue.popleft()
        done(outcome)

    def load(
        self, main: str | Path, draft: str | Path | None, main_ready: Callable[[LoadedPair], None] = lambda _pair: None
    ) -> Steps[LoadedPair]:
        """Replace both own models.

        Once the new main model is loaded, requests under way end as cancelled, and `main_ready` is called.

        Raises `ModelNotUsable` and `NotEnoughMemory`; then the models in use stay. If old and new do not fit together,
        the other resident ones are unloaded first, then the old ones, which are loaded again if the new ones fail.

        Raises `LoadCancelled` if it is given up before the main model is loaded. Later it only has no drafter.
        """
        models = self._models
        models.crowded = False
        main = path = yield from folder_of(main, models.progress)
        own_path = models.own
        if path == own_path or not models.is_resident(path):
            if not self._make_room_for(path):
                self._before_main_changes()
                self.park()
            try:
                loaded = yield from models.load_main(main)
            except EngineError as problem:
                without_frames(problem)
                models.return_memory()
                if own_path is not None and not models.loaded and own_path in models.reloadable:
                    # If this fails, the next request tries again.
                    with suppress(EngineError):
                        yield from self.load_additional(own_path, models.reloadable[own_path])
                raise
            installed = self.install(loaded, None)
        else:
            self._before_main_changes()
            self._drop(own_path)
            self.switch(path)
            installed = models.pair
            models.own = path
        if self.queue:
            self.queue[0].blocks_requests = False
        main_ready(installed)
        try:
            return (yield from self._set_draft(draft))
        except LoadCancelled as problem:
            return self._activate_draft(None, problem)

    def load_additional(self, main: str | Path, draft: str | Path | None) -> Steps[LoadedPair]:
        """Load another main model, use it, and keep the others loaded as far as they fit; answers under way end first.

        Raises `ModelNotUsable` and `NotEnoughMemory`.
        """
        models = self._models
        models.crowded = False
        main = path = yield from folder_of(main, models.progress)
        if models.is_resident(path):
            yield from self._until_unused(path)
            self.switch(path)
            wanted_draft = None if draft is None else resolve_model(draft)
            if models.pair.draft_path == wanted_draft:
                return models.pair
        else:
            if not self._make_room_for(path, but=models.own):
                yield from self._until_unused(path)
                if (own_model := models.own_resident) is not None:
                    self.switch(own_model.path)
                if not self._make_room_for(path):
                    self.park()
            loaded = yield from models.load_main(main)
            yield from self._until_unused(path)
            self._activate_main(loaded)
        return (yield from self._set_draft(draft))

    def switch(self, path: Path) -> None:
        """Use the resident main model in this folder. No answer may be under way with another one."""
        models = self._models
        if models.loaded and models.main.info.path == path:
            return
        models.switch(path)
        self.stores.switch()

    def _until_unused(self, path: Path) -> Steps[None]:
        """Wait until no answer is under way with another main model than the one in this folder."""
        while self._models.streaming() and self._models.loaded and self._models.main.info.path != path:
            yield None

    def _make_room_for(self, main: Path, but: Path | None = None) -> bool:
        """Unload the encoder and resident models `but` one until another main model fits. Return False if it does not.

        Raises as `Models.main_fits_additionally`.
        """
        while not (fits := self._models.main_fits_additionally(main)):
            if not self._models.encoder.unload() and not self.unload_least_used(but):
                break
        return fits

    def unload_least_used(self, but: Path | None = None) -> bool:
        """Unload the least used resident model, not `but`, until its next request. Return False if there is none."""
        if (least := self._models.least_used(but)) is None:
            return False
        self._drop(least)
        return True

    def _drop(self, path: Path | None) -> None:
        """Unload the main model in this folder, if it is in memory, and save its prefixes.

        It is loaded again for the next request that names it.
        """
        if path is None:
            return
        if path == self._models.own:
            self._before_own_unloads()
        self.stores.release(path)
        self._models.drop(path)

    def set_draft(self, draft: str | Path | None) -> Steps[LoadedPair]:
        """Replace the own drafter. One that cannot be used is reported in the pair, not raised.

        Raises `NoModel`, and `LoadCancelled` if it is given up; the drafter from before then stays.
        """
        models = self._models
        own_path = self._models.own
        if own_path is None:
            raise NoModel
        models.crowded = False
        if own_path in models.reloadable:
            return (yield from self.load_additional(own_path, draft))
        if models.main.info.path != own_path:
            self.queue[0].blocks_requests = True
            yield from self._until_unused(own_path)
            self.switch(own_path)
            self.queue[0].blocks_requests = False
        return (yield from self._set_draft(draft))

    def _set_draft(self, draft: str | Path | None) -> Steps[LoadedPair]:
        """Replace the drafter of the main model in use."""
        if draft is None:
            return self._activate_draft(None)
        try:
            draft = yield from folder_of(draft, self._models.progress)
            while not (fits := self._models.draft_fits_additionally(draft)):
                if not self.unload_least_used():
                    break
            if not fits:
                self._activate_draft(None)
            self._models.drafting.expect_draft()
            loaded = yield from self._models.load_draft(draft)
        except NoModel:
            raise
        except LoadCancelled as problem:
            without_frames(problem)
            self._activate_draft(self._models.drafter)
            raise
        except EngineError as problem:
            without_frames(problem)
            return self._activate_draft(None, problem)
        except RuntimeError as error:
            self._activate_draft(None, DeviceFailed(str(error)))
            raise
        return self._activate_draft(loaded)

    def unload_in_turn(self, main: Path | None) -> Steps[LoadedPair]:
        """Drop the main model in this folder with its drafter, or all for None, as the steps of a change.

        Returns the own models that are left.
        """
        yield None
        models = self._models
        if main is None:
            return self.unload()
        if models.loaded and models.main.info.path == main:
            self._before_main_changes()
        self._drop(main)
        if main == models.own:
            models.own = None
        if not models.loaded and models.resident:
            self.switch(models.resident[-1].path)
        own_model = models.own_resident
        return LoadedPair(None, None) if own_model is None else own_model.pair

    def install(self, main: LoadedModel, draft: LoadedModel | None) -> LoadedPair:
        """Use models that are already loaded as the own ones. For a head, call `set_draft` afterwards."""
        self._before_main_changes()
        self._drop(self._models.own)
        self._activate_main(main)
        self._models.own = main.info.path
        if draft is None:
            return self._activate_draft(None)
        try:
            return self._activate_draft(run_to_completion(prepare_draft(main, draft)))
        except EngineError as problem:
            return self._activate_draft(None, problem)

    def _activate_main(self, main: LoadedModel) -> None:
        self._models.activate_main(main)
        self.stores.open_store()
        self.stores.open_answers()

    def unload(self) -> LoadedPair:
        """Drop all models; requests under way end as cancelled first."""
        self._before_main_changes()
        self.park()
        self._models.reloadable.clear()
        self._models.own = None
        return LoadedPair(None, None)

    def park(self) -> None:
        """Drop all models until the next requests for them."""
        self._models.encoder.unload()
        for path in [model.path for model in self._models.resident]:
            self._drop(path)

    def configure(self, settings: EngineSettings) -> None:
        """Use other settings from now on."""
        before = self._models.settings
        self._models.configure(settings)
        if settings.kv_bits != before.kv_bits:
            while self.unload_least_used():
                pass
        self.stores.configure(before)

    def _activate_draft(self, drafter: Drafter | None, problem: EngineError | None = None) -> LoadedPair:
        self._before_draft_changes()
        pair = self._models.activate_draft(drafter, problem)
        self._prefix_cache.use_drafter(self._models.main.model, drafter)
        self.stores.renew_vocabulary()
        return pair
