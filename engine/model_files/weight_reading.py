"""Reads tensors of safetensors files into arrays without MLX, so that a read that fails is an error of this process.

A read that fails inside of an evaluation, as when a volume is pulled, makes MLX 0.32.4 hang or fail in a later,
unrelated evaluation, about once in some hundred failures. The arrays here are filled through the buffer protocol by
threads of a `DiskPool`: each byte is copied once, from the file into the memory that the model keeps, as MLX does.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import mlx.core as mx

from engine.errors import ModelNotUsable
from engine.files.disk_pool import DiskPool
from engine.files.folder_paths import open_regular
from engine.files.steps import Steps, in_chunks, result_of
from engine.model_files.safetensors_header import (
    ELEMENT_BYTES,
    CutOffFileError,
    TensorHeader,
    header_length,
    parse_header,
)

# What one call reads: macOS refuses 2 GiB and more.
_PIECE_BYTES = 2**25
# The types as which MLX reads the bytes of tensors; it keeps 8-bit floating-point numbers as their codes, and reads no
# F64.
_TYPES = {
    "BOOL": mx.bool_, "U8": mx.uint8, "I8": mx.int8, "F8_E4M3": mx.uint8, "F8_E8M0": mx.uint8,
    "U16": mx.uint16, "I16": mx.int16, "F16": mx.float16, "BF16": mx.bfloat16,
    "U32": mx.uint32, "I32": mx.int32, "F32": mx.float32,
    "U64": mx.uint64, "I64": mx.int64, "C64": mx.complex64,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TensorPlace:
    """Where a tensor is: `header` says which bytes of `file` it has, and as what they are read."""

    file: Path
    header: TensorHeader

    @property
    def nbytes(self) -> int:
        return self.header.nbytes


def tensor_places(headers: Mapping[Path, Mapping[str, TensorHeader]]) -> dict[str, TensorPlace]:
    """Return where the tensors are, by name. `headers` are the headers of the files."""
    return {name: TensorPlace(file, header) for file, tensors in headers.items() for name, header in tensors.items()}


def read_arrays(path: Path, places: Mapping[str, TensorPlace], disk: DiskPool) -> Steps[dict[str, mx.array]]:
    """Return the tensors (any shape) at `places`, by the same keys, in the types in which MLX has them.

    `path` is the model's.

    What is computed from an array needs no memory beside it if nothing else keeps the array, or the result.

    Raises `ModelNotUsable`: damaged if a file cannot be read or ends before, wrong-tensors for a type that MLX lacks.
    """
    for name, place in places.items():
        if place.header.dtype not in _TYPES:
            raise ModelNotUsable(path, "wrong-tensors", f"{name[:80]}: {place.header.dtype}")
    arrays: dict[str, mx.array] = {}
    named = iter(places.items())
    for chunk in in_chunks(places.values()):
        buffers = {name: _buffer(place.header) for name, place in islice(named, len(chunk))}
        mx.eval(list(buffers.values()))
        targets = [(places[name], _bytes_of(buffer)) for name, buffer in buffers.items() if buffer.size]
        yield from result_of(disk.start(_fill, path, targets))
        arrays |= {name: _typed(buffer, places[name].header) for name, buffer in buffers.items()}
    return arrays


def stand_ins(places: Mapping[str, TensorPlace]) -> dict[str, mx.array]:
    """Return lazy arrays (any shape) as the tensors at `places` are, by the same keys; nothing is read.

    Raises `KeyError` for a type that MLX lacks.
    """
    return {name: mx.ones(place.header.shape, _TYPES[place.header.dtype]) for name, place in places.items()}


def arrays_in(content: bytes) -> dict[str, mx.array]:
    """Return the tensors (any shape) in the content of a safetensors file by name.

    Raises `CutOffFileError`, `DamagedHeaderError`, or another `ValueError` for a type that MLX lacks.
    """
    if len(content) < 8 or len(content) < (data := 8 + header_length(content[:8])):
        raise CutOffFileError("shorter than its header")
    headers = parse_header(content[8:data], len(content) - data)
    arrays = {}
    for name, header in headers.items():
        if header.dtype not in _TYPES:
            raise ValueError(f"{name}: {header.dtype}")
        buffer = _buffer(header)
        mx.eval(buffer)
        if buffer.size:
            _bytes_of(buffer)[:] = content[data + header.begin : data + header.begin + header.nbytes]
        arrays[name] = _typed(buffer, header)
    return arrays


def _buffer(header: TensorHeader) -> mx.array:
    """Return the memory of a tensor, as bytes: lazy, of the tensor's shape with its last side in bytes.

    Its shape in one dimension could exceed what MLX counts to.
    """
    *outer, last = header.shape or (1,)
    return mx.empty((*outer, last * ELEMENT_BYTES[header.dtype]), mx.uint8)


def _bytes_of(buffer: mx.array) -> memoryview:
    """Return the bytes of an evaluated buffer (..., n), to be written."""
    return memoryview(buffer).cast("B")  # type: ignore[arg-type]


def _typed(buffer: mx.array, header: TensorHeader) -> mx.array:
    """Return the tensor whose bytes are in its buffer (..., n), as an array that shares its memory."""
    array = buffer.astype(mx.bool_) if header.dtype == "BOOL" else buffer.view(_TYPES[header.dtype])
    return array if header.shape else array.reshape(())


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
                    _read_into(memory, opened.fileno(), data + place.header.begin)
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
