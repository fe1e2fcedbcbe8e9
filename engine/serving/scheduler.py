"""Decides what the engine does next: decode (one answer with speculation, or a batch), prefill a prompt, load a model.

Runs on the engine's thread. `step()` is one unit of work: a round, a step of the batch, a chunk of a prompt, or a step
of a change of models.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import Enum, auto
from functools import partial

from engine.client import RequestStream
from engine.decoders.batch_decoder import StepOutcome
from engine.decoders.generation import release_unused_memory
from engine.errors import EngineClosed, EngineError, NotEnoughMemory, QueueFull, as_engine_error, is_device_failure
from engine.events import Failed
from engine.prefix.cache import PrefixCache
from engine.prefix.files import stored_bytes
from engine.serving.active_request import ActiveRequest, cleaned_up, log_finished
from engine.serving.decoding import CachesLost, Decoding
from engine.serving.pacing import PrefillPacer
from engine.serving.prefilling import Prefilling
from engine.serving.waiting import Waiting
from engine.settings import EngineSettings
from engine.status import EngineStatus, TeachingProgress
from engine.upkeep.load_progress import Report
from engine.upkeep.main_loader import MainLoader
from engine.upkeep.model_changes import ModelChanges
from engine.upkeep.models import Models
from engine.upkeep.teaching import Teaching
from engine.upkeep.upkeep import Upkeep


class _Work(Enum):
    """What one step does."""

    DECODE = auto()
    PREFILL = auto()
    CHANGE_MODELS = auto()


class Scheduler:
    """Serves requests in their order, up to `settings.most_active` at once. Belongs to the thread that creates it.

    While a model is loaded, `on_progress` is called with the bytes of weights loaded and in total and whether a GGUF
    file is being converted, and while a draft model is taught, `on_teaching` with its progress.
    """

    def __init__(
        self,
        settings: EngineSettings | None = None,
        on_progress: Report = lambda _loaded, _total, _converting: None,
        main_loader: MainLoader | None = None,
        on_teaching: Callable[[TeachingProgress], object] = lambda _progress: None,
    ) -> None:
        self.settings = settings or EngineSettings()
        self.prefix_cache = PrefixCache(self.settings.prefix_cache_bytes)
        self.models = Models(self.settings, lambda: self.active > 0, on_progress, main_loader)
        self.teaching = Teaching(self.models, on_teaching)
        self.changes = ModelChanges(
            self.models, self.prefix_cache, self._end_active, self._drop_draft_caches, self.teaching.stop
        )
        self.upkeep = Upkeep(
            self.models,
            self.prefix_cache,
            self.changes,
            self.teaching,
            lambda: self.busy,
            self._end_after_failure,
        )
        self._pacer = PrefillPacer()
        self._waiting = Waiting(self.models, self.prefix_cache, self.changes)
        self._prefilling = Prefilling(self.models, self._pacer)
        self._decoding = Decoding(self.models, self._pacer)
        # Prefilling and changing models take turns, and a decode step follows each of them: what was done last, and
        # what was done last of these two.
        self._last_work = _Work.CHANGE_MODELS
        self._last_other_work = _Work.CHANGE_MODELS
        self._closed = False
        # The failures of the device since an answer was finished or the main model changed.
        self._device_failures = 0

    @property
    def busy(self) -> bool:
        """Whether there is work to do."""
        return bool(self._waiting or self._prefilling or self._decoding.requests or self.changes.queue)

    @property
    def active(self) -> int:
        """How many requests are being served."""
        return len(self._prefilling) + len(self._decoding.requests)

    @property
    def _all_active(self) -> list[ActiveRequest]:
        return [*self._decoding.requests, *self._prefilling]

    @property
    def status(self) -> EngineStatus:
        """Requests and memory as they are now."""
        folder = self.settings.prefix_cache_folder
        prefix_usage = replace(self.prefix_cache.usage, stored=stored_bytes(folder) if folder is not None else 0)
        resident = tuple(model.pair for model in self.models.resident)
        return EngineStatus(self.active, len(self._waiting), prefix_usage, self.models.memory.use(), resident)

    def configure(self, settings: EngineSettings) -> None:
        """Use other settings from now on; `EngineSettings` documents when each takes effect."""
        self.settings = settings
        self.changes.configure(settings)

    def clear_prefix_cache(self) -> None:
        """Forget all finished turns, on disk too; the next request prefills its whole prompt."""
        self.prefix_cache.shrink(0)
        self.changes.stores.keep_stored(())

    def admit(self, stream: RequestStream) -> None:
        """Queue a request; it fails with `QueueFull` if too many wait already."""
        self.upkeep.restart_idle_time()
        if self._closed:
            stream.deliver(Failed(EngineClosed(), ""))
        elif self.active + len(self._waiting) >= self.settings.most_active + self.settings.most_waiting:
            stream.deliver(Failed(QueueFull(self.settings.most_waiting), ""))
        else:
            self._waiting.append(stream)

    def step(self) -> bool:
        """Do one unit of work, after ending cancelled requests and starting those that fit; returns `busy`."""
        self.upkeep.restart_idle_time()
        try:
            self.upkeep.relieve_memory()
            # End cancelled requests first: the memory of their caches may be what a waiting one needs.
            for active in self._all_active:
                if active.stream.cancelled:
                    self._cancel(active)
            self._waiting.drop_cancelled()
            if self._waiting:
                self._begin_waiting()
            # Decode, but let other work have every second step, and short prompts join answers that have not begun.
            other_work = self._other_work()
            other_work_is_due = self._last_work is _Work.DECODE and other_work is not None
            lets_short_prompts_join = self._prefilling.starts_together and not self._decoding.streaming
            if self._decoding.requests and not (other_work_is_due or lets_short_prompts_join):
                self._last_work = _Work.DECODE
                self._decode()
            elif other_work is not None:
                self._last_work = other_work
                self._last_other_work = other_work
                # The time of other work is not charged to the next round.
                self._decoding.interrupt_timing()
                if other_work is _Work.PREFILL:
                    self._prefill()
                else:
                    self.changes.step()
            # Nothing can be computed: wait a moment for the disk, or for the inputs of requests.
            elif self.changes.busy:
                self.changes.step()
            else:
                self._waiting.wait_for_inputs(self._prefilling.pictures_in_work)
        except RuntimeError as error:
            if not is_device_failure(error):
                raise
            self._end_after_failure(error)
        return self.busy

    def close(self) -> None:
        """End everything: active requests as cancelled, waiting ones as failed."""
        self._end_active()
        self._closed = True
        self._waiting.fail(EngineClosed())
        self.changes.fail(EngineClosed())
        self.changes.unload()
        self.changes.stores.close()

    def fail(self, error: EngineError) -> None:
        """End every request and change with `error`, without using the models, because the thread is about to end."""
        self._fail_active(error)
        self._waiting.fail(error)
        self.changes.fail(error)
        self.teaching.fail(error)

    def _other_work(self) -> _Work | None:
        """Return which work besides decoding is next, by turns if both are possible; None if there is none."""
        can_prefill = bool(self._prefilling.ready)
        if self.changes.ready and (self._last_other_work is _Work.PREFILL or not can_prefill):
            return _Work.CHANGE_MODELS
        return _Work.PREFILL if can_prefill else None

    def _begin_waiting(self) -> None:
        """Begin waiting requests, oldest first, until enough are active or the next one cannot begin yet."""
        self._waiting.use_model_of_first()
        self._waiting.start_inputs_of_first(self.settings.most_active - self.active)
        while self.active < self.settings.most_active:
            stream = self._waiting.next_to_begin()
            if stream is None:
                return
            try:
                active = self._waiting.begin(stream, self._all_active)
            except NotEnoughMemory:
                # Only while others are active: it waits until one of them ends.
                return
            # None if it has failed.
            if active is not None:
                self._prefilling.append(active)
                stream.deliver(active.generation.progress())

    def _decode(self) -> None:
        """Run one round of an answer, or one step of the batch."""
        for active, outcome in self._decoding.step(joining=bool(self._prefilling.ready)):
            self._report(active, outcome)

    def _prefill(self) -> None:
        """Prefill a chunk of the oldest prompt, or a part of that chunk, or several short prompts that fit into one.

        A chunk is short enough for running answers to stream smoothly; short questions start together.
        """
        for active, outcome in self._prefilling.step(streaming=self._decoding.streaming):
            if isinstance(outcome, Exception):
                self._fail_alone(active, outcome)
                continue
            # None if there is no progress to report.
            if outcome is not None:
                active.stream.deliver(outcome)
            if active.generation.prefilled and active.generation.budget:
                self._prefilling.discard(active)
                self._decoding.add(active)
            elif active.generation.prefilled:
                # It asked for no tokens.
                active.generation.reason = "length"
                self._finish(active)

    def _report(self, active: ActiveRequest, outcome: StepOutcome) -> None:
        """Deliver a step's tokens, and finish the request if they end it; on an exception, fail or prefill it again."""
        try:
            if isinstance(outcome, CachesLost):
                self._prefill_again(active)
            elif isinstance(outcome, Exception):
                self._fail_alone(active, outcome)
            else:
                active.stream.deliver(outcome)
                if active.generation.reason is not None:
                    self._finish(active)
        except Exception as error:
            self._fail_alone(active, error)

    def _prefill_again(self, active: ActiveRequest) -> None:
        """Queue an answer whose caches are lost to be prefilled next, and attach a drafter to its new caches."""
        self._prefilling.appendleft(active)
        generation = active.generation
        generation.restart()
        self.models.drafting.attach(active.stream.speculation, generation.conversation, generation.remaining)

    def _finish(self, active: ActiveRequest) -> None:
        """Deliver the last event, even if removing the request raises; then keep its answer, and its intact caches."""
        try:
            intact = self._remove(active)
        finally:
            finished = active.generation.finish()
            log_finished(finished)
            active.stream.deliver(finished)
        # After the answer is delivered, so that it does not wait for the device or the disk.
        if intact:
            cleaned_up(active.generation.release)
        self.changes.stores.keep_answer(active.generation.request.conversation, active.generation.ids)
        self._device_failures = 0
        if self.models.loaded:
            self.models.drafting.controllers.keep()

    def _cancel(self, active: ActiveRequest) -> None:
        """End an active request with the tokens drawn so far."""
        active.generation.cancelled = True
        try:
            for event in self._decoding.settle(active):
                self._report(active, event)
            if active in self._decoding.requests or active in self._prefilling:
                self._finish(active)
        except Exception as error:
            if is_device_failure(error):
                self._end_after_failure(error)
            else:
                self._fail_alone(active, error)

    def _fail_alone(self, active: ActiveRequest, error: Exception) -> None:
        """End this request with an exception. Its caches, which may be garbage, are dropped; the others continue.

        A failure of the device concerns them all, and is raised.
        """
        if is_device_failure(error):
            raise error
        try:
            self._remove(active)
        finally:
            active.fail(as_engine_error(error))

    def _remove(self, active: ActiveRequest) -> bool:
        """Stop serving the request; its caches end at the last token reported. Return False if they are lost."""
        self._waiting.unblock()
        active.generation.abandon_pictures()
        self._prefilling.discard(active)
        return cleaned_up(partial(self._decoding.remove, active))

    def _end_after_failure(self, error: Exception) -> EngineError:
        """End all answers under way, drop their caches, which may be garbage, and return the engine's error for it.

        At the second failure without a finished answer in between, the waiting requests fail, too, and the models are
        unloaded until the next request.
        """
        self._device_failures += 1
        unloads = self._device_failures > 1 and self.models.loaded and not self.changes.busy
        failure = as_engine_error(error, self.models.main.info.name if unloads else "")
        self._fail_active(failure)
        self.teaching.fail(failure)
        if unloads:
            self._device_failures = 0
            self._waiting.fail(failure)
            self.changes.park()
        release_unused_memory()
        return failure

    def _fail_active(self, error: EngineError) -> None:
        """End every active request without using its caches."""
        self._waiting.unblock()
        for active in self._all_active:
            active.generation.abandon_pictures()
            active.fail(error)
        self._decoding.abandon()
        self._prefilling = Prefilling(self.models, self._pacer)
        self._decoding = Decoding(self.models, self._pacer)

    def _end_active(self) -> None:
        """End all active requests as cancelled, before the main model changes.

        What belongs to that model ends, too: the teaching, the inputs of waiting requests, the measured times of
        passes, and the count of failures.
        """
        self.teaching.stop()
        self._waiting.drop_inputs()
        for active in self._all_active:
            self._cancel(active)
        self._pacer.reset()
        self._device_failures = 0

    def _drop_draft_caches(self) -> None:
        self.teaching.stop()
        for active in self._all_active:
            active.generation.conversation.drop_drafter()
