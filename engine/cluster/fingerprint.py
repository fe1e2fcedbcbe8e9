"""Whether two machines have the same files of a model, without reading all of them. Imports no MLX."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path

from engine.errors import ModelNotUsable
from engine.model_files.inspection import weight_files

# A header lists a tensor in about 100 bytes.
_LARGEST_HEADER = 2**26


def fingerprint(folder: Path) -> str:
    """A digest of a model's configuration, and of the size and the header of each file of weights.

    Raises `ModelNotUsable` where files are missing.
    """
    digest = hashlib.sha256()
    try:
        digest.update((folder / "config.json").read_bytes())
        for path in sorted(weight_files(folder)):
            with path.open("rb") as file:
                start = file.read(8)
                length = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
                header = file.read(min(length, _LARGEST_HEADER))
            digest.update(f"{path.name} {path.stat().st_size} ".encode() + start + header)
    except OSError as error:
        raise ModelNotUsable(folder, "incomplete", Path(error.filename or "").name) from error
    return digest.hexdigest()
