"""Who is served when: one answer speculates, several share a batch, prompts are read in between.

Lives on the engine's thread. `step()` is one unit of work: a round, a step of the batch, or a piece of a prompt.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from engine.active import Active, as_engine_error, log_finished
from engine.engine import RequestStream
from engine.errors import Busy, EngineClosed, EngineError, NoModel, NotEnoughMemory, QueueFull
from engine.events import Failed, Finished, TokensCommitted
from engine.generation import Generation, release_unused_memory
from engine.lanes.batch import BatchLane, BatchStepFailed, why_not_batched
from engine.lanes.solo import SoloRun
from engine.loading import LoadedModel
from engine.memory import MemoryUse
from engine.models import LoadedPair, Models
from engine.pacing import PrefillPace
from engine.prefix_cache import PrefixCache, PrefixCacheUsage
from engine.prefix_store import PrefixStore
from engine.room import Room
from engine.settings import EngineSettings
from engine.speculation.depth import Choice
from engine.stats import RequestStats
from engine.tuning import Calibration

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """Plain data: requests under way and in the queue, what finished turns hold, and the memory."""

    active: int
    waiting: int
    prefix_cache: PrefixCacheUsage
    memory: MemoryUse


class Scheduler:
    """First come, first served, up to `settings.most_active` at once."""

    def __init__(self, settings: EngineSettings | None = None, give_up: Callable[[], bool] = lambda: False) -> None:
        self.settings = settings or EngineSettings()
        self.prefix_cache = PrefixCache(self.settings.prefix_cache_bytes)
        self.models = Models(self.settings, give_up)
        self._room = Room(self.models, self.prefix_cache)
        self._last_used = time.monotonic()
        self._thread = threading.get_ident()
        self._waiting: deque[RequestStream] = deque()
        self._reading: deque[Active] = deque()
        self._decoding: deque[Active] = deque()
        self._batch: BatchLane | None = None
        self._pace = PrefillPace()
        self._read_next = True
        # The request for whose caches there is no memory before another one has ended.
        self._held_up: RequestStream | None = None
        self._closed = False

    @property
    def busy(self) -> bool:
        """True while there is something to step."""
        return bool(self._waiting or self._reading or self._decoding)

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
        return EngineStatus(self.active, len(self._waiting), self.prefix_cache.usage, self.models.use())

    @property
    def seconds_to_park(self) -> float | None:
        """How long nobody may ask for anything before the models are unloaded; None where they stay."""
        after = self.settings.unload_after_s
        if after is None or not self.models.loaded:
            return None
        return max(0.0, self._last_used + after - time.monotonic())

    def configure(self, settings: EngineSettings) -> None:
        """Other limits from now on; what each of them reaches is said where they are declared."""
        self._check_thread()
        before, self.settings = self.settings, settings
        self.models.settings = settings
        self.prefix_cache.budget = settings.prefix_cache_bytes
        self.prefix_cache.shrink()
        stored = (settings.prefix_cache_folder, settings.prefix_cache_bytes)
        if self.models.loaded and stored != (before.prefix_cache_folder, before.prefix_cache_bytes):
            self._open_store()

    # Models

    def load(self, main: str | Path, draft: str | Path | None, *, allow_oversize: bool = False) -> LoadedPair:
        """Replace both models; requests that run end as cancelled first. Raises as `Models.read_main` does."""
        self._check_thread()
        self.install(self.models.read_main(main, allow_oversize=allow_oversize), None)
        return self.set_draft(draft, allow_oversize=allow_oversize)

    def set_draft(self, draft: str | Path | None, *, allow_oversize: bool = False) -> LoadedPair:
        """Replace the draft model. One that cannot be used is reported, not raised. Raises `NoModel`."""
        self._check_thread()
        loaded, problem = None, None
        if draft is not None:
            try:
                loaded = self.models.read_draft(draft, allow_oversize=allow_oversize)
            except (NoModel, EngineClosed):
                raise
            except EngineError as error:
                problem = error
        return self._use_draft(loaded, problem)

    def install(self, main: LoadedModel, draft: LoadedModel | None) -> LoadedPair:
        """Use models that were loaded elsewhere on this thread, as benchmarks do."""
        self._check_thread()
        self._end_active()
        self._put_away()
        self.models.use_main(main)
        self._open_store()
        self._pace = PrefillPace()
        return self._use_draft(draft, None)

    def unload(self) -> LoadedPair:
        """Drop the models; requests that run end as cancelled first."""
        self._check_thread()
        self._end_active()
        self._put_away()
        return self.models.unload()

    def park(self) -> None:
        """Nobody has asked for anything for a while: unload until somebody does."""
        self._check_thread()
        if not self.busy and self.models.loaded:
            self._put_away()
            self.models.park()

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
        """Forget all finished turns; the next request reads its whole prompt."""
        self._check_thread()
        self.prefix_cache.clear()

    def _open_store(self) -> None:
        folder = self.settings.prefix_cache_folder
        if folder is None:
            self.prefix_cache.store = None
        else:
            self.prefix_cache.store = PrefixStore(folder, self.models.main, self.settings.prefix_cache_bytes)

    def _put_away(self) -> None:
        """The main model goes, and with it what was cached for it; the store, if there is one, keeps it."""
        self.prefix_cache.save()
        self.prefix_cache.clear()
        self.prefix_cache.store = None

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
        while self._waiting and self.active < self.settings.most_active and self._waiting[0] is not self._held_up:
            if not self._start(self._waiting[0]):
                self._held_up = self._waiting[0]
                break
            self._waiting.popleft()
        if self._reading and (self._read_next or not self._decoding):
            self._read_next = False
            self._read_prompts()
        elif self._decoding:
            self._read_next = True
            self._decode()

    def close(self) -> None:
        """End everything: what runs as cancelled, what waits as failed."""
        self._check_thread()
        self._end_active()
        self._closed = True
        for stream in self._waiting:
            stream.deliver(Failed(EngineClosed(), ""))
        self._waiting.clear()
        self._put_away()
        self.models.unload()

    # Reading prompts

    def _start(self, stream: RequestStream) -> bool:
        """Begin with a request, or end it at once; False while it has to wait for the memory of those who run."""
        try:
            if (parked := self.models.take_parked()) is not None:
                self.load(parked.main, parked.draft, allow_oversize=parked.allow_oversize)
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
            stream.deliver(Failed(error, ""))
            return True
        self._reading.append(active)
        stream.deliver(generation.progress())
        return True

    def _read_prompts(self) -> None:
        """A piece of the oldest prompt, or all of it and of those behind it that fit into one piece together.

        Short enough for those who stream to go on smoothly, long enough for short questions to begin together.
        """
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
            for other in self._decoding:
                other.generation.disturbed = True
        if generation.prompt_read:
            self._reading.remove(active)
            self._decoding.append(active)
        return max(tokens, 1)

    # Decoding

    def _place(self, active: Active) -> None:
        """Into the lane where it belongs now: by itself with guesses, in the batch, or taking turns."""
        alone = len(self._decoding) == 1
        if active.batched and alone:
            self._leave_batch(active)
        if active.batched or active not in self._decoding:
            return
        if active.run is not None and active.run.done:
            active.run.close()
            active.run = None
        if active.run is None and active.apart is None and not alone:
            active.apart = why_not_batched(active.generation.conversation.main)
        # Whoever reads a prompt will join soon: not worth calling the draft model in for.
        guesses = alone and (not self._reading or (active.run is not None and active.run.guesses))
        shares = not alone and active.apart is None
        if active.run is not None and (shares or active.run.guesses != guesses):
            active.run.leave()
        elif active.run is None and shares:
            self._join_batch(active)
        elif active.run is None:
            code = Choice(None, 0, "turns", (("kind", active.apart),)) if active.apart else Choice(None, 0, "batch")
            active.run = SoloRun(active.generation, self.models.drafting if guesses else None, code)

    def _decode(self) -> None:
        for active in list(self._decoding):
            with self._failing_alone(active):
                self._place(active)
        if not self._decoding:
            return
        active = self._decoding[0]
        with self._pace.decoding():
            if active.batched:
                self._step_batch()
            else:
                with self._failing_alone(active):
                    self._step_run(active)
        # The next turn is for the next one by itself, or for the whole batch.
        turns = self._decoding
        turns.rotate(-1)
        self._decoding = deque([*(a for a in turns if not a.batched), *(a for a in turns if a.batched)])

    def _step_run(self, active: Active) -> None:
        assert active.run is not None
        active.generation.cancelled = active.stream.cancel_asked.is_set()
        event = active.run.step()
        if event is not None:
            self._deliver(active, event)

    def _join_batch(self, active: Active) -> None:
        if self._batch is None:
            self._batch = BatchLane(self.models.main)
        self._batch.join(active.generation)
        active.batched = True

    def _leave_batch(self, active: Active) -> None:
        assert self._batch is not None
        active.batched = False
        event = self._batch.leave(active.generation)
        if not len(self._batch):
            self._batch.close()
            self._batch = None
        if event is not None:
            self._deliver(active, event)

    def _step_batch(self) -> None:
        assert self._batch is not None
        members = {active.generation: active for active in self._decoding if active.batched}
        try:
            outcome = self._batch.step()
        except BatchStepFailed as failure:
            self._disband(list(members.values()), failure)
            return
        for generation, event in outcome:
            with self._failing_alone(members[generation]):
                if isinstance(event, Exception):
                    raise event
                self._deliver(members[generation], event)

    def _disband(self, members: list[Active], failure: BatchStepFailed) -> None:
        """Nobody knows whose fault it was: each goes on by itself, and who cannot fails by itself."""
        assert self._batch is not None
        log.warning("a batch of %d answers failed; they go on one by one", len(members), exc_info=failure.__cause__)
        self._batch.close()
        self._batch = None
        release_unused_memory()
        for active in reversed(members):
            active.batched, active.apart = False, "error"
            self._decoding.remove(active)
            with self._failing_alone(active):
                active.generation.start_over()
                self._reading.appendleft(active)

    # Endings

    def _deliver(self, active: Active, event: TokensCommitted) -> None:
        active.stream.deliver(event)
        if active.generation.reason is not None:
            self._finish(active)

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
            if active.run is not None:
                active.run.leave()
                while active in self._decoding and not active.run.done:
                    self._step_run(active)
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
                log.exception("the caches of a failed request are lost")
            active.stream.deliver(Failed(as_engine_error(error), generation.text, generation.stats()))
            # Its frames know the caches and, through their variables, the error itself: nothing would go before the
            # garbage collector comes by.
            error.__traceback__ = None

    def _withdraw(self, active: Active) -> None:
        """Out of whatever lane it is in, its caches at the last token that was told."""
        self._held_up = None
        for queue in (self._reading, self._decoding):
            if active in queue:
                queue.remove(active)
        if active.run is not None:
            run, active.run = active.run, None
            run.close()
        if active.batched:
            active.generation.reason = active.generation.reason or "cancelled"
            self._leave_batch(active)

    def _end_active(self) -> None:
        for active in self._everyone:
            self._cancel(active)

    def _drop_cancelled(self) -> None:
        for active in self._everyone:
            if active.stream.cancel_asked.is_set():
                self._cancel(active)
        for stream in [stream for stream in self._waiting if stream.cancel_asked.is_set()]:
            self._waiting.remove(stream)
            stream.deliver(Finished("cancelled", "", (), RequestStats()))

    def _use_draft(self, draft: LoadedModel | None, problem: EngineError | None) -> LoadedPair:
        pair = self.models.use_draft(draft, problem)
        self._last_used = time.monotonic()
        for active in self._everyone:
            if active.run is None or not active.run.guesses:
                active.generation.conversation.draft = None
        self.prefix_cache.forget_drafts()
        return pair

    def _check_thread(self) -> None:
        if threading.get_ident() != self._thread:
            raise RuntimeError("the scheduler was called off the engine's thread")
