"""`Engine`: the engine in this process. It owns the one thread on which all MLX work runs.

Its methods may be called from any thread; they post commands to the engine's thread and return futures or streams.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from engine.client import EngineBase, Loading, RequestStream
from engine.cpu_backend.blas import BLAS
from engine.errors import EngineClosed, EngineError, InternalFailure, as_engine_error
from engine.events import Embeddings, Event, Failed
from engine.files.steps import Steps
from engine.machine.keep_awake import KeepAwake
from engine.machine.process_info import seconds_before_measuring
from engine.requests import ChatRequest, EmbeddingRequest, OwnAnswer
from engine.settings import EngineSettings
from engine.status import EngineStatus, LoadedPair, TaughtDraft, TeachingProgress, TeachingResult
from engine.tuning import LearnedPair

# MLX belongs to the thread that imports it first: `_serve_until_closed` imports these on the engine's thread.
if TYPE_CHECKING:
    from engine.serving.scheduler import Scheduler
    from engine.upkeep.main_loader import MainLoader
    from engine.upkeep.model_changes import ModelChanges

log = logging.getLogger(__name__)

# Seconds that an idle engine spends at a time on calibrating a pair that is new to it.
TUNING_S = 3.0
# Seconds of idleness before it calibrates: a person who loads a pair usually asks at once, and would wait for a pass.
IDLE_AFTER_S = 0.5

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Command:
    """Work for the engine's thread; `refuse` is called instead of `run` when it will not be done."""

    run: Callable[[Scheduler], None]
    refuse: Callable[[EngineError], None]


class Engine(EngineBase):
    """The engine in this process.

    `engine.client.EngineClient` describes its methods. Creating one is cheap: MLX is imported on the engine's thread.
    `main_loader` is called on that thread; the loader that it returns may divide main models over several processes.
    """

    def __init__(
        self, settings: EngineSettings | None = None, main_loader: Callable[[], MainLoader] | None = None
    ) -> None:
        super().__init__(settings or EngineSettings())
        self._make_main_loader = main_loader
        self._commands: queue.SimpleQueue[Command | None] = queue.SimpleQueue()
        self._teaching = TeachingProgress()
        # From the first request or change of models until nothing is left to do.
        self._awake = KeepAwake("Tandem answers or loads a model")
        # The number of commands posted so far for which a calibration has to stop.
        self._urgent_commands = 0
        # The `time.monotonic()` from which an idle engine may calibrate.
        self._tuning_due = 0.0
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._thread.start()

    def load(self, main: str | Path, draft: str | Path | None = None) -> Loading:
        loading = Loading()

        def change(changes: ModelChanges) -> Steps[LoadedPair]:
            return changes.load(main, draft, loading.main.set_result)

        self._change(change, future=loading, can_be_cancelled=True)
        return loading

    def set_draft(self, draft: str | Path | None) -> Future[LoadedPair]:
        return self._change(
            lambda changes: changes.set_draft(draft), blocks_requests=False, can_be_cancelled=draft is not None
        )

    def cancel_load(self) -> Future[bool]:
        return self._call(lambda scheduler: scheduler.changes.cancel_loads())

    def load_additional(self, main: str | Path, draft: str | Path | None = None) -> Future[LoadedPair]:
        return self._change(lambda changes: changes.load_additional(main, draft))

    def unload(self, main: Path | None = None) -> Future[LoadedPair]:
        return self._change(lambda changes: changes.unload_in_turn(main))

    def configure(self, settings: EngineSettings) -> Future[None]:
        self._settings = settings
        return self._call(lambda scheduler: scheduler.configure(settings))

    def status(self) -> Future[EngineStatus]:
        return self._call(lambda scheduler: scheduler.status, urgent=False)

    def start_drafting_ahead(self) -> Future[str]:
        return self._call(lambda scheduler: scheduler.models.start_drafting_ahead())

    def clear_prefix_cache(self) -> Future[None]:
        return self._call(lambda scheduler: scheduler.clear_prefix_cache())

    def forget_conversations(self, names: Collection[str]) -> Future[None]:
        return self._call(lambda scheduler: scheduler.changes.stores.forget_conversations(names))

    def keep_stored(self, names: Collection[str]) -> Future[None]:
        return self._call(lambda scheduler: scheduler.changes.stores.keep_stored(names))

    def learned(self) -> Future[tuple[LearnedPair, ...]]:
        return self._call(lambda scheduler: scheduler.models.controllers.learned(), urgent=False)

    def forget_learned(self) -> Future[None]:
        return self._call(lambda scheduler: scheduler.models.forget_learned())

    def teach(self, answers: Sequence[OwnAnswer]) -> Future[TeachingResult | None]:
        return self._start(lambda scheduler, done: scheduler.teaching.begin(answers, done))

    def stop_teaching(self) -> Future[None]:
        return self._call(lambda scheduler: scheduler.teaching.stop())

    @property
    def teaching_progress(self) -> TeachingProgress:
        return self._teaching

    def taught(self) -> Future[TaughtDraft]:
        return self._call(lambda scheduler: scheduler.teaching.known(), urgent=False)

    def forget_taught(self) -> Future[None]:
        return self._call(lambda scheduler: scheduler.teaching.forget())

    def submit(self, request: ChatRequest, on_event: Callable[[Event], None] | None = None) -> RequestStream:
        stream = RequestStream(request, on_event)
        self._post(Command(lambda scheduler: scheduler.admit(stream), lambda error: stream.deliver(Failed(error, ""))))
        return stream

    def embed(self, request: EmbeddingRequest) -> Future[Embeddings]:
        def start(scheduler: Scheduler, done: Callable[[Embeddings | EngineError], None]) -> None:
            steps = scheduler.models.encoder.embed(request)
            scheduler.changes.enqueue(steps, done, blocks_requests=False)

        return self._start(start)

    def close(self) -> None:
        with self._lock:
            if self._refusal is None:
                self._refusal = EngineClosed()
                self._urgent_commands += 1
                self._commands.put(None)
        self._join()

    def _call(self, work: Callable[[Scheduler], T], *, urgent: bool = True) -> Future[T]:
        future: Future[T] = Future()

        def command(scheduler: Scheduler) -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(work(scheduler))
            except Exception as error:
                future.set_exception(as_engine_error(error))

        self._post(Command(command, partial(_refuse, future)), urgent=urgent)
        return future

    def _change(
        self,
        change: Callable[[ModelChanges], Steps[LoadedPair]],
        *,
        blocks_requests: bool = True,
        can_be_cancelled: bool = False,
        future: Future[LoadedPair] | None = None,
    ) -> Future[LoadedPair]:
        """Queue a change of models; requests submitted from now on wait for it if it `blocks_requests`.

        If it `can_be_cancelled`, `cancel_load` gives it up.
        """

        def start(scheduler: Scheduler, done: Callable[[LoadedPair | EngineError], None]) -> None:
            steps = change(scheduler.changes)
            scheduler.changes.enqueue(steps, done, blocks_requests=blocks_requests, can_be_cancelled=can_be_cancelled)

        return self._start(start, future)

    def _start(
        self, start: Callable[[Scheduler, Callable[[T | EngineError], None]], None], future: Future[T] | None = None
    ) -> Future[T]:
        """Start work in steps; its result, or its error, is passed to the function that `start` gets."""
        future = future or Future()

        def done(outcome: T | EngineError) -> None:
            if isinstance(outcome, EngineError):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)

        def command(scheduler: Scheduler) -> None:
            if future.set_running_or_notify_cancel():
                start(scheduler, done)

        self._post(Command(command, partial(_refuse, future)))
        return future

    def _post(self, command: Command, *, urgent: bool = True) -> None:
        with self._lock:
            refusal = self._refusal
            if refusal is None:
                self._urgent_commands += urgent
                self._commands.put(command)
        if refusal is not None:
            command.refuse(refusal)

    def _run(self) -> None:
        failure: EngineError | None = None
        try:
            self._serve_until_closed()
        # Panics of Rust code are no `Exception`s, and no caller may wait for a thread that has ended.
        except BaseException as error:
            failure = as_engine_error(error)
        finally:
            with self._lock:
                self._refusal = self._refusal or failure or InternalFailure("the engine's thread has ended")
            self._refuse_the_rest()
            if failure is not None:
                self._report_failure(failure)

    def _serve_until_closed(self) -> None:
        # Imported here because MLX's streams belong to the thread that imports and uses it first.
        import mlx.core as mx

        from engine.cpu_backend.backend import choose_device

        choose_device()
        from engine.serving.scheduler import Scheduler
        from engine.speculation.choosing.kept import MLX_VERSION
        from engine.tokenizers.loading import keep_accepted

        log.info("mlx %s on %s, BLAS: %s", MLX_VERSION, mx.default_device(), BLAS)
        keep_accepted(self._settings.learned_file)
        main_loader = self._make_main_loader() if self._make_main_loader is not None else None
        scheduler = Scheduler(self._settings, self._set_progress, main_loader, self._set_teaching)
        try:
            self._serve(scheduler)
        except BaseException as error:
            failure = as_engine_error(error)
            scheduler.fail(failure)
            raise failure from None
        finally:
            self._awake.keep(False)
            try:
                scheduler.close()
            finally:
                # Without this the process can abort at exit.
                mx.clear_streams()

    def _set_progress(self, loaded: int, total: int, converting: bool) -> None:
        self._progress = loaded, total
        self._converting = converting

    def _set_teaching(self, progress: TeachingProgress) -> None:
        self._teaching = progress

    def _serve(self, scheduler: Scheduler) -> None:
        idle_since: float | None = None
        while True:
            self._awake.keep(scheduler.busy or scheduler.teaching.running)
            if scheduler.busy and self._commands.empty():
                while scheduler.step() and self._commands.empty():
                    pass
                idle_since = None
                continue
            idle_since = idle_since or time.monotonic()
            scheduler.upkeep.relieve_memory()
            command = self._next_command(scheduler, idle_since)
            if command is _NO_COMMAND:
                self._tune_when_idle(scheduler)
                scheduler.upkeep.teach()
                scheduler.upkeep.park()
            elif command is None:
                return
            else:
                self._carry_out(command, scheduler)

    @staticmethod
    def _carry_out(command: Command, scheduler: Scheduler) -> None:
        try:
            command.run(scheduler)
        except BaseException as error:
            # The error ends the engine's thread, and the queue no longer holds this command.
            failure = as_engine_error(error)
            command.refuse(failure)
            raise failure from None

    def _tune_when_idle(self, scheduler: Scheduler) -> None:
        """Measure a pair that is new to this machine, if the engine was idle for long enough."""
        posted = self._urgent_commands
        if scheduler.busy or not scheduler.models.untuned or not self._commands.empty():
            return
        if time.monotonic() < self._tuning_due:
            return
        # A napping process would be measured as slower than it is.
        self._awake.keep(True)
        try:
            scheduler.upkeep.measure(lambda: self._urgent_commands != posted, TUNING_S)
        except Exception:
            log.exception("the loaded models could not be measured")

    def _next_command(self, scheduler: Scheduler, idle_since: float) -> Command | None:
        timeout = None if scheduler.busy else self._seconds_to_sleep(scheduler, idle_since)
        try:
            return self._commands.get(block=not scheduler.busy, timeout=timeout)
        except queue.Empty:
            return _NO_COMMAND

    def _seconds_to_sleep(self, scheduler: Scheduler, idle_since: float) -> float | None:
        """Return how long an idle engine waits until models are to be measured, taught or unloaded, or macOS asked."""
        waits = [scheduler.upkeep.seconds_to_park, scheduler.upkeep.seconds_to_look]
        if scheduler.models.untuned:
            self._tuning_due = idle_since + max(IDLE_AFTER_S, seconds_before_measuring())
            waits.append(max(0.0, self._tuning_due - time.monotonic()))
        if scheduler.teaching.running:
            waits.append(0.0)
        return min((seconds for seconds in waits if seconds is not None), default=None)

    def _refuse_the_rest(self) -> None:
        assert self._refusal is not None
        while True:
            try:
                command = self._commands.get_nowait()
            except queue.Empty:
                return
            if command is not None:
                command.refuse(self._refusal)


# Means that the queue is empty.
_NO_COMMAND = Command(lambda _scheduler: None, lambda _error: None)


def _refuse(future: Future[Any], error: EngineError) -> None:
    if future.running() or (not future.done() and future.set_running_or_notify_cancel()):
        future.set_exception(error)
