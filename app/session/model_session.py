"""The part of the session that is about models: the engine, the pair that is loaded, and what is on its way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Signal

from app.session.bridge import Bridge, as_engine_error
from engine.model_files.cache_names import name_of_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from concurrent.futures import Future

    from engine.client import EngineClient
    from engine.errors import EngineError
    from engine.settings import EngineSettings

T = TypeVar("T")


@dataclass(frozen=True)
class Pair:
    """The models in use. `loading` is "main" or "draft" while one is on its way, `wanted` what was asked for; while it
    is the draft, the main model answers already.

    `draft_problem` says why the draft that was asked for is not in use.
    """

    main: Any = None
    draft: Any = None
    loading: str = ""
    wanted: str = ""
    draft_problem: EngineError | None = None

    @property
    def names(self) -> tuple[str, str]:
        """What main and draft are called in stored figures and settings, "" for one that is not there.

        A draft that is on its way counts: it will guess in the answers that begin now.
        """
        draft = self.draft.name if self.draft else ""
        if self.loading == "draft":
            wanted = Path(self.wanted)
            draft = name_of_snapshot(wanted) if wanted.is_absolute() else self.wanted
        return self.main.name if self.main else "", draft


class ModelSession(QObject):
    """Owns the engine. `models_changed` follows everything that happens to the pair, `problem` carries an error that
    belongs to no answer.
    """

    models_changed = Signal()
    problem = Signal(object)

    def __init__(self, make_engine: Callable[[], EngineClient], starter_pair: tuple[Path, Path]) -> None:
        super().__init__()
        self._make_engine = make_engine
        self._engine: EngineClient | None = None
        self._limits: EngineSettings | None = None
        self._known: Collection[str] | None = None
        self._closed = False
        # Counts the changes of models that were asked for; only the newest is still waited for.
        self._changes = 0
        self.starter_pair = starter_pair
        self.bridge = Bridge(self)
        self.pair = Pair()

    @property
    def engine(self) -> EngineClient:
        """Made when it is first needed: its thread's imports must not slow down the opening of the window."""
        if self._engine is None:
            self._engine = self._make_engine()
            if self._limits is not None:
                self._engine.configure(self._limits)
            if self._known is not None:
                self._engine.keep_stored(self._known)
        return self._engine

    def configure(self, limits: EngineSettings) -> None:
        """Set up the engine, now or when it is made; `EngineSettings` says when each of them takes effect."""
        before = self._limits
        if limits == before:
            return
        if before is not None and before.prefix_cache_folder is not None and limits.prefix_cache_folder is None:
            # What is not to be kept any more is not left lying about.
            self.engine.keep_stored(())
        self._limits = limits
        if self._engine is not None:
            self._engine.configure(limits)

    def keep_stored(self, conversations: Collection[str]) -> None:
        """Let the engine drop what it has on disk of all others, now or when it is made."""
        self._known = conversations
        if self._engine is not None:
            self._engine.keep_stored(conversations)

    def forget_conversations(self, conversations: Collection[str]) -> None:
        """Let the engine drop what was read of chats that are gone for good."""
        if self._engine is not None or (self._limits is not None and self._limits.prefix_cache_folder is not None):
            self.engine.forget_conversations(conversations)

    def ask_engine(
        self,
        call: Callable[[EngineClient], Future[T]],
        then: Callable[[T], object],
        failed: Callable[[EngineError], object] | None = None,
    ) -> bool:
        """Hand what a call brings to `then`, its error to `failed`; False where there is no engine yet or any more."""
        if self._engine is None or self._closed:
            return False

        def done(future: Future[T]) -> None:
            error = future.exception()
            if error is None:
                then(future.result())
            elif failed is not None:
                failed(as_engine_error(error))

        self.bridge.watch(call(self._engine), done)
        return True

    @property
    def reading(self) -> tuple[int, int]:
        """Of the model that is on its way: bytes that are in memory, and all of them; 0 before that is known."""
        return self._engine.loading_progress if self._engine is not None else (0, 0)

    def load_starter(self) -> None:
        main, draft = self.starter_pair
        self.load(str(main), str(draft))

    def load(self, main: str, draft: str | None) -> None:
        """Load a pair; `models_changed` follows at once and again when it is there, `problem` if it cannot be
        used.
        """
        self.pair = replace(self.pair, loading="main", wanted=main, draft_problem=None)
        self.models_changed.emit()
        loading = self.engine.load(main, draft)
        self._follow(loading)
        if draft is not None:
            self.bridge.watch(loading.main, partial(self._main_there, self._changes, draft, loading))

    def set_draft(self, draft: str | None) -> None:
        """Change the draft model without reloading the main model; None takes it away."""
        self.pair = replace(self.pair, loading="draft", wanted=draft or "", draft_problem=None)
        self.models_changed.emit()
        self._follow(self.engine.set_draft(draft))

    def unload(self) -> None:
        """Frees the memory of both models."""
        self._follow(self.engine.unload())

    def _follow(self, future: Future[Any]) -> None:
        self._changes += 1
        self.bridge.watch(future, partial(self._changed, self._changes))

    def _main_there(self, number: int, draft: str, whole: Future[Any], future: Future[Any]) -> None:
        """Questions can be asked while the draft is read."""
        if future.exception() is None and number == self._changes and not whole.done():
            self.pair = replace(self.pair, main=future.result().main, draft=None, loading="draft", wanted=draft)
            self.models_changed.emit()

    def _changed(self, number: int, future: Future[Any]) -> None:
        error, newest = future.exception(), number == self._changes
        if error is None:
            pair = future.result()
            if newest:
                self.pair = Pair(pair.main, pair.draft, draft_problem=pair.draft_problem)
            else:
                self.pair = replace(self.pair, main=pair.main, draft=pair.draft)
        else:
            problem = as_engine_error(error)
            if newest:
                # Whatever was loaded before is still there.
                failed = problem if self.pair.loading == "draft" else None
                self.pair = replace(self.pair, loading="", wanted="", draft_problem=failed)
            self.problem.emit(problem)
        self.models_changed.emit()
