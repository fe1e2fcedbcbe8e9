"""Turns a GGUF file into a folder that MLX loads, in a process with limits."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from engine.errors import ModelNotUsable, TemplateFailed
from engine.files.atomic_file import PARTIAL, write_atomically
from engine.files.disk_space import free_bytes
from engine.gguf import provenance
from engine.gguf.plan import GgufPlan
from engine.gguf.provenance import Provenance, read_provenance
from engine.tokenizers.prompt_process.client import BUILD_S, GGUF_PROCESS

# Weights that a slow machine converts in a second of computing; others convert ten times as many bytes.
_BYTES_A_SECOND = 4_000_000
# What is left for others on the disk.
_SPARE_BYTES = 2**28


def convert(
    source: Path, folder: Path, on_progress: Callable[[int, int], object], cancelled: threading.Event
) -> Provenance:
    """Turn a GGUF file, or a split one of which `source` is any part, into the model folder `folder`. Waits.

    `on_progress` gets the bytes of weights written so far, and those of all. The folder appears when it is complete;
    what a killed conversion left beside it is removed by the next one. One of an older version keeps its weights.
    Raises `ModelNotUsable`, and `EngineClosed` when `cancelled`.
    """
    partial = folder.with_name(f".{folder.name}{PARTIAL}")
    older = read_provenance(folder)
    try:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        if older is not None:
            return _renewed(older, source, partial, folder, cancelled)
        made = _written(source, partial, on_progress, cancelled)
        _keep(made, partial)
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(partial, folder)
    except OSError as error:
        raise ModelNotUsable(source, "not-written", error.strerror or str(error)) from error
    except TemplateFailed as error:
        raise error.of_model(source, "damaged", f"{source.name} ({error.brief})") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        GGUF_PROCESS.release()
    return made


def _renewed(older: Provenance, source: Path, partial: Path, folder: Path, cancelled: threading.Event) -> Provenance:
    """Write anew what lies beside the weights of a folder, and its record last."""
    _checked(source, GGUF_PROCESS.prepare_gguf(source, partial, 2 * BUILD_S, cancelled))
    for file in partial.iterdir():
        os.replace(file, folder / file.name)
    made = msgspec.structs.replace(older, version=provenance.VERSION)
    _keep(made, folder)
    return made


def _keep(made: Provenance, folder: Path) -> None:
    write_atomically(folder / provenance.NAME, msgspec.json.format(msgspec.json.encode(made)))


def _written(
    source: Path, partial: Path, on_progress: Callable[[int, int], object], cancelled: threading.Event
) -> Provenance:
    plan = _checked(source, GGUF_PROCESS.prepare_gguf(source, partial, 2 * BUILD_S, cancelled))
    found = source.stat()
    done, total = 0, sum(plan.shards)
    free = free_bytes(partial)
    if free is not None and free < total + _SPARE_BYTES:
        raise ModelNotUsable(source, "disk-full", f"{(total + _SPARE_BYTES) / 1e9:.1f} GB")
    on_progress(done, total)
    for number, nbytes in enumerate(plan.shards):
        seconds = BUILD_S + nbytes / _BYTES_A_SECOND
        _checked(source, GGUF_PROCESS.write_gguf_shard(source, partial, number, seconds, cancelled))
        done += nbytes
        on_progress(done, total)
    return Provenance(
        source=str(source),
        size=found.st_size,
        modified_ns=found.st_mtime_ns,
        architecture=plan.architecture,
        tensors=plan.tensors,
        requantised=tuple(plan.requantised),
        version=provenance.VERSION,
    )


def _checked(source: Path, plan: GgufPlan) -> GgufPlan:
    if plan.problem:
        raise ModelNotUsable(source, plan.problem, plan.detail)
    return plan
