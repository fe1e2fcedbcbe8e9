"""Files that `torch.save` writes, and hostile variants of them."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

from tests.engine.heads.golden import cases

# Written by torch 2.13.0: a mask token, and its embedding in BF16.
REAL = cases.HERE / cases.MASK_FILE


def parts_of_real() -> dict[str, bytes]:
    with zipfile.ZipFile(REAL) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def written(path: Path, changes: dict[str, bytes | None] | None = None, *, compress: bool = False) -> Path:
    """Write the real file with some parts, named by the ends of their names, changed or left out."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED) as archive:
        for name, data in parts_of_real().items():
            changed = next((new for end, new in (changes or {}).items() if name.endswith(end)), data)
            if changed is not None:
                archive.writestr(name, changed)
    return path


def four_numbers(
    path: Path, *, shape: bytes = b"K\x04\x85", strides: bytes = b"K\x01\x85", offset: bytes = b"K\x00"
) -> Path:
    """Write a bare tensor of the numbers 1 to 4 in torch's form, with changed opcodes in the description."""
    storage = b"((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x04tQ"
    raw = b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n" + storage + offset + shape + strides
    raw += b"\x89ccollections\nOrderedDict\n)RtR."
    return written(path, {"data.pkl": raw, "data/0": struct.pack("<4f", 1, 2, 3, 4)})
