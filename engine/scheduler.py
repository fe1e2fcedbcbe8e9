"""Admits requests and runs them, one step at a time; owns the loaded models. Lives on the engine's thread."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

from engine.engine import RequestStream
from engine.errors import EngineClosed, EngineError, InternalFailure, NoModel
from engine.events import Event, Failed, Finished
from engine.generation import Generation, release_unused_memory
from engine.loading import LoadedModel, ModelInfo, load
from engine.prefix_cache import PrefixCache
from engine.speculation.drafting import Drafting

log = logging.getLogger(__name__)

PREFIX_CACHE_BYTES = 2 * 2**30


@dataclass(frozen=True)
class LoadedPair:
    """What is loaded now; plain data. `draft_problem` says why a draft that was asked for is not in use."""

    main: ModelInfo | None
    draft: ModelInfo | None
    draft_problem: EngineError | None = None


@dataclass(eq=False)
class _Active:
    stream: RequestStream
    generation: Generation
    steps: Generator[Event | None, None, None]


class Scheduler:
    """One request at a time speculates; the others wait in the order in which they came."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()
        self._main: LoadedModel | None = None
        self._drafting: Drafting | None = None
        self._cache = PrefixCache(PREFIX_CACHE_BYTES)
        self._waiting: deque[RequestStream] = deque()
        self._active: _Active | None = None
        self._closed = False

    @property
    def busy(self) -> bool:
        """True while there is something to step."""
        return self._active is not None or bool(self._waiting)

    def load(self, main: str | Path, draft: str | Path | None) -> LoadedPair:
        """Replace both models; a request that runs ends as cancelled first. Raises `ModelNotUsable`."""
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
        self._finish_active()
        self._cache.clear()
        self._main, self._drafting = main, Drafting(main)
        return self._use_draft(draft, None)

    def clear_prefix_cache(self) -> None:
        """Forget all finished turns; the next request reads its whole prompt."""
        self._check_thread()
        self._cache.clear()

    def unload(self) -> LoadedPair:
        """Drop the models; a request that runs ends as cancelled first."""
        self._check_thread()
        self._finish_active()
        self._main = self._drafting = None
        self._cache.clear()
        release_unused_memory()
        return LoadedPair(None, None)

    def admit(self, stream: RequestStream) -> None:
        """Queue a request; it starts when those before it have ended."""
        self._check_thread()
        if self._closed:
            stream.deliver(Failed(EngineClosed(), ""))
        else:
            self._waiting.append(stream)

    def step(self) -> None:
        """Do one unit of work for the request that runs, or start the next one."""
        self._check_thread()
        if self._active is None:
            self._start(self._waiting.popleft())
            return
        active = self._active
        active.generation.cancelled = active.stream.cancel_asked.is_set()
        try:
            event = next(active.steps)
        except Exception as error:
            self._active = None
            active.steps.close()
            active.stream.deliver(Failed(_as_engine_error(error), active.generation.text, active.generation.stats()))
            return
        if isinstance(event, Finished):
            self._active = None
            active.steps.close()
            self._log_finished(event)
        if event is not None:
            active.stream.deliver(event)

    def close(self) -> None:
        """End everything: the active request as cancelled, the waiting ones as failed."""
        self._check_thread()
        self._finish_active()
        self._closed = True
        for stream in self._waiting:
            stream.deliver(Failed(EngineClosed(), ""))
        self._waiting.clear()
        self._main = self._drafting = None
        self._cache.clear()

    def _use_draft(self, draft: LoadedModel | None, problem: EngineError | None) -> LoadedPair:
        assert self._main is not None
        assert self._drafting is not None
        problem = self._drafting.set_draft(draft, problem)
        self._cache.forget_drafts()
        release_unused_memory()
        return LoadedPair(self._main.info, self._drafting.draft_info, problem)

    def _start(self, stream: RequestStream) -> None:
        try:
            if self._main is None or self._drafting is None:
                raise NoModel
            generation = Generation(stream.request, self._main, self._drafting, self._cache, stream.submitted)
        except Exception as error:
            stream.deliver(Failed(_as_engine_error(error), ""))
            return
        self._active = _Active(stream, generation, generation.events())

    def _finish_active(self) -> None:
        if self._active is not None:
            self._active.stream.cancel()
        while self._active is not None:
            self.step()

    def _log_finished(self, event: Finished) -> None:
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

    def _check_thread(self) -> None:
        if threading.get_ident() != self._thread:
            raise RuntimeError("the scheduler was called off the engine's thread")


def _as_engine_error(error: Exception) -> EngineError:
    if isinstance(error, EngineError):
        return error
    log.error("a request failed", exc_info=error)
    return InternalFailure(f"{type(error).__name__}: {error}")
