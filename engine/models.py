"""The loaded models and the memory that they and their texts may use. Lives on the engine's thread."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine import memory
from engine.advice.fit import ModelSize
from engine.errors import EngineError, NoModel
from engine.generation import release_unused_memory
from engine.learned import LearnedFile, learned_here
from engine.loading import LoadedModel, OnRead, load_in_slices
from engine.model_files.names import resolve_model
from engine.settings import EngineSettings
from engine.speculation.controllers import learned_pair
from engine.speculation.draft_source import DraftSource, prepare_draft
from engine.speculation.drafting import Drafting
from engine.status import LoadedPair, MemoryUse
from engine.steps import Steps
from engine.tuning import LearnedPair, Pair

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ParkedModels:
    """Models that are to come back, and whether they were loaded without asking for room."""

    main: Path
    draft: Path | None
    allow_oversize: bool


class Models:
    """One main model with its drafting, or nothing.

    `streaming` tells whether somebody would notice a pause; `on_read` is told how much of a model has been read.
    """

    def __init__(
        self,
        settings: EngineSettings,
        streaming: Callable[[], bool] = lambda: False,
        on_read: OnRead = lambda _read, _total: None,
    ) -> None:
        self.settings = settings
        self._streaming, self._on_read = streaming, on_read
        self._main: LoadedModel | None = None
        self._drafting: Drafting | None = None
        self._wired = memory.WiredLimit()
        # What was unloaded for being idle comes back with the next request. Only other models take its place, so that
        # one that could not be loaded now is tried again.
        self.parked: ParkedModels | None = None
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
    def draft(self) -> LoadedModel | None:
        """The draft model, if one is in use."""
        return self._drafting.draft if self._drafting is not None else None

    @property
    def loaded(self) -> bool:
        return self._main is not None

    def main_fits_beside(self, main: str | Path, *, allow_oversize: bool) -> bool:
        """Whether another main model can be read while these stay. Raises `ModelNotUsable`, and `NotEnoughMemory` where
        it would not even fit in their place.
        """
        size, context, free = self._size(main, self.settings.kv_bits), self.settings.context, self.use().free
        if not (allow_oversize or self.settings.allow_oversize):
            memory.check_load(size, None, context, free + self._held_bytes())
        return not self.loaded or memory.weights_fit(size, context, free)

    def draft_fits_beside(self, draft: str | Path, *, allow_oversize: bool) -> bool:
        """Whether another draft model can be read while the one in use stays. Raises as `main_fits_beside` does, and
        `NoModel`.
        """
        sizes = [self._size(self.main.info.path, self.settings.kv_bits), self._size(draft, self.settings.draft_kv_bits)]
        context, free = self.settings.context, self.use().free
        if not (allow_oversize or self.settings.allow_oversize):
            memory.check_load(sizes[0], sizes[1], context, free + self._held_bytes())
        return self.draft is None or memory.weights_fit(sizes[1], context, free)

    def read_main(self, main: str | Path, *, allow_oversize: bool) -> Steps[LoadedModel]:
        """Read a main model, in slices. Raises `ModelNotUsable`."""
        self._allow_oversize = allow_oversize
        return load_in_slices(main, self.settings.kv_bits, self._streaming, self._on_read)

    def read_draft(self, draft: str | Path) -> Steps[DraftSource]:
        """Load a draft model and prepare it for the main model in use, in steps. Raises `ModelNotUsable`."""
        bits = self.settings.draft_kv_bits
        loaded = yield from load_in_slices(draft, bits, self._streaming, self._on_read)
        return (yield from prepare_draft(self.main, loaded))

    def use_main(self, main: LoadedModel) -> None:
        """From now on `main` answers, without a draft."""
        self._main, self._drafting = main, Drafting(main, self._learned_file)
        self.parked = None
        release_unused_memory()
        self._wired.raise_it()

    def use_draft(self, draft: DraftSource | None, problem: EngineError | None) -> LoadedPair:
        """From the next round on `draft` guesses, or none for the reason that `problem` gives."""
        self.drafting.set_draft(draft, problem)
        release_unused_memory()
        return LoadedPair(self.main.info, self.draft.info if self.draft is not None else None, problem)

    def unload(self) -> LoadedPair:
        """Drop everything."""
        self._main = self._drafting = self.parked = None
        release_unused_memory()
        self._wired.put_back()
        return LoadedPair(None, None)

    def park(self) -> None:
        """Unload, but remember what it was."""
        parked = self.in_use
        self.unload()
        self.parked = parked
        if parked is not None:
            log.info("unloaded %s after %s idle seconds", parked.main, self.settings.unload_after_s)

    @property
    def in_use(self) -> ParkedModels | None:
        """What it takes to load these models again."""
        if self._main is None:
            return None
        draft = self.draft.info.path if self.draft is not None else None
        return ParkedModels(self._main.info.path, draft, self._allow_oversize)

    def text_bytes(self, tokens: int) -> int:
        """What the caches of a text of `tokens` tokens take in both models; 0 where nothing is known about them."""
        # The main model comes first.
        return sum(memory.cache_bytes(size, tokens, drafts=i > 0) for i, size in enumerate(self._text_sizes()))

    def check_text(self, tokens: int, free: int) -> None:
        """Raise `NotEnoughMemory` unless a text of `tokens` tokens can be read and kept in `free` bytes."""
        if sizes := self._text_sizes():
            memory.check_text(sizes[0], sizes[1] if len(sizes) > 1 else None, tokens, free)

    def _text_sizes(self) -> list[ModelSize]:
        """The loaded models without their weights, as far as their configurations are known."""
        known = [model for model in (self._main, self.draft) if model is not None and model.config]
        return [
            ModelSize(model.info.name, 0, model.config, memory.element_bytes(model.info.kv_bits)) for model in known
        ]

    @property
    def untuned(self) -> bool:
        """Whether models are loaded of which nothing is known yet about costs."""
        return self._drafting is not None and self._drafting.untuned

    def learned(self) -> tuple[LearnedPair, ...]:
        """What is known about costs and acceptance of pairs of models, loaded or not."""
        if self._drafting is not None:
            return self._drafting.learned()
        known = file.pairs() if (file := self._learned_file) is not None else {}
        return tuple(learned_pair(pair, controller) for pair, controller in known.items())

    def forget_learned(self, pair: Pair | None) -> None:
        """Drop what is known of one pair, or of all."""
        if self._drafting is not None:
            self._drafting.forget(pair)
        elif (file := self._learned_file) is not None:
            file.forget(pair)

    def use(self) -> MemoryUse:
        """The memory as it is now."""
        return memory.memory_use(self.settings.memory_limit)

    @property
    def _learned_file(self) -> LearnedFile | None:
        return None if self.settings.learned_file is None else learned_here(self.settings.learned_file)

    @staticmethod
    def _size(model: str | Path, kv_bits: int | None) -> ModelSize:
        return memory.size_on_disk(resolve_model(model), kv_bits)

    def _held_bytes(self) -> int:
        return sum(model.info.bytes for model in (self._main, self.draft) if model is not None)
