"""The public facade: an `Engine` owns the one thread on which all MLX work runs.

Methods may be called from any thread; they hand commands to the engine's thread and return futures or streams.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import engine
from engine.errors import EngineClosed, EngineError, InternalFailure, without_frames
from engine.events import Event, Failed, Finished
from engine.settings import EngineSettings

if TYPE_CHECKING:
    from engine.model_changes import ModelChanges
    from engine.models import LoadedPair
    from engine.requests import ChatRequest
    from engine.scheduler import EngineStatus, Scheduler
    from engine.steps import Steps
    from engine.tuning import Calibration, LearnedPair, Pair

log = logging.getLogger(__name__)

# What an idle engine may spend on measuring a pair that is new to it.
TUNING_S = 3.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Command:
    """Work for the engine's thread; `refuse` tells whoever waits for it that nobody will do it."""

    run: Callable[[Scheduler], None]
    refuse: Callable[[EngineError], None]


class RequestStream:
    """One request's events. Iterate it from one thread, or pass `on_event` to `Engine.submit` instead."""

    def __init__(self, request: ChatRequest, on_event: Callable[[Event], None] | None = None) -> None:
        self.request = request
        self.submitted = time.perf_counter()
        self.cancel_asked = threading.Event()
        self._on_event = on_event
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()

    def cancel(self) -> None:
        """End the request within one round, from any thread; what was committed stays cached."""
        self.cancel_asked.set()

    def __iter__(self) -> Iterator[Event]:
        while True:
            event = self._events.get()
            yield event
            if isinstance(event, Finished | Failed):
                return

    def deliver(self, event: Event) -> None:
        """Called on the engine's thread. A listener that raises loses the event, not the request."""
        if self._on_event is None:
            self._events.put(event)
            return
        try:
            self._on_event(event)
        except Exception:
            log.exception("a listener failed on %s", type(event).__name__)


class Loading(Future["LoadedPair"]):
    """A pair that is on its way. `main` is done when requests can begin, with the draft perhaps still to be read; it
    fails as the whole does.
    """

    def __init__(self) -> None:
        super().__init__()
        self.main: Future[LoadedPair] = Future()
        # Nobody can take it back by itself.
        self.main.set_running_or_notify_cancel()
        self.add_done_callback(self._settle_main)

    def _settle_main(self, _: object) -> None:
        if self.main.done():
            return
        error = EngineClosed() if self.cancelled() else self.exception()
        if error is not None:
            self.main.set_exception(error)
        else:
            self.main.set_result(self.result())


class Engine:
    """Chat models on a thread of their own.

    Creating one is cheap: MLX comes in on the engine's thread. Use it as a context manager, or call `close()`.
    """

    def __init__(self, settings: EngineSettings | None = None) -> None:
        self._settings = settings or EngineSettings()
        self._commands: queue.SimpleQueue[Command | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        # Why nothing is taken any more: the engine was closed, or its thread has failed.
        self._refusal: EngineError | None = None
        self._reading = 0, 0
        # Counts what a calibration should make room for.
        self._asked = 0
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._thread.start()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def load(self, main: str | Path, draft: str | Path | None = None, *, allow_oversize: bool = False) -> Loading:
        """Load a main model and, if given, its draft; both by folder or by name in the local Hub cache.

        Requests that run go on with the old model and end as cancelled when the new one is there; those that are
        submitted meanwhile wait for it, but not for the draft: `Loading.main` says when. The future raises
        `ModelNotUsable` when the main model cannot be used, and `NotEnoughMemory` unless `allow_oversize`; the one
        loaded before then stays. A draft that cannot be used does not stop the main model: see
        `LoadedPair.draft_problem`.
        """
        loading = Loading()

        def change(changes: ModelChanges) -> Steps[LoadedPair]:
            return changes.load(main, draft, allow_oversize=allow_oversize, main_there=loading.main.set_result)

        self._change(change, future=loading)
        return loading

    def set_draft(self, draft: str | Path | None, *, allow_oversize: bool = False) -> Future[LoadedPair]:
        """Load another draft model, or none, beside the main model; takes effect at the next round."""
        return self._change(lambda changes: changes.set_draft(draft, allow_oversize=allow_oversize), holds=False)

    def unload(self) -> Future[LoadedPair]:
        """Drop both models and everything cached for them."""
        return self._change(lambda changes: changes.go())

    @property
    def reading(self) -> tuple[int, int]:
        """Of the model that is being loaded, or was last: bytes of its weights that are in memory, and all of them."""
        return self._reading

    @property
    def settings(self) -> EngineSettings:
        """The settings that were asked for last."""
        return self._settings

    def configure(self, settings: EngineSettings) -> Future[None]:
        """Change limits while the engine runs; `EngineSettings` says which take effect at once and which later."""
        self._settings = settings
        return self._call(lambda scheduler: scheduler.configure(settings))

    def status(self) -> Future[EngineStatus]:
        """How much goes on, and the memory that models, answers and finished turns take."""
        return self._call(lambda scheduler: scheduler.status, urgent=False)

    def clear_prefix_cache(self) -> Future[None]:
        """Forget all finished turns, in memory and on disk; the next question reads its whole prompt."""
        return self._call(lambda scheduler: scheduler.clear_prefix_cache())

    def forget_conversations(self, names: Collection[str]) -> Future[None]:
        """Forget these (`ChatRequest.conversation`) for good, in memory and on disk, whichever model has read them.

        Such a name is not to be used again: what a request under way reads for it is dropped as well.
        """
        return self._call(lambda scheduler: scheduler.forget_conversations(names))

    def keep_stored(self, names: Collection[str]) -> Future[None]:
        """Forget what is on disk of all conversations but these; memory is left alone."""
        return self._call(lambda scheduler: scheduler.keep_stored(names))

    def learned(self) -> Future[tuple[LearnedPair, ...]]:
        """What speculation costs and brings here, for every pair of models that was used; the latest last."""
        return self._call(lambda scheduler: scheduler.models.learned(), urgent=False)

    def forget_learned(self, pair: Pair | None = None) -> Future[None]:
        """Start afresh with one pair (`LearnedPair.pair`), or with all of them."""
        return self._call(lambda scheduler: scheduler.models.forget_learned(pair))

    def calibrate(self) -> Future[Calibration]:
        """Measure what rounds of every depth cost with the loaded models, and keep it; takes seconds.

        Ends early when a request, another model or `close()` is asked for meanwhile. Raises `NoModel`, and `Busy`
        while requests are under way.
        """
        asked = self._asked
        return self._call(lambda scheduler: scheduler.calibrate(lambda: self._asked != asked), urgent=False)

    def submit(self, request: ChatRequest, on_event: Callable[[Event], None] | None = None) -> RequestStream:
        """Queue a request. Its events come through the returned stream, or to `on_event` on the engine's thread."""
        stream = RequestStream(request, on_event)
        self._post(Command(lambda scheduler: scheduler.admit(stream), lambda error: stream.deliver(Failed(error, ""))))
        return stream

    def close(self) -> None:
        """Cancel what runs, finish the thread and wait for it. Safe to call twice."""
        with self._lock:
            if self._refusal is None:
                self._refusal = EngineClosed()
                self._asked += 1
                self._commands.put(None)
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _call(self, work: Callable[[Scheduler], T], *, urgent: bool = True) -> Future[T]:
        future: Future[T] = Future()

        def command(scheduler: Scheduler) -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(work(scheduler))
            except EngineError as error:
                without_frames(error)
                future.set_exception(error)
            except Exception as error:
                log.exception("a command failed")
                future.set_exception(InternalFailure(str(error)))

        self._post(Command(command, partial(_refuse, future)), urgent=urgent)
        return future

    def _change(
        self,
        change: Callable[[ModelChanges], Steps[LoadedPair]],
        *,
        holds: bool = True,
        future: Future[LoadedPair] | None = None,
    ) -> Future[LoadedPair]:
        """Queue a change of models; requests submitted from now on wait for it if it `holds` them."""
        future = future or Future()

        def done(outcome: LoadedPair | EngineError) -> None:
            if isinstance(outcome, EngineError):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)

        def command(scheduler: Scheduler) -> None:
            if future.set_running_or_notify_cancel():
                scheduler.changes.ask(change(scheduler.changes), done, holds=holds)

        self._post(Command(command, partial(_refuse, future)))
        return future

    def _post(self, command: Command, *, urgent: bool = True) -> None:
        with self._lock:
            refusal = self._refusal
            if refusal is None:
                self._asked += urgent
                self._commands.put(command)
        if refusal is not None:
            command.refuse(refusal)

    def _run(self) -> None:
        try:
            self._serve_until_closed()
        except Exception as error:
            log.exception("the engine's thread has failed")
            with self._lock:
                self._refusal = self._refusal or InternalFailure(f"{type(error).__name__}: {error}")
        self._refuse_the_rest()

    def _serve_until_closed(self) -> None:
        # Here and not at the top: MLX's streams belong to the thread that imports and uses it first.
        import mlx.core as mx

        from engine.scheduler import Scheduler

        log.info("mlx %s on %s, BLAS: %s", version("mlx"), mx.default_device(), engine.BLAS)
        scheduler = Scheduler(self._settings, self._note_reading)
        try:
            self._serve(scheduler)
        finally:
            try:
                scheduler.close()
            finally:
                # Without this the process can abort at exit.
                mx.clear_streams()

    def _note_reading(self, read: int, total: int) -> None:
        self._reading = read, total

    def _serve(self, scheduler: Scheduler) -> None:
        while True:
            self._tune_when_idle(scheduler)
            command = self._next_command(scheduler)
            if command is _NOTHING and scheduler.busy:
                scheduler.step()
            elif command is _NOTHING:
                scheduler.park()
            elif command is None:
                return
            else:
                command.run(scheduler)

    def _tune_when_idle(self, scheduler: Scheduler) -> None:
        """A pair that is new to this machine is measured before anybody asks it something, if there is the time."""
        asked, until = self._asked, time.monotonic() + TUNING_S
        if scheduler.busy or not scheduler.models.untuned or not self._commands.empty():
            return
        try:
            scheduler.calibrate(lambda: self._asked != asked or time.monotonic() > until)
        except Exception:
            log.exception("the loaded models could not be calibrated")

    def _next_command(self, scheduler: Scheduler) -> Command | None:
        try:
            # Who is idle waits for as long as the models may stay.
            return self._commands.get(block=not scheduler.busy, timeout=scheduler.seconds_to_park)
        except queue.Empty:
            return _NOTHING

    def _refuse_the_rest(self) -> None:
        assert self._refusal is not None
        while True:
            try:
                command = self._commands.get_nowait()
            except queue.Empty:
                return
            if command is not None:
                command.refuse(self._refusal)


# Stands for an empty queue.
_NOTHING = Command(lambda _scheduler: None, lambda _error: None)


def _refuse(future: Future[Any], error: EngineError) -> None:
    if future.set_running_or_notify_cancel():
        future.set_exception(error)


def starter_pair() -> tuple[Path, Path]:
    """The folders of the starter pair that comes with Tandem: main and draft."""
    from engine.paths import resources

    return resources() / "starter" / "main", resources() / "starter" / "draft"
