"""The record, in a folder that was made from a GGUF file, of that file."""

from __future__ import annotations

from pathlib import Path

import msgspec

from engine.files.bounded_json import CONFIG, UntrustedJsonError, read_bytes

NAME = "gguf.json"
# Raised when files other than the weights change; such files of older folders are then written again.
VERSION = 2


class Provenance(msgspec.Struct, frozen=True, kw_only=True):
    """Where the weights of a folder come from.

    `source`, `size` (bytes) and `modified_ns` (nanoseconds since 1970) describe the first file. There are `tensors`
    tensors; those in `requantised` were quantised again, the others have the file's own codes or numbers.
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
