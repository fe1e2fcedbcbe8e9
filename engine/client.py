"""`EngineClient`, the protocol between a front end and an engine, with its streams and futures.

`engine.engine.Engine` implements it on a thread of this process; fakes implement it for tests and benchmarks. Only
plain data crosses it, and none of it needs MLX.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Protocol, Self

from engine.errors import CannotTeach, EngineClosed, EngineError, ModelNotUsable
from engine.events import Embeddings, Event, Failed, Finished
from engine.requests import ChatRequest, EmbeddingRequest, OwnAnswer, SpeculationSettings
from engine.settings import EngineSettings
from engine.status import EngineStatus, LoadedPair, TaughtDraft, TeachingProgress, TeachingResult
from engine.tuning import LearnedPair

log = logging.getLogger(__name__)


class RequestStream:
    """The events of one request. Iterate it from one thread, or pass `on_event` to `EngineClient.submit` instead.

    `submitted` is the `time.perf_counter()` of its creation. `cancel` sets `cancelled`, which is cheap to read, and
    `cancel_requested`, which a thread can wait for. `speculation` is the request's own until `speculate` changes it.
    """

    def __init__(self, request: ChatRequest, on_event: Callable[[Event], None] | None = None) -> None:
        self.request = request
        self.speculation: SpeculationSettings = request.speculation
        self.submitted = time.perf_counter()
        self.cancelled = False
        self.cancel_requested = threading.Event()
        self._on_event = on_event
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()

    def cancel(self) -> None:
        """End the request within one round; what was committed stays cached. May be called from any thread."""
        self.cancelled = True
        self.cancel_requested.set()

    def speculate(self, settings: SpeculationSettings) -> None:
        """Speculate with other settings from the next round on. May be called from any thread."""
        self.speculation = settings

    def __iter__(self) -> Iterator[Event]:
        while True:
            event = self._events.get()
            yield event
            if isinstance(event, Finished | Failed):
                return

    def deliver(self, event: Event) -> None:
        """Hand out an event; called on the engine's thread. A listener that raises loses the event, not the request."""
        if self._on_event is None:
            self._events.put(event)
            return
        try:
            self._on_event(event)
        except Exception:
            log.exception("a listener failed on %s", type(event).__name__)


class Loading(Future[LoadedPair]):
    """A pair that is being loaded.

    `main` is done when requests can begin, perhaps before the draft model is loaded. It fails if the load fails.
    """

    def __init__(self) -> None:
        super().__init__()
        self.main: Future[LoadedPair] = Future()
        # `main` cannot be cancelled separately.
        self.main.set_running_or_notify_cancel()
        self.add_done_callback(self._finish_main)

    def _finish_main(self, _: object) -> None:
        if self.main.done():
            return
        error = EngineClosed() if self.cancelled() else self.exception()
        if error is not None:
            self.main.set_exception(error)
        else:
            self.main.set_result(self.result())


class EngineClient(Protocol):
    """An engine that serves chat models outside the caller's thread.

    Every method may be called from any thread and returns at once, except `close`, which waits. Futures raise
    `EngineError`s; after `close` they raise `EngineClosed`, and requests end with it. An engine may be unable to teach.
    """

    def load(self, main: str | Path, draft: str | Path | None = None) -> Loading:
        """Load a main model and, if given, its draft model; both by folder or by name in the local Hub cache.

        Requests under way continue with the old model and end as cancelled when the new one is loaded; those submitted
        meanwhile wait for it, but not for the draft model: `Loading.main` says when. The future raises `ModelNotUsable`
        when the main model cannot be used, and `NotEnoughMemory` unless the settings allow it; the models loaded before
        then stay. A draft model that cannot be used does not stop the main model: see `LoadedPair.draft_problem`.
        """

    def load_additional(self, main: str | Path, draft: str | Path | None = None) -> Future[LoadedPair]:
        """Keep another main model with this drafter loaded, for requests that name its folder (`ChatRequest.main`).

        The models in memory stay as far as all fit; the one that was used least is unloaded first, and the model of
        `load` last. A model that was unloaded is loaded again for the next request for it. Answers under way end before
        another main model answers. Raises as `load` does.
        """

    def set_draft(self, draft: str | Path | None) -> Future[LoadedPair]:
        """Load another drafter, or none, for the main model of `load`; takes effect at the next round.

        `draft` is the folder or name of a draft model, or of a head made for the main model.
        """

    def cancel_load(self) -> Future[bool]:
        """Give up the calls of `load` and `set_draft` that have not ended, between two files or chunks of weights.

        Their futures raise `LoadCancelled`, and the memory of what they had loaded is freed. The models from before
        stay; those that were unloaded for want of memory are loaded again first. A `load` whose main model answers
        already gives up only its draft model: the pair then has the error as `LoadedPair.draft_problem`.

        Returns whether anything is given up. A model that several machines load together is loaded to its end.
        """

    def unload(self, main: Path | None = None) -> Future[LoadedPair]:
        """Drop the main model in this folder with its drafter, or all models, and everything cached for them.

        Returns the models of `load` if they are still loaded.
        """

    @property
    def loading_progress(self) -> tuple[int, int]:
        """Bytes of weights in memory, and of all weights, of the model that is being loaded or was loaded last.

        Of a GGUF file that is converted first they count both, as one.
        """

    @property
    def converting(self) -> bool:
        """Whether the model that is being loaded, or was loaded last, is converted first. No other Mac tells."""

    @property
    def settings(self) -> EngineSettings:
        """The settings that were requested last."""

    def configure(self, settings: EngineSettings) -> Future[None]:
        """Change limits while the engine runs; `EngineSettings` says which take effect at once and which later."""

    def status(self) -> Future[EngineStatus]:
        """Report the numbers of requests, and the memory that models, answers and finished turns use."""

    def start_drafting_ahead(self) -> Future[str]:
        """Start the draft runner, if settings and drafter allow one. Returns its state, as in `RequestStats.ahead`.

        The first answer starts it otherwise. May be called again to follow the state.
        """
        return _done("")

    def clear_prefix_cache(self) -> Future[None]:
        """Forget all finished turns, in memory and on disk; the next request prefills its whole prompt."""

    def forget_conversations(self, names: Collection[str]) -> Future[None]:
        """Forget the conversations of these names (`ChatRequest.conversation`) in memory and on disk, for every model.

        A forgotten name must not be used again: what a request under way caches for it is dropped as well.
        """

    def keep_stored(self, names: Collection[str]) -> Future[None]:
        """Forget all conversations on disk except these; those in memory stay."""

    def learned(self) -> Future[tuple[LearnedPair, ...]]:
        """Report costs and acceptance of speculation on this machine for every pair of models used, the latest last."""

    def forget_learned(self) -> Future[None]:
        """Drop what was learned about all pairs."""

    def teach(self, answers: Sequence[OwnAnswer]) -> Future[TeachingResult | None]:
        """Teach the drafter in use with answers of the main model while the engine is idle; takes minutes.

        What it learned is used if it is better than what it was taught before, from the next time that the drafter is
        loaded. The result is None, and nothing is kept, if `stop_teaching` is called or the pair changes. Raises
        `NoModel` and `CannotTeach`.
        """
        return _refused(answers)

    def stop_teaching(self) -> Future[None]:
        """End the teaching under way, if any."""
        return _done(None)

    @property
    def teaching_progress(self) -> TeachingProgress:
        """How far the teaching under way is."""
        return TeachingProgress()

    def taught(self) -> Future[TaughtDraft]:
        """Report what the drafter in use was taught for the main model. Raises `NoModel`."""
        return _done(TaughtDraft(refusal=CannotTeach("other-engine")))

    def forget_taught(self) -> Future[None]:
        """Delete what the drafter was taught for the main model; it is used until the drafter is loaded next.

        Raises `NoModel`, and `CannotTeach` if it cannot be deleted.
        """
        return _refused()

    def submit(self, request: ChatRequest, on_event: Callable[[Event], None] | None = None) -> RequestStream:
        """Queue a request. Its events come through the returned stream, or to `on_event` on the engine's thread."""

    def embed(self, request: EmbeddingRequest) -> Future[Embeddings]:
        """Embed texts by an encoder, which is loaded in addition to the main models.

        Raises `ModelNotUsable`, `PromptTooLong`, and `TemplateFailed` for texts that the tokenizer cannot read.
        """
        future: Future[Embeddings] = Future()
        future.set_exception(ModelNotUsable(request.model, "is-embedding"))
        return future

    def on_failure(self, report: Callable[[EngineError], None]) -> None:
        """Call `report` once, on any thread, when the engine has ended without `close`; at once if it has already.

        By then every request and every call has ended with that error, and later ones end with it, too.
        """

    def close(self) -> None:
        """Cancel all requests and wait until the engine has ended. May be called twice."""


class EngineBase(EngineClient):
    """What the engine in this process and one in another share: settings, the refusal of calls, and failure reports.

    Use it as a context manager, or call `close()`. A subclass sets `_thread`, which `close` joins.
    """

    _thread: threading.Thread

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings
        self._progress = 0, 0
        self._converting = False
        self._lock = threading.Lock()
        # Why calls are refused: the engine was closed, or has failed.
        self._refusal: EngineError | None = None
        # Set when the engine has ended without `close`; the reports are called with it.
        self._failure: EngineError | None = None
        self._failure_reports: list[Callable[[EngineError], None]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def loading_progress(self) -> tuple[int, int]:
        return self._progress

    @property
    def converting(self) -> bool:
        return self._converting

    @property
    def settings(self) -> EngineSettings:
        return self._settings

    def on_failure(self, report: Callable[[EngineError], None]) -> None:
        with self._lock:
            failure = self._failure
            if failure is None:
                self._failure_reports.append(report)
        if failure is not None:
            report(failure)

    def _report_failure(self, failure: EngineError) -> None:
        with self._lock:
            self._failure = failure
        for report in self._failure_reports:
            report(failure)

    def _join(self) -> None:
        if threading.current_thread() is not self._thread:
            self._thread.join()


def _done(result: Any) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(result)
    return future


def _refused(*_: object) -> Future[Any]:
    """Refuse to teach."""
    future: Future[Any] = Future()
    future.set_exception(CannotTeach("other-engine"))
    return future
