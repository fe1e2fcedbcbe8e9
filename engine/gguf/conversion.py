"""Turns a GGUF file into a folder that MLX loads, in a sandbox."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from engine.errors import EngineClosed, ModelNotUsable
from engine.files.atomic_file import PARTIAL, write_atomically
from engine.files.disk_space import free_bytes
from engine.files.removal import remove_folder
from engine.gguf import provenance
from engine.gguf.provenance import Provenance, read_provenance
from engine.sandbox.errors import SandboxError
from engine.sandbox.process import Sandbox

if TYPE_CHECKING:
    from engine.gguf.writing import Prepared

# Bytes of weights that a slow machine converts in a second of computing; other machines convert ten times as many.
_BYTES_A_SECOND = 4_000_000
# Seconds for all files but the weights, among them the largest vocabularies.
_PREPARE_S = 60
# Seconds for opening a file of weights.
_OPEN_S = 30
# Bytes of the disk that a conversion leaves free.
_SPARE_BYTES = 2**28
# Seconds between two looks whether another process is done.
_LOOK_S = 0.1
SANDBOX = Sandbox("engine.gguf.writing")


def convert(
    source: Path, folder: Path, on_progress: Callable[[int, int], object], cancelled: threading.Event
) -> Provenance:
    """Turn a GGUF file, or a split one of which `source` is any part, into the model folder `folder`. Waits.

    `on_progress` gets the bytes of the weights written so far, and the bytes of all weights. The folder appears when it
    is complete; unfinished folders of killed conversions, or that could not be removed, are removed by the next
    conversion of any file. A folder that an older version made keeps its weights, and its other files are written
    again. One process converts at a time; others wait and use the folder that it made. Returns the record in the
    folder.

    Raises `ModelNotUsable` if the file cannot be used, the disk is full or nothing can be written; `EngineClosed` when
    `cancelled`.
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
                remove_folder(left)
            try:
                unfinished.mkdir()
                prepared = SANDBOX.run(partial(prepare, str(source), str(unfinished)), _PREPARE_S, cancelled)
                made = prepared.provenance
                if older is not None:
                    for file in unfinished.iterdir():
                        os.replace(file, folder / file.name)
                    made = msgspec.structs.replace(older, version=provenance.VERSION)
                    _keep(made, folder)
                else:
                    _write_shards(prepared, source, unfinished, on_progress, cancelled)
                    _keep(made, unfinished)
                    remove_folder(folder)
                    os.replace(unfinished, folder)
            finally:
                remove_folder(unfinished)
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
    """Write the record of the source into the folder."""
    write_atomically(folder / provenance.NAME, msgspec.json.format(msgspec.json.encode(made)))


def _write_shards(
    prepared: Prepared,
    source: Path,
    unfinished: Path,
    on_progress: Callable[[int, int], object],
    cancelled: threading.Event,
) -> None:
    """Write the weights, file by file, while the source is in the state in which it was `prepared`.

    Raises `ModelNotUsable` ("disk-full" before anything is written), `SandboxError`, and `EngineClosed`.
    """
    from engine.gguf.writing import write_shard

    done = 0
    total = sum(prepared.shard_bytes)
    free = free_bytes(unfinished)
    if free is not None and free < total + _SPARE_BYTES:
        raise ModelNotUsable(source, "disk-full", f"{(total + _SPARE_BYTES) / 1e9:.1f} GB")
    on_progress(done, total)
    for number, nbytes in enumerate(prepared.shard_bytes):
        seconds = _OPEN_S + nbytes / _BYTES_A_SECOND
        job = partial(write_shard, str(source), str(unfinished), number, prepared.source_state)
        SANDBOX.run(job, seconds, cancelled)
        done += nbytes
        on_progress(done, total)
