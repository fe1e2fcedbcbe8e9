"""What engine and prompt process write to each other: JSON behind four bytes of length, and plain data in it."""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO

_LENGTH = struct.Struct(">I")
# A context of ten million tokens in decimal digits fits.
LARGEST_REPLY = 2**27
# That many tokenizers are kept. A request says which of those that are there stay, so both ends agree.
MOST_TOKENIZERS = 4
# The option of a process that does not import transformers before it is needed.
WITHOUT_TRANSFORMERS = "--without-transformers"


@dataclass(frozen=True, slots=True)
class TokenizerSource:
    """What it takes to build a tokenizer: its folder, and of the model's code and configuration the defaults for it
    and the ids that end a turn. With the path of a `record` it is built by that, without transformers.
    """

    folder: str
    ends: Any = None
    defaults: dict[str, Any] | None = None
    record: str = ""

    def as_data(self) -> dict[str, Any]:
        return asdict(self)


def frame(message: dict[str, Any]) -> bytes:
    content = json.dumps(message, separators=(",", ":")).encode()
    return _LENGTH.pack(len(content)) + content


def announced_length(begin: bytes) -> int | None:
    """How many bytes a frame has that begins so; None while that is not known."""
    return _LENGTH.size + _LENGTH.unpack_from(begin)[0] if len(begin) >= _LENGTH.size else None


def content_of(whole: bytes) -> dict[str, Any]:
    """The message of a whole frame. Raises `ValueError` for anything else."""
    message = json.loads(whole[_LENGTH.size :])
    if not isinstance(message, dict):
        raise ValueError("not a message")
    return message


def read_frame(stream: BinaryIO) -> dict[str, Any] | None:
    """The next message; None at the end of the stream."""
    begin = stream.read(_LENGTH.size)
    if len(begin) < _LENGTH.size:
        return None
    return content_of(begin + stream.read(_LENGTH.unpack(begin)[0]))
