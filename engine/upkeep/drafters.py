"""The kinds of drafters: how each is recognised, sized and loaded, and when one drafts asynchronously."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import mlx.nn as nn

from engine.async_drafting import link as links
from engine.async_drafting.link import DrafterLink
from engine.files.disk_pool import DiskPool
from engine.files.steps import Steps, result_of
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import OnProgress, display_name, load_in_steps
from engine.model_files.model_folder import ModelFolder
from engine.model_files.names import resolve_model
from engine.settings import EngineSettings
from engine.speculation.drafters.sources import Drafter, DraftSource, HeadSource, prepare_draft, prepare_head
from engine.status import ModelInfo
from engine.teaching.kept import TaughtAdapter, taught_adapter
from engine.upkeep.memory import ModelMemory

log = logging.getLogger(__name__)

# The share of drafting in a round from which "auto" tries a drafter. One slows the main model's passes down, because it
# uses memory bandwidth.
LEAST_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class DrafterLoading:
    """The `main` model to draft for, the settings, and the `streaming` and `on_progress` of `load_in_steps`."""

    main: LoadedModel
    settings: EngineSettings
    streaming: Callable[[], bool]
    on_progress: OnProgress


@dataclass(frozen=True, slots=True)
class DrafterKind:
    """A kind of drafter. `load` raises `ModelNotUsable` for a damaged folder, or one for another main model."""

    recognises: Callable[[Path], bool]
    load: Callable[[str | Path, DrafterLoading, TaughtAdapter], Steps[Drafter]]
    kv_bits: Callable[[EngineSettings], int | None]


def load_drafter(name_or_path: str | Path, loading: DrafterLoading) -> Steps[Drafter]:
    """Load a draft model or a head and prepare it for the main model, in steps. Raises `ModelNotUsable`."""
    with DiskPool() as disk:
        kind = yield from result_of(disk.start(drafter_kind, resolve_model(name_or_path)))
    taught = yield from taught_adapter(name_or_path, loading.main, loading.settings.taught_folder)
    return (yield from kind.load(name_or_path, loading, taught))


def drafter_kind(folder: Path) -> DrafterKind:
    """Return the kind of drafter in a folder, which is a draft model unless it is a head. Reads headers."""
    return next(kind for kind in KINDS if kind.recognises(folder))


def load_head_for(
    main: LoadedModel,
    name_or_path: str | Path,
    adapt: Callable[[nn.Module], str | None],
    on_progress: OnProgress = lambda _loaded, _total: None,
) -> Steps[HeadSource]:
    """Load a head and prepare it for `main`; `adapt` is that of `load_head`. Raises `ModelNotUsable`."""
    # The networks of heads are imported with the first one.
    from engine.heads.fit import memory_config
    from engine.heads.folder import inspect_head
    from engine.heads.loading import load_head
    from engine.speculation.rounds.tap_choice import choose_reading

    path = resolve_model(name_or_path)
    with DiskPool() as disk:
        content = yield from result_of(disk.start(inspect_head, path))
    on_progress(0, content.weight_bytes)
    head = yield from load_head(content, adapt)
    if len(head.readings) > 1:
        yield from choose_reading(main, head)
    name = display_name(name_or_path, path)
    info = ModelInfo(name, path, head.kind, main.info.context_length, head.nbytes, kind="head")
    return prepare_head(main, head, info, memory_config(content.config))


def _load_head(name_or_path: str | Path, loading: DrafterLoading, taught: TaughtAdapter) -> Steps[Drafter]:
    head = yield from load_head_for(loading.main, name_or_path, taught.adapt, loading.on_progress)
    return replace(head, info=replace(head.info, taught=taught.digest))


def _load_draft_model(name_or_path: str | Path, loading: DrafterLoading, taught: TaughtAdapter) -> Steps[Drafter]:
    bits = loading.settings.draft_kv_bits
    draft = yield from load_in_steps(name_or_path, bits, loading.streaming, loading.on_progress, adapt=taught.adapt)
    draft = replace(draft, info=replace(draft.info, taught=taught.digest))
    return (yield from prepare_draft(loading.main, draft))


# The first kind that recognises a folder counts: a head by its tensors. Loading as a draft model reports the fault of
# any other folder.
KINDS = (
    DrafterKind(lambda folder: ModelFolder(folder).head is not None, _load_head, lambda _settings: None),
    DrafterKind(lambda _folder: True, _load_draft_model, lambda settings: settings.draft_kv_bits),
)


class AsyncDrafters:
    """Decides whether an engine drafts asynchronously, and owns its one link. Belongs to the engine's thread."""

    def __init__(self, memory: ModelMemory) -> None:
        self._memory = memory
        self._link: DrafterLink | None = None
        self._folder: Path | None = None

    def reach(self, draft: DraftSource, share: float | None) -> DrafterLink | str:
        """Return the drafter for a draft model, or the reason for none, as in `RequestStats.ahead`.

        `share` is the measured share of drafting in a round, which is the most that can be gained; None before it was
        measured.
        """
        wanted = self._memory.settings.async_drafter
        if wanted == "off":
            reason = ""
        elif wanted == "auto" and not self.running and (share or 0.0) < LEAST_SHARE:
            reason = "no-gain"
        elif draft.translation is not None:
            reason = "other-tokenizer"
        elif not self.running and not self._memory.copy_fits(draft):
            log.info("there is no memory for another copy of %s", draft.info.name)
            reason = "no-memory"
        else:
            return self._link_for(draft.info.path)
        if wanted in ("off", "auto"):
            self.close()
        return reason

    def _link_for(self, folder: Path) -> DrafterLink:
        """Return the link for the draft model in `folder`, and end one for another model."""
        if folder != self._folder:
            self.close()
        if self._link is None:
            self._link, self._folder = DrafterLink(lambda: links.in_a_process(folder)), folder
        return self._link

    @property
    def running(self) -> bool:
        return self._link is not None and self._link.state != "gone"

    def close(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            link.close()
