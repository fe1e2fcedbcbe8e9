"""The main models in memory, which of them is in use, and what each drafts with. Runs on the engine's thread."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
from msgspec.structs import replace

from engine.advice.fit import ModelSize, stored_bits
from engine.decoders.generation import release_unused_memory
from engine.encoders.resident import ResidentEncoder
from engine.errors import EngineError, NoModel
from engine.files.disk_pool import DiskPool
from engine.files.steps import Steps, result_of
from engine.files.system_memory import memory_pressure
from engine.finding.gguf_models import conversion_of, is_gguf
from engine.gguf.conversion import convert
from engine.gguf.provenance import VERSION, read_provenance
from engine.machine.process_info import slowed
from engine.machine.row_costs import first_guess
from engine.main_model.loaded_model import LoadedModel
from engine.model_files.config import experts_of
from engine.model_files.names import resolve_model
from engine.requests import MAX_DEPTH, ChatRequest
from engine.row_kernels import choice as row_kernels
from engine.row_kernels.product import TILE
from engine.settings import EngineSettings
from engine.speculation.choosing.kept import Controllers, machine_here
from engine.speculation.drafters.sources import Drafter
from engine.speculation.drafting import Drafting
from engine.status import LoadedPair
from engine.tuning import Rounding
from engine.upkeep import memory
from engine.upkeep.draft_runners import DraftRunners
from engine.upkeep.drafters import DrafterLoading, drafter_kind, load_drafter
from engine.upkeep.load_progress import LoadProgress, Report
from engine.upkeep.main_loader import MainLoader
from engine.upkeep.resident_models import ResidentModel
from engine.upkeep.rounding_probe import probe_and_keep

log = logging.getLogger(__name__)


class Models:
    """The main models in memory with their drafting: the one in use, and the other resident ones.

    `own` is the folder of the main model that answers requests which name none. `reloadable` maps the folders of
    unloaded main models, which the next request for them loads again, to those of their drafters. `streaming` returns
    whether answers are being decoded, which a pause would delay; `on_progress` is called with the bytes of weights
    loaded and in total, and whether a GGUF file is being converted.
    """

    def __init__(
        self,
        settings: EngineSettings,
        streaming: Callable[[], bool] = lambda: False,
        on_progress: Report = lambda _loaded, _total, _converting: None,
        main_loader: MainLoader | None = None,
    ) -> None:
        self.settings = settings
        self._main_loader = main_loader or MainLoader()
        self.memory = memory.ModelMemory(settings, self._main_loader)
        self.streaming = streaming
        self.progress = LoadProgress(on_progress)
        self.own: Path | None = None
        self.reloadable: dict[Path, Path | None] = {}
        self._current: ResidentModel | None = None
        # All main models in memory, the one in use last, and before it those that were used last.
        self.resident: list[ResidentModel] = []
        # The model that makes embeddings, beside the main models.
        self.encoder = ResidentEncoder(lambda: self.memory.use().free)
        self.controllers = Controllers(settings.learned_file, f"{machine_here()}, kernels {row_kernels.digest()}")
        self._draft_runners = DraftRunners(self.memory)
        # Whether the models that the change under way has loaded took more memory than was available.
        self.crowded = False
        # The probe of the main model that has begun.
        self._probe: Steps[None] | None = None

    def configure(self, settings: EngineSettings) -> None:
        """Use other settings from now on; answers under way go on without a draft runner of other settings."""
        before = self.settings
        if settings.draft_ahead != before.draft_ahead or settings.draft_ahead_branches != before.draft_ahead_branches:
            # What rounds are worth with the runner depends on both.
            self._draft_runners.forget()
        self.settings = self.memory.settings = settings

    @property
    def main(self) -> LoadedModel:
        """The main model in use. Raises `NoModel`."""
        if self._current is None:
            raise NoModel
        return self._current.main

    @property
    def drafting(self) -> Drafting:
        """The drafting of the main model in use. Raises `NoModel`."""
        if self._current is None:
            raise NoModel
        return self._current.drafting

    @property
    def drafter(self) -> Drafter | None:
        """The draft model or head in use, if any."""
        return self._current.drafting.drafter if self._current is not None else None

    def start_drafting_ahead(self) -> str:
        """Start the draft runner, if there may be one; returns its state, as in `RequestStats.ahead`."""
        if self.drafter is None:
            return ""
        link = self._draft_runners.reach(self.drafter)
        return link if isinstance(link, str) else link.reason or link.state

    @property
    def pair(self) -> LoadedPair:
        """The models in use."""
        return LoadedPair(None, None) if self._current is None else self._current.pair

    @property
    def own_resident(self) -> ResidentModel | None:
        """The models that answer requests which name none, if they are in memory."""
        return next((model for model in self.resident if model.path == self.own), None)

    @property
    def loaded(self) -> bool:
        return self._current is not None

    def is_resident(self, path: Path | None) -> bool:
        """Whether the main model in this folder is in memory."""
        return any(model.path == path for model in self.resident)

    def wanted_by(self, request: ChatRequest) -> Path | None:
        """Return the folder of the main model that is to answer the request; None if there is none."""
        return self.own if request.main is None else Path(request.main)

    def serves(self, request: ChatRequest) -> bool:
        """Whether the main model in use is the one that is to answer the request."""
        return self._current is not None and self._current.path == self.wanted_by(request)

    def least_used(self, but: Path | None) -> Path | None:
        """Return the folder of the model to be unloaded first, not the one in use or `but`; `own` is the last.

        None if there is no other.
        """
        paths = (model.path for model in self.resident if model is not self._current and model.path != but)
        return min(paths, key=lambda path: path == self.own, default=None)

    def main_fits_additionally(self, main: str | Path) -> bool:
        """Whether another main model can be loaded while these stay loaded.

        Raises `ModelNotUsable`, and `NotEnoughMemory` if it would not even fit in their place.
        """
        size = self.memory.main_size(main)
        self.memory.check_load(size, None)
        return not self.loaded or (not self._main_loader.one_at_a_time and not self.memory.crowds(size))

    def draft_fits_additionally(self, draft: str | Path) -> bool:
        """Whether another drafter can be loaded while all models stay loaded.

        Raises `NoModel` and the errors of `main_fits_additionally`.
        """
        size = self._draft_size(draft)
        self.memory.check_load(self.memory.main_size(self.main.info.path), size)
        return not self.memory.crowds(size)

    def _draft_size(self, draft: str | Path) -> ModelSize:
        path = resolve_model(draft)
        return memory.size_on_disk(path, drafter_kind(path).kv_bits(self.settings))

    def load_main(self, main: str | Path) -> Steps[LoadedModel]:
        """Load a main model, in steps. Raises `ModelNotUsable`."""
        settings = self.settings
        context = None if settings.allow_oversize else settings.context
        self.crowded = self.memory.crowds(self.memory.main_size(main))
        return self._main_loader.load(main, settings.kv_bits, self.streaming, self.progress.read, context)

    def load_draft(self, draft: str | Path) -> Steps[Drafter]:
        """Load a draft model or a head for the main model in use, in steps. Raises `ModelNotUsable`."""
        self.crowded = self.crowded or self.memory.crowds(self._draft_size(draft))
        return load_drafter(draft, DrafterLoading(self.main, self.settings, self.streaming, self.progress.read))

    def activate_main(self, main: LoadedModel) -> None:
        """Answer with `main` from now on, without a drafter; the model in use before stays resident."""
        self._put_aside()
        self._expect_costs_of(main)
        self._current = ResidentModel(main, Drafting(main, self.controllers, self._draft_runners.reach))
        self.drafting.on_stall = self._stop_row_kernels
        self.resident.append(self._current)
        self.reloadable.pop(main.info.path, None)
        if self.rounding is not None:
            row_kernels.use_row_kernels(main.model, self.rounding.kernels)
            # Metal compiles our kernels with the first pass of each width that they serve.
            for rows in sorted({cost.rows for cost in self.rounding.kernels if cost.used and cost.rows <= TILE}):
                mx.eval(main.model(mx.zeros((1, rows), mx.uint32), cache=main.new_caches()))
        release_unused_memory()
        self.memory.follow(self.resident, self._current)

    def switch(self, path: Path) -> None:
        """Answer with the resident main model in this folder and its drafter from now on."""
        self._put_aside()
        [self._current] = [model for model in self.resident if model.path == path]
        self.resident.remove(self._current)
        self.resident.append(self._current)
        self._expect_costs_of(self._current.main)
        self._current.drafting.select()
        self.memory.follow(self.resident, self._current)

    def _stop_row_kernels(self, rows: int, times: float) -> None:
        """Use MLX's kernels until the program ends if ours served a round of `rows` rows that stalled."""
        if self.rounding is None or not any(cost.used and cost.rows == rows for cost in self.rounding.kernels):
            return
        log.warning("Tandem's kernels are off: a round of %d rows took %.0f times as long as expected", rows, times)
        self.controllers.rounding = replace(self.rounding, stalled=True)
        self.controllers.keep_rounding()
        self.controllers.kernels_off = True
        for model in self.resident:
            row_kernels.use_row_kernels(model.main.model, ())
        self.drafting.begin_again()

    def _put_aside(self) -> None:
        self._draft_runners.close()
        self.controllers.keep()
        self._stop_probe()
        self._current = None

    def _stop_probe(self) -> None:
        """End the probe under way, if any; its race then counts as stopped, not as one that did not end."""
        if self._probe is not None:
            self._probe.close()
        self._probe = None

    def _expect_costs_of(self, main: LoadedModel) -> None:
        experts, visited = experts_of(main.config)
        self.controllers.guess = first_guess(visited / experts, MAX_DEPTH + 1, stored_bits=stored_bits(main.config))

    def activate_draft(self, drafter: Drafter | None, problem: EngineError | None) -> LoadedPair:
        """Draft with `drafter`, or without, from the next round on; `problem` is why there is none, if it failed."""
        self._draft_runners.forget()
        self.drafting.set_draft(drafter, problem)
        release_unused_memory()
        self.memory.follow(self.resident, self._current)
        return LoadedPair(self.main.info, drafter.info if drafter is not None else None, problem, self.crowded)

    def drop(self, path: Path) -> None:
        """Unload the main model in this folder and its drafter, and note in `reloadable` how to load them again."""
        dropped = next((model for model in self.resident if model.path == path), None)
        if dropped is None:
            return
        self.reloadable[path] = dropped.pair.draft_path
        self.resident.remove(dropped)
        # Nothing may hold its weights while freed memory is returned.
        del dropped
        log.info("unloaded %s until the next request", path)
        if self._current is not None and self._current.path == path:
            self._put_aside()
            self.controllers.pair = ("", "")
        self.memory.follow(self.resident, self._current)
        self.return_memory()
        if not self.resident:
            self._main_loader.unloaded()

    def return_memory(self) -> None:
        """Give the memory of models that nothing refers to any more back to the system."""
        release_unused_memory()
        memory.return_freed_memory()

    @property
    def loads_alone(self) -> bool:
        """Whether no other process loads a main model together with this one."""
        return not self._main_loader.one_at_a_time

    @property
    def untuned(self) -> bool:
        """Whether models are loaded that should be measured while the engine is idle."""
        return self.loaded and (self.controllers.untuned or (self.controllers.lasting and self.unprobed))

    @property
    def rounding(self) -> Rounding | None:
        """How this machine rounds the rows of the main model; None if that is unknown."""
        return self.controllers.rounding if self.loaded else None

    @property
    def unprobed(self) -> bool:
        """Whether a main model is loaded and it is unknown how this machine rounds its rows."""
        # The probe races kernels of ours.
        return self.loaded and self.rounding is None and not self.controllers.kernels_off

    def probe(self, stop: Callable[[], bool], seconds: float) -> None:
        """Measure how the machine rounds, for `seconds` at most or until `stop()` is true.

        A later call goes on where this one stopped.
        """
        end = time.monotonic() + seconds
        self._probe = self._probe or probe_and_keep(self.main, self.memory.available, self.controllers)
        while self.unprobed and time.monotonic() < end and not stop():
            next(self._probe, None)

    def forget_learned(self) -> None:
        """Drop the costs and acceptance of all pairs."""
        self._stop_probe()
        if self._current is not None:
            self._current.drafting.forget()
        else:
            self.controllers.forget()

    def update_slowdown(self) -> str:
        """Learn what slows the machine down, and return it, "" for nothing.

        While answers are under way, it stays what it was when they began.
        """
        if not self.streaming():
            self.drafting.controller.set_slowdown("memory" if memory_pressure() == "critical" else slowed())
        return self.drafting.controller.learned.slowed


def folder_of(model: str | Path, progress: LoadProgress) -> Steps[Path]:
    """Return the folder of a model, which a GGUF file is turned into first, in steps. Raises `ModelNotUsable`."""
    progress.begin()
    path = resolve_model(model)
    made = read_provenance(path)
    source = path if made is None else Path(made.source)
    if not source.is_file() or not is_gguf(source):
        return path
    # Not at the top: importing it takes longer than loading a small model.
    from huggingface_hub import constants

    folder = conversion_of(source, Path(constants.HF_HUB_CACHE))
    # Made of the file as it was once, or not here.
    if made is not None and folder.resolve() != path:
        return path
    provenance = read_provenance(folder)
    if provenance is None or provenance.version < VERSION:
        with DiskPool() as disk:
            yield from result_of(disk.start(convert, source, folder, progress.convert, disk.leaving))
    return folder if made is None else path
