"""Who is served when: one answer speculates, several share a batch, prompts and models are read in between.

Lives on the engine's thread. `step()` is one unit of work: a round, a step of the batch, a piece of a prompt, or a
slice of a model that is being loaded.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from engine.active import Active, as_engine_error, log_finished, log_lost
from engine.decoding import CachesLost, Decoding, Outcome
from engine.errors import Busy, EngineClosed, EngineError, NotEnoughMemory, QueueFull
from engine.events import Failed, Finished
from engine.generation import Generation, release_unused_memory
from engine.loading import LoadedModel, OnRead
from engine.memory_admission import MemoryAdmission
from engine.model_changes import ModelChanges
from engine.models import Models
from engine.pacing import PrefillPace
from engine.prefix_cache import PrefixCache
from engine.prefix_files import forget, forget_others, stored_bytes
from engine.settings import EngineSettings
from engine.stats import RequestStats
from engine.status import EngineStatus, LoadedPair
from engine.steps import run_to_completion
from engine.stream import RequestStream
from engine.tuning import Calibration

# A queue cannot be waited for without end when an end is given, not even a very late one.
LONGEST_SLEEP_S = 3600.0


class Scheduler:
    """First come, first served, up to `settings.most_active` at once. `on_read` hears how a loading model gets on."""

    def __init__(self, settings: EngineSettings | None = None, on_read: OnRead = lambda _read, _total: None) -> None:
        self.settings = settings or EngineSettings()
        self.prefix_cache = PrefixCache(self.settings.prefix_cache_bytes)
        self.models = Models(self.settings, streaming=lambda: self.active > 0, on_read=on_read)
        self.changes = ModelChanges(self.models, self.prefix_cache, self._end_active, self._forget_draft)
        self._room = MemoryAdmission(self.models, self.prefix_cache)
        self._last_used = time.monotonic()
        self._thread = threading.get_ident()
        self._pace = PrefillPace()
        self._waiting: deque[RequestStream] = deque()
        self._reading: deque[Active] = deque()
        self._decoding = Decoding(self.models, self._pace)
        # Prompts and models are read in turns, and what is decoded goes on after each.
        self._prompt_was_read = False
        self._decoded = False
        # The request for whose caches there is no memory before another one has ended.
        self._held_up: RequestStream | None = None
        self._closed = False

    @property
    def busy(self) -> bool:
        """True while there is something to step."""
        return bool(self._waiting or self.active or self.changes.busy)

    @property
    def active(self) -> int:
        """How many requests are under way."""
        return len(self._reading) + len(self._decoding)

    @property
    def _everyone(self) -> list[Active]:
        return [*self._decoding, *self._reading]

    @property
    def status(self) -> EngineStatus:
        """What goes on and what it takes."""
        folder = self.settings.prefix_cache_folder
        kept = replace(self.prefix_cache.usage, stored=stored_bytes(folder) if folder is not None else 0)
        return EngineStatus(self.active, len(self._waiting), kept, self.models.use())

    @property
    def seconds_to_park(self) -> float | None:
        """How long nobody may ask for anything before the models are unloaded; None where they stay."""
        after = self.settings.unload_after_s
        if after is None or not self.models.loaded:
            return None
        return min(max(0.0, self._last_used + after - time.monotonic()), LONGEST_SLEEP_S)

    def configure(self, settings: EngineSettings) -> None:
        """Other limits from now on; what each of them reaches is said where they are declared."""
        self._check_thread()
        before, self.settings = self.settings, settings
        self.models.settings = settings
        self.prefix_cache.budget = settings.prefix_cache_bytes
        self.prefix_cache.shrink()
        stored = (settings.prefix_cache_folder, settings.prefix_folder_bytes)
        if self.models.loaded and stored != (before.prefix_cache_folder, before.prefix_folder_bytes):
            self.changes.open_store()

    # Models

    def load(self, main: str | Path, draft: str | Path | None, *, allow_oversize: bool = False) -> LoadedPair:
        """Replace both models with nothing in between. Raises as `ModelChanges.load` does."""
        self._check_thread()
        return run_to_completion(self.changes.load(main, draft, allow_oversize=allow_oversize))

    def set_draft(self, draft: str | Path | None, *, allow_oversize: bool = False) -> LoadedPair:
        """Replace the draft model with nothing in between. Raises as `ModelChanges.set_draft` does."""
        self._check_thread()
        return run_to_completion(self.changes.set_draft(draft, allow_oversize=allow_oversize))

    def install(self, main: LoadedModel, draft: LoadedModel | None) -> LoadedPair:
        """Use models that were loaded elsewhere on this thread, as benchmarks do."""
        self._check_thread()
        return self.changes.install(main, draft)

    def unload(self) -> LoadedPair:
        """Drop the models; requests that run end as cancelled first."""
        self._check_thread()
        return self.changes.unload()

    def park(self) -> None:
        """Unload until somebody asks for something, if nobody has for as long as the settings say."""
        self._check_thread()
        if not self.busy and self.seconds_to_park == 0.0:
            self.changes.park()

    def calibrate(self, stop: Callable[[], bool] = lambda: False) -> Calibration:
        """Measure what rounds cost with the loaded models, until `stop()`. Raises `NoModel`, `Busy`."""
        self._check_thread()
        if self.busy:
            raise Busy(self.active + len(self._waiting))
        try:
            return self.models.drafting.calibrate(stop)
        finally:
            release_unused_memory()

    def clear_prefix_cache(self) -> None:
        """Forget all finished turns, on disk too; the next request reads its whole prompt."""
        self.prefix_cache.clear()
        self.keep_stored(())

    def forget_conversations(self, names: Collection[str]) -> None:
        """Drop these conversations for good, in memory and on disk."""
        self._check_thread()
        self.prefix_cache.forget(names)
        if self.settings.prefix_cache_folder is not None:
            forget(self.settings.prefix_cache_folder, names)

    def keep_stored(self, names: Collection[str]) -> None:
        """Drop all conversations but these from the disk; memory is left alone."""
        self._check_thread()
        if self.settings.prefix_cache_folder is not None:
            forget_others(self.settings.prefix_cache_folder, names)
            if self.models.loaded:
                self.changes.open_store()

    # Requests

    def admit(self, stream: RequestStream) -> None:
        """Queue a request; it fails with `QueueFull` when too many wait already."""
        self._check_thread()
        self._last_used = time.monotonic()
        if self._closed:
            stream.deliver(Failed(EngineClosed(), ""))
        elif self.active + len(self._waiting) >= self.settings.most_active + self.settings.most_waiting:
            stream.deliver(Failed(QueueFull(self.settings.most_waiting), ""))
        else:
            self._waiting.append(stream)

    def step(self) -> None:
        """Do one unit of work, after ending what was cancelled and starting what there is room for."""
        self._check_thread()
        self._last_used = time.monotonic()
        self._drop_cancelled()
        self._start_waiting()
        other = self._other_work()
        if self._decoding and (not self._decoded or other is None):
            self._decoded = True
            self._decode()
        elif other is not None:
            self._decoded = False
            other()
        elif self.changes.busy:
            self.changes.step()

    def close(self) -> None:
        """End everything: what runs as cancelled, what waits as failed."""
        self._check_thread()
        self._end_active()
        self._closed = True
        for stream in self._waiting:
            stream.deliver(Failed(EngineClosed(), ""))
        self._waiting.clear()
        self.changes.close()
        self.changes.unload()

    # Reading prompts

    def _other_work(self) -> Callable[[], None] | None:
        """What is to be done besides decoding: a piece of a prompt and a slice of a model, in turns."""
        reads = bool(self._reading)
        if self.changes.ready and (self._prompt_was_read or not reads):
            return self._change_models
        return self._read_prompts if reads else None

    def _change_models(self) -> None:
        self._prompt_was_read = False
        self._decoding.disturb()
        self.changes.step()

    def _start_waiting(self) -> None:
        if self._waiting and not self.changes.busy and (parked := self.models.parked) is not None:
            self.changes.ask(self.changes.come_back(parked), self._came_back)
        while self._waiting and self.active < self.settings.most_active and self._waiting[0] is not self._held_up:
            if self.changes.hold:
                return
            if not self._start(self._waiting[0]):
                self._held_up = self._waiting[0]
                return
            self._waiting.popleft()

    def _came_back(self, outcome: LoadedPair | EngineError) -> None:
        """Who waited for models that are not to be had any more learns why."""
        if isinstance(outcome, EngineError):
            while self._waiting:
                self._waiting.popleft().deliver(Failed(outcome, ""))

    def _start(self, stream: RequestStream) -> bool:
        """Begin with a request, or end it at once; False while it has to wait for the memory of those who run."""
        try:
            request = replace(stream.request, overflow=stream.request.overflow or self.settings.overflow)
            generation = Generation(request, self.models.main, self.prefix_cache, stream.submitted)
        except Exception as error:
            stream.deliver(Failed(as_engine_error(error), ""))
            return True
        active = Active(stream, generation, needs=self._room.needed(generation))
        try:
            if not (stream.request.allow_oversize or self.settings.allow_oversize):
                self._room.make(generation, self._everyone)
        except NotEnoughMemory as error:
            generation.release()
            if self.active:
                return False
            stream.deliver(Failed(as_engine_error(error), ""))
            return True
        self._reading.append(active)
        stream.deliver(generation.progress())
        return True

    def _read_prompts(self) -> None:
        """A piece of the oldest prompt, or all of it and of those behind it that fit into one piece together.

        Short enough for those who stream to go on smoothly, long enough for short questions to begin together.
        """
        self._prompt_was_read = True
        left = self._pace.piece(streaming=bool(self._decoding))
        while self._reading and left > 0:
            active = self._reading[0]
            with self._failing_alone(active):
                left -= self._read(active, left)

    def _read(self, active: Active, most: int) -> int:
        generation = active.generation
        tokens = max(0, min(most, generation.unread))
        if tokens:
            with self._pace.reading(tokens):
                event = generation.read_prompt(most)
            if event is not None:
                active.stream.deliver(event)
            self._decoding.disturb()
        if generation.prompt_read:
            self._reading.remove(active)
            self._decoding.add(active)
        return max(tokens, 1)

    # Decoding

    def _decode(self) -> None:
        for active, outcome in self._decoding.step(joining=bool(self._reading)):
            with self._failing_alone(active):
                self._tell(active, outcome)

    def _tell(self, active: Active, outcome: Outcome) -> None:
        if isinstance(outcome, CachesLost):
            active.generation.start_over()
            self._reading.appendleft(active)
            return
        if isinstance(outcome, Exception):
            raise outcome
        active.stream.deliver(outcome)
        if active.generation.reason is not None:
            self._finish(active)

    # Endings

    def _finish(self, active: Active) -> None:
        self._withdraw(active)
        active.generation.release()
        finished = active.generation.finish()
        log_finished(finished)
        active.stream.deliver(finished)
        if self.models.loaded:
            # Now that the answer is out, nobody waits for the disk.
            self.models.drafting.keep()

    def _cancel(self, active: Active) -> None:
        """End a request that is under way, with what has been drawn for it so far."""
        active.generation.cancelled = True
        with self._failing_alone(active):
            for event in self._decoding.settle(active):
                self._tell(active, event)
            if active in self._decoding or active in self._reading:
                self._finish(active)

    @contextmanager
    def _failing_alone(self, active: Active) -> Iterator[None]:
        """An exception ends the request that it belongs to; the others go on."""
        try:
            yield
        except Exception as error:
            generation = active.generation
            try:
                self._withdraw(active)
                generation.release()
            except Exception:
                log_lost()
            active.stream.deliver(Failed(as_engine_error(error), generation.text, generation.stats()))

    def _withdraw(self, active: Active) -> None:
        """Out of whatever lane it is in, its caches at the last token that was told."""
        self._held_up = None
        if active in self._reading:
            self._reading.remove(active)
        self._decoding.withdraw(active)

    def _end_active(self) -> None:
        """The main model goes, and with it whatever runs and was timed."""
        for active in self._everyone:
            self._cancel(active)
        self._pace.forget()

    def _drop_cancelled(self) -> None:
        for active in self._everyone:
            if active.stream.cancel_requested.is_set():
                self._cancel(active)
        for stream in [stream for stream in self._waiting if stream.cancel_requested.is_set()]:
            self._waiting.remove(stream)
            stream.deliver(Finished("cancelled", "", (), RequestStats()))

    def _forget_draft(self) -> None:
        for active in self._everyone:
            active.generation.conversation.draft = None

    def _check_thread(self) -> None:
        if threading.get_ident() != self._thread:
            raise RuntimeError("the scheduler was called off the engine's thread")
