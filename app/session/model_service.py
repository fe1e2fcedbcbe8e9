"""The engine and the loaded pair of models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from app.session.bridge import Bridge
from engine.client import EngineClient, RequestStream
from engine.errors import (
    DeviceFailed,
    EngineClosed,
    EngineError,
    FileRefused,
    InternalFailure,
    LoadCancelled,
    as_engine_error,
)
from engine.events import Event, Failed
from engine.model_files.names import name_of_snapshot
from engine.requests import ChatRequest
from engine.settings import EngineSettings
from engine.status import EngineStatus, LoadedPair, ModelInfo
from engine.tokenizers.thinking import ThinkingChoice

T = TypeVar("T")

# A pair with which the engine ended this often is not loaded again automatically.
_MOST_ENDS = 2


@dataclass(frozen=True)
class Pair:
    """The loaded models.

    `loading` is "main" or "draft" while one is being loaded, else "", and `wanted` is its path or id; while the draft
    model is being loaded, the main model answers already. `wanted_draft` is the draft model requested with the main
    model that is being loaded, "" for none and None if unknown. `draft_problem` says why the requested draft model is
    not in use. `unloaded_by_failure` is true if the engine unloaded the models because the GPU failed; the next
    question loads them again.
    """

    main: ModelInfo | None = None
    draft: ModelInfo | None = None
    loading: str = ""
    wanted: str = ""
    wanted_draft: str | None = None
    draft_problem: EngineError | None = None
    unloaded_by_failure: bool = False

    @property
    def names(self) -> tuple[str, str]:
        """The names of main and draft model in stored figures and settings, "" for none.

        A draft model that is being loaded counts, because it drafts in the answers that begin now.
        """
        main = self.main.name if self.main else ""
        draft = self.draft.name if self.draft else ""
        if self.loading == "draft":
            wanted = Path(self.wanted)
            draft = name_of_snapshot(wanted) if wanted.is_absolute() else self.wanted
        return main, draft

    @property
    def paths(self) -> tuple[str, str | None]:
        """The folders of main and draft model, "" and None for one that is not loaded."""
        main = "" if self.main is None else str(self.main.path)
        draft = None if self.draft is None else str(self.draft.path)
        return main, draft

    @property
    def sampling(self) -> tuple[tuple[str, float], ...]:
        """The sampling that the authors of the main model recommend, by the names of the engine's settings."""
        return self.main.sampling if self.main else ()

    @property
    def sees(self) -> bool:
        """Whether the main model reads pictures."""
        return self.main is not None and self.main.sees

    @property
    def thinking(self) -> ThinkingChoice:
        """The choices of thinking in the main model's chat template."""
        return self.main.thinking if self.main else ThinkingChoice()


class ModelService(QObject):
    """Owns the engine and records the loaded pair.

    `changed` is emitted after every change of `pair`, and `crowded` if models that were just loaded take more memory
    than was available, so that other programs may get slower. `failed` carries an EngineError that belongs to no
    answer. An engine that ends unexpectedly is replaced; `restarted` carries the name of a model that is not loaded
    again because engines ended with it, or "".
    """

    changed = Signal()
    crowded = Signal()
    failed = Signal(object)
    restarted = Signal(str)
    # Emitted on the thread of an engine that ended unexpectedly.
    _engine_ended = Signal(object)

    def __init__(
        self,
        make_engine: Callable[[], EngineClient],
        starter_pair: tuple[Path, Path],
        bridge: Bridge,
        stores_prefixes: bool,
        parent: QObject | None = None,
    ) -> None:
        """Without `stores_prefixes` the engine keeps nothing of chats on disk, whatever its settings say."""
        super().__init__(parent)
        self._make_engine = make_engine
        self._bridge = bridge
        self._stores_prefixes = stores_prefixes
        self._engine: EngineClient | None = None
        # The engine passed to `activate`, and this process's own engine, which is idle in the meantime.
        self._given_engine: EngineClient | None = None
        self._local_engine: EngineClient | None = None
        self._limits: EngineSettings | None = None
        # The uids of the conversations whose prefixes may be stored; None until they are known.
        self._known: Collection[str] | None = None
        self._closing = False
        # Counts the requested changes of models; only the newest sets `loading`.
        self._changes = 0
        # Whether the engine met an unexpected error in the newest change.
        self._change_broke = False
        # How often the engine ended while each pair of main and draft paths answered.
        self._ended_with: Counter[tuple[str, str | None]] = Counter()
        self._engine_ended.connect(self._replace_engine, Qt.ConnectionType.QueuedConnection)
        self.starter_pair = starter_pair
        self.pair = Pair()
        # All pairs in memory as they were last seen, the window's own first.
        self._resident: tuple[LoadedPair, ...] = ()

    @property
    def is_starter(self) -> bool:
        """Whether the main model is the one that comes with Tandem."""
        return self.pair.paths[0] == str(self.starter_pair[0])

    @property
    def is_starter_expected(self) -> bool:
        """Whether the next answer comes from it, as far as is known."""
        return self.is_starter if self.pair.main else self.pair.wanted in ("", str(self.starter_pair[0]))

    @property
    def made(self) -> bool:
        """Whether there is an engine yet."""
        return self._engine is not None

    @property
    def engine(self) -> EngineClient:
        """The engine, made at the first use so that its imports do not delay the window."""
        if self._engine is None:
            self._take(self._make_engine())
        assert self._engine is not None
        return self._engine

    def _take(self, engine: EngineClient) -> None:
        """Use an engine: give it the settings and the stored conversations, and notice its end."""
        self._engine = engine
        engine.on_failure(lambda _error: self._engine_ended.emit(engine))
        if self._limits is not None:
            engine.configure(self._limits)
        if self._known is not None:
            engine.keep_stored(self._known)

    @property
    def limits(self) -> EngineSettings:
        """The newest settings given to `configure`."""
        return self._limits or EngineSettings()

    def activate(self, engine: EngineClient | None) -> None:
        """Answer with `engine` from now on, or with this process's own for None, at first without models.

        Answers that the local engine is writing end as cancelled. The caller closes the engine that it passed;
        `restarted` is not emitted when that engine ends unexpectedly.
        """
        # Pending changes of the previous engine's models do not concern this one.
        self._changes += 1
        self.pair = Pair()
        if self._given_engine is None and self._engine is not None:
            self._engine.unload()
            self._local_engine = self._engine
        self._given_engine = engine
        if engine is not None:
            self._take(engine)
        else:
            self._engine = self._local_engine
            self._local_engine = None
            if self._engine is not None and self._limits is not None:
                self._engine.configure(self._limits)
        self.changed.emit()

    def configure(self, limits: EngineSettings) -> None:
        """Set up the engine, now or when it is made; `EngineSettings` says when each setting takes effect."""
        if not self._stores_prefixes:
            limits = replace(limits, prefix_cache_folder=None, answer_index_folder=None, taught_folder=None)
        before = self._limits
        if limits == before:
            return
        # An engine that has used a folder empties it when it is not named any more, so that takes one.
        engine = self.engine if before is not None and _leaves_a_folder(before, limits) else self._engine
        self._limits = limits
        if engine is not None:
            engine.configure(limits)

    def keep_stored(self, conversations: Collection[str]) -> None:
        """Drop the stored prefixes of all other conversations, now or when the engine is made."""
        self._known = conversations
        if self._engine is not None:
            self._engine.keep_stored(conversations)

    def forget_conversations(self, conversations: Collection[str]) -> None:
        """Drop the prefixes and indexed answers of deleted conversations in memory and on disk."""
        limits = self.limits
        if self._engine is not None or limits.prefix_cache_folder or limits.answer_index_folder:
            self.engine.forget_conversations(conversations)

    def call_engine(
        self,
        call: Callable[[EngineClient], Future[T]],
        then: Callable[[T], object],
        failed: Callable[[EngineError], object] | None = None,
    ) -> bool:
        """Pass a call's result to `then` and its error to `failed`, on the Qt thread.

        Returns False and calls nothing if there is no engine yet or the session is closing.
        """
        if self._engine is None or self._closing:
            return False

        def done(future: Future[T]) -> None:
            error = future.exception()
            if error is None:
                then(future.result())
            elif failed is not None:
                failed(as_engine_error(error))

        self._bridge.watch(call(self._engine), done)
        return True

    @property
    def in_memory(self) -> tuple[LoadedPair, ...]:
        """The models in memory: the window's own, and those of programs as `refresh_resident_models` saw them last."""
        loaded = self.pair.main
        if loaded is None:
            return tuple(pair for pair in self._resident if pair.main is not None)
        others = [pair for pair in self._resident if pair.main is not None and pair.main.path != loaded.path]
        return (LoadedPair(loaded, self.pair.draft), *others)

    def refresh_resident_models(self) -> None:
        """Ask the engine which models are in memory; `changed` is emitted if these are not the same as before."""

        def see(status: EngineStatus) -> None:
            before = self._resident
            self._resident = status.resident
            if before != self._resident:
                self.changed.emit()

        self.call_engine(lambda engine: engine.status(), see)

    def submit(self, request: ChatRequest, receive: Callable[[list[Event]], None]) -> RequestStream:
        """Start a request; `receive` gets its events on the Qt thread, once a frame. Raises EngineError."""
        return self.engine.submit(request, self._bridge.listen(partial(self._received, receive)))

    def _received(self, receive: Callable[[list[Event]], None], events: list[Event]) -> None:
        """Pass on the events of a request; the last event says whether the models are still in memory."""
        error = events[-1].error if isinstance(events[-1], Failed) else None
        unloaded_by_failure = isinstance(error, DeviceFailed) and bool(error.arguments["unloaded"])
        if unloaded_by_failure != self.pair.unloaded_by_failure and (unloaded_by_failure or error is None):
            self.pair = replace(self.pair, unloaded_by_failure=unloaded_by_failure)
            self.changed.emit()
        receive(events)

    @property
    def loading_progress(self) -> tuple[int, int]:
        """Loaded and total bytes of the model that is being loaded; 0 while unknown."""
        return self._engine.loading_progress if self._engine is not None else (0, 0)

    @property
    def converting(self) -> bool:
        """Whether the model that is being loaded is a GGUF file that is converted first."""
        return self._engine is not None and self._engine.converting

    def load_starter(self) -> None:
        """Load the pair of models that comes with Tandem."""
        self.load(*self._starter)

    def announce(self, main: str, draft: str | None) -> None:
        """Show a pair as being loaded, before there is an engine; `load` has to follow."""
        self.pair = replace(self.pair, loading="main", wanted=main, wanted_draft=draft or "", draft_problem=None)
        self.changed.emit()

    def load(self, main: str, draft: str | None) -> None:
        """Load a pair. `changed` follows at once and again when it is loaded, `failed` if it cannot be used."""
        self.announce(main, draft)
        loading = self.engine.load(main, draft)
        self._follow(loading)
        if draft is not None:
            self._bridge.watch(loading.main, partial(self._main_loaded, self._changes, draft, loading))

    def cancel_load(self) -> None:
        """Give up the models that are being loaded; those from before stay. `changed` follows when it is done."""
        self.call_engine(lambda engine: engine.cancel_load(), lambda _is_given_up: None)

    def set_draft(self, draft: str | None) -> None:
        """Change the draft model without reloading the main model; None removes it."""
        self.pair = replace(self.pair, loading="draft", wanted=draft or "", draft_problem=None)
        self.changed.emit()
        self._follow(self.engine.set_draft(draft))

    def load_additional(
        self,
        main: str,
        draft: str | None,
        then: Callable[[LoadedPair], object],
        failed: Callable[[EngineError], object],
    ) -> None:
        """Keep another main model with its drafter in memory, for requests that name it."""
        self.call_engine(lambda engine: engine.load_additional(main, draft), then, failed)
        self.refresh_resident_models()

    def adopt_draft(self, wanted: str, future: Future[LoadedPair]) -> None:
        """Show a change of the draft model that the API has begun, and its result once `future` has it."""
        if not self._closing:
            self.pair = replace(self.pair, loading="draft", wanted=wanted, draft_problem=None)
            self.changed.emit()
            self._follow(future)

    def unload(self, main: Path | None = None) -> None:
        """Free the memory of the main model in this folder and of its draft model, or of all models."""
        unloading = self.engine.unload(main)
        self._follow(unloading)
        # Not before it is done: a list that stays open would go on showing the model.
        self._bridge.watch(unloading, lambda _done: self.refresh_resident_models())

    def end_calls(self) -> None:
        """Make `call_engine` do nothing from now on."""
        self._closing = True

    def close(self) -> None:
        """Close the engines of this process. Whoever passed another one to `activate` closes that."""
        for engine in (self._engine, self._local_engine):
            if engine is not None and engine is not self._given_engine:
                engine.close()

    @property
    def _starter(self) -> tuple[str, str | None]:
        main, draft = self.starter_pair
        return str(main), str(draft)

    def _replace_engine(self, ended: EngineClient) -> None:
        """Start a new engine with the pair that was in use, or with the starter pair if engines ended with that pair.

        After _MOST_ENDS ends with a pair it is not loaded again. If engines end with the starter pair, too, nothing is
        loaded any more, and `failed` carries EngineClosed.
        """
        if ended is self._local_engine:
            self._local_engine = None
            ended.close()
        if ended is not self._engine or self._closing:
            return
        # Deliver the last events first: answers and loads fail before the engine is replaced.
        self._bridge.drain()
        if ended is self._given_engine:
            self.activate(None)
            return
        ended.close()
        self._engine = None
        main = self.pair.main
        used = self._starter if main is None else self.pair.paths
        if main is None or not self._change_broke:
            self._ended_with[used] += 1
        left_out = main.name if main is not None and self._ended_with[used] >= _MOST_ENDS else ""
        self.pair = Pair()
        if self._ended_with[self._starter] >= _MOST_ENDS and (left_out or main is None):
            self.failed.emit(EngineClosed())
            self.changed.emit()
            return
        self.load(*(self._starter if left_out else used))
        self.restarted.emit(left_out)

    def _follow(self, future: Future[LoadedPair]) -> None:
        """Show the result of a change of models once it is there."""
        self._changes += 1
        self._bridge.watch(future, partial(self._changed, self._changes, self._engine))

    def _main_loaded(self, number: int, draft: str, whole: Future[LoadedPair], future: Future[LoadedPair]) -> None:
        """Show the main model, so that questions can be asked while the draft model is being loaded."""
        if future.exception() is None and number == self._changes and not whole.done():
            self.pair = replace(self.pair, main=future.result().main, draft=None, loading="draft", wanted=draft)
            self.changed.emit()

    def _changed(self, number: int, engine: EngineClient | None, future: Future[LoadedPair]) -> None:
        """Show the result of change `number` of the models, which `engine` made."""
        if engine is not self._engine:
            # The engine was replaced together with its models.
            return
        error = future.exception()
        newest = number == self._changes
        self._change_broke = isinstance(error, (InternalFailure, FileRefused))
        if error is None:
            pair = future.result()
            if newest and pair.crowded and self.pair.wanted:
                self.crowded.emit()
            if newest:
                self.pair = Pair(pair.main, pair.draft, draft_problem=_not_cancelled(pair.draft_problem))
            else:
                self.pair = replace(self.pair, main=pair.main, draft=pair.draft)
        else:
            problem = as_engine_error(error)
            if newest:
                # The models from before are still loaded.
                failed = _not_cancelled(problem) if self.pair.loading == "draft" else None
                self.pair = replace(self.pair, loading="", wanted="", draft_problem=failed)
            if _not_cancelled(problem) is not None:
                self.failed.emit(problem)
        self.changed.emit()


def _leaves_a_folder(before: EngineSettings, now: EngineSettings) -> bool:
    """Whether a folder in which an engine kept turns or answers of chats is not named any more."""
    return (before.prefix_cache_folder is not None and now.prefix_cache_folder is None) or (
        before.answer_index_folder is not None and now.answer_index_folder is None
    )


def _not_cancelled(problem: EngineError | None) -> EngineError | None:
    """Return a problem with a model, but None for a load that the person gave up."""
    return None if isinstance(problem, LoadCancelled) else problem
