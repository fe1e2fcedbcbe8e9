"""An engine with the API of the real one that plays scripts, fails, and loads what it is told to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

from engine.client import EngineClient, Loading, RequestStream
from engine.errors import EngineClosed, EngineError, InternalFailure, LoadCancelled, NoModel
from engine.events import Embeddings, Event, Failed, Finished, TokensCommitted
from engine.pictures.rules import PictureRules
from engine.requests import ChatRequest, EmbeddingRequest, OwnAnswer
from engine.settings import EngineSettings
from engine.stats import RequestStats
from engine.status import (
    EngineStatus,
    LoadedPair,
    MemoryUse,
    ModelInfo,
    PrefixCacheUsage,
    TaughtDraft,
    TeachingProgress,
    TeachingResult,
)
from engine.tokenizers.thinking import ThinkingChoice
from engine.tuning import LearnedPair
from tests.app.scripts import Script, play

T = TypeVar("T")


@dataclass
class ScriptedEngine:
    """Plays `scripts` in order, repeating the last one, on a thread of its own.

    The engine sleeps `pace_s` between events. With a `gate`, it takes one permit before every event, so that a test
    controls how far an answer gets. `loads` are the outcomes of `load` and `set_draft`, in order; without any, loading
    succeeds. With a `draft_gate`, the main model is loaded at once and the draft when the gate opens. The main model
    recommends the sampling `recommended`, its template has the choice `thinking`, it writes calls in `tool_format`,
    and sees if it has rules for `pictures`. With `by_hand`, all answers go on together, and only by `go_on`.
    """

    scripts: list[Script] = field(default_factory=lambda: [Script()])
    pace_s: float = 0.0
    gate: threading.Semaphore | None = None
    loading_progress: tuple[int, int] = (0, 0)
    converting: bool = False
    loads: list[EngineError | LoadedPair] = field(default_factory=list)
    load_gate: threading.Event | None = None
    draft_gate: threading.Event | None = None
    recommended: tuple[tuple[str, float], ...] = ()
    thinking: ThinkingChoice = field(default_factory=ThinkingChoice)
    tool_format: str = ""
    pictures: PictureRules | None = None
    by_hand: bool = False

    def __post_init__(self) -> None:
        self.requests: list[ChatRequest] = []
        self.streams: list[RequestStream] = []
        self.answering: list[tuple[RequestStream, Iterator[Event]]] = []
        self.forgotten: set[str] = set()
        self.stored: list[frozenset[str]] = []
        self.known: list[LearnedPair] = []
        self.lessons: list[OwnAnswer] = []
        self.teaching: Future[TeachingResult | None] | None = None
        self.teaching_progress = TeachingProgress()
        self.learnt = TaughtDraft()
        self.settings = EngineSettings()
        self.closed = False
        self._failed: Future[EngineError] = Future()
        self._draft_thread: threading.Thread | None = None
        self.pair = LoadedPair(None, None)
        # What clients have loaded besides.
        self.beside: tuple[LoadedPair, ...] = ()
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="scripted-engine", daemon=True)
        self._thread.start()

    def load(self, main: str | Path, draft: str | Path | None = None) -> Loading:
        loading = Loading()
        if self.draft_gate is None:
            self._later(lambda: self._load(main, draft), loading)
        else:
            self._work.put(lambda: self._load_main_first(main, draft, loading))
        return loading

    def set_draft(self, draft: str | Path | None) -> Future[LoadedPair]:
        return self._later(lambda: self._load(self.pair.main and self.pair.main.path, draft))

    def cancel_load(self) -> Future[bool]:
        """Give up the load that waits for the `load_gate`."""
        is_waiting = self.load_gate is not None and not self.load_gate.is_set()
        if is_waiting and self.load_gate is not None:
            self.loads.insert(0, LoadCancelled())
            self.load_gate.set()
        return _done(is_waiting)

    def load_additional(self, main: str | Path, draft: str | Path | None = None) -> Future[LoadedPair]:
        def load() -> LoadedPair:
            own = self.pair
            found, self.pair = self._load(main, draft), own
            self.beside = (found,)
            return found

        return self._later(load)

    def unload(self, main: Path | None = None) -> Future[LoadedPair]:
        if self.beside and main is not None and self.beside[0].main == _info(main):
            self.beside = ()
            return _done(self.pair)
        return self._later(lambda: self._load(None, None))

    def configure(self, settings: EngineSettings) -> Future[None]:
        self.settings = settings
        return _done(None)

    def status(self) -> Future[EngineStatus]:
        usage = PrefixCacheUsage(len(self.requests), 300_000_000 * len(self.requests), self.settings.prefix_cache_bytes)
        memory = MemoryUse(5_200_000_000, 20_000_000_000, 14_800_000_000)
        return _done(EngineStatus(0, 0, usage, memory, (self.pair, *self.beside)))

    def start_drafting_ahead(self) -> Future[str]:
        return _done("")

    def learned(self) -> Future[tuple[LearnedPair, ...]]:
        return _done(tuple(self.known))

    def teach(self, answers: Sequence[OwnAnswer]) -> Future[TeachingResult | None]:
        self.lessons, self.teaching = list(answers), Future()
        return self.teaching

    def stop_teaching(self) -> Future[None]:
        if self.teaching is not None and not self.teaching.done():
            self.teaching.set_result(None)
        return _done(None)

    def taught(self) -> Future[TaughtDraft]:
        return _done(self.learnt)

    def forget_taught(self) -> Future[None]:
        self.learnt = TaughtDraft()
        return _done(None)

    def forget_learned(self) -> Future[None]:
        self.known = []
        return _done(None)

    def clear_prefix_cache(self) -> Future[None]:
        return _done(None)

    def forget_conversations(self, names: Collection[str]) -> Future[None]:
        self.forgotten.update(names)
        return _done(None)

    def keep_stored(self, names: Collection[str]) -> Future[None]:
        self.stored.append(frozenset(names))
        return _done(None)

    def submit(self, request: ChatRequest, on_event: Callable[[Event], None] | None = None) -> RequestStream:
        stream = RequestStream(request, on_event)
        if self.closed:
            stream.deliver(Failed(EngineClosed(), ""))
        self.requests.append(request)
        self.streams.append(stream)
        script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
        if self.by_hand:
            self.answering.append((stream, play(script)))
        else:
            self._work.put(lambda: self._play(script, stream))
        return stream

    def go_on(self, events: int) -> None:
        """Deliver the next `events` of every answer that is told `by_hand`, on this thread."""
        for stream, answer in self.answering:
            for event in islice(answer, events):
                stream.deliver(event)

    def on_failure(self, report: Callable[[EngineError], None]) -> None:
        self._failed.add_done_callback(lambda failed: report(failed.result()))

    def end_by_itself(self) -> None:
        """Behave like an engine whose thread has ended: report the failure, and fail every later load."""
        error = InternalFailure("a panic")
        self.loads = [error] * 99
        self.pair = LoadedPair(None, None)
        self._failed.set_result(error)

    def embed(self, request: EmbeddingRequest) -> Future[Embeddings]:
        return EngineClient.embed(self, request)

    def close(self) -> None:
        self.closed = True
        if self.gate is not None:
            self.gate.release()
        if self.load_gate is not None:
            self.load_gate.set()
        self._work.put(None)
        self._thread.join()
        if self.draft_gate is not None and self._draft_thread is not None:
            self.draft_gate.set()
            self._draft_thread.join()

    def _later(self, work: Callable[[], LoadedPair], future: Future[Any] | None = None) -> Future[Any]:
        outcome = future or Future()

        def run() -> None:
            try:
                outcome.set_result(work())
            except EngineError as error:
                outcome.set_exception(error)

        self._work.put(run)
        return outcome

    def _load_main_first(self, main: str | Path | None, draft: str | Path | None, loading: Loading) -> None:
        gate = self.draft_gate
        assert gate is not None
        self.pair = LoadedPair(_info(main), None)
        loading.main.set_result(self.pair)

        def bring() -> None:
            gate.wait()
            try:
                self._load(main, draft)
            except EngineError as error:
                self.pair = LoadedPair(_info(main), None, error)
            loading.set_result(self.pair)

        self._draft_thread = threading.Thread(target=bring, name="scripted-draft", daemon=True)
        self._draft_thread.start()

    def _load(self, main: str | Path | None, draft: str | Path | None) -> LoadedPair:
        if self.load_gate is not None:
            self.load_gate.wait()
        outcome = self.loads.pop(0) if self.loads else None
        if isinstance(outcome, EngineError):
            raise outcome
        info = _info(main)
        if info is not None:
            info = replace(info, sampling=self.recommended, thinking=self.thinking, tool_format=self.tool_format)
            info = replace(info, pictures=self.pictures)
        self.pair = outcome or LoadedPair(info, _info(draft))
        return self.pair

    def _play(self, script: Script, stream: RequestStream) -> None:
        if self.pair.main is None:
            stream.deliver(Failed(NoModel(), ""))
            return
        text, stats = "", RequestStats()
        for event in play(script):
            if self.gate is not None and not self.closed:
                self.gate.acquire()
            if self.closed or stream.cancel_requested.wait(self.pace_s):
                stream.deliver(Finished("cancelled", text, (), stats))
                return
            if isinstance(event, TokensCommitted):
                text, stats = text + event.text, event.stats
            stream.deliver(event)

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            work()


def _done(result: T) -> Future[T]:
    future: Future[T] = Future()
    future.set_result(result)
    return future


def model_info(path: str | Path) -> ModelInfo:
    """Return what the engine reports of the model in folder `path`."""
    return ModelInfo(Path(path).name, Path(path), "llama", 4096, 20_000_000)


def _info(path: str | Path | None) -> ModelInfo | None:
    return model_info(path) if path else None
