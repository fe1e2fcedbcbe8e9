"""Reads the header of a safetensors file and checks it against the size of the file."""

from __future__ import annotations

import math
import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import ModelNotUsable
from engine.files.bounded_json import HEADER, UntrustedJsonError, parse
from engine.files.folder_paths import open_regular

# Bytes of an element, for the types that MLX reads.
ELEMENT_BYTES = {
    "BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E8M0": 1,
    "U16": 2, "I16": 2, "F16": 2, "BF16": 2,
    "U32": 4, "I32": 4, "F32": 4,
    "U64": 8, "I64": 8, "F64": 8, "C64": 8,
}  # fmt: skip
_LARGEST_DIMENSION = 2**31 - 1


class DamagedHeaderError(ValueError):
    """The header cannot be trusted; the message says why."""


class CutOffFileError(ValueError):
    """The file ends before the bytes that its header names."""


@dataclass(frozen=True, slots=True)
class TensorHeader:
    """One tensor's entry: element type, shape, size in bytes, and the offset of its data after the header."""

    dtype: str
    shape: tuple[int, ...]
    nbytes: int
    begin: int = 0


def read_header(path: Path) -> dict[str, TensorHeader]:
    """Return every tensor of the file by name. Reads the header only.

    Raises `CutOffFileError` if the file is shorter than its header says, `DamagedHeaderError` if the header is wrong.
    """
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            prefix = file.read(8)
            if len(prefix) < 8:
                raise CutOffFileError("shorter than its length field")
            length = header_length(prefix)
            if size < 8 + length:
                raise CutOffFileError("shorter than its header")
            raw = file.read(length)
    except OSError as error:
        raise DamagedHeaderError(error.strerror or "cannot be read") from error
    return parse_header(raw, size - 8 - len(raw))


def read_checked_header(folder: Path, file: Path) -> dict[str, TensorHeader]:
    """Call `read_header` for a file of the model in `folder`. Raises `ModelNotUsable` (incomplete, damaged)."""
    try:
        return read_header(file)
    except CutOffFileError as error:
        raise ModelNotUsable(folder, "incomplete", f"a part of {file.name}") from error
    except DamagedHeaderError as error:
        raise ModelNotUsable(folder, "damaged", f"{file.name} ({error})") from error


def parse_header(raw: bytes, data_bytes: int) -> dict[str, TensorHeader]:
    """Return the tensors that a header describes, by name. `data_bytes` is the length of what follows it.

    Raises `DamagedHeaderError` if it is no such header, or tensors overlap or exceed the data.
    """
    try:
        entries = parse(raw, HEADER)
    except UntrustedJsonError as error:
        raise DamagedHeaderError(str(error)) from error
    if not isinstance(entries, dict):
        raise DamagedHeaderError("header is not an object")
    tensors = {name: _tensor(name, entry, data_bytes) for name, entry in entries.items() if name != "__metadata__"}
    spans = sorted((tensor.begin, tensor.begin + tensor.nbytes) for tensor in tensors.values())
    # A tensor that was moved would read the numbers of others. Some writers leave gaps, to align tensors.
    begins = [*(begin for begin, _ in spans), data_bytes]
    ends = [0, *(end for _, end in spans)]
    if begins[-1] != ends[-1] or any(begin < end for begin, end in zip(begins, ends, strict=True)):
        raise DamagedHeaderError("bytes that belong to two tensors, or after the last one")
    return tensors


def header_length(prefix: bytes) -> int:
    """Return the length of the header, from a file's first 8 bytes.

    Raises `DamagedHeaderError` if it is out of bounds, or the file has fewer bytes.
    """
    if len(prefix) < 8:
        raise DamagedHeaderError("shorter than its length field")
    (length,) = struct.unpack("<Q", prefix)
    if length > HEADER.size:
        raise DamagedHeaderError("header length out of bounds")
    return int(length)


def parameter_count(tensors: dict[str, TensorHeader], group_size: int | None = None) -> int:
    """Return how many parameters the tensors hold; a quantised tensor has one scale for each group of parameters.

    `group_size` is the configured one, or None to assume 64, the most common.
    """
    total = 0
    for name, tensor in tensors.items():
        stem, _, leaf = name.rpartition(".")
        if leaf in ("scales", "biases") and f"{stem}.weight" in tensors:
            continue
        scales = tensors.get(f"{stem}.scales") if leaf == "weight" and tensor.dtype in ("U32", "U8") else None
        total += math.prod(scales.shape) * (group_size or 64) if scales else math.prod(tensor.shape)
    return total


def _tensor(name: str, entry: Any, data_bytes: int) -> TensorHeader:
    try:
        dtype = entry["dtype"]
        shape = entry["shape"]
        (begin, end) = entry["data_offsets"]
    except (TypeError, KeyError, ValueError) as error:
        raise DamagedHeaderError(f"{name}: no type, shape or offsets") from error
    if not isinstance(dtype, str) or dtype not in ELEMENT_BYTES:
        raise DamagedHeaderError(f"{name}: unknown element type")
    whole = isinstance(shape, list) and all(type(side) is int and 0 <= side <= _LARGEST_DIMENSION for side in shape)
    if not whole or len(shape) > 8:
        raise DamagedHeaderError(f"{name}: bad shape")
    if type(begin) is not int or type(end) is not int or not 0 <= begin <= end:
        raise DamagedHeaderError(f"{name}: bad offsets")
    if end - begin != math.prod(shape) * ELEMENT_BYTES[dtype]:
        raise DamagedHeaderError(f"{name}: shape and offsets disagree")
    if end > data_bytes:
        raise CutOffFileError(f"ends inside {name}")
    return TensorHeader(dtype, tuple(shape), end - begin, begin)
