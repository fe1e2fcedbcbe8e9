"""Turns a GGUF file into a folder that MLX loads, in a sandbox."""

from __future__ import annotations

import fcntl
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import msgspec

from engine.errors import EngineClosed, ModelNotUsable
from engine.files.atomic_file import PARTIAL, write_atomically
from engine.files.disk_space import free_bytes
from engine.gguf import provenance
from engine.gguf.provenance import Provenance, read_provenance
from engine.sandbox.errors import SandboxError
from engine.sandbox.process import Sandbox

# Weights that a slow machine converts in a second of computing; others convert ten times as many bytes.
_BYTES_A_SECOND = 4_000_000
# Seconds for what lies beside the weights, among them the largest vocabularies, and for opening a file of weights.
_PREPARE_S, _OPEN_S = 60, 30
# What is left for others on the disk.
_SPARE_BYTES = 2**28
# Between two looks whether another process is done.
_LOOK_S = 0.1
SANDBOX = Sandbox("engine.gguf.writing")


def convert(
    source: Path, folder: Path, on_progress: Callable[[int, int], object], cancelled: threading.Event
) -> Provenance:
    """Turn a GGUF file, or a split one of which `source` is any part, into the model folder `folder`. Waits.

    `on_progress` gets the bytes of weights written so far, and those of all. The folder appears when it is complete;
    what killed conversions left is removed by the next one of any file. One of an older version keeps its weights.
    One process converts at a time; others use what it made. Raises `ModelNotUsable`; `EngineClosed` when `cancelled`.
    """
    # Not at the top: the package that knows GGUF's kinds is slow to import.
    from engine.gguf.writing import prepare

    unfinished = folder.with_name(f".{folder.name}{PARTIAL}")
    try:
        unfinished.parent.mkdir(parents=True, exist_ok=True)
        with _alone_in(folder.parent.parent, cancelled):
            older = read_provenance(folder)
            if older is not None and older.version == provenance.VERSION:
                return older
            for left in folder.parent.parent.glob(f"*/.*{PARTIAL}"):
                shutil.rmtree(left, ignore_errors=True)
            try:
                unfinished.mkdir()
                shards, made, read = SANDBOX.run(partial(prepare, str(source), str(unfinished)), _PREPARE_S, cancelled)
                if older is not None:
                    for file in unfinished.iterdir():
                        os.replace(file, folder / file.name)
                    made = msgspec.structs.replace(older, version=provenance.VERSION)
                    _keep(made, folder)
                else:
                    _write(shards, source, unfinished, read, on_progress, cancelled)
                    _keep(made, unfinished)
                    shutil.rmtree(folder, ignore_errors=True)
                    os.replace(unfinished, folder)
            finally:
                shutil.rmtree(unfinished, ignore_errors=True)
    except OSError as error:
        raise ModelNotUsable(source, "not-written", error.strerror or str(error)) from error
    except SandboxError as error:
        raise error.of_model(source, "damaged", f"{source.name} ({error})") from error
    finally:
        SANDBOX.release()
    return made


@contextmanager
def _alone_in(folder: Path, cancelled: threading.Event) -> Iterator[None]:
    """Keep other processes from converting into a folder. Waits for them; raises `EngineClosed` when `cancelled`."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        # Some disks have no locks.
        with suppress(OSError):
            while not cancelled.is_set():
                with suppress(BlockingIOError):
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                cancelled.wait(_LOOK_S)
        if cancelled.is_set():
            raise EngineClosed
        yield
    finally:
        os.close(descriptor)


def _keep(made: Provenance, folder: Path) -> None:
    write_atomically(folder / provenance.NAME, msgspec.json.format(msgspec.json.encode(made)))


def _write(
    shards: list[int],
    source: Path,
    unfinished: Path,
    read: str,
    on_progress: Callable[[int, int], object],
    cancelled: threading.Event,
) -> None:
    """Write the weights, file by file, of the source as it was `read`."""
    from engine.gguf.writing import write_shard

    done = 0
    total = sum(shards)
    free = free_bytes(unfinished)
    if free is not None and free < total + _SPARE_BYTES:
        raise ModelNotUsable(source, "disk-full", f"{(total + _SPARE_BYTES) / 1e9:.1f} GB")
    on_progress(done, total)
    for number, nbytes in enumerate(shards):
        seconds = _OPEN_S + nbytes / _BYTES_A_SECOND
        SANDBOX.run(partial(write_shard, str(source), str(unfinished), number, read), seconds, cancelled)
        done += nbytes
        on_progress(done, total)
