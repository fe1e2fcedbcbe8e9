"""Loads, replaces and unloads models while answers stream: one change after the other, step by step.

Runs on the engine's thread, like everything that uses the models.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.answer_index.index import AnswerIndex, Usage, tokenizer_name
from engine.errors import (
    DeviceFailed,
    EngineError,
    InternalFailure,
    NoModel,
    is_device_failure,
    without_frames,
)
from engine.files.steps import Steps, result_of, run_to_completion
from engine.main_model.loading import LoadedModel
from engine.prefix.cache import PrefixCache
from engine.prefix.files import forget, forget_others
from engine.prefix.store import PrefixStore
from engine.serving.models import Models, ParkedModels
from engine.settings import EngineSettings
from engine.speculation.drafters.reduced_vocabulary import reduce_vocabulary
from engine.speculation.drafters.sources import Drafter, prepare_draft
from engine.status import LoadedPair

log = logging.getLogger(__name__)

# With nothing else to do, wait this long for the disk before commands are looked at again.
DISK_WAIT_S = 0.02


@dataclass(eq=False)
class _Change:
    """A change of models. `done` gets the result of `steps`.

    While it `blocks_requests`, no request begins, because its main model is not loaded yet.
    """

    steps: Steps[LoadedPair]
    done: Callable[[LoadedPair | EngineError], None]
    blocks_requests: bool


class ModelChanges:
    """Changes `models`, and keeps the prefix cache in step with them.

    `before_main_changes` is called before the main model is replaced or unloaded, `before_draft_changes` before the
    drafter is.
    """

    def __init__(
        self,
        models: Models,
        prefix_cache: PrefixCache,
        before_main_changes: Callable[[], None],
        before_draft_changes: Callable[[], None],
    ) -> None:
        self._models = models
        self._prefix_cache = prefix_cache
        self._before_main_changes = before_main_changes
        self._before_draft_changes = before_draft_changes
        # The index of earlier answers, if the settings name a folder for it and it was needed, and its settings.
        self._answers: AnswerIndex | None = None
        self._answers_at: tuple[Path | None, int] = (None, 0)
        # The newest count of their tokens, of which the drafter's smaller vocabulary is made.
        self._usage: Future[Usage] | None = None
        # The change under way and those that wait, in order.
        self.queue: deque[_Change] = deque()
        self._pending: Future[Any] | None = None

    # The queue of changes

    @property
    def busy(self) -> bool:
        """Whether a change is under way or queued."""
        return bool(self.queue)

    @property
    def ready(self) -> bool:
        """Whether a step can be run now, without waiting for the disk."""
        return bool(self.queue) and (self._pending is None or self._pending.done())

    @property
    def blocks_requests(self) -> bool:
        """Whether requests have to wait for their model."""
        return any(change.blocks_requests for change in self.queue) or (self.busy and not self._models.loaded)

    def enqueue(
        self,
        steps: Steps[LoadedPair],
        done: Callable[[LoadedPair | EngineError], None],
        *,
        blocks_requests: bool = True,
    ) -> None:
        """Queue a change; `done` is called with its result or its error."""
        self.queue.append(_Change(steps, done, blocks_requests))

    def step(self) -> None:
        """Run a step of the oldest change, or wait a moment for the disk. Raises a failure of the device."""
        if self._pending is not None:
            wait([self._pending], DISK_WAIT_S)
            if not self._pending.done():
                return
        try:
            self._pending = next(self.queue[0].steps)
        except StopIteration as end:
            self._end(end.value)
        except EngineError as error:
            self._end(error)
        except Exception as error:
            log.exception("a change of models failed")
            if is_device_failure(error):
                self._end(DeviceFailed(str(error)))
                raise
            self._end(InternalFailure(str(error)))

    def fail(self, error: EngineError) -> None:
        """Abandon the change under way and those queued; they end with `error`."""
        while self.queue:
            self.queue[0].steps.close()
            self._end(error)

    def _end(self, outcome: LoadedPair | EngineError) -> None:
        self._pending = None
        if isinstance(outcome, EngineError):
            without_frames(outcome)
        self.queue.popleft().done(outcome)

    # The changes

    def load(
        self,
        main: str | Path,
        draft: str | Path | None,
        *,
        allow_oversize: bool,
        main_ready: Callable[[LoadedPair], None] = lambda _pair: None,
    ) -> Steps[LoadedPair]:
        """Replace both models. Once the new main model is loaded, requests under way end as cancelled, and `main_ready`
        is called.

        Raises `ModelNotUsable` and `NotEnoughMemory`; then the models in use stay. If old and new do not fit together,
        the old ones are unloaded first, and loaded again if the new ones cannot be used.
        """
        before = None
        if not self._models.main_fits_beside(main, allow_oversize=allow_oversize):
            before = self._models.in_use
            self.unload()
            self._models.parked = before
        try:
            loaded = yield from self._models.load_main(main, allow_oversize=allow_oversize)
        except EngineError:
            if before is not None:
                # If this fails, the next request tries again.
                with suppress(EngineError):
                    yield from self.restore(before)
            raise
        installed = self.install(loaded, None)
        if self.queue:
            self.queue[0].blocks_requests = False
        main_ready(installed)
        return (yield from self.set_draft(draft, allow_oversize=allow_oversize))

    def restore(self, parked: ParkedModels) -> Steps[LoadedPair]:
        """Load parked models again."""
        return self.load(parked.main, parked.draft, allow_oversize=parked.allow_oversize)

    def set_draft(self, draft: str | Path | None, *, allow_oversize: bool) -> Steps[LoadedPair]:
        """Replace the drafter. One that cannot be used is reported in the pair, not raised. Raises `NoModel`."""
        if (parked := self._models.parked) is not None:
            return (yield from self.load(parked.main, draft, allow_oversize=parked.allow_oversize))
        if draft is None:
            return self._use_draft(None)
        try:
            if not self._models.draft_fits_beside(draft, allow_oversize=allow_oversize):
                self._use_draft(None)
            self._models.drafting.expect_draft()
            loaded = yield from self._models.load_draft(draft)
        except NoModel:
            raise
        except EngineError as problem:
            without_frames(problem)
            return self._use_draft(None, problem)
        except RuntimeError as error:
            self._use_draft(None, DeviceFailed(str(error)))
            raise
        return self._use_draft(loaded)

    def probe(self) -> Steps[LoadedPair]:
        """Find out how this machine rounds the main model's rows, for requests that ask for the same text."""
        while self._models.unprobed:
            self._models.probe_step()
            yield None
        return self._models.pair

    def unload_in_turn(self) -> Steps[LoadedPair]:
        """Drop both models, as the steps of a change."""
        yield None
        return self.unload()

    def install(self, main: LoadedModel, draft: LoadedModel | None) -> LoadedPair:
        """Use models that are already loaded. For a head, call `set_draft` afterwards."""
        self._before_main_changes()
        self._release_prefix_cache()
        self._models.use_main(main)
        self.open_store()
        self.open_answers()
        if draft is None:
            return self._use_draft(None)
        try:
            return self._use_draft(run_to_completion(prepare_draft(main, draft)))
        except EngineError as problem:
            return self._use_draft(None, problem)

    def unload(self) -> LoadedPair:
        """Drop both models; requests under way end as cancelled first."""
        self._before_main_changes()
        self._release_prefix_cache()
        return self._models.unload()

    def park(self) -> None:
        """Drop both models until the next request."""
        self._release_prefix_cache()
        self._models.park()

    def configure(self, settings: EngineSettings) -> None:
        """Use other settings from now on."""
        before, self._models.settings = self._models.settings, settings
        if settings.async_drafter != before.async_drafter:
            self._models.end_async_drafter()
        self._prefix_cache.budget = settings.prefix_cache_bytes
        self._prefix_cache.shrink()
        stored = (settings.prefix_cache_folder, settings.prefix_folder_bytes)
        if self._models.loaded and stored != (before.prefix_cache_folder, before.prefix_folder_bytes):
            self.open_store()
        if settings.answer_index_folder != before.answer_index_folder:
            self.open_answers()
        elif settings.reduced_vocabulary != before.reduced_vocabulary:
            self.renew_vocabulary()

    def open_store(self) -> None:
        """Use the finished turns of earlier sessions, if the settings name a folder for them."""
        settings = self._models.settings
        folder = settings.prefix_cache_folder
        store = None
        if folder is not None:
            store = PrefixStore(folder, self._models.main, settings.prefix_folder_bytes)
            store.use_drafter(self._models.drafter)
        self._prefix_cache.store = store

    def open_answers(self) -> None:
        """Look up in the answers of earlier chats, if the settings name a folder for them; empty one not named now."""
        settings = self._models.settings
        at = settings.answer_index_folder, settings.answer_index_bytes
        if at != self._answers_at:
            if self._answers is not None and at[0] is None:
                self._answers.forget_others(())
            self.close_answers()
            self._answers = None if at[0] is None else AnswerIndex(at[0], at[1])
            self._answers_at = at
        if self._models.loaded:
            self._models.drafting.answers = self._answers
            if self._answers is not None:
                self._answers.use(tokenizer_name(self._models.main.info.path))
        self.renew_vocabulary()

    def renew_vocabulary(self) -> None:
        """Draft with the whole vocabulary, until a smaller one was made of the answers, between other work."""
        self._usage, models = None, self._models
        if models.loaded:
            models.drafting.set_reduced(None)
        if self._answers is not None and models.drafter is not None and models.settings.reduced_vocabulary:
            self._usage = self._answers.usage()
            self.enqueue(self._reduce(self._usage), lambda _outcome: None, blocks_requests=False)

    def _reduce(self, usage: Future[Usage]) -> Steps[LoadedPair]:
        found, models = (yield from result_of(usage)), self._models
        if usage is self._usage and models.drafter is not None:
            reduced = yield from reduce_vocabulary(models.main, models.drafter, found)
            # Chats may have been deleted in the meantime. Another drafter waits for this change to end.
            if usage is self._usage:
                models.drafting.set_reduced(reduced)
        return models.pair

    def close_answers(self) -> None:
        """Write what is left of the index of answers."""
        if self._answers is not None:
            self._answers.close()

    def keep_answer(self, name: str | None, tokens: Sequence[int]) -> None:
        """Let other chats look up in an answer that has ended; one of a conversation without a name is not kept."""
        if name is not None and self._answers is not None:
            self._answers.add(name, tokens)

    def forget_conversations(self, names: Collection[str]) -> None:
        """Forget the finished turns and answers of these conversations for good, in memory and on disk."""
        if (answers := self._opened_answers()) is not None:
            answers.forget(names)
            self.renew_vocabulary()
        self._prefix_cache.forget(names)
        if (folder := self._models.settings.prefix_cache_folder) is not None:
            forget(folder, names)

    def keep_stored(self, names: Collection[str]) -> None:
        """Forget the finished turns and answers of all other conversations on disk; turns in memory stay."""
        if (answers := self._opened_answers()) is not None:
            answers.forget_others(names)
            self.renew_vocabulary()
        if (folder := self._models.settings.prefix_cache_folder) is not None:
            forget_others(folder, names)
            if self._models.loaded:
                self.open_store()

    def _opened_answers(self) -> AnswerIndex | None:
        """Return the index of answers, also while no model is loaded."""
        if self._answers is None and self._models.settings.answer_index_folder is not None:
            self.open_answers()
        return self._answers

    def _release_prefix_cache(self) -> None:
        """Save the main model's prefix cache to the store, if there is one, and drop it from memory."""
        if self._answers is not None:
            self._answers.use("")
        self._prefix_cache.save()
        self._prefix_cache.clear()
        self._prefix_cache.store = None

    def _use_draft(self, drafter: Drafter | None, problem: EngineError | None = None) -> LoadedPair:
        self._before_draft_changes()
        pair = self._models.use_draft(drafter, problem)
        self._prefix_cache.use_drafter(drafter)
        self.renew_vocabulary()
        return pair
