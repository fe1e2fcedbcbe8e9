"""Reads the numbers of a vector that `torch.save` wrote, without torch, and without running the file's pickle.

Such a file is a zip of a pickle and of the bytes of its storages. Unpickling calls whatever the file names, so here the
pickle is only looked through for the type of its numbers, and for names that a vector does not need.
"""

from __future__ import annotations

import io
import pickletools
import zipfile
from dataclasses import dataclass
from pathlib import Path

from engine.files.folder_paths import open_regular

_LARGEST_FILE = 2**22
_LARGEST_PICKLE = 2**14
# By torch's names: the type's name in safetensors, and the bytes of an element.
_STORAGES = {"torch FloatStorage": ("F32", 4), "torch HalfStorage": ("F16", 2), "torch BFloat16Storage": ("BF16", 2)}
_HARMLESS = {
    *("torch._utils _rebuild_tensor_v2", "torch._utils _rebuild_parameter", "collections OrderedDict"),
    *_STORAGES,
}
# The other opcodes that name something to call, or call it with attributes.
_CALLING = {"STACK_GLOBAL", "INST", "OBJ", "NEWOBJ", "NEWOBJ_EX", "BUILD", "EXT1", "EXT2", "EXT4"}


class TorchFileError(ValueError):
    """The file is damaged, or holds more than one vector; the message says what."""


class RunsCodeError(TorchFileError):
    """Torch would call something other than the description of a tensor for this file; the message names it."""


@dataclass(frozen=True, slots=True)
class SavedVector:
    """A vector: element type as safetensors names it (F32, F16 or BF16), its length, and its bytes."""

    dtype: str
    length: int
    data: bytes


def read_torch_vector(path: Path) -> SavedVector:
    """Return the only tensor in a file, as the vector of all numbers of its storage.

    Reads 4 MB at most. Raises `TorchFileError`, in particular `RunsCodeError`.
    """
    try:
        with open_regular(path) as file:
            raw = file.read(_LARGEST_FILE + 1)
        if len(raw) > _LARGEST_FILE:
            raise TorchFileError("too large")
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            pickled, data = _members(archive)
        dtype, element = _STORAGES[_storage_named_in(pickled)]
    except TorchFileError:
        raise
    # For damaged files, zipfile and pickletools raise many built-in errors.
    except Exception as error:
        raise TorchFileError(" ".join(str(error).split())[:80] or type(error).__name__) from error
    if not data or len(data) % element:
        raise TorchFileError("storage cut off")
    return SavedVector(dtype, len(data) // element, data)


def _members(archive: zipfile.ZipFile) -> tuple[bytes, bytes]:
    """Return the pickle and the only storage."""
    members = {entry.filename.partition("/")[2]: entry for entry in archive.infolist()}
    storages = [entry for name, entry in members.items() if name.startswith("data/")]
    wanted = [members["data.pkl"], *storages]
    if len(storages) != 1 or wanted[0].file_size > _LARGEST_PICKLE:
        raise TorchFileError("not one tensor")
    # torch does not compress.
    if any(entry.compress_type != zipfile.ZIP_STORED for entry in wanted):
        raise TorchFileError("compressed")
    if "byteorder" in members and archive.open(members["byteorder"]).read(7) != b"little":
        raise TorchFileError("byte order")
    return archive.read(wanted[0]), archive.read(wanted[1])


def _storage_named_in(pickled: bytes) -> str:
    """Return the type of storage that a pickle names. Raises `RunsCodeError` if it names anything else to call."""
    names = set()
    for opcode, argument, _ in pickletools.genops(pickled):
        if opcode.name in _CALLING or (opcode.name == "GLOBAL" and argument not in _HARMLESS):
            raise RunsCodeError(f"{argument}"[:80] if opcode.name == "GLOBAL" else opcode.name)
        if opcode.name == "GLOBAL":
            names.add(argument)
    [storage] = names & _STORAGES.keys()
    return str(storage)
