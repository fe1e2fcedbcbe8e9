"""Reads the metadata and the table of tensors of a GGUF file under bounds.

The reader of the package `gguf` trusts the file, and takes 24 seconds and 700 MB for a vocabulary of 262,144 tokens.
"""

from __future__ import annotations

import math
import os
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, GGUFValueType

from engine.errors import ModelNotUsable
from engine.files.folder_paths import open_regular
from engine.model_files.safetensors_header import CutOffFileError, DamagedHeaderError

MAGIC = b"GGUF"
# Well above the largest published: a vocabulary of 262,144 tokens with half a million merges has a header of 16 MB, and
# a mixture of experts with one tensor an expert has 40,000 tensors.
_MOST_HEADER_BYTES = 2**27
_MOST_FIELDS = 4_096
# Of all arrays together.
_MOST_ELEMENTS = 2**22
_MOST_TENSORS = 100_000
_MOST_FILES = 1_000
_LONGEST_NAME = 1_024
# As in llama.cpp.
_LONGEST_TENSOR_NAME = 64
# Bytes of texts and arrays that describe a model. Its vocabulary and its chat templates may not be among them.
SETTINGS_BYTES = 2**18
_SHARE = 8
_MOST_DIMENSIONS = 4
_LARGEST_DIMENSION = 2**31 - 1
_LARGEST_ALIGNMENT = 2**20
_SPLIT_NAME = re.compile(r"(?P<stem>.*)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf")
_SCALARS = {
    GGUFValueType.UINT8: "B", GGUFValueType.INT8: "b", GGUFValueType.UINT16: "H", GGUFValueType.INT16: "h",
    GGUFValueType.UINT32: "I", GGUFValueType.INT32: "i", GGUFValueType.UINT64: "Q", GGUFValueType.INT64: "q",
    GGUFValueType.FLOAT32: "f", GGUFValueType.FLOAT64: "d", GGUFValueType.BOOL: "?",
}  # fmt: skip
_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class GgufTensor:
    """A tensor's entry: how it is quantised, its shape with the rows last, and where its bytes are."""

    name: str
    kind: GGMLQuantizationType
    shape: tuple[int, ...]
    file: Path
    offset: int
    nbytes: int


class _TensorEntry(NamedTuple):
    """The entry of a tensor in a header: its shape has rows first, its `offset` begins with the data."""

    name: str
    shape: tuple[int, ...]
    kind: GGMLQuantizationType
    offset: int


@dataclass(frozen=True, slots=True)
class GgufFile:
    """A checked GGUF file, or all files of a split one: the metadata of the first, and the tensors of all."""

    files: tuple[Path, ...]
    metadata: dict[str, Any]
    tensors: dict[str, GgufTensor]

    @property
    def architecture(self) -> str:
        return str(self.metadata.get("general.architecture", ""))


def read_gguf(path: Path, most_kept: int = _MOST_HEADER_BYTES) -> GgufFile:
    """Return what a GGUF file holds; `path` may be any part of a split one. Reads headers, never weights.

    A text or an array that takes more than a share of what is left of `most_kept` bytes is passed over, and is None in
    the metadata: a vocabulary leaves room for the settings behind it.
    Raises `ModelNotUsable`: missing, incomplete (cut, or a part of a split one lacks) or damaged.
    """
    if not os.path.exists(path):
        raise ModelNotUsable(path, "missing")
    metadata, tensors = _read_part(path, path, most_kept)
    count = metadata.get("split.count", 0)
    if count in (0, 1):
        return GgufFile((path,), metadata, tensors)
    files = _parts(path, count)
    total: dict[str, GgufTensor] = {}
    first: dict[str, Any] = {}
    for number, file in enumerate(files):
        metadata, tensors = _read_part(path, file, most_kept)
        if metadata.get("split.no") != number or metadata.get("split.count") != count:
            raise ModelNotUsable(path, "damaged", f"{file.name} (not part {number + 1} of {count})")
        if total.keys() & tensors.keys():
            raise ModelNotUsable(path, "damaged", f"{file.name} (a tensor is in two parts)")
        total |= tensors
        if len(total) > _MOST_TENSORS:
            raise ModelNotUsable(path, "damaged", f"{file.name} (too many entries)")
        first = first or metadata
    return GgufFile(files, first, total)


def _parts(path: Path, count: object) -> tuple[Path, ...]:
    """Return the files of a split one, in their order."""
    name = _SPLIT_NAME.fullmatch(path.name)
    if type(count) is not int or not 1 < count <= _MOST_FILES:
        raise ModelNotUsable(path, "damaged", f"{path.name} (split.count)")
    if name is None or int(name["count"]) != count:
        raise ModelNotUsable(path, "incomplete", f"{path.name} (part of {count} files)")
    files = tuple(path.with_name(f"{name['stem']}-{part:05}-of-{count:05}.gguf") for part in range(1, count + 1))
    for file in files:
        if not os.path.exists(file):
            raise ModelNotUsable(path, "incomplete", file.name)
    return files


def _read_part(path: Path, file: Path, most_kept: int) -> tuple[dict[str, Any], dict[str, GgufTensor]]:
    """Return the metadata and the tensors of one file. Raises `ModelNotUsable` for the model at `path`."""
    try:
        with open_regular(file) as opened:
            header = _HeaderReader(opened, most_kept)
            metadata = dict(header.fields())
            return metadata, {tensor.name: tensor for tensor in header.tensors(file, metadata)}
    except CutOffFileError as error:
        raise ModelNotUsable(path, "incomplete", f"a part of {file.name}") from error
    except DamagedHeaderError as error:
        raise ModelNotUsable(path, "damaged", f"{file.name} ({error})") from error
    except OSError as error:
        raise ModelNotUsable(path, "damaged", f"{file.name} ({error.strerror or 'cannot be read'})") from error


class _HeaderReader:
    """The header of an open file, read from the start: first `fields`, then `tensors`."""

    def __init__(self, file: BinaryIO, most_kept: int) -> None:
        self._file = file
        self._room = most_kept
        self._elements = _MOST_ELEMENTS
        self._size = os.fstat(file.fileno()).st_size
        self._read = 0
        if self._take(4) != MAGIC:
            raise DamagedHeaderError("not a GGUF file")
        (version,) = self._numbers("I")
        if version not in (2, 3):
            raise DamagedHeaderError("big-endian" if version % 2**16 == 0 else f"version {version}")
        self._tensor_count, self._field_count = self._numbers("QQ")
        if self._tensor_count > _MOST_TENSORS or self._field_count > _MOST_FIELDS:
            raise DamagedHeaderError("too many entries")

    def fields(self) -> Iterator[tuple[str, Any]]:
        """Yield the names and values of the metadata, in the file's order.

        Raises `DamagedHeaderError` for a name that comes twice or a value out of bounds, `CutOffFileError` at the
        file's end.
        """
        seen = set()
        for _ in range(self._field_count):
            name = self._take(self._length(_LONGEST_NAME)).decode("utf-8", "replace")
            if name in seen:
                raise DamagedHeaderError(f"{name} twice")
            seen.add(name)
            (kind,) = self._numbers("I")
            yield name, self._value(name, kind)

    def tensors(self, file: Path, metadata: dict[str, Any]) -> list[GgufTensor]:
        """Return the tensors of `file`, whose `metadata` says how they are aligned.

        Raises `DamagedHeaderError` for sizes that do not fit together, `CutOffFileError` for a tensor past the file's
        end.
        """
        alignment = metadata.get("general.alignment", 32)
        if type(alignment) is not int or not 0 < alignment <= _LARGEST_ALIGNMENT or alignment & (alignment - 1):
            raise DamagedHeaderError("general.alignment")
        entries = [self._entry() for _ in range(self._tensor_count)]
        if len({entry.name for entry in entries}) < len(entries):
            raise DamagedHeaderError("a tensor twice")
        begin = -(-self._read // alignment) * alignment
        end = 0
        tensors = []
        for name, shape, kind, offset in entries:
            block, block_bytes = GGML_QUANT_SIZES[kind]
            if shape[-1] % block:
                raise DamagedHeaderError(f"{name}: rows are not whole blocks")
            nbytes = math.prod(shape) // int(block) * int(block_bytes)
            if begin + offset + nbytes > self._size:
                raise CutOffFileError(name)
            # llama.cpp demands it, too: no place is left, where a wrong kind or shape would read other numbers.
            if offset != end:
                raise DamagedHeaderError(f"{name}: bad offset")
            end = -(-(offset + nbytes) // alignment) * alignment
            tensors.append(GgufTensor(name, kind, shape, file, begin + offset, nbytes))
        return tensors

    def _entry(self) -> _TensorEntry:
        """Read the entry of a tensor. Raises `DamagedHeaderError`."""
        name = self._take(self._length(_LONGEST_TENSOR_NAME)).decode("utf-8", "replace")
        (dimensions,) = self._numbers("I")
        if not 0 < dimensions <= _MOST_DIMENSIONS:
            raise DamagedHeaderError(f"{name}: bad shape")
        shape = self._numbers("Q" * dimensions)
        if not all(0 < side <= _LARGEST_DIMENSION for side in shape):
            raise DamagedHeaderError(f"{name}: bad shape")
        (kind,) = self._numbers("I")
        (offset,) = self._numbers("Q")
        if kind not in _KINDS:
            raise DamagedHeaderError(f"{name}: unknown kind {kind}")
        return _TensorEntry(name, shape[::-1], _KINDS[kind], offset)

    def _value(self, name: str, kind: int) -> Any:
        """Read a value of this kind; None stands for an array that is too large to keep.

        Raises `DamagedHeaderError`.
        """
        if kind == GGUFValueType.STRING:
            return self._text()
        if kind in _SCALARS:
            return self._numbers(_SCALARS[GGUFValueType(kind)])[0]
        if kind != GGUFValueType.ARRAY:
            raise DamagedHeaderError(f"{name}: unknown type {kind}")
        element, count = self._numbers("IQ")
        self._elements -= count
        if self._elements < 0:
            raise DamagedHeaderError(f"{name}: too many elements")
        if element == GGUFValueType.STRING:
            return self._texts(count)
        if element not in _SCALARS:
            raise DamagedHeaderError(f"{name}: unknown type of elements {element}")
        layout = struct.Struct(f"<{count}{_SCALARS[GGUFValueType(element)]}")
        data = self._kept(layout.size)
        return None if data is None else list(layout.unpack(data))

    def _texts(self, count: int) -> list[str | None] | None:
        if count * _LENGTH.size <= self._room // _SHARE:
            return [self._text() for _ in range(count)]
        for _ in range(count):
            self._pass_over(self._length())
        return None

    def _text(self) -> str | None:
        data = self._kept(self._length())
        # Tokens of some files are not UTF-8.
        return None if data is None else data.decode("utf-8", "replace")

    def _kept(self, count: int) -> bytes | None:
        """Read what a value takes, or pass it over if that is too large a share of what is left for values."""
        if count > self._room // _SHARE:
            self._pass_over(count)
            return None
        self._room -= count
        return self._take(count)

    def _length(self, most: int = _MOST_HEADER_BYTES) -> int:
        length: int = _LENGTH.unpack(self._take(_LENGTH.size))[0]
        if length > most:
            raise DamagedHeaderError("a string too long")
        return length

    def _numbers(self, form: str) -> tuple[Any, ...]:
        layout = struct.Struct(f"<{form}")
        return layout.unpack(self._take(layout.size))

    def _take(self, count: int) -> bytes:
        self._advance(count)
        data = self._file.read(count)
        if len(data) < count:
            raise CutOffFileError
        return data

    def _pass_over(self, count: int) -> None:
        self._advance(count)
        self._file.seek(count, os.SEEK_CUR)

    def _advance(self, count: int) -> None:
        self._read += count
        if self._read > self._size:
            raise CutOffFileError
        if self._read > _MOST_HEADER_BYTES:
            raise DamagedHeaderError("header too large")


_KINDS = {int(kind): kind for kind in GGML_QUANT_SIZES}
