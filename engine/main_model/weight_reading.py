"""Reads tensors of safetensors files into arrays without MLX, so that a read that fails is an error of this process.

A read that fails inside of an evaluation, as when a volume is pulled, makes MLX 0.32.4 hang or fail in a later,
unrelated evaluation, about once in some hundred failures. The arrays here are filled through the buffer protocol by
threads of a `DiskPool`: each byte is copied once, from the file into the memory that the model keeps, as MLX does.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import mlx.core as mx

from engine.errors import ModelNotUsable
from engine.files.disk_pool import DiskPool
from engine.files.folder_paths import open_regular
from engine.files.steps import Steps, result_of
from engine.model_files.model_folder import ModelFolder
from engine.model_files.safetensors_header import header_length

# What one call reads: macOS refuses 2 GiB and more.
_PIECE_BYTES = 2**25
# The types in which MLX would not read the bytes as they are, or cannot view them.
_CONVERTED = ("BOOL", "F8_E4M3", "F64")


@dataclass(frozen=True, slots=True)
class TensorPlace:
    """Where the bytes of a tensor are: `nbytes` of `file` from `begin` on, which counts from the end of its header."""

    file: Path
    begin: int
    nbytes: int


def tensor_places(folder: ModelFolder) -> dict[str, TensorPlace]:
    """Return where the tensors of a model are, by name, but for single numbers and those whose bytes MLX converts.

    Raises `ModelNotUsable` as `ModelFolder.header` does.
    """
    return {
        name: TensorPlace(file, header.begin, header.nbytes)
        for file in folder.weight_files
        for name, header in folder.header(file).items()
        if header.dtype not in _CONVERTED and header.nbytes and header.shape
    }


def read_arrays(
    path: Path, places: Mapping[str, TensorPlace], likes: Mapping[str, mx.array], disk: DiskPool
) -> Steps[dict[str, mx.array]]:
    """Return the tensors at `places`, by the same keys. `path` is the model's.

    `likes` has the same keys, and lazy arrays with the shape and type of each; they are not evaluated.

    Raises `ModelNotUsable` (damaged) if a file cannot be read or ends before.
    """
    # A shape in one dimension could exceed what MLX counts to.
    buffers = {
        key: mx.empty((*like.shape[:-1], like.shape[-1] * like.itemsize), mx.uint8) for key, like in likes.items()
    }
    mx.eval(list(buffers.values()))
    targets = [(places[key], memoryview(buffer).cast("B")) for key, buffer in buffers.items()]  # type: ignore[arg-type]
    yield from result_of(disk.start(_fill, path, targets))
    return {key: buffer.view(likes[key].dtype) for key, buffer in buffers.items()}


def _fill(path: Path, targets: Iterable[tuple[TensorPlace, memoryview]]) -> None:
    """Read each place into its memory. Raises `ModelNotUsable`."""
    by_file: dict[Path, list[tuple[TensorPlace, memoryview]]] = {}
    for place, memory in targets:
        by_file.setdefault(place.file, []).append((place, memory))
    for file, parts in by_file.items():
        try:
            with open_regular(file) as opened:
                data = 8 + header_length(opened.read(8))
                for place, memory in parts:
                    _read_into(memory, opened.fileno(), data + place.begin)
        except (OSError, EOFError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise ModelNotUsable(path, "damaged", f"{file.name} ({reason})") from error


def _read_into(memory: memoryview, descriptor: int, offset: int) -> None:
    """Fill the memory with the bytes of a file from `offset` on. Raises `OSError`, or `EOFError` if the file ends."""
    at = 0
    while at < len(memory):
        count = os.preadv(descriptor, [memory[at : at + _PIECE_BYTES]], offset + at)
        if count == 0:
            raise EOFError("it ends before its tensors do")
        at += count
