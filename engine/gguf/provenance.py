"""What a folder that was made from a GGUF file keeps of its source."""

from __future__ import annotations

from pathlib import Path

import msgspec

from engine.files.bounded_json import CONFIG, UntrustedJsonError, read_bytes

NAME = "gguf.json"
# Raised when the files beside the weights change; those of older folders are then written anew.
VERSION = 1


class Provenance(msgspec.Struct, frozen=True, kw_only=True):
    """Where the weights of a folder come from. The path, size and time of change are those of the first file. Of
    `tensors` tensors, those in `requantised` were quantised anew; the others have the codes or numbers of the file.
    """

    source: str
    size: int
    modified_ns: int
    architecture: str
    tensors: int
    requantised: tuple[str, ...] = ()
    version: int = 0


def read_provenance(folder: Path) -> Provenance | None:
    """Return the record in a folder; None if it was not made from a GGUF file, or the record is damaged."""
    try:
        return msgspec.json.decode(read_bytes(folder / NAME, CONFIG.size), type=Provenance)
    except (UntrustedJsonError, msgspec.MsgspecError):
        return None
