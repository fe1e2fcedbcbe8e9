"""Reads the small files that `torch.save` writes, without torch, and without running their pickle.

Such a file is a zip of a pickle and of the tensors' bytes. Unpickling calls whatever the file names. Here the opcodes
are only walked: those of plain values, and of the few calls by which torch describes a tensor, have a meaning; any
other opcode raises `RunsCodeError`. Nothing is imported, called or set.
"""

from __future__ import annotations

import io
import math
import pickletools
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.files.folder_paths import open_regular

_LARGEST_FILE = 2**22
_LARGEST_PICKLE = 2**14
_MOST_MEMBERS = 64
_MOST_DIMENSIONS = 8
# By torch's names: the type's name in safetensors, and the bytes of an element.
_STORAGES = {
    "torch FloatStorage": ("F32", 4),
    "torch HalfStorage": ("F16", 2),
    "torch BFloat16Storage": ("BF16", 2),
}
_TENSOR, _PARAMETER = "torch._utils _rebuild_tensor_v2", "torch._utils _rebuild_parameter"
_ORDERED = "collections OrderedDict"
_GLOBALS = {*_STORAGES, _TENSOR, _PARAMETER, _ORDERED}
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_VALUES = ("BININT", "BININT1", "BININT2", "BINUNICODE", "SHORT_BINUNICODE")
_PUTS, _GETS = ("BINPUT", "LONG_BINPUT"), ("BINGET", "LONG_BINGET")
_TUPLES = {"EMPTY_TUPLE": 0, "TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}


class TorchFileError(ValueError):
    """The file is damaged, or holds more than tensors and plain values; the message says what."""


class RunsCodeError(TorchFileError):
    """Torch would call something other than the description of a tensor for this file; the message names it."""


@dataclass(frozen=True, slots=True)
class SavedTensor:
    """A tensor: element type as safetensors names it (F32, F16 or BF16), shape, and its bytes, row by row."""

    dtype: str
    shape: tuple[int, ...]
    data: memoryview


@dataclass(frozen=True, slots=True)
class _Global:
    name: str


@dataclass(frozen=True, slots=True)
class _Storage:
    dtype: str
    element: int
    data: memoryview


def read_torch_file(path: Path) -> object:
    """Return the saved value: a tensor, or a dictionary of strings to tensors, numbers, strings, flags and tuples.

    Reads 4 MB at most. Raises `TorchFileError`, in particular `RunsCodeError`.
    """
    try:
        with open_regular(path) as file:
            raw = file.read(_LARGEST_FILE + 1)
        if len(raw) > _LARGEST_FILE:
            raise TorchFileError("too large")
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            return _Walk(_members(archive)).result()
    except TorchFileError:
        raise
    # For damaged files, zipfile and pickletools raise many built-in errors.
    except Exception as error:
        raise TorchFileError(" ".join(str(error).split())[:80] or type(error).__name__) from error


def _members(archive: zipfile.ZipFile) -> dict[str, bytes]:
    """Return the parts of the file by name, without the folder that all of them are in."""
    entries = archive.infolist()
    # In a hostile file, parts can overlap.
    if len(entries) > _MOST_MEMBERS or sum(entry.file_size for entry in entries) > _LARGEST_FILE:
        raise TorchFileError("too many parts")
    found: dict[str, bytes] = {}
    for entry in entries:
        # torch does not compress.
        if entry.compress_type != zipfile.ZIP_STORED:
            raise TorchFileError("compressed")
        name = entry.filename.partition("/")[2]
        if name in found:
            raise TorchFileError("a part twice")
        found[name] = archive.read(entry)
    if found.get("byteorder", b"little") != b"little":
        raise TorchFileError("byte order")
    if len(found.get("data.pkl", bytes(_LARGEST_PICKLE + 1))) > _LARGEST_PICKLE:
        raise TorchFileError("no pickle, or a large one")
    return found


class _Walk:
    """Walks through the opcodes of a pickle with a stack of plain values."""

    def __init__(self, members: dict[str, bytes]) -> None:
        self._members = members
        self._stack: list[Any] = []
        self._marks: list[int] = []
        self._memo: dict[int, Any] = {}

    def result(self) -> object:
        for opcode, argument, _ in pickletools.genops(self._members["data.pkl"]):
            self._step(opcode.name, argument)
        (value,) = self._stack
        if not isinstance(value, (dict, SavedTensor)):
            raise TorchFileError("no tensor")
        return value

    def _step(self, name: str, argument: Any) -> None:
        stack = self._stack
        if name in _VALUES:
            stack.append(argument)
        elif name in _CONSTANTS:
            stack.append(_CONSTANTS[name])
        elif name in _PUTS:
            self._memo[argument] = stack[-1]
        elif name in _GETS:
            stack.append(self._memo[argument])
        elif name == "GLOBAL" and argument in _GLOBALS:
            stack.append(_Global(argument))
        elif name in _TUPLES:
            stack.append(tuple(self._taken(_TUPLES[name])))
        elif name == "EMPTY_DICT":
            stack.append({})
        elif name == "MARK":
            self._marks.append(len(stack))
        elif name == "TUPLE":
            stack.append(tuple(self._since_mark()))
        elif name == "SETITEMS":
            self._set(self._since_mark())
        elif name == "SETITEM":
            self._set(self._taken(2))
        elif name == "BINPERSID":
            stack.append(self._storage(*self._taken(1)))
        elif name == "REDUCE":
            called, arguments = self._taken(2)
            stack.append(_called(called, arguments))
        elif name not in ("PROTO", "STOP"):
            raise RunsCodeError(f"{argument}"[:80] if name == "GLOBAL" else name)

    def _taken(self, count: int) -> list[Any]:
        at = len(self._stack) - count
        if at < (self._marks[-1] if self._marks else 0):
            raise TorchFileError("stack")
        taken = self._stack[at:]
        del self._stack[at:]
        return taken

    def _since_mark(self) -> list[Any]:
        return self._taken(len(self._stack) - self._marks.pop())

    def _set(self, items: list[Any]) -> None:
        keys, target = items[::2], self._stack[-1]
        if type(target) is not dict or len(items) % 2 or not all(isinstance(key, str) for key in keys):
            raise TorchFileError("a key that is no text")
        target.update(zip(keys, items[1::2], strict=True))

    def _storage(self, reference: Any) -> _Storage:
        """Return the storage that ("storage", type, key, device, count) stands for."""
        word, kind, key, _, count = reference
        if word != "storage" or not isinstance(kind, _Global) or not isinstance(key, str) or type(count) is not int:
            raise TorchFileError("storage")
        dtype, element = _STORAGES[kind.name]
        data = self._members[f"data/{key}"]
        if len(data) != count * element:
            raise TorchFileError("storage cut off")
        # All tensors of a storage share its bytes.
        return _Storage(dtype, element, memoryview(data))


def _called(called: Any, arguments: Any) -> object:
    """Return the result of one of the calls by which torch describes a tensor."""
    if not isinstance(called, _Global) or not isinstance(arguments, tuple):
        raise TorchFileError("call")
    if called.name == _ORDERED and not arguments:
        return {}
    if called.name == _PARAMETER and isinstance(arguments[0], SavedTensor):
        return arguments[0]
    if called.name != _TENSOR or not isinstance(arguments[0], _Storage):
        raise TorchFileError(called.name)
    storage, offset, shape, strides = arguments[:4]
    _check_whole(offset, shape, strides)
    begin = offset * storage.element
    end = begin + math.prod(shape) * storage.element
    if end > len(storage.data):
        raise TorchFileError("shape beyond the storage")
    return SavedTensor(storage.dtype, shape, storage.data[begin:end])


def _check_whole(offset: Any, shape: Any, strides: Any) -> None:
    """Raise `TorchFileError` unless the tensor is contiguous."""
    if not isinstance(shape, tuple) or not isinstance(strides, tuple) or len(shape) > _MOST_DIMENSIONS:
        raise TorchFileError("shape")
    if any(type(number) is not int or number < 0 for number in (offset, *shape, *strides)):
        raise TorchFileError("shape")
    if strides != tuple(math.prod(shape[index + 1 :]) for index in range(len(shape))):
        raise TorchFileError("not contiguous")
