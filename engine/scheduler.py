"""Who is served when: one answer speculates, several share a batch, prompts are read in between.

Lives on the engine's thread. `step()` is one unit of work: a round, a step of the batch, or a piece of a prompt.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.engine import RequestStream
from engine.errors import EngineClosed, EngineError, InternalFailure, NoModel, QueueFull
from engine.events import Failed, Finished, TokensCommitted
from engine.generation import Generation, release_unused_memory
from engine.lanes.batch import BatchLane, BatchStepFailed, why_not_batched
from engine.lanes.solo import SoloRun
from engine.loading import LoadedModel, ModelInfo, load
from engine.pacing import PrefillPace
from engine.prefix_cache import PrefixCache
from engine.settings import EngineSettings
from engine.speculation.depth import Choice
from engine.speculation.drafting import Drafting
from engine.stats import RequestStats

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class LoadedPair:
    """What is loaded now; plain data. `draft_problem` says why a draft that was asked for is not in use."""

    main: ModelInfo | None
    draft: ModelInfo | None
    draft_problem: EngineError | None = None


@dataclass(eq=False)
class _Active:
    """A request under way: it reads its prompt (no run, not batched), or is decoded by itself or in the batch.

    `apart` says why it has to stay out of the batch.
    """

    stream: RequestStream
    generation: Generation
    run: SoloRun | None = None
    batched: bool = False
    apart: str | None = None


class Scheduler:
    """First come, first served, up to `settings.most_active` at once."""

    def __init__(self, settings: EngineSettings | None = None) -> None:
        self.settings = settings or EngineSettings()
        self._thread = threading.get_ident()
        self._main: LoadedModel | None = None
        self._drafting: Drafting | None = None
        self.prefix_cache = PrefixCache(self.settings.prefix_cache_bytes)
        self._waiting: deque[RequestStream] = deque()
        self._reading: deque[_Active] = deque()
        self._decoding: deque[_Active] = deque()
        self._batch: BatchLane | None = None
        self._pace = PrefillPace()
        self._read_next = True
        self._closed = False

    @property
    def busy(self) -> bool:
        """True while there is something to step."""
        return bool(self._waiting or self._reading or self._decoding)

    @property
    def main(self) -> LoadedModel:
        """The main model. Raises `NoModel`."""
        if self._main is None:
            raise NoModel
        return self._main

    @property
    def active(self) -> int:
        """How many requests are under way."""
        return len(self._reading) + len(self._decoding)

    # Models

    def load(self, main: str | Path, draft: str | Path | None) -> LoadedPair:
        """Replace both models; requests that run end as cancelled first. Raises `ModelNotUsable`."""
        self._check_thread()
        self.install(load(main), None)
        return self.set_draft(draft)

    def set_draft(self, draft: str | Path | None) -> LoadedPair:
        """Replace the draft model. One that cannot be used is reported, not raised. Raises `NoModel`."""
        self._check_thread()
        if self._drafting is None:
            raise NoModel
        loaded, problem = None, None
        if draft is not None:
            try:
                loaded = load(draft)
            except EngineError as error:
                problem = error
        return self._use_draft(loaded, problem)

    def install(self, main: LoadedModel, draft: LoadedModel | None) -> LoadedPair:
        """Use models that were loaded elsewhere on this thread, as benchmarks do."""
        self._check_thread()
        self._end_active()
        self.prefix_cache.clear()
        self._main, self._drafting = main, Drafting(main)
        self._pace = PrefillPace()
        return self._use_draft(draft, None)

    def unload(self) -> LoadedPair:
        """Drop the models; requests that run end as cancelled first."""
        self._check_thread()
        self._end_active()
        self._main = self._drafting = None
        self.prefix_cache.clear()
        release_unused_memory()
        return LoadedPair(None, None)

    def clear_prefix_cache(self) -> None:
        """Forget all finished turns; the next request reads its whole prompt."""
        self._check_thread()
        self.prefix_cache.clear()

    # Requests

    def admit(self, stream: RequestStream) -> None:
        """Queue a request; it fails with `QueueFull` when too many wait already."""
        self._check_thread()
        if self._closed:
            stream.deliver(Failed(EngineClosed(), ""))
        elif self.active + len(self._waiting) >= self.settings.most_active + self.settings.most_waiting:
            stream.deliver(Failed(QueueFull(self.settings.most_waiting), ""))
        else:
            self._waiting.append(stream)

    def step(self) -> None:
        """Do one unit of work, after ending what was cancelled and starting what there is room for."""
        self._check_thread()
        self._drop_cancelled()
        while self._waiting and self.active < self.settings.most_active:
            self._start(self._waiting.popleft())
        if self._reading and (self._read_next or not self._decoding):
            self._read_next = False
            with self._failing_alone(self._reading[0]):
                self._read(self._reading[0])
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
        self._main = self._drafting = None
        self.prefix_cache.clear()

    # Reading prompts

    def _start(self, stream: RequestStream) -> None:
        try:
            generation = Generation(stream.request, self.main, self.prefix_cache, stream.submitted)
        except Exception as error:
            stream.deliver(Failed(_as_engine_error(error), ""))
            return
        self._reading.append(_Active(stream, generation))
        stream.deliver(generation.progress())

    def _read(self, active: _Active) -> None:
        """A piece of the oldest prompt; short enough for those who stream to go on smoothly."""
        generation = active.generation
        if not generation.prompt_read:
            most = self._pace.piece(streaming=bool(self._decoding))
            with self._pace.reading(min(most, generation.unread)):
                event = generation.read_prompt(most)
            if event is not None:
                active.stream.deliver(event)
            for other in self._decoding:
                other.generation.disturbed = True
        if generation.prompt_read:
            self._reading.remove(active)
            self._decoding.append(active)

    # Decoding

    def _place(self, active: _Active) -> None:
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
            active.run = SoloRun(active.generation, self._drafting if guesses else None, code)

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

    def _step_run(self, active: _Active) -> None:
        assert active.run is not None
        active.generation.cancelled = active.stream.cancel_asked.is_set()
        event = active.run.step()
        if event is not None:
            self._deliver(active, event)

    def _join_batch(self, active: _Active) -> None:
        if self._batch is None:
            self._batch = BatchLane(self.main, self.settings.most_active)
        self._batch.join(active.generation)
        active.batched = True

    def _leave_batch(self, active: _Active) -> None:
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

    def _disband(self, members: list[_Active], failure: BatchStepFailed) -> None:
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

    def _deliver(self, active: _Active, event: TokensCommitted) -> None:
        active.stream.deliver(event)
        if active.generation.reason is not None:
            self._finish(active)

    def _finish(self, active: _Active) -> None:
        self._withdraw(active)
        active.generation.release()
        finished = active.generation.finish()
        _log_finished(finished)
        active.stream.deliver(finished)

    def _cancel(self, active: _Active) -> None:
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
    def _failing_alone(self, active: _Active) -> Iterator[None]:
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
            active.stream.deliver(Failed(_as_engine_error(error), generation.text, generation.stats()))

    def _withdraw(self, active: _Active) -> None:
        """Out of whatever lane it is in, its caches at the last token that was told."""
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
        for active in [*self._decoding, *self._reading]:
            self._cancel(active)

    def _drop_cancelled(self) -> None:
        for active in [*self._decoding, *self._reading]:
            if active.stream.cancel_asked.is_set():
                self._cancel(active)
        for stream in [stream for stream in self._waiting if stream.cancel_asked.is_set()]:
            self._waiting.remove(stream)
            stream.deliver(Finished("cancelled", "", (), RequestStats()))

    def _use_draft(self, draft: LoadedModel | None, problem: EngineError | None) -> LoadedPair:
        assert self._main is not None
        assert self._drafting is not None
        problem = self._drafting.set_draft(draft, problem)
        for active in (*self._reading, *self._decoding):
            if active.run is None or not active.run.guesses:
                active.generation.conversation.draft = None
        self.prefix_cache.forget_drafts()
        release_unused_memory()
        return LoadedPair(self._main.info, self._drafting.draft_info, problem)

    def _check_thread(self) -> None:
        if threading.get_ident() != self._thread:
            raise RuntimeError("the scheduler was called off the engine's thread")


def _log_finished(event: Finished) -> None:
    stats = event.stats
    log.info(
        "%s after %d tokens in %d rounds: %.1f tokens/s, %d of %d guesses accepted, first token after %.3f s",
        event.reason,
        stats.generated_tokens,
        stats.rounds,
        stats.decode_tps or 0.0,
        stats.accepted,
        stats.drafted,
        stats.ttft_s or 0.0,
    )


def _as_engine_error(error: Exception) -> EngineError:
    if isinstance(error, EngineError):
        return error
    log.error("a request failed", exc_info=error)
    return InternalFailure(f"{type(error).__name__}: {error}")
