"""The table of the kinds of drafters: how each is recognised, sized and loaded.

In a round, a drafter is used through its proposer (`engine.methods`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import mlx.nn as nn

from engine.files.disk_pool import DiskPool
from engine.files.steps import Steps, result_of
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import OnProgress, display_name, load_in_steps
from engine.model_files.model_folder import ModelFolder
from engine.model_files.names import resolve_model
from engine.settings import EngineSettings
from engine.speculation.drafters.sources import Drafter, HeadSource, prepare_draft, prepare_head
from engine.status import ModelInfo
from engine.teaching.kept import TaughtAdapter, taught_adapter


@dataclass(frozen=True, slots=True)
class DrafterLoading:
    """The `main` model to draft for, the settings, and the `streaming` and `on_progress` of `load_in_steps`."""

    main: LoadedModel
    settings: EngineSettings
    streaming: Callable[[], bool]
    on_progress: OnProgress


@dataclass(frozen=True, slots=True)
class DrafterKind:
    """A kind of drafter: functions that recognise its folder, load it in steps, and return the bits of its caches.

    `load` raises `ModelNotUsable` for a folder that is damaged or made for another main model.
    """

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
    """Load a head and prepare it for `main`; `adapt` is as in `load_head`. Raises `ModelNotUsable`."""
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
