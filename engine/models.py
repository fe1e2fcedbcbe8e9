"""The loaded models and the memory that they and their texts may use. Lives on the engine's thread."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine import memory
from engine.errors import EngineError, NoModel
from engine.generation import release_unused_memory
from engine.hub.names import resolve_model
from engine.loading import LoadedModel, ModelInfo, load
from engine.settings import EngineSettings
from engine.speculation.drafting import Drafting
from engine.speculation.learned import learned_here, told
from engine.tuning import LearnedPair, Pair

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class LoadedPair:
    """What is loaded now; plain data. `draft_problem` says why a draft that was asked for is not in use."""

    main: ModelInfo | None
    draft: ModelInfo | None
    draft_problem: EngineError | None = None


@dataclass(frozen=True, slots=True)
class Parked:
    """What was unloaded for being idle, and whether it was loaded without asking for room."""

    main: Path
    draft: Path | None
    allow_oversize: bool


class Models:
    """One main model with its drafting, or nothing. `give_up` is asked while weights are read."""

    def __init__(self, settings: EngineSettings, give_up: Callable[[], bool] = lambda: False) -> None:
        self.settings = settings
        self._give_up = give_up
        self._main: LoadedModel | None = None
        self._drafting: Drafting | None = None
        self._draft: LoadedModel | None = None
        self._wired = memory.WiredLimit()
        # What was unloaded for being idle comes back with the next request.
        self._parked: Parked | None = None
        self._allow_oversize = False

    @property
    def main(self) -> LoadedModel:
        """The main model. Raises `NoModel`."""
        if self._main is None:
            raise NoModel
        return self._main

    @property
    def drafting(self) -> Drafting:
        """Where its guesses come from. Raises `NoModel`."""
        if self._drafting is None:
            raise NoModel
        return self._drafting

    @property
    def loaded(self) -> bool:
        return self._main is not None

    def read_main(self, main: str | Path, *, allow_oversize: bool) -> LoadedModel:
        """Load a main model beside the one in use. Raises `ModelNotUsable`, `NotEnoughMemory`, `EngineClosed`."""
        self._check(main, None, freed=self._held_bytes(), allow_oversize=allow_oversize)
        self._allow_oversize = allow_oversize
        return load(main, self.settings.kv_bits, self._give_up)

    def read_draft(self, draft: str | Path, *, allow_oversize: bool) -> LoadedModel:
        """Load a draft model for the main model in use. Raises as `read_main` does."""
        freed = self._held_bytes()
        self._check(self.main.info.path, draft, freed=freed, allow_oversize=allow_oversize)
        return load(draft, self.settings.draft_kv_bits, self._give_up)

    def use_main(self, main: LoadedModel) -> None:
        """From now on `main` answers, without a draft."""
        file = self.settings.learned_file
        self._main, self._drafting = main, Drafting(main, learned_here(file) if file is not None else None)
        self._draft = self._parked = None
        release_unused_memory()
        self._wired.raise_it()

    def use_draft(self, draft: LoadedModel | None, problem: EngineError | None) -> LoadedPair:
        """From the next round on `draft` guesses, or none for the reason that `problem` gives."""
        problem = self.drafting.set_draft(draft, problem)
        self._draft = draft if problem is None else None
        release_unused_memory()
        return LoadedPair(self.main.info, self.drafting.draft_info, problem)

    def unload(self) -> LoadedPair:
        """Drop everything."""
        self._main = self._drafting = self._draft = self._parked = None
        release_unused_memory()
        self._wired.put_back()
        return LoadedPair(None, None)

    def park(self) -> None:
        """Unload, but remember what it was."""
        main, draft = self._main, self._draft
        self.unload()
        if main is not None:
            self._parked = Parked(main.info.path, draft.info.path if draft is not None else None, self._allow_oversize)
            log.info("unloaded %s after %s idle seconds", main.info.name, self.settings.unload_after_s)

    def take_parked(self) -> Parked | None:
        """What was parked and has to be loaded again before anything can be answered."""
        parked, self._parked = self._parked, None
        return parked

    def text_bytes(self, tokens: int) -> int:
        """What the caches of a text of `tokens` tokens take in both models; 0 where nothing is known about them."""
        loaded = [model for model in (self._main, self._draft) if model is not None and model.config]
        return sum(memory.cache_bytes(model.config, tokens, model.info.kv_bits) for model in loaded)

    @property
    def untuned(self) -> bool:
        """Whether models are loaded of which nothing is known yet about costs."""
        return self._drafting is not None and self._drafting.untuned

    def learned(self) -> tuple[LearnedPair, ...]:
        """What is known about costs and acceptance of pairs of models, loaded or not."""
        if self._drafting is not None:
            return self._drafting.learned()
        known = self._learned.pairs() if self._learned is not None else {}
        return tuple(told(pair, controller) for pair, controller in known.items())

    def forget_learned(self, pair: Pair | None) -> None:
        """Drop what is known of one pair, or of all."""
        if self._drafting is not None:
            self._drafting.forget(pair)
        elif self._learned is not None:
            self._learned.forget(pair)

    def use(self) -> memory.MemoryUse:
        """The memory as it is now."""
        return memory.memory_use(self.settings.memory_limit)

    def _check(self, main: str | Path, draft: str | Path | None, *, freed: int, allow_oversize: bool) -> None:
        if allow_oversize or self.settings.allow_oversize:
            return
        sizes = [memory.size_on_disk(resolve_model(main), self.settings.kv_bits)]
        if draft is not None:
            sizes.append(memory.size_on_disk(resolve_model(draft), self.settings.draft_kv_bits))
        memory.check_load(sizes[0], sizes[1] if draft is not None else None, self.settings.context, self.use(), freed)

    def _held_bytes(self) -> int:
        return sum(model.info.bytes for model in (self._main, self._draft) if model is not None)
