"""Decides what the engine does next: decode (one answer with speculation, or a batch), prefill a prompt, load a model.

Runs on the engine's thread. `step()` is one unit of work: a round, a step of the batch, a chunk of a prompt, or a step
of a change of models.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from engine.client import RequestStream
from engine.decoders.batch_decoder import StepOutcome
from engine.decoders.generation import release_unused_memory
from engine.errors import EngineClosed, EngineError, NotEnoughMemory, QueueFull, as_engine_error, is_device_failure
from engine.events import Failed
from engine.files.system_memory import memory_pressure
from engine.main_model.loaded_model import LoadedModel
from engine.prefix.cache import PrefixCache
from engine.prefix.files import stored_bytes
from engine.serving.active_request import ActiveRequest, cleaned_up, log_finished
from engine.serving.decoding import CachesLost, Decoding
from engine.serving.pacing import PrefillPacer
from engine.serving.prefilling import Prefilling
from engine.serving.waiting import Waiting
from engine.settings import EngineSettings
from engine.status import EngineStatus, LoadedPair, TeachingProgress
from engine.upkeep.calibration import calibrate
from engine.upkeep.load_progress import Report
from engine.upkeep.main_loader import MainLoader
from engine.upkeep.model_changes import ModelChanges
from engine.upkeep.models import Models
from engine.upkeep.teaching import Teaching

log = logging.getLogger(__name__)

# Seconds between two looks at what macOS says of memory and power.
LOOK_S = 10.0
# The longest time to wait: queues refuse an infinite timeout.
LONGEST_SLEEP_S = 3600.0


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
        self._last_used = time.monotonic()
        self._pressure, self._look_due = "", 0.0
        self._pacer = PrefillPacer()
        self._waiting = Waiting(self.models, self.prefix_cache, self.changes.unload_least_used)
        self._prefilling = Prefilling(self.models, self._pacer)
        self._decoding = Decoding(self.models, self._pacer)
        # Prefilling and loading take turns, and a decode step follows each of them.
        self._prefilled_last = False
        self._decoded_last = False
        # A request whose caches do not fit until another one has ended.
        self._blocked: RequestStream | None = None
        self._closed = False
        self._device_failures = 0

    @property
    def busy(self) -> bool:
        """Whether there is work to do."""
        return bool(self._waiting or self._prefilling or self._decoding.turns or self.changes.queue)

    @property
    def active(self) -> int:
        """How many requests are being served."""
        return len(self._prefilling) + len(self._decoding.turns)

    @property
    def _all_active(self) -> list[ActiveRequest]:
        return [*self._decoding.turns, *self._prefilling]

    @property
    def status(self) -> EngineStatus:
        """Requests and memory as they are now."""
        folder = self.settings.prefix_cache_folder
        prefix_usage = replace(self.prefix_cache.usage, stored=stored_bytes(folder) if folder is not None else 0)
        resident = tuple(model.pair for model in self.models.resident)
        return EngineStatus(self.active, len(self._waiting), prefix_usage, self.models.memory.use(), resident)

    @property
    def seconds_to_park(self) -> float | None:
        """The seconds that the engine may still be idle before the models are unloaded; None if they stay."""
        after = self.settings.unload_after_s
        if after is None or not (self.models.loaded or self.models.encoder.loaded):
            return None
        return min(max(0.0, self._last_used + after - time.monotonic()), LONGEST_SLEEP_S)

    @property
    def seconds_to_look(self) -> float | None:
        """The seconds after which an idle engine should look at the state of macOS again; None on other systems."""
        return LOOK_S if sys.platform == "darwin" and self.models.loaded else None

    def configure(self, settings: EngineSettings) -> None:
        """Use other settings from now on; `EngineSettings` documents when each takes effect."""
        self.settings = settings
        self.changes.configure(settings)

    def install(self, main: LoadedModel, draft: LoadedModel | None) -> LoadedPair:
        """Use models that were already loaded on this thread, as benchmarks do."""
        return self.changes.install(main, draft)

    def park(self) -> None:
        """Unload the models until the next request, if the engine was idle for the time in the settings."""
        if not self.busy and self.seconds_to_park == 0.0:
            self.changes.park()

    def relieve_memory(self) -> None:
        """Give memory back that only saves time, if macOS is short of it; look at most every LOOK_S.

        Given back are the freed memory that MLX keeps and the inner checkpoints of finished turns or, if macOS is
        almost out of memory, all turns. It takes milliseconds, so while requests are served it is done once for each
        change.
        """
        now = time.monotonic()
        if now < self._look_due:
            return
        self._look_due = now + LOOK_S
        before = self._pressure
        self._pressure = memory_pressure()
        if self._pressure != before:
            log.info("macOS's memory pressure is %s now", self._pressure or "normal")
        elif self.busy:
            return
        if self._pressure:
            self.prefix_cache.thin()
            if self._pressure == "critical":
                self.prefix_cache.shrink(0)
                if not self.changes.busy:
                    self.models.encoder.unload()
            release_unused_memory()

    def calibrate(self, stop: Callable[[], bool] = lambda: False, seconds: float | None = None) -> bool:
        """Measure the round costs of the loaded models while the scheduler is not busy; see `calibration.calibrate`.

        Raises `NoModel`, and `DeviceFailed` if the device fails.
        """
        self.models.note_pace()
        try:
            return calibrate(self.models.drafting, self.models.main, stop, seconds)
        except RuntimeError as error:
            raise self._device_failed(error) from error
        finally:
            release_unused_memory()

    def measure(self, stop: Callable[[], bool], seconds: float) -> None:
        """Probe the rounding of a new main model, or calibrate a new pair, for `seconds` or until `stop()` is true."""
        if self.models.unprobed:
            self.models.probe(stop, seconds)
        elif self.models.untuned:
            self.calibrate(stop, seconds)

    def teach(self) -> None:
        """Run a step of the teaching under way, if there is one and nothing else to do."""
        if not self.teaching.running or self.busy:
            return
        if (loaded := self.models.own_resident) is not None:
            self.changes.switch(loaded.path)
        self._last_used = time.monotonic()
        try:
            self.teaching.step()
        except RuntimeError as error:
            self._device_failed(error)

    def clear_prefix_cache(self) -> None:
        """Forget all finished turns, on disk too; the next request prefills its whole prompt."""
        self.prefix_cache.shrink(0)
        self.changes.stores.keep_stored(())

    def admit(self, stream: RequestStream) -> None:
        """Queue a request; it fails with `QueueFull` if too many wait already."""
        self._last_used = time.monotonic()
        if self._closed:
            stream.deliver(Failed(EngineClosed(), ""))
        elif self.active + len(self._waiting) >= self.settings.most_active + self.settings.most_waiting:
            stream.deliver(Failed(QueueFull(self.settings.most_waiting), ""))
        else:
            self._waiting.append(stream)

    def step(self) -> bool:
        """Do one unit of work, after ending cancelled requests and starting those that fit; returns `busy`."""
        self._last_used = time.monotonic()
        try:
            self.relieve_memory()
            for active in self._all_active:
                if active.stream.cancelled:
                    self._cancel(active)
            self._waiting.drop_cancelled()
            if self._waiting:
                self._start_waiting()
            other = self._work_besides_decoding()
            waits = self._decoded_last and other is not None
            gathers = self._prefilling.starts_together and not self._decoding.streaming
            if self._decoding.turns and not (waits or gathers):
                self._decoded_last = True
                for active, outcome in self._decoding.step(joining=bool(self._prefilling.ready)):
                    self._report(active, outcome)
            elif other is not None:
                self._decoded_last = False
                other()
            elif self.changes.busy:
                self.changes.step()
            else:
                self._waiting.wait_for_parts(self._prefilling.decoding)
        except RuntimeError as error:
            self._device_failed(error)
        return self.busy

    def close(self) -> None:
        """End everything: active requests as cancelled, waiting ones as failed."""
        self.teaching.stop()
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

    def _work_besides_decoding(self) -> Callable[[], None] | None:
        """Return a chunk of a prompt or a step of a change of models, in turns; None if there is neither."""
        prefills = bool(self._prefilling.ready)
        if self.changes.ready and (self._prefilled_last or not prefills):
            return self._change_models
        return self._prefill_prompts if prefills else None

    def _change_models(self) -> None:
        self._prefilled_last = False
        self._decoding.interrupt_timing()
        self.changes.step()

    def _start_waiting(self) -> None:
        """Begin waiting requests, oldest first, until enough are active or the next one cannot begin yet.

        Those whose parts (prompt, pictures, grammar) are being made are passed over. If the oldest that is not passed
        over is for another main model, this model is put to use once all answers of the present one have ended.
        """
        if not self.changes.busy:
            self._bring_model()
        self._waiting.prepare(0 if self.changes.blocks_requests else self.settings.most_active - self.active)
        while self.active < self.settings.most_active and not self.changes.blocks_requests:
            stream = self._waiting.first
            if stream is None or stream is self._blocked or not self._may_begin(stream):
                return
            if self.models.serves(stream.request) and not self._waiting.ready(stream):
                # Its parts are being made from now on, so `first` passes it over.
                continue
            try:
                active = self._waiting.begin(stream, self._all_active)
            except NotEnoughMemory:
                # Only while others are active: it waits until one of them ends.
                self._blocked = stream
                return
            # None if it has failed.
            if active is not None:
                self._prefilling.append(active)
                stream.deliver(active.generation.progress())

    def _may_begin(self, stream: RequestStream) -> bool:
        """Whether a request can begin once it is ready; one for a main model that is not known can, and fails."""
        models = self.models
        wanted = self.models.wanted_by(stream.request)
        return models.serves(stream.request) or not (models.is_resident(wanted) or wanted in models.reloadable)

    def _bring_model(self) -> None:
        """Use the main model of the oldest request that could begin, once all answers of another one have ended."""
        first = self._waiting.first
        wanted = None if first is None else self.models.wanted_by(first.request)
        if wanted in self.models.reloadable and wanted is not None:
            loading = self.changes.load_additional(wanted, self.models.reloadable[wanted])
            self.changes.enqueue(loading, partial(self._model_restored, wanted))
        elif self.models.is_resident(wanted) and not self.active and wanted is not None:
            self.changes.switch(wanted)

    def _model_restored(self, main: Path, outcome: LoadedPair | EngineError) -> None:
        """Fail the requests that waited for reloadable models if these cannot be loaded any more."""
        if isinstance(outcome, EngineError):
            self._waiting.fail(outcome, main)

    def _prefill_prompts(self) -> None:
        """Prefill a chunk of the oldest prompt, or a part of that chunk, or several short prompts that fit into one.

        A chunk is short enough for running answers to stream smoothly; short questions start together.
        """
        self._prefilled_last = True
        self._decoding.interrupt_timing()
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
        """Deliver a step's tokens, and finish the request if they end it; on an exception, fail or restart it."""
        try:
            if isinstance(outcome, CachesLost):
                self._prefilling.appendleft(active)
                generation = active.generation
                generation.restart()
                self.models.drafting.attach(active.stream.speculation, generation.conversation, generation.remaining)
            elif isinstance(outcome, Exception):
                self._fail_alone(active, outcome)
            else:
                active.stream.deliver(outcome)
                if active.generation.reason is not None:
                    self._finish(active)
        except Exception as error:
            self._fail_alone(active, error)

    def _finish(self, active: ActiveRequest) -> None:
        """Deliver `Finished`, even if removing the request raises; then keep its answer, and its intact caches."""
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
            if active in self._decoding.turns or active in self._prefilling:
                self._finish(active)
        except Exception as error:
            if is_device_failure(error):
                self._device_failed(error)
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
        self._blocked = None
        active.generation.abandon_pictures()
        self._prefilling.discard(active)
        return cleaned_up(partial(self._decoding.remove, active))

    def _device_failed(self, error: Exception) -> EngineError:
        """End all answers under way and drop their caches, which may be garbage.

        Raises any other `error`. When it happens twice in a row, the models are unloaded until the next request.
        """
        if not is_device_failure(error):
            raise error
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
        self._blocked = None
        for active in self._all_active:
            active.generation.abandon_pictures()
            active.fail(error)
        self._decoding.abandon()
        self._prefilling = Prefilling(self.models, self._pacer)
        self._decoding = Decoding(self.models, self._pacer)

    def _end_active(self) -> None:
        """End all active requests as cancelled and drop the timings, before the main model changes."""
        self.teaching.stop()
        self._waiting.drop_parts()
        for active in self._all_active:
            self._cancel(active)
        self._pacer.reset()
        self._device_failures = 0

    def _drop_draft_caches(self) -> None:
        self.teaching.stop()
        for active in self._all_active:
            active.generation.conversation.drop_drafter()
