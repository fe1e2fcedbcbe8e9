"""Loads a draft model with the adapter that it was taught for a main model, if there is one to use."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn

from engine.errors import CannotTeach
from engine.files.disk_pool import DiskPool
from engine.files.steps import Steps, result_of
from engine.main_model.loading import LoadedModel, OnProgress, display_name, load_in_steps
from engine.model_files.names import resolve_model
from engine.teaching.adapter import add_adapter, from_bytes, fuse, remove_adapter, set_adapter
from engine.teaching.kept import taught_files

log = logging.getLogger(__name__)


def load_taught(
    name_or_path: str | Path,
    main: LoadedModel,
    folder: Path | None,
    kv_bits: int | None,
    streaming: Callable[[], bool],
    on_progress: OnProgress,
) -> Steps[LoadedModel]:
    """Load a draft model as `load_in_steps` does, with the version in `folder` that is chosen for it with `main`.

    If that version cannot be used, the draft model is loaded as it was downloaded. Raises `ModelNotUsable`.
    """
    path = resolve_model(name_or_path)
    number, adapter, taught = 0, dict[str, mx.array](), 0

    def adapt(model: nn.Module) -> None:
        nonlocal taught
        if not number:
            return
        try:
            add_adapter(model)
            set_adapter(model, adapter)
        except (CannotTeach, ValueError) as error:
            log.warning("what %s was taught is not used: %s", path, error)
            remove_adapter(model)
            return
        fuse(model)
        taught = number

    if folder is not None:
        with DiskPool() as disk:
            number, content = yield from result_of(disk.start(_chosen, folder, main, name_or_path, path))
        try:
            adapter = from_bytes(content)[0] if number else {}
        except ValueError as error:
            log.warning("what %s was taught is damaged: %s", path, error)
            number = 0
    draft = yield from load_in_steps(name_or_path, kv_bits, streaming, on_progress, adapt=adapt)
    return replace(draft, info=replace(draft.info, taught=taught))


def _chosen(folder: Path, main: LoadedModel, name: str | Path, path: Path) -> tuple[int, bytes]:
    """Return the chosen version and its file; 0 if there is none, or none that can be used."""
    files = taught_files(folder, main, path, display_name(name, path))
    try:
        return (files.chosen, files.content(files.chosen)) if files.chosen and not files.problem else (0, b"")
    except ValueError as error:
        log.warning("what %s was taught is not used: %s", path, error)
        return 0, b""
